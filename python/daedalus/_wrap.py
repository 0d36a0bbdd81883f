# SPDX-License-Identifier: BSD-3-Clause
"""Functions of scipy's habits as functions of the library: args, vectorized, complex values."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Function = Callable[..., Any]


class Bound:
    """``fun(t, *vectors, *args)``; may be pickled where ``fun`` may."""

    def __init__(self, fun: Function, args: Sequence[Any], vectorized: bool = False) -> None:
        self.fun, self.args, self.vectorized = fun, tuple(args), vectorized

    def evaluate(self, t: Any, *vectors: Any) -> Any:
        """The function itself."""
        if self.vectorized:
            columns = [v[:, None] for v in vectors]
            return np.asarray(self.fun(t, *columns, *self.args)).ravel()
        return self.fun(t, *vectors, *self.args)


class Residual(Bound):
    """With the two arguments of a residual."""

    def __call__(self, t: Any, y: Any, yp: Any) -> Any:
        return self.evaluate(t, y, yp)


class RightHandSide(Bound):
    """With the argument of a right-hand side."""

    def __call__(self, t: Any, y: Any) -> Any:
        return self.evaluate(t, y)


def split(z: NDArray[Any]) -> NDArray[np.float64]:
    """Real parts, then imaginary parts."""
    parts: NDArray[np.float64] = np.concatenate([z.real, z.imag])
    return parts


def join(x: NDArray[Any]) -> NDArray[Any]:
    """The complex numbers again; along the first axis."""
    half = x.shape[0] // 2
    joined: NDArray[Any] = x[:half] + 1j * x[half:]
    return joined


class ComplexFunction:
    """A function of complex vectors over vectors of twice the size."""

    def __init__(self, fun: Function) -> None:
        self.fun = fun

    def evaluate(self, t: Any, *vectors: Any) -> Any:
        """Real and imaginary parts of the function's value."""
        if vectors[0].dtype == object:
            from . import _complex

            time = _complex.ComplexExpr(t, 0.0)
            return _complex.split(self.fun(time, *(_complex.join(v) for v in vectors)))
        return split(np.asarray(self.fun(t, *(join(v) for v in vectors)), dtype=complex))


class ComplexResidual(ComplexFunction):
    """With the two arguments of a residual."""

    def __call__(self, t: Any, y: Any, yp: Any) -> Any:
        return self.evaluate(t, y, yp)


class ComplexRightHandSide(ComplexFunction):
    """With the argument of a right-hand side."""

    def __call__(self, t: Any, y: Any) -> Any:
        return self.evaluate(t, y)


def complex_matrix(a: Any) -> Any:
    """The real matrix of twice the size that does what a complex one does."""
    if hasattr(a, "tocsc"):
        from scipy import sparse

        joined: Any = sparse.bmat([[a.real, -a.imag], [a.imag, a.real]]).tocsc()
        return joined
    dense = dense_matrix(a)
    return np.block([[dense.real, -dense.imag], [dense.imag, dense.real]])


def dense_matrix(a: Any) -> NDArray[Any]:
    """A dense array of a dense or sparse matrix."""
    return np.asarray(a.toarray() if hasattr(a, "toarray") else a)


def start_vector(name: str, values: Any) -> tuple[NDArray[Any], bool]:
    """A finite vector, and whether it is complex."""
    try:
        array = np.asarray(values)
        if array.dtype == object and None in array.ravel().tolist():  # astype would turn it into NaN
            raise TypeError
        array = array.astype(complex if np.iscomplexobj(array) else float)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {values!r} is given, expected numbers") from None
    if array.ndim == 0:
        array = array[None]
    if array.ndim != 1:
        raise ValueError(f"{name}: shape {array.shape} is given, expected one dimension")
    if array.size == 0:
        raise ValueError(f"{name}: it is empty")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name}: entry {int(np.argmin(np.isfinite(array)))} is not finite")
    return array, bool(np.iscomplexobj(array))


def check_times(name: str, times: Any, t0: float, t1: float) -> NDArray[np.float64]:
    """Times inside the interval, in its order."""
    array = np.asarray(times, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"{name}: shape {array.shape} is given, expected one dimension")
    low, high = min(t0, t1), max(t0, t1)
    # 3*0.1 is above 0.3: what round-off puts outside of the interval is its end.
    near = 4.0 * np.spacing(max(abs(t0), abs(t1)))
    array = np.where((array < low) & (array >= low - near), low, array)
    array = np.where((array > high) & (array <= high + near), high, array)
    if array.size and not (np.all(array >= low) and np.all(array <= high)):
        raise ValueError(f"{name}: values are not within t_span ({t0:g}, {t1:g})")
    if np.any(np.diff(array) * np.sign(t1 - t0 or 1.0) <= 0):
        raise ValueError(f"{name}: values are not properly sorted")
    return array
