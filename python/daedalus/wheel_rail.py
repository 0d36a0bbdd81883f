# SPDX-License-Identifier: BSD-3-Clause
"""Wheel and rail: profiles, geometry, contact conditions, creep forces, wheelsets.

Examples
--------
>>> from daedalus import wheel_rail as wr
>>> data = wr.WheelsetData(speed=20.0)
>>> pair = wr.WheelRail(wr.RailProfile.s1002(data.rolling_radius), wr.RailProfile.uic60())
>>> contact = wr.QuasiElasticOnline(pair, wr.wear_profile_grid(), 2e-5)
>>> wheelset = wr.WheelsetModel(data, contact, wr.CreepModel(law="tanh"))
>>> start = wheelset.on_rails(1e-3, 0.0)
>>> bool(abs(start.y - 1e-3) < 1e-12)
True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _daedalus
from ._daedalus import (
    BogieFrame,
    ContactCondition,
    ContactGrid,
    ContactMaterial,
    CreepModel,
    NativeEvent,
    QuasiElasticOnline,
    QuasiElasticTable,
    Rail,
    RailProfile,
    RigidGlobal,
    TableRange,
    TrackAlignment,
    WheelRail,
    WheelsetData,
    WheelsetPosition,
    hertz,
    kalker_coefficients,
    wear_profile_grid,
)
from ._record import Record, record
from .problems import Problem


def _numbers(x: ArrayLike) -> list[float]:
    return [float(v) for v in np.atleast_1d(np.asarray(x, dtype=float))]


class WheelsetProblem(Problem):
    """A wheelset, or two in a bogie, as a problem; ``wheelset`` is its model."""

    form = "multibody"

    def __init__(self, wheelset: "WheelsetModel", native: _daedalus.Problem) -> None:
        self.wheelset, self.fields, self._built = wheelset, {}, native
        self.trace, self.traced, self.model = False, True, "compiled"

    def __reduce__(self) -> Any:
        raise TypeError("a wheelset cannot be pickled: build it in each process")


class WheelsetModel:
    """Rigid wheelsets guided along a straight track at constant speed (Arnold 1998, Example 27)."""

    def __init__(self, data: WheelsetData, contact: ContactCondition, creep: CreepModel | None = None,
                 track: TrackAlignment | None = None) -> None:
        chosen = CreepModel() if creep is None else creep
        self._native = _daedalus.WheelsetModel(data, contact, chosen, track or TrackAlignment())
        self.contact = contact

    @property
    def data(self) -> WheelsetData:
        """Masses, distances, springs and speed."""
        return self._native.data

    @property
    def wheelsets(self) -> int:
        """One, or two in a bogie."""
        return self._native.wheelsets

    def with_bogie(self, frame: BogieFrame | None = None) -> "WheelsetModel":
        """Two wheelsets, coupled by a frame."""
        other = object.__new__(WheelsetModel)
        other._native = self._native.with_bogie(BogieFrame() if frame is None else frame)
        other.contact = self.contact
        return other

    def on_rails(self, y: float, gamma: float = 0.0, x: float = 0.0) -> WheelsetPosition:
        """Height and roll on the rails for a lateral place and yaw."""
        return self._native.on_rails(y, gamma, x)

    def problem(self, start: WheelsetPosition, beta_rate: float = 0.0) -> WheelsetProblem:
        """Equations of motion from there."""
        return WheelsetProblem(self, self._native.problem(start, beta_rate))

    def rigid_problem(self, start: WheelsetPosition, grid: ContactGrid, beta_rate: float = 0.0) -> WheelsetProblem:
        """The same with contact coordinates as variables."""
        return WheelsetProblem(self, self._native.rigid_problem(start, grid, beta_rate))

    def jump_events(self, problem: WheelsetProblem, grid: ContactGrid, hysteresis: float = 1e-7) -> list[NativeEvent]:
        """Jumps of the contact points of a rigid problem."""
        return self._native.jump_events(problem._native(), grid, hysteresis)

    def wheel(self, side: int, t: float, q: ArrayLike, v: ArrayLike, multiplier: float) -> Record:
        """Contact point, forces, ellipse and creepage of the right (+1) or left (-1) wheel."""
        return record(self._native.wheel(side, t, _numbers(q), _numbers(v), multiplier))

    def static_lateral_force(self, y: float) -> float:
        """The force that holds the wheelset at y without friction and springs."""
        return self._native.static_lateral_force(y)

    def gaps(self, position: WheelsetPosition, x: float = 0.0) -> Any:
        """Gaps and their gradients, right and left; None where there is no contact."""
        return self._native.gaps(position, x)

    def picture(self, solution: Any, levels: ArrayLike = (20e-6, 60e-6, 100e-6)) -> str:
        """Outlines, contact points and level lines along a run, as JSON."""
        states = [solution._native.state(k) for k in range(len(solution.t))]
        q, v, multipliers = ([getattr(s, name).tolist() for s in states] for name in ("q", "v", "lam"))
        return self._native.picture(solution.t.tolist(), q, v, multipliers, _numbers(levels))


__all__ = [
    "BogieFrame",
    "ContactCondition",
    "ContactMaterial",
    "CreepModel",
    "QuasiElasticOnline",
    "QuasiElasticTable",
    "Rail",
    "RailProfile",
    "RigidGlobal",
    "TableRange",
    "TrackAlignment",
    "WheelRail",
    "WheelsetData",
    "WheelsetModel",
    "WheelsetPosition",
    "WheelsetProblem",
    "hertz",
    "kalker_coefficients",
    "wear_profile_grid",
]
