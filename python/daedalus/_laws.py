# SPDX-License-Identifier: BSD-3-Clause
"""Functions that become formulas by one call: laws of forces, contact families."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._trace_error import TraceError
from .expr import array

Function = Callable[..., Any]


def flat(value: Any) -> list[Any]:
    """Entries of what a function returned."""
    return list(np.asarray(value, dtype=object).ravel())


def traced(what: str, call: Callable[[Any, Any], list[Any]]) -> Callable[[Any, list[Any]], list[Any]]:
    """``call(t, x)`` for the compiled module; TraceError says what cannot become a formula."""

    def run(t: Any, x: list[Any]) -> list[Any]:
        from ._tracing import user_line

        try:
            return call(t, array(x))
        except TraceError as error:
            raise TraceError(f"{what}: {error}{user_line(error)}") from error

    return run


class Marker:
    """What a law of force reads of a marker, in ground axes: ``position``, ``velocity``,
    ``angular_velocity`` and ``rotation``, whose columns are the marker's axes."""

    def __init__(self, x: Any) -> None:
        self.position, self.velocity, self.angular_velocity = x[0:3], x[3:6], x[6:9]
        self.rotation = x[9:18].reshape(3, 3)


def force_law(name: str, law: Function) -> Callable[[Any, list[Any]], list[Any]]:
    """A law(t, a, b) that returns a force, or a force and a moment."""

    def call(t: Any, x: Any) -> list[Any]:
        value = law(t, Marker(x[:18]), Marker(x[18:]))
        pair = value if isinstance(value, tuple) and len(value) == 2 else (value, np.zeros(3))
        load = [flat(part) for part in pair]
        for part, entries in zip(("force", "moment"), load):
            if len(entries) != 3:
                raise ValueError(f"callback '{name}': {len(entries)} numbers of the {part}, expected three")
        return load[0] + load[1]

    return traced(f"callback '{name}'", call)
