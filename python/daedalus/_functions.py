# SPDX-License-Identifier: BSD-3-Clause
"""Python functions as callables of a problem: which arguments they take, and what p and x are."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

VECTORS, WITH_PARAMETERS, POINT = 0, 1, 2
_PARAMETER_NAMES = ("p", "params", "parameters")


class Parameters:
    """The parameters of a problem, as callables receive them: ``p.m``, ``p["m"]``, ``p[0]``."""

    __slots__ = ("_names", "_values")

    def __init__(self, names: Sequence[str], values: Any) -> None:
        object.__setattr__(self, "_names", tuple(names))
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[self._names.index(name)]
        except ValueError:
            from ._record import unknown

            raise AttributeError(unknown("parameter", name, self._names)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("parameters are set in the problem, not by its functions")

    def __getitem__(self, key: str | int) -> Any:
        return getattr(self, key) if isinstance(key, str) else self._values[key]

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        pairs = ", ".join(f"{n}={v}" for n, v in zip(self._names, self._values))
        return f"Parameters({pairs})"


class _Maker:
    """Makes p of an array of values; may be pickled with the problem."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def __call__(self, values: NDArray[np.float64]) -> Parameters:
        return Parameters(self.names, values.tolist())


class Point:
    """Everything a callable may read, by name: ``x.t``, ``x.y``, ..., ``x.p``, ``x.modes``."""

    def __init__(self, t: Any, names: Sequence[str], vectors: Sequence[Any], p: Any, modes: Any):
        self.t = t
        self.p = p
        self.modes = modes
        for name, vector in zip(names, vectors):
            setattr(self, "lam" if name == "lambda" else name, vector)


class _PointMaker:
    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def __call__(self, t: float, vectors: list[Any], p: Parameters, modes: Any) -> Point:
        return Point(t, self.names, vectors, p, modes)


def positional(function: Callable[..., Any]) -> tuple[list[str], int, bool]:
    """Names of positional arguments, how many are required, and whether there is ``*args``."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return [], 0, True
    names, required, rest = [], 0, False
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
            required += parameter.default is parameter.empty
        elif parameter.kind == parameter.VAR_POSITIONAL:
            rest = True
    return names, required, rest


def choose_form(
    field: str, function: Callable[..., Any], facts: dict[str, Any], parameters: Sequence[str]
) -> tuple[list[int], int]:
    """The vectors that the function takes after t, and the style of the call."""
    if not callable(function):
        raise TypeError(f"{field}: a {type(function).__name__} is given, expected a function")
    forms: list[list[int]] = facts["forms"]
    names, required, rest = positional(function)
    if required == 1 and not rest and len(names) == 1:
        return [], POINT
    if not names and rest:
        return forms[0], VECTORS
    takes_p = required > 0 and names[required - 1] in _PARAMETER_NAMES
    wanted = required - 1 - takes_p
    for form in forms:
        if len(form) == wanted or (not takes_p and required <= 1 + len(form) <= len(names)):
            if takes_p and not parameters:
                raise TypeError(f"{field}: the function takes p, but the problem has no parameters")
            return form, WITH_PARAMETERS if takes_p else VECTORS
    shown = " or ".join(
        "(" + ", ".join(["t", *(facts["vectors"][k] for k in form)]) + "[, p])" for form in forms
    )
    raise TypeError(f"{field}: the function takes ({', '.join(names)}), expected {shown} or (x)")


def describe(
    field: str, function: Callable[..., Any], facts: dict[str, Any], parameters: Sequence[str]
) -> tuple[Any, ...]:
    """What the compiled module needs to call the function."""
    vectors, style = choose_form(field, function, facts, parameters)
    return (field, function, vectors, style, _Maker(parameters), _PointMaker(facts["vectors"]))
