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


_BOUNDS: dict[Any, Callable[..., Any]] = {
    np.minimum: minimum,
    np.maximum: maximum,
    np.fmin: minimum,
    np.fmax: maximum,
    np.sign: lambda x: _elementwise(lambda v: Expr.sign(v) if isinstance(v, Expr) else np.sign(v), x),
}
_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)


class ExprArray(np.ndarray[Any, Any]):
    """The array of expressions that a traced function gets: bounds, comparisons and ``np.where``
    give formulas."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain = [np.asarray(x) if isinstance(x, ExprArray) else x for x in inputs]
        if method == "__call__" and not kwargs:
            if ufunc in _BOUNDS:
                return _BOUNDS[ufunc](*plain)
            if ufunc in _COMPARISONS:
                kwargs = {"dtype": object}
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple(np.asarray(x) if isinstance(x, ExprArray) else x for x in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        if out is not None:
            return out[0]
        return result.view(ExprArray) if isinstance(result, np.ndarray) and result.dtype == object else result

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.where and len(args) == 3:
            return where(*args)
        if func is np.clip and len(args) == 3 and not kwargs:
            return minimum(maximum(args[0], args[1]), args[2])
        return super().__array_function__(func, (np.ndarray,), args, kwargs)


def array(entries: Any) -> ExprArray:
    """Expressions as an array."""
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out.view(ExprArray)
