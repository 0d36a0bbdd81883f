# SPDX-License-Identifier: BSD-3-Clause
"""Methods, formulations and options as tables."""

from __future__ import annotations

from typing import Iterator, Mapping

from . import _daedalus
from ._options import option_table
from ._record import Record, record, unknown


class Table(Mapping[str, Record]):
    """Descriptions by name.

    Examples
    --------
    >>> import daedalus as dd
    >>> dd.methods["radau5"].order
    5
    >>> dd.formulations["ggl"].index
    2
    """

    def __init__(self, kind: str, rows: list[dict[str, object]]) -> None:
        self._kind = kind
        self._rows: dict[str, Record] = {str(row["name"]): record(row) for row in rows}

    def __getitem__(self, name: str) -> Record:
        if name not in self._rows:
            raise KeyError(unknown(self._kind, str(name), self._rows))
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<daedalus.{self._kind}s: {', '.join(self._rows)}>"


methods = Table("method", _daedalus.methods())
formulations = Table("formulation", _daedalus.formulations())


def options() -> Record:
    """Every option with its kind, default and allowed words.

    Examples
    --------
    >>> import daedalus as dd
    >>> dd.options().rtol.standard
    1e-06
    """
    return record(option_table())
