# SPDX-License-Identifier: BSD-3-Clause
"""Events: zeros of functions of the state that are located, and what happens there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _daedalus
from ._functions import positional

_DIRECTIONS = {"any": 0, "rising": 1, "falling": 2}
_ACTIONS = {"record": 0, "stop": 1, "handle": 2}


class EventRecord(NamedTuple):
    """An event that happened: its name, time, and the state before a handler acted."""

    name: str
    t: float
    y: NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """A zero of ``when`` that the run locates.

    Parameters
    ----------
    when : callable
        ``when(state)`` with ``state.t``, ``state.y``, ``state["name"]``, ...; or ``when(t, y)``.
    name : str
        Shown in records and messages.
    direction : {"any", "rising", "falling"} or -1, 0, 1
    action : {"record", "stop", "handle"}
    handler : callable, optional
        ``handler(context)`` changes ``context.y``, ``context.modes`` or ``context["name"]``.
    rest : callable, optional
        Called once in place of the handler when the times of this event accumulate.

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.ImplicitProblem(residual=lambda t, y, yp: yp - 1.0, y0=[0.0], yp0=[1.0])
    >>> half = dd.Event(lambda s: s.y[0] - 0.5, name="half", action="stop")
    >>> sol = dd.solve(p, (0.0, 1.0), events=[half])
    >>> round(sol.events[0].t, 6)
    0.5
    """

    when: Callable[..., Any]
    name: str = "event"
    direction: str | int = "any"
    action: str = "record"
    handler: Callable[[Any], None] | None = None
    rest: Callable[[Any], None] | None = None

    def describe(self) -> tuple[Any, ...]:
        """What the compiled module takes."""
        if not callable(self.when):
            raise TypeError(f"event '{self.name}': when is no function")
        action = _word(self.name, "action", self.action, _ACTIONS)
        if action == _ACTIONS["handle"] and self.handler is None:
            raise ValueError(f"event '{self.name}': action 'handle' needs a handler")
        direction = self.direction
        if not isinstance(direction, str):
            direction = {0: "any", 1: "rising", -1: "falling"}[int(np.sign(direction))]
        names, required, rest = positional(self.when)
        takes_state = required == 1 and not rest
        number = _word(self.name, "direction", direction, _DIRECTIONS)
        return (self.name, self.when, takes_state, number, action, self.handler, self.rest)


def _word(event: str, field: str, word: str, allowed: dict[str, int]) -> int:
    if word not in allowed:
        raise ValueError(
            f"event '{event}': {field} '{word}' is given; allowed are {', '.join(allowed)}"
        )
    return allowed[word]


def describe_events(events: Any) -> list[Any]:
    """One event or several; plain functions of (t, y) may have ``terminal`` and ``direction``."""
    several: Iterable[Any] = [events] if isinstance(events, Event) or callable(events) else events
    described: list[Any] = []
    for number, event in enumerate(several):
        if isinstance(event, _daedalus.NativeEvent):
            described.append(event)
            continue
        if not isinstance(event, Event):
            if not callable(event):
                raise TypeError(f"events: entry {number} is neither an Event nor a function")
            event = Event(
                event,
                name=getattr(event, "__name__", f"event {number + 1}"),
                direction=getattr(event, "direction", 0),
                action="stop" if getattr(event, "terminal", False) else "record",
            )
        described.append(event.describe())
    return described
