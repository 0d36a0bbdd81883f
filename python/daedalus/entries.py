# SPDX-License-Identifier: BSD-3-Clause
"""Problems that come with more than equations: of the catalogue, and of files."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _daedalus
from ._record import Record, record, unknown
from .circuits import Circuit
from .mechanism import NamedMechanism
from .problems import Problem


class EntryProblem(Problem):
    """A problem with interval, parameters, events, outputs and, where known, reference values.

    ``entry`` tells what is known: title, source, index, units, notes.
    """

    has_interval = True

    def __init__(self, native: _daedalus.Entry, parameters: Mapping[str, float] | None = None) -> None:
        self._entry = native
        self.entry: Record = record(native.describe())
        self.fields = {"parameters": {str(k): float(v) for k, v in dict(parameters or {}).items()}}
        self._built = None
        self.trace, self.traced, self.model = False, True, "compiled"
        self._native()

    @property
    def _values(self) -> dict[str, float]:
        values: dict[str, float] = self.fields["parameters"]
        return values

    def _native(self) -> _daedalus.Problem:
        if self._built is None:
            self._built = self._entry.problem(self._values)
        built: _daedalus.Problem = self._built
        return built

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters with their values."""
        return {**self.entry.parameters, **self._values}

    def with_parameters(self, **values: float) -> "EntryProblem":
        """The same problem with other parameters; built anew, sizes may depend on them."""
        for name in values:
            if name not in self.entry.parameters:
                raise TypeError(unknown("parameter", name, self.entry.parameters))
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.fields = {"parameters": {**self._values, **{k: float(v) for k, v in values.items()}}}
        other._built = None
        other._native()
        return other

    @property
    def t_span(self) -> tuple[float, float]:
        """The interval of the source."""
        return self.entry.t0, self.entry.t_end

    def standard_options(self) -> dict[str, Any]:
        """Events that belong to the model, and how its start values are meant."""
        return self._entry.standard_options(self.parameters)

    @property
    def reference(self) -> Record | None:
        """Reference values at the end of the interval, where some are known."""
        known: Record | None = self.entry.reference
        return known

    def exact(self, t: float) -> dict[str, float]:
        """Exact solution by names of variables; empty where none is known."""
        return dict(self._entry.exact(float(t), self._values))

    def reference_vector(self, names: list[str]) -> NDArray[np.float64]:
        """Reference values in the order of ``names``; NaN where none is known."""
        values = dict(self.reference["values"]) if self.reference else {}
        return np.array([values.get(name, np.nan) for name in names])

    def outputs(self, solution: Any) -> dict[str, NDArray[np.float64]]:
        """Quantities that the model computes from its state, at the times of a solution."""
        rows = self._entry.outputs(self._values, solution._native)
        return dict(zip(self.entry.outputs, rows))

    def _how_to_open(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (*self._how_to_open(), self._values)


def _again(kind: str, arguments: tuple[Any, ...], values: dict[str, float]) -> EntryProblem:
    from .catalogue import CatalogueProblem

    made: EntryProblem = CatalogueProblem(*arguments) if kind == "catalogue" else (
        FileProblem(*arguments) if kind == "file" else text_problem(*arguments))
    return made.with_parameters(**values) if values else made


class FileProblem(EntryProblem):
    """A problem read from a file: a model as JSON, Modelica, a netlist, a mechanism, URDF.

    ``circuit`` and ``mechanism`` are what netlists and mechanisms know besides; None elsewhere.
    """

    def __init__(self, path: str, options: dict[str, Any]) -> None:
        self._source: tuple[Any, ...] = ("file", (os.path.abspath(path), options))
        super().__init__(_daedalus.open_file(path, options))

    @property
    def circuit(self) -> Circuit | None:
        """The circuit of a netlist."""
        native = self._entry.circuit
        return None if native is None else Circuit(native)

    @property
    def mechanism(self) -> NamedMechanism | None:
        """The assembled mechanism, with its parts by name."""
        native = self._entry.mechanism(self._values)
        return None if native is None else NamedMechanism(native)

    def as_cpp(self) -> str:
        """C++ source of a model: a function that builds it, and a program that solves it.

        Examples
        --------
        >>> import daedalus as dd
        >>> decay = dd.parse({"daedalus": "model", "name": "decay", "variables": {"x": 1.0},
        ...                   "equations": ["der(x) = -x"]})
        >>> "ModelBuilder" in decay.as_cpp()
        True
        """
        text = self._entry.as_cpp()
        if text is None:
            raise ValueError(f"as_cpp: '{self.entry.name}' is a {self.entry.kind}; models as .json have a C++ form")
        return text

    def _how_to_open(self) -> tuple[Any, ...]:
        return self._source


def text_problem(text: str, name: str, folder: str, options: dict[str, Any]) -> FileProblem:
    """A problem of a text in memory."""
    made = object.__new__(FileProblem)
    made._source = ("text", (text, name, os.path.abspath(folder), options))
    EntryProblem.__init__(made, _daedalus.open_text(text, name, folder, options))
    return made


def _options(kind: str, allow_files: bool, model: str, libraries: Sequence[str]) -> dict[str, Any]:
    folders = [os.path.abspath(folder) for folder in libraries]
    return {"kind": kind, "allow_files": bool(allow_files), "model": model, "libraries": folders}


def open_problem(
    path: str | os.PathLike[str],
    kind: str = "",
    allow_files: bool = False,
    *,
    model: str = "",
    libraries: Sequence[str] = (),
) -> FileProblem:
    """Opens a model file as a problem; ending and content decide what it is.

    Parameters
    ----------
    path : str or path
    kind : str, optional
        One of :func:`daedalus.file_kinds`, where ending and content do not tell.
    allow_files : bool
        Whether a model may read files outside of its folder.
    model : str, optional
        Class of a Modelica file, where it is not the one that is meant.
    libraries : sequence of str
        Folders of Modelica libraries.

    Raises
    ------
    InvalidModel
        With all mistakes and their places in ``diagnostics``.
    FileError
        Where the file cannot be read.

    Examples
    --------
    >>> import daedalus as dd, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rc.cir")
    ...     with open(path, "w") as file:
    ...         _ = file.write("rc\\nv1 in 0 1\\nr1 in out 1k\\nc1 out 0 1u ic=0\\n.tran 1u 5m uic\\n.end\\n")
    ...     problem = dd.open(path)
    >>> problem.entry.kind, dd.solve(problem, rtol=1e-8).success
    ('netlist', True)
    """
    return FileProblem(os.fspath(path), _options(kind, allow_files, model, libraries))


def parse(source: str | Mapping[str, Any], kind: str = "", *, name: str = "text", folder: str = ".",
          allow_files: bool = False, model: str = "", libraries: Sequence[str] = ()) -> FileProblem:
    """The problem of a text, or of a document as a dictionary.

    Parameters
    ----------
    source : str or mapping
        What a file would hold; a mapping is a model, or a mechanism where it says so.
    kind : str
        One of :func:`daedalus.file_kinds`; needed for texts.

    Examples
    --------
    >>> import daedalus as dd
    >>> decay = dd.parse({"daedalus": "model", "name": "decay", "interval": [0, 1],
    ...                   "parameters": {"k": 2.0}, "variables": {"x": {"start": 1.0}},
    ...                   "equations": ["der(x) = -k*x"]})
    >>> sol = dd.solve(decay, rtol=1e-8, atol=1e-8)
    >>> round(float(sol["x"][-1]), 6)
    0.135335
    """
    if not isinstance(source, str):
        kind = kind or str(source.get("daedalus", ""))
        source = json.dumps(source)
    if not kind:
        raise ValueError(f"kind: it is needed for a text; allowed are {', '.join(file_kinds())}")
    return text_problem(source, name, folder, _options(kind, allow_files, model, libraries))


def file_kinds() -> dict[str, list[str]]:
    """Kinds of files that :func:`daedalus.open` reads, with their endings.

    Examples
    --------
    >>> import daedalus as dd
    >>> dd.file_kinds()["model"]
    ['.json']
    """
    return _daedalus.file_kinds()
