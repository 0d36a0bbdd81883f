# SPDX-License-Identifier: BSD-3-Clause
"""Circuits: what a netlist knows besides its transient problem."""

from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from . import _daedalus
from ._record import Record, record


class Circuit:
    """A circuit: its index by topology, operating point, sweeps, small signals and poles.

    Examples
    --------
    >>> import daedalus as dd
    >>> text = "divider\\nv1 in 0 10\\nr1 in out 1k\\nr2 out 0 1k\\n.op\\n.end\\n"
    >>> circuit = dd.parse(text, "netlist").circuit
    >>> round(circuit.operating_point()["values"]["v(out)"], 6)
    5.0
    """

    def __init__(self, native: _daedalus.Circuit) -> None:
        self._native = native

    @property
    def title(self) -> str:
        """First line of the netlist."""
        return self._native.title

    @property
    def file(self) -> str:
        """Where it was read from."""
        return self._native.file

    @property
    def elements(self) -> dict[str, int]:
        """How many elements of each letter."""
        return self._native.elements

    @property
    def nodes(self) -> int:
        """Nodes without ground."""
        return self._native.nodes

    @property
    def analyses(self) -> list[str]:
        """What the netlist asks for: op, dc, tran, ac, pz."""
        return self._native.analyses

    @property
    def printed(self) -> list[str]:
        """What ``.print`` names."""
        return self._native.printed

    @property
    def warnings(self) -> list[str]:
        """What the reader has to say."""
        return self._native.warnings

    @property
    def names(self) -> list[str]:
        """Names of the unknowns."""
        return self._native.names

    @property
    def corner_count(self) -> int:
        """Times where sources are not smooth."""
        return self._native.corner_count

    def index(self) -> Record:
        """The index, and the loops and cutsets that cause it."""
        return record(self._native.index())

    def operating_point(self, skip: Sequence[str] = (), max_iterations: int = 200) -> Record:
        """The state at rest: ``found``, ``values`` by name, and every attempt."""
        return record(self._native.operating_point(list(skip), max_iterations))

    def direct_sweep(self) -> Record:
        """The sweep that ``.dc`` asks for: ``swept`` and ``values``, one row per point."""
        return record(self._native.direct_sweep())

    def small_signals(self) -> Record:
        """Complex amplitudes at the frequencies of ``.ac``: ``f`` and ``values``, one row each."""
        return record(self._native.small_signals())

    def poles(self) -> NDArray[np.complex128]:
        """Poles in rad/s."""
        return self._native.poles()

    def __repr__(self) -> str:
        parts = ", ".join(f"{count} {kind}" for kind, count in self.elements.items())
        return f"<daedalus.Circuit '{self.title}': {self.nodes} nodes, {parts}>"
