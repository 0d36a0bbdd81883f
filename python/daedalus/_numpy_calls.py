# SPDX-License-Identifier: BSD-3-Clause
"""What numpy's functions do with formulas, where its own loops over objects would compare them,
turn them into numbers, or do not know objects at all."""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np

from ._daedalus import Expr
from .expr import ExprArray, _elementwise, interpolate, is_formula, maximum, minimum, where

# Products of all letters of an einsum; beyond it the sum is one for a callback.
_LARGEST = 10**6


def _condition(x: Any) -> Any:
    return x if isinstance(x, Expr) else Expr(1.0 if x else 0.0)


def _sign(x: Any) -> Any:
    return _elementwise(lambda v: Expr.sign(v) if isinstance(v, Expr) else np.sign(v), x)


def _heaviside(x: Any, middle: Any) -> Any:
    return where(_compare(np.less, x, 0.0), 0.0, where(_compare(np.greater, x, 0.0), 1.0, middle))


def _fmod(x: Any, y: Any) -> Any:
    return x - y * np.trunc(x / y)


def _logaddexp(a: Any, b: Any) -> Any:
    return maximum(a, b) + np.log1p(np.exp(-np.abs(np.subtract(a, b))))


_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.minimum: minimum,
    np.maximum: maximum,
    np.fmin: minimum,
    np.fmax: maximum,
    np.sign: _sign,
    np.heaviside: _heaviside,
    np.fmod: _fmod,
    np.logaddexp: _logaddexp,
    np.float_power: np.power,
    np.logical_and: lambda a, b: _elementwise(lambda x, y: _condition(x) & _condition(y), a, b),
    np.logical_or: lambda a, b: _elementwise(lambda x, y: _condition(x) | _condition(y), a, b),
    np.logical_not: lambda a: _elementwise(lambda x: ~_condition(x), a),
}


def _plain(x: Any) -> Any:
    """An argument that numpy's own loops take."""
    if isinstance(x, Expr):
        scalar = np.empty((), dtype=object)
        scalar[()] = x
        return scalar
    return np.asarray(x) if isinstance(x, ExprArray) else x


def _wrapped(result: Any) -> Any:
    if isinstance(result, np.ndarray) and result.dtype == object:
        return result.view(ExprArray)
    return result


def _compare(ufunc: Any, *inputs: Any) -> Any:
    return _wrapped(ufunc(*(_plain(x) for x in inputs), dtype=object))


def _extreme(pair: Callable[..., Any], array: Any, axis: Any = 0, keepdims: bool = False) -> Any:
    """Largest or smallest entries along one axis, or of all."""
    entries = np.asarray(array, dtype=object)
    shape = [1] * entries.ndim
    if axis is None:
        entries, axis = entries.ravel(), 0
    elif keepdims:
        shape = [1 if k == axis % entries.ndim else n for k, n in enumerate(entries.shape)]
    found = functools.reduce(pair, list(np.moveaxis(entries, axis, 0)))
    if not keepdims:
        return found
    return _wrapped(np.asarray(found, dtype=object).reshape(shape))


def ufunc(function: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``__array_ufunc__`` of expressions and their arrays."""
    if method == "__call__" and not kwargs:
        if function in _UFUNCS:
            return _UFUNCS[function](*(np.asarray(x) if isinstance(x, ExprArray) else x for x in inputs))
        if function in _COMPARISONS:
            return _compare(function, *inputs)
    given = {k: v for k, v in kwargs.items() if v is not None and not (k == "where" and v is True)}
    if method == "reduce" and function in (np.maximum, np.minimum) and set(given) <= {"axis", "keepdims"}:
        # Numpy's own axis is the first one; None means all of them.
        return _extreme(_UFUNCS[function], inputs[0], kwargs.get("axis", 0), bool(given.get("keepdims")))
    out = kwargs.get("out")
    if out is not None:
        kwargs["out"] = tuple(np.asarray(x) if isinstance(x, ExprArray) else x for x in out)
    result = getattr(function, method)(*(_plain(x) for x in inputs), **kwargs)
    return out[0] if out is not None else _wrapped(result)


def _clip(x: Any, a_min: Any = None, a_max: Any = None) -> Any:
    x = x if a_min is None else maximum(x, a_min)
    return x if a_max is None else minimum(x, a_max)


def _select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    result = default
    for condition, choice in reversed(list(zip(conditions, choices))):
        result = where(condition, choice, result)
    return result


def _piecewise(x: Any, conditions: Any, functions: Any, *args: Any) -> Any:
    """The last condition that holds counts; a function more than conditions is for all else."""
    values = [f(x, *args) if callable(f) else f for f in functions]
    result = values.pop() if len(values) > len(conditions) else 0.0
    for condition, value in zip(conditions, values):
        result = where(condition, value, result)
    return result


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    result = interpolate(xp, fp, extrapolate=False)(x)
    if left is not None:
        result = where(_compare(np.less, x, xp[0]), left, result)
    return result if right is None else where(_compare(np.greater, x, xp[-1]), right, result)


def _solve(a: Any, b: Any) -> Any:
    """With a matrix of numbers."""
    return np.linalg.inv(np.asarray(a, dtype=float)) @ b


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    if ord in (np.inf, -np.inf) and (np.ndim(x) == 1 or isinstance(axis, int)):
        return _extreme(maximum if ord > 0 else minimum, np.abs(x), axis, keepdims)
    implementation: Any = np.linalg.norm
    return _wrapped(implementation._implementation(x, ord, axis, keepdims))


def _einsum(subscripts: str, *operands: Any) -> Any:
    """Products over all letters, then sums; without dots, and each letter once per operand."""
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    letters = sorted(set(inputs) - {","})
    if "->" not in subscripts:
        output = "".join(c for c in letters if inputs.count(c) == 1)
    if "." in inputs or len(terms) != len(operands) or any(len(set(t)) < len(t) for t in terms):
        raise TypeError("einsum of formulas takes letters that differ within each operand, and no dots")
    sizes = {c: n for term, x in zip(terms, operands) for c, n in zip(term, np.shape(x))}
    if int(np.prod(list(sizes.values()))) > _LARGEST:
        raise TypeError(f"einsum of formulas has more than {_LARGEST} products")
    product: Any = 1.0
    for term, x in zip(terms, operands):
        order = np.transpose(x, [term.index(c) for c in letters if c in term])
        product = product * order.reshape([sizes[c] if c in term else 1 for c in letters])
    left = [c for c in letters if c in output]
    total = np.sum(product, axis=tuple(k for k, c in enumerate(letters) if c not in output))
    return np.transpose(total, [left.index(c) for c in output]) if len(output) > 1 else total


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.clip: _clip,
    np.select: _select,
    np.piecewise: _piecewise,
    np.interp: _interp,
    np.einsum: _einsum,
    np.linalg.solve: _solve,
    np.linalg.norm: _norm,
}


def function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``__array_function__`` of expressions and their arrays."""
    if func is np.where and len(args) == 3:
        return where(*args)
    if func in _FUNCTIONS and not (func is np.linalg.solve and is_formula(args[0])):
        return _FUNCTIONS[func](*args, **kwargs)
    return _wrapped(func._implementation(*args, **kwargs))


setattr(Expr, "__array_ufunc__",
        lambda self, func, method, *inputs, **kwargs: ufunc(func, method, inputs, kwargs))
setattr(Expr, "__array_function__", lambda self, func, types, args, kwargs: function(func, args, kwargs))

__all__ = ["function", "ufunc"]
