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

    constant = True

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def __call__(self, t: float, y: Any, yp: Any) -> Any:
        return self.matrix


def constant(name: str, matrix: Any, n: int, is_complex: bool) -> Any:
    """A matrix of the right shape, dense or sparse as it was given; of complex ones the real form."""
    if not hasattr(matrix, "tocsc"):
        matrix = dense_matrix(matrix)
    if matrix.shape != (n, n):
        raise ValueError(f"{name}: shape {matrix.shape} is given, expected ({n}, {n})")
    return complex_matrix(matrix) if is_complex else matrix.astype(float)


def sparsity_of(sparsity: Any, is_complex: bool) -> Any:
    """Of complex numbers every entry is a block of two by two."""
    if sparsity is None or not is_complex:
        return sparsity
    from scipy import sparse

    return sparse.kron([[1, 1], [1, 1]], sparse.csc_matrix(sparsity))


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

    def __init__(self, pair: _Pair, number: int, sparsity: Any) -> None:
        self.pair, self.number, self.sparsity = pair, number, sparsity

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
        patterns = (None, None) if sparsity is None else sparsity
        by_y, by_yp = (Part(pair, k, sparsity_of(patterns[k], is_complex)) for k in range(2))
        return by_y, by_yp
    first, second = (Constant(constant("jac", matrix, n, is_complex)) for matrix in _two("jac", jac))
    return first, second


def _two(name: str, pair: Any) -> Any:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ValueError(f"{name}: expected a pair of matrices (for y and for y')")
    return pair


def check_pattern(name: str, matrix: Any, n: int) -> None:
    """ValueError where the shape is wrong; None stands for a full matrix."""
    if matrix is not None and dense_matrix(matrix).shape != (n, n):
        raise ValueError(f"{name}: shape {dense_matrix(matrix).shape} is given, expected ({n}, {n})")
