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


def column_groups(pattern: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Columns that share no row, put together greedily, fullest first."""
    free = list(np.argsort(-pattern.sum(axis=0), kind="stable"))
    groups = []
    while free:
        rows = np.zeros(pattern.shape[0], dtype=bool)
        group, rest = [], []
        for j in free:
            if np.any(rows & pattern[:, j]):
                rest.append(j)
            else:
                rows |= pattern[:, j]
                group.append(j)
        groups.append(np.array(group))
        free = rest
    return groups


class Differences:
    """dF/dy or dF/dy' by differences, one evaluation per group of columns."""

    def __init__(self, fun: Callable[..., Any], pattern: NDArray[np.bool_], of_rates: bool) -> None:
        self.fun, self.pattern, self.of_rates = fun, pattern, of_rates
        self.groups = column_groups(pattern)

    def __call__(self, t: float, y: Any, yp: Any) -> NDArray[np.float64]:
        x = yp if self.of_rates else y
        base = np.asarray(self.fun(t, y, yp), dtype=float)
        # Half of the digits: as much truncation as round-off.
        step = np.sqrt(np.finfo(float).eps) * np.maximum(1.0, np.abs(x))
        out = np.zeros(self.pattern.shape)
        for group in self.groups:
            moved = x.copy()
            moved[group] += step[group]
            change = np.asarray(
                self.fun(t, y, moved) if self.of_rates else self.fun(t, moved, yp), dtype=float
            )
            for j in group:
                rows = self.pattern[:, j]
                out[rows, j] = (change - base)[rows] / (moved[j] - x[j])
        return out


def pair_of(
    jac: Any, sparsity: Any, n: int, args: Sequence[Any], is_complex: bool, fun: Callable[..., Any]
) -> tuple[Matrix | None, Matrix | None]:
    """dF/dy and dF/dy' as callables; None where the library differentiates itself."""
    if jac is None and sparsity is None:
        return None, None
    if jac is None:
        patterns = [_pattern("jac_sparsity", p, n, is_complex) for p in _two("jac_sparsity", sparsity)]
        return Differences(fun, patterns[0], False), Differences(fun, patterns[1], True)
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


def _pattern(name: str, matrix: Any, n: int, is_complex: bool) -> NDArray[np.bool_]:
    dense = np.ones((n, n), dtype=bool) if matrix is None else dense_matrix(matrix) != 0
    if dense.shape != (n, n):
        raise ValueError(f"{name}: shape {dense.shape} is given, expected ({n}, {n})")
    return np.block([[dense, dense], [dense, dense]]) if is_complex else dense
