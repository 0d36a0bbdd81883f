# SPDX-License-Identifier: BSD-3-Clause
"""The differentiation index per variable: given, or found by analysis."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _daedalus
from .problems import ImplicitProblem


def _analyse(analyse: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    try:
        found = analyse()
    except ValueError:
        return None
    return None if found["index"] < 0 or found.get("singular") else found


def _found(native: _daedalus.Problem, t0: float) -> list[int] | None:
    """By structure where numbers give the same index, else by numbers.

    The weights of Newton's method need a variable's distance from the highest derivative, which the
    structure tells. Numbers tell after how many differentiations a variable is determined: of the
    velocities of a pendulum only a combination is, so that they would count as index 1.
    """
    structure = _analyse(lambda: _daedalus.structural_analysis(native, t0, {}))
    numbers = _analyse(lambda: _daedalus.index_analysis(native, t0, 1e-11, 60))
    if structure is not None and (numbers is None or numbers["index"] == structure["index"]):
        return [max(1, structure["index"] - d) for d in structure["variable_offsets"]]
    return None if numbers is None else [max(1, k) for k in numbers["determined_after"]]


def find_index(
    problem: ImplicitProblem, given: Sequence[int] | None, n: int, is_complex: bool, t0: float
) -> ImplicitProblem:
    """The problem with its ``variable_index`` and ``index``."""
    if given is not None:
        each = np.asarray(given)
        if each.shape != (n,) or not np.issubdtype(each.dtype, np.number):
            raise ValueError(f"var_index: shape {each.shape} is given, expected ({n},)")
        if np.any(each > 3) or np.any(each != np.round(each)):
            raise ValueError("var_index: allowed are integers up to 3")
        index = [max(1, int(k)) for k in each]
        index = index + index if is_complex else index
        return _with(problem, index, int(max(each)))
    if "jacobian_y" in problem.fields and not problem.traced:
        return problem
    found = _found(problem._native(), t0)
    return problem if found is None else _with(problem, [min(3, k) for k in found], max(found))


def _with(problem: ImplicitProblem, each: list[int], index: int) -> ImplicitProblem:
    if max(each) == 1:
        return problem
    return problem.replace(variable_index=each, index=max(0, min(3, index)))
