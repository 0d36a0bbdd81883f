# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms that are ready to run, with results in terms of bodies and joints."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _daedalus
from ._daedalus import BodyId, DriveId, JointId, MarkerId
from ._record import Record, record
from .problems import Problem


def _along(where: Any, value: Callable[[Any], Any]) -> Any:
    """The value at a state, or at every reported state of a solution."""
    native = getattr(where, "_native", None)
    if native is None:
        return value(where)
    return np.array([value(native.state(k)) for k in range(len(where.t))])


class Assembled:
    """A mechanism whose joints hold at the start.

    ``where`` is a state, or a solution: then the values at its reported times come back.
    """

    def __init__(self, native: _daedalus.Assembled) -> None:
        self._native = native

    @property
    def report(self) -> Record:
        """Degrees of freedom, redundant rows, residual, warnings; ``text`` says it in words."""
        return record(self._native.report)

    def state_of(self, state: Any, body: BodyId) -> Record:
        """Position, rotation and velocities of a body at a state."""
        return record(self._native.state_of(state, body))

    def position(self, where: Any, body: BodyId) -> Any:
        """Origin of a body's frame in ground."""
        return _along(where, lambda s: self._native.state_of(s, body)["position"])

    def marker(self, where: Any, marker: MarkerId) -> Any:
        """A marker in ground."""
        return _along(where, lambda s: self._native.marker(s, marker))

    def coordinate(self, where: Any, joint: JointId, of: str = "automatic") -> Any:
        """Angle or length of a joint."""
        return _along(where, lambda s: self._native.coordinate(s, joint, of))

    def rate(self, where: Any, joint: JointId, of: str = "automatic") -> Any:
        """Rate of a joint's coordinate."""
        return _along(where, lambda s: self._native.rate(s, joint, of))

    def reaction(self, state: Any, joint: JointId) -> Record:
        """Force and moment on the second body, in ground axes."""
        return record(self._native.reaction(state, joint))

    def reactions(self, state: Any) -> list[Record]:
        """Force and moment of all joints and couplers, in their order."""
        return [record(w) for w in self._native.reactions(state)]

    def hold(self, state: Any) -> tuple[float, list[str]]:
        """Smallest pivot of the constraint rows, and the joints that the weakest row ties."""
        return self._native.hold(state)

    def dead_positions(self, solution: Any, points: int = 2000) -> list[Record]:
        """Where rows of a run lose their hold: the motion may branch there."""
        return [record(d) for d in self._native.dead_positions(solution._native, points)]

    def modes(self, at: float | str = "equilibrium", t0: float = 0.0, **options: Any) -> list[Record]:
        """How the bodies move in each eigenvalue, at rest or at a time."""
        from ._options import prepare

        if isinstance(at, str) and at != "equilibrium":
            raise ValueError(f"at: '{at}' is given, expected a time or 'equilibrium'")
        time = None if isinstance(at, str) else float(at)
        return [record(m) for m in self._native.modes(t0, time, prepare(options))]

    def has_coordinate(self, joint: JointId) -> bool:
        """Whether a joint has one angle or length."""
        return self._native.has_coordinate(joint)

    def effort(self, where: Any, drive: DriveId) -> Any:
        """Force or torque of a drive."""
        return _along(where, lambda s: self._native.effort(s, drive))

    def energies(self, where: Any) -> Any:
        """Kinetic and potential energy."""
        return _along(where, self._native.energies)

    def __repr__(self) -> str:
        r = self.report
        return (f"<daedalus.Assembled {r.bodies} bodies, {r.joints} joints, "
                f"{r.degrees_of_freedom} degrees of freedom>")


class NamedMechanism(Assembled):
    """The mechanism of a file: parts are called by their names."""

    def __init__(self, native: _daedalus.NamedMechanism) -> None:
        super().__init__(native.assembled)
        self._named = native

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self._named.bodies

    @property
    def joints(self) -> list[str]:
        """Names of joints and couplers."""
        return self._named.joints

    def body(self, name: str) -> BodyId:
        """The body of this name."""
        return self._named.body(name)

    def joint(self, name: str) -> JointId:
        """The joint of this name."""
        return self._named.joint(name)

    def drive(self, name: str) -> DriveId:
        """The drive of this name."""
        return self._named.drive(name)


class MechanismProblem(Problem):
    """A mechanism as a problem; ``mechanism`` answers in terms of its parts."""

    form = "multibody"

    def __init__(self, mechanism: Assembled) -> None:
        self.mechanism = mechanism
        self.fields = {}
        self._built = mechanism._native.problem
        self.trace, self.traced, self.model = False, True, "compiled"

    def standard_options(self) -> dict[str, Any]:
        """Events of limits."""
        events = self.mechanism._native.events
        return {"events": events} if events else {}

    @property
    def scene(self) -> _daedalus.Scene:
        """What moves, for the page of a run."""
        return self.mechanism._native.scene

    def __reduce__(self) -> Any:
        raise TypeError("a mechanism cannot be pickled: build it in each process, or open its file there")
