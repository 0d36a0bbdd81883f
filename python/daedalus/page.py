# SPDX-License-Identifier: BSD-3-Clause
"""The interactive page of a run."""

from __future__ import annotations

import html
import os
import pathlib
from typing import TYPE_CHECKING, Any

from . import _daedalus
from .tabular import need

if TYPE_CHECKING:
    from .solution import Solution

_MARK = "<!--run-->"


def document(solution: "Solution") -> str:
    """The run as the JSON document of reports (docs/reports.md)."""
    problem = solution.problem
    if problem is None:
        raise ValueError("report: this solution has lost its problem (it was pickled)")
    entry, scene = getattr(problem, "_entry", None), getattr(problem, "scene", None)
    values = getattr(problem, "_values", {})
    return _daedalus.run_document(problem._native(), solution._native, entry, values, scene)


def report(solution: "Solution", path: str | os.PathLike[str] | None = None) -> str:
    """The page as HTML; needs the page that the build bundles (docs/reports.md)."""
    template = pathlib.Path(__file__).with_name("page.html")
    if not template.exists():
        raise FileNotFoundError("report: this build has no page (it needs Node.js and npm)")
    data = document(solution).replace("<", "\\u003c")
    script = f'<script type="application/json" id="run">{data}</script>'
    text = template.read_text(encoding="utf-8").replace(_MARK, script, 1)
    if path is not None:
        pathlib.Path(path).write_text(text, encoding="utf-8")
    return text


def show(solution: "Solution", height: int = 640) -> Any:
    """The page inside a notebook."""
    display = need("IPython.display", "show")
    frame = html.escape(report(solution), quote=True)
    style = f"width:100%;height:{int(height)}px;border:0"
    return display.HTML(f'<iframe srcdoc="{frame}" style="{style}"></iframe>')
