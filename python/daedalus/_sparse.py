# SPDX-License-Identifier: BSD-3-Clause
"""Sparse Jacobians of plain functions: a structure that is fixed before the run, and the entries in
its order. Dense ones are callables of the library like any other."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ._functions import POINT, WITH_PARAMETERS, Parameters, Point, _Maker, _PointMaker, choose_form
from ._traced_problem import layout_of

# The structure is looked at in so many points; smaller systems are solved as dense ones.
_POINTS, _DISTANCE, _SMALLEST = 3, 1e-3, 100
# By form: the function, and its derivatives by which of its vectors.
_DERIVATIVES = {
    "mass-matrix": ("rhs", (("jacobian", 0),)),
    "implicit": ("residual", (("jacobian_y", 0), ("jacobian_yp", 2))),
}

Matrix = Any  # of scipy.sparse


def _columns(matrix: Matrix, n: int, field: str) -> Matrix:
    if matrix.shape != (n, n):
        raise ValueError(f"{field}: shape {matrix.shape} is given, expected ({n}, {n})")
    columns = matrix.tocsc()
    if columns is matrix:
        columns = matrix.copy()
    columns.sum_duplicates()
    return columns


def _keys(matrix: Matrix) -> NDArray[np.int64]:
    """Column times n plus row of every entry, which grow in the order of the columns."""
    n = matrix.shape[0]
    columns = np.repeat(np.arange(n, dtype=np.int64), np.diff(matrix.indptr))
    keys: NDArray[np.int64] = columns * n + matrix.indices
    return keys


class Entries:
    """``function`` as entries in the order of a structure."""

    def __init__(self, field: str, function: Callable[..., Any], keys: NDArray[np.int64], n: int) -> None:
        self.field, self.function, self.keys, self.n = field, function, keys, n
        self.values: Any = None  # of a constant matrix; others may be changed in place and returned again

    def __call__(self, *arguments: Any) -> Any:
        if self.values is not None:
            return self.values
        given = self.function(*arguments)
        if not hasattr(given, "tocsc"):
            from scipy import sparse

            given = sparse.csc_matrix(np.asarray(given, dtype=float))
        values = self.place(_columns(given, self.n, self.field))
        if getattr(self.function, "constant", False):
            self.values = values
        return values

    def place(self, matrix: Matrix) -> NDArray[np.float64]:
        """The entries where the structure has them."""
        keys = _keys(matrix)
        if len(keys) == len(self.keys) and np.array_equal(keys, self.keys):
            return np.asarray(matrix.data, dtype=float)
        where = np.searchsorted(self.keys, keys)
        known = np.append(self.keys, -1)[where] == keys
        strange = ~known & (matrix.data != 0.0)
        if np.any(strange):
            column, row = divmod(int(keys[strange][0]), self.n)
            raise ValueError(f"{self.field}: entry ({row}, {column}) is not zero, and was not there at the start; "
                             "give the whole structure as jac_sparsity, or store entries that may become "
                             "nonzero as explicit zeros")
        values = np.zeros(len(self.keys))
        values[where[known]] = matrix.data[known]
        return values


def _sparse_at_start(
    form: str, field: str, function: Callable[..., Any], facts: dict[str, Any], fields: dict[str, Any],
    t0: float,
) -> tuple[list[int], int, Any] | None:
    """How the function is called, and the sum of the structures that it gives near the start; None
    where it does not give sparse matrices."""
    layout = layout_of(form, fields)
    n = len(layout.start[0])
    if n <= _SMALLEST:
        return None
    vectors, style = choose_form(field, function, facts, list(layout.parameters))
    random = np.random.default_rng(1)
    p = Parameters(list(layout.parameters), list(layout.parameters.values()))
    total = getattr(function, "sparsity", None)
    if total is not None:
        from scipy import sparse

        total = abs(sparse.csc_matrix(total)).sign()
    for attempt in range(_POINTS):
        distance = 0.0 if attempt == 0 else _DISTANCE
        point = [x + distance * (1 + np.abs(x)) * random.standard_normal(x.shape) for x in layout.start]
        try:
            if style == POINT:
                given = function(Point(t0, layout.vectors, point, p, np.array(layout.modes)))
            else:
                given = function(t0, *(point[k] for k in vectors), *([p] if style == WITH_PARAMETERS else []))
        except Exception:  # at the start the run will raise it; beside it the function may not be defined
            if attempt == 0:
                return None
            break
        if not hasattr(given, "tocsc"):
            return None
        found = _columns(given, n, field)
        found.data = np.ones(len(found.data))  # stored zeros belong to the structure
        total = found if total is None else total + found
    return vectors, style, _columns(total, n, field)


def attach(
    form: str, fields: dict[str, Any], converted: dict[str, Any], table: dict[str, Any],
    parameters: Sequence[str], t0: float,
) -> None:
    """Sparse Jacobians become part of the description of their function."""
    owner, derivatives = _DERIVATIVES.get(form, ("", ()))
    if owner not in fields or not all(name in fields and name in converted for name, _ in derivatives):
        return
    parts = []
    for name, vector in derivatives:
        found = _sparse_at_start(form, name, fields[name], table[name], fields, t0)
        if found is None:
            return
        vectors, style, structure = found
        entries = Entries(name, fields[name], _keys(structure), structure.shape[0])
        description = (name, entries, vectors, style, _Maker(parameters), _PointMaker(table[name]["vectors"]))
        parts.append((vector, structure.indptr.tolist(), structure.indices.tolist(), description))
    for name, _ in derivatives:
        del converted[name]
    converted[owner] = (*converted[owner], parts)
