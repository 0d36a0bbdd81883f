# SPDX-License-Identifier: BSD-3-Clause
"""Complex numbers whose parts are expressions: what a function of complex vectors is traced with."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from ._daedalus import Expr

Part = Any  # an Expr or a number; a part that is the number 0.0 takes no part in products


def _is_zero(part: Part) -> bool:
    return isinstance(part, float) and part == 0.0


def _times(a: Part, b: Part) -> Part:
    return 0.0 if _is_zero(a) or _is_zero(b) else a * b


def lift(value: Any) -> ComplexExpr | None:
    """Numbers and expressions as complex expressions; None for anything else."""
    if isinstance(value, ComplexExpr):
        return value
    if isinstance(value, Expr):
        return ComplexExpr(value, 0.0)
    if isinstance(value, np.ndarray) and value.ndim == 0:  # sums of arrays of objects
        return lift(value.item())
    if isinstance(value, (int, float, complex, np.number, np.bool_)):
        number = complex(value)
        return ComplexExpr(number.real, number.imag)
    return None


def _operator(one: Callable[[ComplexExpr, ComplexExpr], ComplexExpr], swap: bool = False) -> Any:
    def apply(self: ComplexExpr, other: Any) -> Any:
        b = lift(other)
        if b is None:
            return NotImplemented
        return one(b, self) if swap else one(self, b)

    return apply


def _add(a: ComplexExpr, b: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(a.re + b.re, a.im + b.im)


def _subtract(a: ComplexExpr, b: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(a.re - b.re, a.im - b.im)


def _multiply(a: ComplexExpr, b: ComplexExpr) -> ComplexExpr:
    return ComplexExpr(_times(a.re, b.re) - _times(a.im, b.im),
                       _times(a.re, b.im) + _times(a.im, b.re))


def _divide(a: ComplexExpr, b: ComplexExpr) -> ComplexExpr:
    if _is_zero(b.im):
        return ComplexExpr(a.re / b.re, a.im if _is_zero(a.im) else a.im / b.re)
    above, below = _multiply(a, b.conjugate()), b.re * b.re + b.im * b.im
    return ComplexExpr(above.re / below, above.im / below)


class ComplexExpr:
    """``re + 1j * im``; numpy's object loops call its operators and methods."""

    __slots__ = ("re", "im")

    def __init__(self, re: Part, im: Part) -> None:
        self.re, self.im = re, im

    __add__, __radd__ = _operator(_add), _operator(_add)
    __sub__, __rsub__ = _operator(_subtract), _operator(_subtract, True)
    __mul__, __rmul__ = _operator(_multiply), _operator(_multiply)
    __truediv__, __rtruediv__ = _operator(_divide), _operator(_divide, True)

    def __neg__(self) -> ComplexExpr:
        return ComplexExpr(-self.re, -self.im)

    def __pos__(self) -> ComplexExpr:
        return self

    def __pow__(self, exponent: Any) -> Any:
        if _is_zero(self.im):
            return ComplexExpr(self.re**exponent, 0.0)
        if exponent != int(exponent):
            return NotImplemented
        power: Any = ComplexExpr(1.0, 0.0)
        for _ in range(abs(int(exponent))):
            power = power * self
        return 1.0 / power if exponent < 0 else power

    def __abs__(self) -> ComplexExpr:
        size = abs(self.re) if _is_zero(self.im) else np.sqrt(self.re * self.re + self.im * self.im)
        return ComplexExpr(size, 0.0)

    @property
    def real(self) -> ComplexExpr:
        """The real part, as a complex number again: it may meet further ones."""
        return ComplexExpr(self.re, 0.0)

    @property
    def imag(self) -> ComplexExpr:
        """The imaginary part."""
        return ComplexExpr(self.im, 0.0)

    def conjugate(self) -> ComplexExpr:
        """With the opposite imaginary part."""
        return ComplexExpr(self.re, -self.im)

    def exp(self) -> ComplexExpr:
        """exp(re) (cos(im) + 1j sin(im))."""
        size = np.exp(self.re)
        return ComplexExpr(size, 0.0) if _is_zero(self.im) else ComplexExpr(
            size * np.cos(self.im), size * np.sin(self.im))

    def cos(self) -> ComplexExpr:
        """cos(re) cosh(im) - 1j sin(re) sinh(im)."""
        return ComplexExpr(np.cos(self.re) * np.cosh(self.im), -np.sin(self.re) * np.sinh(self.im))

    def sin(self) -> ComplexExpr:
        """sin(re) cosh(im) + 1j cos(re) sinh(im)."""
        return ComplexExpr(np.sin(self.re) * np.cosh(self.im), np.cos(self.re) * np.sinh(self.im))


class ComplexArray(np.ndarray[Any, Any]):
    """Complex expressions; numpy knows no ``real`` and ``imag`` of objects."""

    @property
    def _real(self) -> Any:
        return _array([z.real for z in self.ravel().tolist()], self.shape)

    @property
    def _imag(self) -> Any:
        return _array([z.imag for z in self.ravel().tolist()], self.shape)


# The stubs of numpy have them writeable; parts of an expression are not.
setattr(ComplexArray, "real", ComplexArray._real)
setattr(ComplexArray, "imag", ComplexArray._imag)


def _array(entries: list[ComplexExpr], shape: tuple[int, ...]) -> ComplexArray:
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out.reshape(shape).view(ComplexArray)


def join(x: NDArray[Any]) -> ComplexArray:
    """Real parts, then imaginary parts, as complex expressions; along the first axis."""
    half = x.shape[0] // 2
    return _array([ComplexExpr(re, im) for re, im in zip(x[:half].flat, x[half:].flat)], x[:half].shape)


def split(values: Any) -> NDArray[Any]:
    """Real parts, then imaginary parts, of what a function returned."""
    entries = [lift(value) for value in np.asarray(values, dtype=object).ravel()]
    if any(z is None for z in entries):
        raise TypeError("the function returned something that is no complex number")
    out = np.empty(2 * len(entries), dtype=object)
    out[:] = [z.re for z in entries if z] + [z.im for z in entries if z]
    return out
