# SPDX-License-Identifier: BSD-3-Clause
"""Events of scipy's habits: ``event(t, y, yp)`` with ``terminal`` (bool or count) and
``direction``. The run goes step by step; zeros are located on the interpolant of the last step,
at points inside of it too: large steps of high order pass over an event and back."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _daedalus

Evaluate = Callable[[float], tuple[NDArray[Any], NDArray[Any]]]


_WORDS = {"any": 0.0, "rising": 1.0, "falling": -1.0}


def _direction(number: int, given: Any) -> float:
    if isinstance(given, str) and given in _WORDS:
        return _WORDS[given]
    try:
        return float(given)
    except (TypeError, ValueError):
        raise ValueError(f"events: direction of entry {number} is {given!r}; allowed are -1, 0 and 1, "
                         "or falling, any and rising") from None


class Watched:
    """One event and what happened to it."""

    def __init__(self, number: int, event: Any) -> None:
        if not callable(event):
            raise TypeError(f"events: entry {number} is no function")
        terminal = getattr(event, "terminal", None)
        message = f"events: terminal of entry {number} must be a bool or a count from 1"
        if terminal is None or terminal is False or (terminal == 0 and not isinstance(terminal, bool)):
            self.limit = 0
        elif int(terminal) == terminal and terminal > 0:
            self.limit = int(terminal)
        else:
            raise ValueError(message)
        self.direction = _direction(number, getattr(event, "direction", 0) or 0)
        self.number, self.event = number, event
        self.t: list[float] = []
        self.y: list[NDArray[Any]] = []
        self.yp: list[NDArray[Any]] = []
        self.last = 0.0

    def value(self, t: float, y: NDArray[Any], yp: NDArray[Any]) -> float:
        given = self.event(t, y, yp)
        result = np.asarray(given)
        if result.size != 1:
            raise ValueError(
                f"events: entry {self.number} returned shape {result.shape}, expected a number"
            )
        if np.iscomplexobj(result):
            raise ValueError(f"events: entry {self.number} returned {given!r}, expected a real number")
        try:
            return float(result.ravel()[0])
        except (TypeError, ValueError):
            raise ValueError(f"events: entry {self.number} returned {given!r}, expected a number") from None

    def wants(self, sign: int) -> bool:
        """Whether a zero counts behind which the event has this sign."""
        return self.direction * sign > 0 or self.direction == 0


def watch(
    run: _daedalus.WatchedRun,
    t_end: float,
    events: Sequence[Watched],
    lift: Callable[[NDArray[Any]], NDArray[Any]],
) -> float | None:
    """Steps to t_end or to the event that ends the run, whose time comes back."""

    def inside(t: float) -> tuple[NDArray[Any], NDArray[Any]]:
        y, yp = run.inside(t)
        return lift(y), lift(yp)

    sign = 1.0 if t_end >= run.t else -1.0
    y, yp = (lift(v) for v in run.state())
    for e in events:
        e.last = e.value(run.t, y, yp)
    while sign * (t_end - run.t) > 0 and run.step(t_end):
        start, t = run.last_start, run.t
        y, yp = inside(t)
        found: list[tuple[float, Watched]] = []
        for e in events:
            new = e.value(t, y, yp)
            zeros = _daedalus.crossings(lambda s: e.value(s, *inside(s)), start, e.last, t, new)  # noqa: B023
            found += [(at, e) for at, sign in zeros if e.wants(sign)]
            e.last = new
        for at, e in sorted(found, key=lambda pair: sign * pair[0]):
            y, yp = inside(at)
            e.t.append(at)
            e.y.append(y)
            e.yp.append(yp)
            if e.limit and len(e.t) >= e.limit:
                return at
    return None
