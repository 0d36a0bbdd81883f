# SPDX-License-Identifier: BSD-3-Clause
"""The differentiation index per variable: given, or found by analysis."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _daedalus
from .problems import ImplicitProblem


def _by_numbers(native: _daedalus.Problem, t0: float) -> list[int] | None:
    found = _daedalus.index_analysis(native, t0, 1e-11, 60)
    if found["index"] < 0:
        return None
    return [max(1, k) for k in found["determined_after"]]


def _by_structure(native: _daedalus.Problem, t0: float) -> list[int] | None:
    found = _daedalus.structural_analysis(native, t0, {})
    if found["singular"] or found["index"] < 0:
        return None
    return [max(1, found["index"] - d) for d in found["variable_offsets"]]


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
    for analyse in (_by_numbers, _by_structure):
        try:
            found = analyse(problem._native(), t0)
        except ValueError:
            found = None
        if found is not None:
            return _with(problem, [min(3, k) for k in found], max(found))
    return problem


def _with(problem: ImplicitProblem, each: list[int], index: int) -> ImplicitProblem:
    if max(each) == 1:
        return problem
    return problem.replace(variable_index=each, index=max(0, min(3, index)))
