# SPDX-License-Identifier: BSD-3-Clause
"""Plots with matplotlib, where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .tabular import need

if TYPE_CHECKING:
    from .solution import Solution

# Points of a smooth curve over the whole interval.
_POINTS = 1000


def plot(solution: "Solution", *names: str, ax: Any = None) -> Any:
    """Draws variables over time; smooth where the output is dense. Returns the Axes."""
    pyplot = need("matplotlib.pyplot", "plot")
    axes = pyplot.gca() if ax is None else ax
    chosen = [solution.index(name) for name in names] or range(len(solution.names))
    native = solution._native
    if native.dense and len(solution.t) < _POINTS:
        t = np.linspace(native.start_time, native.end_time, _POINTS)
        y = solution(t)
    else:
        t, y = solution.t, solution.y
    for row in chosen:
        axes.plot(t, y[row], label=solution.names[row])
    for event in solution.events:
        axes.axvline(event.t, linewidth=0.5, color="0.7")
    axes.set_xlabel("t")
    axes.legend()
    return axes
