# SPDX-License-Identifier: BSD-3-Clause
"""The small card that a notebook shows for a solution."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .solution import Solution

_WIDTH, _HEIGHT = 160, 28  # of a sparkline, in pixels
_MAX_POINTS = 200  # more than its pixels show nothing
_MAX_LINES = 6  # curves of one class


def _sparkline(t: NDArray[np.float64], rows: NDArray[np.float64]) -> str:
    chosen = np.unique(np.linspace(0, len(t) - 1, min(len(t), _MAX_POINTS)).astype(int))
    t, rows = t[chosen], rows[:_MAX_LINES, chosen]
    finite = rows[np.isfinite(rows)]
    if finite.size == 0 or len(t) < 2:
        return ""
    low, span = float(finite.min()), float(np.ptp(finite)) or 1.0
    x = (t - t[0]) / ((t[-1] - t[0]) or 1.0) * _WIDTH
    lines = []
    for number, row in enumerate(rows):
        y = _HEIGHT - 2 - (np.nan_to_num(row, nan=low) - low) / span * (_HEIGHT - 4)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
        colour = f"hsl({210 + 50 * number},60%,45%)"
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}">{"".join(lines)}</svg>'


def _error(solution: "Solution") -> str:
    problem = solution.problem
    reference = getattr(problem, "reference", None)
    if reference is None or abs(reference.t - solution._native.end_time) > 1e-9 * abs(reference.t):
        return ""
    end = solution.end
    errors = [abs(end[n] - v) / max(1e-12, abs(v)) for n, v in reference["values"]]
    return f"largest relative error {max(errors):.1e} against {html.escape(reference.source)}"


def card(solution: "Solution") -> str:
    """Status, method and reason, steps, error if known, a sparkline per class of variables."""
    choice, s = solution.choice, solution.statistics
    name = html.escape(solution.problem.name if solution.problem is not None else "")
    good = solution.success
    how = choice.method + (f", {choice.formulation}" if choice.formulation else "")
    rows = [
        ("status", html.escape(solution.status if good else f"{solution.status}: {solution.message}")),
        ("method", f"{html.escape(how)} <small>{html.escape(choice.reason)}</small>"),
        ("steps", f"{s.accepted} accepted, {s.rejected} rejected, {s.seconds:.3g} s"),
        ("error", _error(solution)),
        ("model", html.escape(solution.model)),
    ]
    for warning in solution.warnings:
        rows.append(("warning", html.escape(warning)))
    for cls, (first, count) in solution.classes.items():
        rows.append((html.escape(cls), _sparkline(np.array(solution.t), solution.y[first : first + count])))
    body = "".join(
        f'<tr><td style="text-align:left;color:gray">{k}</td><td style="text-align:left">{v}</td></tr>'
        for k, v in rows
        if v
    )
    colour = "green" if good else "firebrick"
    return (
        f'<div style="border-left:4px solid {colour};padding-left:8px"><b>daedalus {name}</b>'
        f"<table>{body}</table></div>"
    )
