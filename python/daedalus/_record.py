# SPDX-License-Identifier: BSD-3-Clause
"""Results as dictionaries whose entries are attributes too."""

from __future__ import annotations

import difflib
from typing import Any, Iterable, Mapping


class Record(dict[str, Any]):
    """A dictionary whose entries can be read as attributes.

    Examples
    --------
    >>> from daedalus import Record
    >>> r = Record(index=3, message="ok")
    >>> r.index
    3
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(unknown("entry", name, self)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) | set(self))

    def __repr__(self) -> str:
        if not self:
            return f"{type(self).__name__}()"
        width = max(len(str(key)) for key in self)
        return "\n".join(f"{key:>{width}}: {_short(value)}" for key, value in self.items())


def _short(value: Any) -> str:
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 120 else text[:117] + "..."


def record(value: Mapping[str, Any]) -> Record:
    """Dictionaries, at any depth, as records."""
    return Record((key, _records(item)) for key, item in value.items())


def _records(value: Any) -> Any:
    if isinstance(value, dict):
        return record(value)
    return [_records(item) for item in value] if isinstance(value, list) else value


def unknown(kind: str, given: str, names: Iterable[str]) -> str:
    """'there is no option 'rtoll'; did you mean rtol?'"""
    known = list(names)
    near = difflib.get_close_matches(given, known, n=1)
    if near:
        return f"there is no {kind} '{given}'; did you mean {near[0]}?"
    return f"there is no {kind} '{given}'; allowed are {', '.join(known)}"
