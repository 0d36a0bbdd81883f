# SPDX-License-Identifier: BSD-3-Clause
"""Contact as a building block: one-sided constraints height(t, q) - zeta(s; p(t, q)) >= 0 for all s,
of which at least one is active (Arnold 1998, chapter 4)."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _daedalus
from ._daedalus import ContactGrid, ContactTable, NativeEvent, TableAxis, TableQuantity, TableRequest
from ._laws import flat, traced
from ._record import Record, record
from .problems import Problem

Function = Callable[..., Any]


def _numbers(p: ArrayLike) -> list[float]:
    return [float(x) for x in np.atleast_1d(np.asarray(p, dtype=float))]


def _means(means: Function) -> Function:
    return traced("means", lambda s, p: flat(means(s, p)))


class ContactFamily:
    """zeta(s, p): height of the touching surfaces over contact coordinate s and pose p.

    Parameters
    ----------
    grid : ContactGrid
        Where quasi-elastic contact takes its weighted mean and rigid contact begins its search.
    nu : float
        How soft quasi-elastic contact is, in the unit of zeta.
    zeta : callable
        ``zeta(s, p)`` in numpy; it is written down as a formula.
    dimension : int
        Number of coordinates of the pose, 1 to 3.

    Examples
    --------
    A disc on a hyperbola touches where zeta is largest.

    >>> import numpy as np
    >>> from daedalus import contact
    >>> disc = contact.ContactFamily(
    ...     contact.ContactGrid.uniform(-0.8, 0.8, 400), 0.02,
    ...     lambda s, p: np.sqrt((0.8 - s) * (0.8 + s)) + np.sqrt((p[0] + s) ** 2 + 0.16))
    >>> touch = disc.rigid([-1.0])
    >>> bool(abs(disc.slope(touch.s, [-1.0])) < 1e-9), bool(disc.smax([-1.0]) < touch.value)
    (True, True)
    """

    def __init__(self, grid: ContactGrid, nu: float, zeta: Function, dimension: int = 1) -> None:
        self.grid, self.nu, self.dimension = grid, float(nu), int(dimension)
        law = traced("zeta", lambda s, p: flat(zeta(s, p)))
        self._native = _daedalus.ContactFamily(grid, self.nu, law, self.dimension)

    def zeta(self, s: float, p: ArrayLike) -> float:
        """The function itself."""
        return self._native.value(float(s), _numbers(p))

    def slope(self, s: float, p: ArrayLike) -> float:
        """Its derivative by s."""
        return self._native.slope(float(s), _numbers(p))

    def rigid(self, p: ArrayLike) -> Record:
        """The largest value over s: s, value, curvature, interior."""
        return record(self._native.rigid(_numbers(p)))

    def rival(self, s: float, p: ArrayLike, side: str = "any") -> Record:
        """The largest local maximum outside the hill of s."""
        return record(self._native.rival(float(s), _numbers(p), side))

    def lead(self, s: float, p: ArrayLike, side: str = "any") -> float:
        """How far s is above the rival."""
        return self._native.lead(float(s), _numbers(p), side)

    def settle(self, s: float, p: ArrayLike) -> float:
        """The zero of the slope next to s."""
        return self._native.settle(float(s), _numbers(p))

    def spread(self, p: ArrayLike) -> float:
        """Largest minus smallest value on the grid."""
        return self._native.spread(_numbers(p))

    def smax(self, p: ArrayLike) -> float:
        """The smooth maximum of quasi-elastic contact."""
        return self._native.smax(_numbers(p))

    def attack(self, p: ArrayLike) -> float:
        """The weighted mean of s."""
        return self._native.attack(_numbers(p))

    def approach(self, p: ArrayLike) -> float:
        """Largest value less smooth maximum."""
        return self._native.approach(_numbers(p))

    def expansion(self, p: ArrayLike) -> Record:
        """Value, gradient and Hessian of the smooth maximum by p."""
        found = record(self._native.expansion(_numbers(p)))
        for name in ("gradient", "hessian"):
            found[name] = np.array(found[name])
        return found

    def table(self, axes: Sequence[TableAxis], *, quantities: Sequence[TableQuantity] | None = None,
              means: Function | None = None, samples: int = 4, profile: int = 0,
              directory: str = "") -> ContactTable:
        """smax, and weighted means of ``means(s, p)``, as splines over the pose.

        With ``directory`` the table is stored there, and read where it is there already.
        """
        chosen = [TableQuantity(name="smax", degree=4)] if quantities is None else list(quantities)
        request = TableRequest(axes=list(axes), quantities=chosen, samples=samples, profile=profile)
        law = None if means is None else _means(means)
        return _daedalus.contact_table(self._native, request, law, directory)


class Contact:
    """A contact of a multibody problem.

    Parameters
    ----------
    name : str
    family : ContactFamily
    pose : callable
        ``pose(t, q)``: the coordinates p of the family.
    height : callable
        ``height(t, q)``.
    """

    def __init__(self, name: str, family: ContactFamily, pose: Function, height: Function) -> None:
        self.name, self.family, self.pose, self.height = name, family, pose, height

    def native(self, coordinates: int) -> _daedalus.NativeContact:
        """For the compiled module."""
        law = traced(f"contact '{self.name}'", lambda t, q: flat(self.pose(t, q)) + flat(self.height(t, q)))
        return _daedalus.NativeContact(self.name, self.family._native, law, coordinates)


class ContactProblem(Problem):
    """A multibody problem with contacts."""

    form = "multibody"

    def __init__(self, base: Problem, native: _daedalus.Problem) -> None:
        self.base, self.fields, self._built = base, {}, native
        self.trace, self.traced, self.model = base.trace, base.traced, base.model

    def __reduce__(self) -> Any:
        raise TypeError("a problem with contacts cannot be pickled: build it in each process")


def _natives(problem: Problem, contacts: Sequence[Contact]) -> list[_daedalus.NativeContact]:
    base = getattr(problem, "base", problem)
    if base.form != "multibody" or "q0" not in base.fields:
        raise TypeError("problem: contacts need a daedalus.MultibodyProblem")
    return [c.native(len(_numbers(base.fields["q0"]))) for c in contacts]


def rigid_contacts(problem: Problem, contacts: Sequence[Contact], t0: float = 0.0) -> ContactProblem:
    """The problem with contact coordinates s: g = height - zeta(s), 0 = zeta_s."""
    return ContactProblem(problem, _daedalus.rigid_contacts(problem._native(), _natives(problem, contacts), t0))


def quasi_elastic_contacts(problem: Problem, contacts: Sequence[Contact]) -> ContactProblem:
    """The problem with g = height - smax zeta."""
    native = _daedalus.quasi_elastic_contacts(problem._native(), _natives(problem, contacts))
    return ContactProblem(problem, native)


def table_contacts(problem: Problem, contacts: Sequence[Contact],
                   tables: Sequence[ContactTable]) -> ContactProblem:
    """As :func:`quasi_elastic_contacts`, with smax from one table per contact."""
    native = _daedalus.table_contacts(problem._native(), _natives(problem, contacts), list(tables))
    return ContactProblem(problem, native)


def jump_events(problem: Problem, contacts: Sequence[Contact], hysteresis: float = 0.0,
                t0: float = 0.0) -> list[NativeEvent]:
    """Events where another contact point takes over, with the plastic impact."""
    return _daedalus.jump_events(problem._native(), _natives(problem, contacts), hysteresis, t0)


def lift_off(name: str, multiplier: int = 0, action: str = "stop") -> NativeEvent:
    """The event that a contact would have to pull."""
    return _daedalus.lift_off(name, multiplier, action)


def plastic_impact(problem: Problem, t: float, q: ArrayLike, v: ArrayLike, s: ArrayLike) -> NDArray[np.float64]:
    """Velocities after the impact that makes them satisfy the constraints."""
    return _daedalus.plastic_impact(problem._native(), float(t), _numbers(q), _numbers(v), _numbers(s))


def evaluate_table(table: ContactTable, p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All quantities at p, and the gradient of the first one."""
    return _daedalus.table_values(table, _numbers(p))


__all__ = [
    "Contact",
    "ContactFamily",
    "ContactGrid",
    "ContactProblem",
    "ContactTable",
    "TableAxis",
    "TableQuantity",
    "TableRequest",
    "evaluate_table",
    "jump_events",
    "lift_off",
    "plastic_impact",
    "quasi_elastic_contacts",
    "rigid_contacts",
    "table_contacts",
]
