# SPDX-License-Identifier: BSD-3-Clause
"""Published test problems by name, with parameters, sources and reference values."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from . import _daedalus
from ._record import unknown
from .entries import EntryProblem


class CatalogueProblem(EntryProblem):
    """A problem of the catalogue; its functions are compiled.

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.catalogue["van-der-pol"]
    >>> p.entry.index
    0
    """

    def __init__(self, name: str, parameters: Mapping[str, float] | None = None) -> None:
        super().__init__(_daedalus.catalogue_entry(name), parameters)

    def _how_to_open(self) -> tuple[Any, ...]:
        return "catalogue", (self.entry.name,)


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
