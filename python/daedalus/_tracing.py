# SPDX-License-Identifier: BSD-3-Clause
"""Functions of a problem as formulas: called once with expressions, checked against the plain
function at three points."""

from __future__ import annotations

import os
import traceback
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _daedalus
from ._daedalus import Expr
from ._functions import POINT, WITH_PARAMETERS, Parameters, Point, choose_form
from ._trace_error import TraceError
from .expr import array

_HERE = os.path.dirname(os.path.abspath(__file__))
# Traced and plain values may differ by the order of operations, no more.
_RTOL, _ATOL = 1e-10, 1e-12
_DISTANCE = 1e-3  # of the random points from the start, relative


class Layout:
    """Sizes and names of the vectors that functions of a problem read."""

    def __init__(self, multibody: bool, names: Sequence[str], start: Sequence[NDArray[np.float64]],
                 parameters: dict[str, float], modes: Sequence[float]) -> None:
        self.multibody, self.vectors, self.start = multibody, tuple(names), list(start)
        self.parameters, self.modes = parameters, [float(m) for m in modes]

    def names(self, which: int) -> list[str]:
        return [f"{self.vectors[which]}{i + 1}" for i in range(len(self.start[which]))]


def user_line(error: BaseException) -> str:
    """The last line of the traceback that is neither ours nor numpy's or scipy's."""
    frames = traceback.extract_tb(error.__traceback__)
    numpy = os.path.dirname(np.__file__)
    others = (_HERE, numpy, os.path.join(os.path.dirname(numpy), "scipy"))
    for frame in reversed(frames):
        own = not frame.filename.startswith("<__array_function__")  # numpy's dispatch, in older versions
        if own and not os.path.abspath(frame.filename).startswith(others):
            return f" ({os.path.basename(frame.filename)}:{frame.lineno}: {frame.line})"
    return ""


def _fits(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Of as many entries: what plain functions may return as well (take_vector, take_matrix in call.cpp)."""
    if len(shape) == 2 and len(given) == 2:
        return given == shape
    return len(given) <= 1 or (len(given) == 2 and given[1] == 1)


class Tracer:
    """One graph for all functions of a problem."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.graph = _daedalus.TraceGraph("traced")
        self.t = self.graph.time()
        self.inputs = [
            array(self.graph.vector(layout.multibody, k, layout.names(k)))
            for k in range(len(layout.vectors))
        ]
        self.p = Parameters(list(layout.parameters), self.graph.parameters(list(layout.parameters)))
        self.modes = array(self.graph.modes(len(layout.modes)))

    def _call(self, function: Callable[..., Any], vectors: Sequence[int], style: int, t: Any,
              inputs: Sequence[Any], p: Any, modes: Any) -> Any:
        if style == POINT:
            return function(Point(t, self.layout.vectors, inputs, p, modes))
        given = [inputs[k].copy() for k in vectors]
        return function(t, *given, *([p] if style == WITH_PARAMETERS else []))

    def rows(self, field: str, function: Callable[..., Any], facts: dict[str, Any],
             shape: tuple[int, ...]) -> list[Any]:
        """What the function returns for expressions, matrices column by column."""
        vectors, style = choose_form(field, function, facts, list(self.layout.parameters))
        value = self._call(function, vectors, style, self.t, self.inputs, self.p, self.modes)
        if hasattr(value, "toarray"):
            value = value.toarray()
        result = np.asarray(value, dtype=object)
        if result.size != int(np.prod(shape)) or not _fits(result.shape, shape):
            raise TraceError(f"{field}: shape {result.shape} is returned, expected {shape}")
        return list(result.reshape(shape).ravel(order="F"))

    def check(self, field: str, function: Callable[..., Any], facts: dict[str, Any],
              made: _daedalus.GraphFunction, shape: tuple[int, ...], t0: float) -> None:
        """TraceError where traced and plain values differ at the start or near it."""
        layout, random = self.layout, np.random.default_rng(1)
        vectors, style = choose_form(field, function, facts, list(layout.parameters))
        values = list(layout.parameters.values())
        for attempt in range(3):
            distance = 0.0 if attempt == 0 else _DISTANCE
            t = t0 + distance * random.standard_normal()
            point = [x + distance * (1 + np.abs(x)) * random.standard_normal(x.shape)
                     for x in layout.start]
            p = Parameters(list(layout.parameters), values)
            with np.errstate(all="ignore"):
                plain = self._call(function, vectors, style, t, point, p, np.array(layout.modes))
            if hasattr(plain, "toarray"):
                plain = plain.toarray()
            expected = np.asarray(plain, dtype=float).reshape(shape).ravel(order="F")
            got = made.evaluate(t, [x.tolist() for x in point], values, layout.modes, len(expected))
            if not np.allclose(got, expected, rtol=_RTOL, atol=_ATOL, equal_nan=True):
                worst = int(np.nanargmax(np.abs(got - expected)))
                raise Disagreement(f"{field}: traced and plain values differ in entry {worst} "
                                   f"({got[worst]:g} and {expected[worst]:g})")

    def trace(self, field: str, function: Callable[..., Any], facts: dict[str, Any],
              shape: tuple[int, ...], derivatives: Sequence[int], t0: float) -> Any:
        """The function as formulas; TraceError says why that is impossible."""
        try:
            rows = self.rows(field, function, facts, shape)
            sizes = [len(self.layout.start[k]) for k in derivatives]
            made = self.graph.function(rows, self.layout.multibody, list(derivatives), sizes)
            self.check(field, function, facts, made, shape, t0)
        except TraceError as error:
            raise type(error)(f"{_prefix(field, error)}{user_line(error)}") from error
        except Exception as error:  # whatever numpy or the user's code makes of expressions
            reason = f"{field}: {type(error).__name__}: {error}{user_line(error)}"
            raise TraceError(reason) from error
        return made


class Disagreement(TraceError):
    """Traced and plain values differ."""


def _prefix(field: str, error: Exception) -> str:
    text = str(error)
    return text if text.startswith(field) else f"{field}: {text}"


__all__ = ["Disagreement", "Expr", "Layout", "Tracer", "user_line"]
