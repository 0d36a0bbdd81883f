# SPDX-License-Identifier: BSD-3-Clause
"""Jacobians of scipy's habits: constant pairs, callables that return pairs, patterns."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ._wrap import complex_matrix, dense_matrix

Matrix = Callable[[float, Any, Any], Any]


class Constant:
    """The same matrix everywhere."""

    def __init__(self, matrix: NDArray[np.float64]) -> None:
        self.matrix = matrix

    def __call__(self, t: float, y: Any, yp: Any) -> NDArray[np.float64]:
        return self.matrix


class _Pair:
    """Both matrices of one call of the user's function; the library asks for them one by one."""

    def __init__(self, jac: Callable[..., Any], args: Sequence[Any], is_complex: bool) -> None:
        self.jac, self.args, self.is_complex = jac, tuple(args), is_complex
        self.key: Any = None
        self.value: Any = None

    def get(self, t: float, y: Any, yp: Any) -> Any:
        key = (t, y.tobytes(), yp.tobytes())
        value = self.value
        if self.key != key:
            if self.is_complex:
                half = y.size // 2
                y, yp = y[:half] + 1j * y[half:], yp[:half] + 1j * yp[half:]
            value = self.jac(t, y, yp, *self.args)
            if not isinstance(value, (tuple, list)) or len(value) != 2:
                raise ValueError("jac: the function must return the pair (dF/dy, dF/dy')")
            if self.is_complex:
                value = tuple(complex_matrix(v) for v in value)
            self.key, self.value = key, value
        return value


class Part:
    """One matrix of the pair."""

    def __init__(self, pair: _Pair, number: int) -> None:
        self.pair, self.number = pair, number

    def __call__(self, t: float, y: Any, yp: Any) -> Any:
        return self.pair.get(t, y, yp)[self.number]


def pair_of(
    jac: Any, sparsity: Any, n: int, args: Sequence[Any], is_complex: bool
) -> tuple[Matrix | None, Matrix | None]:
    """dF/dy and dF/dy' as callables; None where the library differentiates itself.

    Patterns are checked and not needed: the library finds the structure of plain functions by
    probing, and groups the columns of its differences by it.
    """
    if sparsity is not None:
        for pattern in _two("jac_sparsity", sparsity):
            check_pattern("jac_sparsity", pattern, n)
    if jac is None:
        return None, None
    if callable(jac):
        pair = _Pair(jac, args, is_complex)
        return Part(pair, 0), Part(pair, 1)
    parts = []
    for matrix in _two("jac", jac):
        dense = dense_matrix(matrix)
        if dense.shape != (n, n):
            raise ValueError(f"jac: shape {dense.shape} is given, expected ({n}, {n})")
        parts.append(Constant(complex_matrix(dense) if is_complex else dense.astype(float)))
    return parts[0], parts[1]


def _two(name: str, pair: Any) -> Any:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ValueError(f"{name}: expected a pair of matrices (for y and for y')")
    return pair


def check_pattern(name: str, matrix: Any, n: int) -> None:
    """ValueError where the shape is wrong; None stands for a full matrix."""
    if matrix is not None and dense_matrix(matrix).shape != (n, n):
        raise ValueError(f"{name}: shape {dense_matrix(matrix).shape} is given, expected ({n}, {n})")
