# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms: bodies, joints, drives and forces in place of callables."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Sequence

from numpy.typing import ArrayLike

from . import _daedalus
from ._daedalus import BodyId, DriveId, JointId, MarkerId
from .assembled import Assembled, MechanismProblem, NamedMechanism
from .profiles import profile

Given = dict[str, Any]


def _given(fields: Mapping[str, Any], *without: str) -> Given:
    """Keyword arguments that were given; functions of time become profiles."""
    skipped = ("self", "name", *without)
    return {k: _plain(v) for k, v in fields.items() if k not in skipped and v is not None}


def _plain(value: Any) -> Any:
    if callable(value) and not isinstance(value, _daedalus.Profile):
        return profile(value)
    if isinstance(value, (list, tuple)) and any(callable(v) for v in value):
        return [_plain(v) for v in value]
    return value


class Mechanism:
    """Builds a mechanism; the names of methods and keywords are those of C++.

    Points and axes are given in ground at the guess and carried over to the bodies; every joint is
    a set of constraint rows, so that loops need no declaration.

    Parameters
    ----------
    name : str
    space : {"r3xso3", "se3", "r3xs3", "s3_semidirect", "planar"}
        How a body's place is described.

    Examples
    --------
    >>> import daedalus as dd
    >>> m = dd.Mechanism("pendulum")
    >>> m.gravity([0, 0, -9.81])
    >>> rod = m.body("rod", mass=1.0, inertia=[0.01, 0.08, 0.08], position=[0.5, 0, 0])
    >>> hinge = m.revolute("hinge", m.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    >>> pendulum = m.problem()
    >>> sol = dd.solve(pendulum, (0.0, 0.1))
    >>> pendulum.mechanism.report.degrees_of_freedom, sol.success
    (1, True)
    """

    def __init__(self, name: str, space: str = "r3xso3") -> None:
        self.name = name
        self._native = _daedalus.Mechanism(name, space)

    def gravity(self, acceleration: ArrayLike) -> None:
        """Acceleration of gravity in ground axes."""
        self._native.gravity(acceleration)

    @property
    def ground(self) -> BodyId:
        """The body that does not move."""
        return self._native.ground()

    def body(
        self,
        name: str,
        *,
        mass: float,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        point: bool = False,
        weight: float = 1.0,
        hold: bool = False,
        shapes: Sequence[Mapping[str, Any]] | None = None,
    ) -> BodyId:
        """A rigid body; ``inertia`` is the diagonal, the matrix, or in the plane a number.

        ``rotation`` is a matrix, a quaternion, or in the plane an angle. ``shapes`` are dictionaries
        with ``shape`` (sphere, box, cylinder, plate, revolved, rod), ``size``, ``position``, ...
        """
        return self._native.body({"name": name, **_given(locals())})

    def marker(
        self, name: str, body: BodyId, position: ArrayLike, rotation: ArrayLike | None = None
    ) -> MarkerId:
        """A point with axes in the frame of a body."""
        return self._native.marker(name, body, position, rotation)

    def joint(
        self,
        type: str,
        name: str,
        first: BodyId,
        second: BodyId,
        *,
        at: ArrayLike | None = None,
        at2: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        axis2: ArrayLike | None = None,
        marker: MarkerId | None = None,
        marker2: MarkerId | None = None,
        length: float | None = None,
        pitch: float | None = None,
        radius: float | None = None,
        normal: ArrayLike | None = None,
        centre: ArrayLike | None = None,
        across: ArrayLike | None = None,
        surface: Callable[..., Any] | None = None,
        rate: float | None = None,
        turns: float | None = None,
        curve: ArrayLike | None = None,
        closed: bool | None = None,
    ) -> JointId:
        """A joint of any type of :func:`joint_types` between two bodies.

        ``surface(t, x, y)`` is the height over the plane of the first marker; ``curve`` are points
        in its frame, on whose spline the point ``at2`` of the second body stays.
        """
        given = _given(locals(), "type", "first", "second", "surface")
        if surface is not None:
            given["surface"] = profile(surface, 2)
        return self._native.joint(type, name, first, second, given)

    def fixed(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Holds the second body in the first."""
        return self.joint("fixed", name, first, second, **options)

    def revolute(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Turns about ``axis`` through ``at``."""
        return self.joint("revolute", name, first, second, **options)

    def prismatic(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Slides along ``axis``."""
        return self.joint("prismatic", name, first, second, **options)

    def cylindrical(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Turns about ``axis`` and slides along it."""
        return self.joint("cylindrical", name, first, second, **options)

    def screw(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Slides by ``pitch`` per turn."""
        return self.joint("screw", name, first, second, **options)

    def spherical(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Turns about the point ``at``."""
        return self.joint("spherical", name, first, second, **options)

    def universal(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Turns about ``axis`` of the first and ``axis2`` of the second body."""
        return self.joint("universal", name, first, second, **options)

    def planar(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Moves in the plane with the normal ``axis``."""
        return self.joint("planar", name, first, second, **options)

    def distance(self, name: str, first: BodyId, second: BodyId, **options: Any) -> JointId:
        """Holds the points ``at`` and ``at2`` apart by ``length``."""
        return self.joint("distance", name, first, second, **options)

    def gear(self, name: str, first: JointId, second: JointId, ratio: float, offset: float = 0.0) -> JointId:
        """theta_2 = ratio theta_1 + offset."""
        return self._native.gear(name, first, second, ratio, offset)

    def rack(self, name: str, pinion: JointId, rail: JointId, radius: float, offset: float = 0.0) -> JointId:
        """z_2 = radius theta_1 + offset."""
        return self._native.rack(name, pinion, rail, radius, offset)

    def linear(self, name: str, terms: Iterable[tuple[JointId, float]], constant: float = 0.0) -> JointId:
        """Sum of factor times coordinate = constant."""
        return self._native.linear(name, list(terms), constant)

    def drive(self, name: str, joint: JointId, value: Any, coordinate: str = "automatic") -> DriveId:
        """The coordinate of a joint as a function of time."""
        return self._native.drive(name, joint, profile(value), coordinate)

    def drive_rate(self, name: str, joint: JointId, rate: Any, coordinate: str = "automatic") -> DriveId:
        """The rate of a joint's coordinate as a function of time."""
        return self._native.drive_rate(name, joint, profile(rate), coordinate)

    def force(
        self,
        name: str,
        *,
        body: BodyId,
        value: Any,
        reaction_body: BodyId | None = None,
        at: ArrayLike | None = None,
        marker: MarkerId | None = None,
        axis: ArrayLike | None = None,
        frame: str | None = None,
    ) -> None:
        """A force on a body; ``value`` are its components, numbers or functions of time."""
        self._native.force(name, _given(locals()))

    def torque(
        self,
        name: str,
        *,
        body: BodyId,
        value: Any,
        reaction_body: BodyId | None = None,
        at: ArrayLike | None = None,
        marker: MarkerId | None = None,
        axis: ArrayLike | None = None,
        frame: str | None = None,
    ) -> None:
        """A torque on a body: three components, or one about ``axis``."""
        self._native.torque(name, _given(locals()))

    def spring_damper(
        self,
        name: str,
        first: BodyId,
        second: BodyId,
        *,
        at: ArrayLike | None = None,
        at2: ArrayLike | None = None,
        marker: MarkerId | None = None,
        marker2: MarkerId | None = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest_length: float = 0.0,
        force_length: Any = None,
        force_rate: Any = None,
    ) -> None:
        """A spring with a damper between two points."""
        self._native.spring_damper(name, first, second, _given(locals(), "first", "second"))

    def joint_spring(self, name: str, joint: JointId, *, stiffness: float = 0.0, damping: float = 0.0,
                     rest: float = 0.0, coordinate: str = "automatic") -> None:
        """A spring with a damper along the coordinate of a joint."""
        self._native.joint_spring(name, joint, _given(locals(), "joint"))

    def bushing(
        self,
        name: str,
        first: BodyId,
        second: BodyId,
        *,
        at: ArrayLike | None = None,
        marker: MarkerId | None = None,
        marker2: MarkerId | None = None,
        stiffness: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        preload: ArrayLike | None = None,
    ) -> None:
        """An elastic element with 6 x 6 matrices of stiffness and damping."""
        self._native.bushing(name, first, second, _given(locals(), "first", "second"))

    def drag(self, name: str, *, body: BodyId, coefficient: float, at: ArrayLike | None = None,
             rotational: bool = False, wind: ArrayLike | None = None) -> None:
        """Resistance that grows with the square of the speed."""
        self._native.drag(name, _given(locals()))

    def friction(self, name: str, joint: JointId, *, coefficient: float, normal: float = 0.0,
                 from_reaction: bool = False, radius: float = 1.0, slip: float = 0.0,
                 coordinate: str = "automatic") -> None:
        """Friction along the coordinate of a joint."""
        self._native.friction(name, joint, _given(locals(), "joint"))

    def callback(
        self,
        name: str,
        first: BodyId,
        second: BodyId,
        law: Callable[..., Any],
        *,
        at: ArrayLike | None = None,
        at2: ArrayLike | None = None,
        marker: MarkerId | None = None,
        marker2: MarkerId | None = None,
    ) -> None:
        """A law of one's own between two points.

        ``law(t, a, b)`` gets the time and both markers with ``position``, ``velocity``,
        ``angular_velocity`` and ``rotation`` in ground axes, and returns the force on the second
        body at its marker, or the force and the moment; the first body takes the opposite. It is
        written down as formulas: TraceError names the line that cannot be.

        Examples
        --------
        >>> import daedalus as dd
        >>> m = dd.Mechanism("magnet")
        >>> m.gravity([0, 0, 0])
        >>> ball = m.body("ball", mass=0.5, position=[0, 0, 1], point=True)
        >>> m.callback("magnet", m.ground, ball, lambda t, a, b: -2.0 * (b.position - a.position),
        ...            at=[0, 0, 0], at2=[0, 0, 1])
        >>> sol = dd.solve(m.problem(), (0.0, 3.0), rtol=1e-9, atol=1e-9)
        >>> round(float(sol.end.y[2]), 6)  # cos(6)
        0.96017
        """
        from ._laws import force_law

        given = _given(locals(), "first", "second", "law", "force_law")
        self._native.force_law(name, first, second, given, force_law(name, law))

    force_law = callback

    def argument(self, k: int, joint: JointId, rate: bool = False, coordinate: str = "automatic") -> None:
        """Argument k of the functions of forces is this coordinate, or its rate, from now on."""
        self._native.argument(k, joint, rate, coordinate)

    def limit(self, name: str, joint: JointId, *, lower: float | None = None, upper: float | None = None,
              action: str = "record", restitution: float = 0.0, coordinate: str = "automatic") -> None:
        """What happens where a coordinate reaches a bound: record, stop or bounce."""
        self._native.limit(name, joint, _given(locals(), "joint"))

    def assemble(
        self,
        *,
        t0: float = 0.0,
        redundant: str = "drop",
        singular_start: str = "refuse",
        rank_tolerance: float = 1e-9,
        shared_reactions: bool = False,
        max_iterations: int = 50,
    ) -> Assembled:
        """Moves the bodies to where the joints hold; InvalidArgument names what cannot be met."""
        return Assembled(self._native.assemble(_given(locals())))

    def problem(self, **options: Any) -> MechanismProblem:
        """The assembled mechanism as a problem; ``options`` are those of :meth:`assemble`."""
        return MechanismProblem(self.assemble(**options))

    def __repr__(self) -> str:
        return f"<daedalus.Mechanism '{self.name}'>"


def joint_types() -> list[str]:
    """All types of joints.

    Examples
    --------
    >>> import daedalus as dd
    >>> "revolute" in dd.mechanism.joint_types()
    True
    """
    return _daedalus.joint_types()


__all__ = ["Assembled", "Mechanism", "MechanismProblem", "NamedMechanism", "joint_types"]
