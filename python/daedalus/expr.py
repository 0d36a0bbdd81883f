# SPDX-License-Identifier: BSD-3-Clause
"""Branches, bounds and tables that can be traced; plain numbers and arrays give plain ones."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike

from . import _daedalus
from ._daedalus import Expr


def _elementwise(one: Callable[..., Any], *arrays: Any) -> Any:
    """Entry by entry over broadcast arguments; scalars give a scalar."""
    wide = np.broadcast_arrays(*(np.asarray(a, dtype=object) for a in arrays))
    if wide[0].ndim == 0:
        return one(*(w.item() for w in wide))
    out = np.empty(wide[0].shape, dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = one(*(w[index] for w in wide))
    return out.view(ExprArray)


def is_formula(*values: Any) -> bool:
    """Whether an expression is among the values or their entries."""
    for value in values:
        if isinstance(value, Expr):
            return True
        array = np.asarray(value)
        if array.dtype == object and any(isinstance(x, Expr) for x in array.flat):
            return True
    return False


def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; only the branch that is needed is evaluated.

    Examples
    --------
    >>> import daedalus as dd
    >>> int(dd.where(2 > 1, 3, 4))
    3
    """
    if not is_formula(condition, a, b):
        return np.where(condition, a, b)
    return _elementwise(_daedalus.where, condition, a, b)


def _bound(name: str, one: Any, other: Any) -> Any:
    if isinstance(one, Expr):
        return getattr(one, name)(other if isinstance(other, Expr) else float(other))
    return getattr(other, name)(float(one)) if isinstance(other, Expr) else getattr(np, name)(one, other)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two, entry by entry.

    Examples
    --------
    >>> import daedalus as dd
    >>> float(dd.minimum(1.0, 2.0))
    1.0
    """
    if not is_formula(a, b):
        return np.minimum(a, b)
    return _elementwise(lambda x, y: _bound("minimum", x, y), a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two, entry by entry."""
    if not is_formula(a, b):
        return np.maximum(a, b)
    return _elementwise(lambda x, y: _bound("maximum", x, y), a, b)


class Interpolation:
    """A table as a function: of numbers, arrays and expressions."""

    def __init__(self, x: list[float], y: list[float], kind: str, extrapolate: bool) -> None:
        self.arguments = (x, y, kind, extrapolate)
        self._table = _daedalus.Table("table", x, y, kind, extrapolate)

    def __call__(self, at: Any) -> Any:
        if is_formula(at):
            return _elementwise(lambda v: _daedalus.look_up(self._table, v), at)
        values = np.vectorize(self._table.at, otypes=[float])(at)
        return float(values) if np.ndim(at) == 0 else values

    def __reduce__(self) -> Any:
        return Interpolation, self.arguments


def interpolate(
    x: ArrayLike, y: ArrayLike, kind: str = "linear", extrapolate: bool = True
) -> Interpolation:
    """A table for models: ``kind`` is "linear", "akima" (smooth) or "hold".

    Examples
    --------
    >>> import daedalus as dd
    >>> f = dd.interpolate([0.0, 1.0, 2.0], [0.0, 10.0, 0.0])
    >>> f(0.5)
    5.0
    """
    if kind not in ("linear", "akima", "hold"):
        raise ValueError(f"kind: '{kind}' is given; allowed are linear, akima and hold")
    grid, values = (np.asarray(v, dtype=float).ravel().tolist() for v in (x, y))
    return Interpolation(grid, values, kind, bool(extrapolate))


class ExprArray(np.ndarray[Any, Any]):
    """The array of expressions that a traced function gets: bounds, comparisons and ``np.where``
    give formulas."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _numpy_calls.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _numpy_calls.function(func, args, kwargs)


def array(entries: Any) -> ExprArray:
    """Expressions as an array."""
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out.view(ExprArray)


def _astype(entries: ExprArray, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    """Formulas stay formulas where floats are asked for."""
    if np.dtype(dtype) == np.float64:
        return entries.copy()
    return np.ndarray.astype(entries, dtype, *args, **kwargs)


def _clip(entries: ExprArray, min: Any = None, max: Any = None, **kwargs: Any) -> Any:  # noqa: A002
    return _numpy_calls.function(np.clip, (entries, min, max), kwargs)


# The stubs of numpy have overloads that say more of their arguments than formulas need.
setattr(ExprArray, "astype", _astype)
setattr(ExprArray, "clip", _clip)

from . import _numpy_calls  # noqa: E402  (it needs the names above)
