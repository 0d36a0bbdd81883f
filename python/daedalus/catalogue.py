# SPDX-License-Identifier: BSD-3-Clause
"""Published test problems by name, with parameters, sources and reference values."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from . import _daedalus
from ._record import Record, record, unknown
from .problems import Problem


class CatalogueProblem(Problem):
    """A problem of the catalogue; its functions are compiled.

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.catalogue["van-der-pol"]
    >>> p.entry.index
    0
    """

    has_interval = True

    def __init__(self, name: str, parameters: Mapping[str, float] | None = None) -> None:
        self.entry: Record = record(_daedalus.catalogue_entry(name))
        self.fields = {"parameters": dict(parameters or {})}
        self._built = None
        self.trace, self.traced, self.model = False, True, "compiled"
        self._native()

    @property
    def _values(self) -> dict[str, float]:
        values: dict[str, float] = self.fields["parameters"]
        return values

    def _native(self) -> _daedalus.Problem:
        if self._built is None:
            self._built = _daedalus.catalogue_problem(self.entry.name, self._values)
        built: _daedalus.Problem = self._built
        return built

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters with their values."""
        return {**self.entry.parameters, **self._values}

    def with_parameters(self, **values: float) -> "CatalogueProblem":
        """The same problem with other parameters; built anew, sizes may depend on them."""
        for name in values:
            if name not in self.entry.parameters:
                raise TypeError(unknown("parameter", name, self.entry.parameters))
        return CatalogueProblem(self.entry.name, {**self._values, **values})

    @property
    def t_span(self) -> tuple[float, float]:
        """The interval of the source."""
        return self.entry.t0, self.entry.t_end

    def standard_options(self) -> dict[str, Any]:
        """Events that belong to the model."""
        events = _daedalus.catalogue_events(self.entry.name, self.parameters)
        return {"events": events} if events else {}

    @property
    def reference(self) -> Record | None:
        """Reference values at the end of the interval, where some are known."""
        known: Record | None = self.entry.reference
        return known

    def exact(self, t: float) -> dict[str, float]:
        """Exact solution by names of variables; empty where none is known."""
        return dict(_daedalus.catalogue_exact(self.entry.name, float(t), self._values))

    def reference_vector(self, names: list[str]) -> NDArray[np.float64]:
        """Reference values in the order of ``names``; NaN where none is known."""
        values = dict(self.reference["values"]) if self.reference else {}
        return np.array([values.get(name, np.nan) for name in names])


class Catalogue(Mapping[str, CatalogueProblem]):
    """All problems of the catalogue by name.

    Examples
    --------
    >>> import daedalus as dd
    >>> "andrews" in dd.catalogue
    True
    >>> dd.catalogue["andrevs"]
    Traceback (most recent call last):
    KeyError: "there is no problem 'andrevs'; did you mean andrews?"
    """

    def __init__(self) -> None:
        self._names: list[str] = _daedalus.catalogue_names()

    def __getitem__(self, name: str) -> CatalogueProblem:
        if name not in self._names:
            raise KeyError(unknown("problem", str(name), self._names))
        return CatalogueProblem(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<daedalus.catalogue, {len(self)} problems: {', '.join(self._names[:5])}, ...>"


catalogue = Catalogue()
