# SPDX-License-Identifier: BSD-3-Clause
"""The result of a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _daedalus
from ._record import Record, record, unknown
from .events import EventRecord

if TYPE_CHECKING:
    from .problems import Problem

Array = NDArray[np.float64]


class SolveError(RuntimeError):
    """A run that did not succeed; ``solution`` is what was computed."""

    def __init__(self, message: str, solution: "Solution | None" = None) -> None:
        super().__init__(message)
        self.solution = solution


class Solution:
    """Times, states, events and statistics of a run, complete up to the last good point.

    ``t`` and ``y`` are views of the library's memory, which they keep alive; ``y`` has one row per
    variable. ``sol(t)`` interpolates a run with dense output, ``sol["x"]`` is one variable and
    ``sol["x", 3.7]`` its value there.

    Examples
    --------
    >>> import daedalus as dd
    >>> sol = dd.solve(dd.catalogue["robertson"], (0.0, 1.0), output="dense")
    >>> sol.success, sol.y.shape[0]
    (True, 3)
    >>> sol(0.5).shape, sol([0.1, 0.2]).shape
    ((3,), (3, 2))
    """

    def __init__(
        self, native: _daedalus.Solution, problem: "Problem | None" = None, model: str = ""
    ) -> None:
        self._native = native
        self.problem = problem
        self.model = model

    @property
    def t(self) -> Array:
        """Times of the reported states."""
        return self._native.t

    @property
    def y(self) -> Array:
        """Reported states, shape (variables, times); not writeable."""
        return self._native.y

    @property
    def names(self) -> list[str]:
        """Names of the variables."""
        return self._native.names

    @property
    def success(self) -> bool:
        """Whether the end of the interval or a stopping event was reached."""
        return self._native.ok

    @property
    def status(self) -> str:
        """How the run ended, one word."""
        return self._native.status

    @property
    def message(self) -> str:
        """What happened and what to try."""
        return self._native.message

    @property
    def events(self) -> list[EventRecord]:
        """Events in the order of their times."""
        return [EventRecord(*e) for e in self._native.events]

    @property
    def statistics(self) -> Record:
        """Steps, evaluations, residuals of constraints. Counts of all phases stand beside, ``statistics.factorisations``,
        and by phase in ``statistics.phases``."""
        own = self._native.statistics
        return record({**own, **own["total"]})

    @property
    def choice(self) -> Record:
        """Method, formulation, linear solver and the reason."""
        return record(self._native.choice)

    @property
    def warnings(self) -> list[str]:
        """What a run that went on has to say."""
        return self._native.warnings

    @property
    def drift(self) -> Array:
        """Rows (t, position, velocity, acceleration) of constraint residuals (``watch_drift``)."""
        return self._native.drift

    @property
    def start(self) -> _daedalus.State:
        """The state after consistent initialisation."""
        return self._native.start

    @property
    def end(self) -> _daedalus.State:
        """The last good state."""
        return self._native.end

    @property
    def classes(self) -> dict[str, tuple[int, int]]:
        """First row and number of rows of each class of variables (y, z, q, v, lambda, ...)."""
        return {cls: (first, count) for cls, _, first, count in self._native.ranges}

    def _evaluate(self, t: ArrayLike, rates: bool) -> Array:
        times = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise ValueError(f"t: shape {times.shape} is given, expected a number or a vector")
        flat = np.atleast_1d(times)
        values = self._native.rates(flat) if rates else self._native.values(flat)
        return values[:, 0] if times.ndim == 0 else values

    def sensitivity(self, t: float) -> Array:
        """dx/dp at one time, a reported one where the output is not dense.

        One row per variable (tangent coordinates on groups), one column per parameter and start
        value that the option ``sensitivities`` named.

        Examples
        --------
        >>> import daedalus as dd
        >>> decay = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], parameters={"k": 1.0})
        >>> sol = dd.solve(decay, (0.0, 1.0), rtol=1e-8, sensitivities={"parameters": ["k"]})
        >>> sol.sensitivity_columns, round(float(sol.sensitivity(1.0)[0, 0]), 5)
        (['k'], -0.36788)
        """
        if np.ndim(t) != 0:
            raise ValueError(f"t: shape {np.shape(t)} is given, expected one time")
        columns: Array = self._native.sensitivity(float(t))
        return columns

    @property
    def sensitivity_columns(self) -> list[str]:
        """Names of the columns of :meth:`sensitivity`."""
        return self._native.sensitivity_columns()

    @property
    def sensitivity_variables(self) -> list[str]:
        """Names of the rows of :meth:`sensitivity`."""
        return self._native.sensitivity_variables()

    def __call__(self, t: ArrayLike) -> Array:
        """State at t: any time with dense output, else a reported one."""
        return self._evaluate(t, False)

    def derivative(self, t: ArrayLike) -> Array:
        """Rate of change of the interpolant at t (dense output, vector spaces)."""
        return self._evaluate(t, True)

    def index(self, name: str) -> int:
        """Row of a variable."""
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(unknown("variable", name, self.names)) from None

    def __getitem__(self, key: str | tuple[str, ArrayLike]) -> Any:
        if isinstance(key, tuple):
            name, t = key
            value = self(t)[self.index(name)]
            return float(value) if np.ndim(value) == 0 else value
        if key not in self.names and key in getattr(getattr(self.problem, "entry", None), "outputs", ()):
            return self.problem.outputs(self)[key]  # type: ignore[union-attr]
        return self.y[self.index(key)]

    def __len__(self) -> int:
        return len(self.t)

    def raise_for_status(self) -> "Solution":
        """Itself, or SolveError with the message where the run failed."""
        if not self.success:
            raise SolveError(self.message, self)
        return self

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with the times as index."""
        from .tabular import to_dataframe

        return to_dataframe(self)

    def to_xarray(self) -> Any:
        """An xarray.Dataset with one variable per name over t."""
        from .tabular import to_xarray

        return to_xarray(self)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes .npz, .csv, .json or .h5; the name of the file comes back."""
        from .files import save

        return save(self, path)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws variables over time with matplotlib; returns the Axes."""
        from .plotting import plot

        return plot(self, *names, ax=ax)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The interactive page as HTML; written to ``path`` where one is given."""
        from .page import report

        return report(self, path)

    def show(self, height: int = 640) -> Any:
        """The interactive page inside a notebook."""
        from .page import show

        return show(self, height)

    def _repr_html_(self) -> str:
        from .card import card

        return card(self)

    def __repr__(self) -> str:
        choice, s = self.choice, self._native.statistics
        how = choice.method + (f", {choice.formulation}" if choice.formulation else "")
        state = self.status if self.success else f"{self.status}: {self.message}"
        return (
            f"<daedalus.Solution {state}; t = {self._native.start_time:g} .. "
            f"{self._native.end_time:g}, {len(self.names)} variables, {s['accepted']} steps "
            f"({s['rejected']} rejected), {how}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        # Functions of a problem often cannot be pickled; catalogue and files can be opened again.
        from .entries import EntryProblem

        problem = self.problem if isinstance(self.problem, EntryProblem) else None
        return {**self.__dict__, "problem": problem}
