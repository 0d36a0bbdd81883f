# SPDX-License-Identifier: BSD-3-Clause
"""Runs over the ranks of MPI: ``mpirun -n 4 python program.py``. Each process is a rank and runs the same program.

The library for it is there where the package was built with MPI (one problem over all ranks needs PETSc as well);
:func:`available` tells, and nothing else of the package needs it.
"""

from __future__ import annotations

import atexit
import sys
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _daedalus
from ._fields import CONVERT
from ._functions import describe
from ._options import prepare
from ._record import Record, unknown
from ._run import finish, span
from ._trace_error import TraceError
from .solution import Solution

__all__ = ["DistributedProblem", "DistributedSolution", "Ranks", "available", "start_ranks"]


class DistributedProblem:
    """One problem cut over ranks: the part of this one, F(t, x, x') = 0 or M x' = f(t, x).

    Functions compute own rows from the own unknowns, then those of the ghosts; they do not communicate.

    Parameters
    ----------
    rows : int
        Own unknowns, and as many equations. Global numbers are contiguous by rank.
    rhs, residual : callable
        ``rhs(t, x)`` or ``residual(t, x, xp)``, with parameters also ``p``: own rows; x and x' hold own values and
        those of the ghosts.
    y0, yp0 : array_like
        Own start values; x' is needed with ``residual``.
    ghosts : sequence of int
        Global numbers of foreign unknowns that own rows read, ascending.
    mass : matrix, optional
        M of own rows and own columns, dense or ``scipy.sparse``; the identity without it.
    trace : {"auto", True, False}
        As in :class:`MassMatrixProblem`: formulas where the function can be traced.

    The other fields are those of the C++ struct of this name.

    Examples
    --------
    >>> import daedalus as dd
    >>> part = dd.distributed.DistributedProblem(rows=1, rhs=lambda t, x: -x, y0=[1.0])
    >>> part.model
    'traced'
    """

    def __init__(self, *, trace: bool | str = "auto", **fields: Any) -> None:
        table = _daedalus.distributed_fields()
        for name in fields:
            if name not in table:
                raise TypeError(unknown("field", name, table))
        for name in ("rows", "y0"):
            if fields.get(name) is None:
                raise TypeError(f"{name}: is missing")
        given = {k: v for k, v in fields.items() if v is not None}
        parameters = list(given.get("parameters", {}))
        self.model = "callback: not traced, as asked for"
        self.fields = given
        converted: dict[str, Any] = {}
        for name, value in given.items():
            kind = table[name]["kind"]
            if kind == "function":
                converted[name] = (trace is not False and self._traced(name, table[name], trace is True)
                                   or describe(name, value, table[name], parameters))
            else:
                converted[name] = value if kind == "naming" else CONVERT[kind](name, value)
        self._native = _daedalus.build_distributed(converted)

    def _traced(self, name: str, facts: dict[str, Any], must: bool) -> Any:
        from ._tracing import Layout, Tracer

        f, rows = self.fields, int(self.fields["rows"])
        own = np.array(f["y0"], dtype=float, ndmin=1)
        rates = np.array(f["yp0"], dtype=float, ndmin=1) if "yp0" in f else np.zeros(len(own))
        # Values of ghosts are other ranks': the trace is compared with the function at likely ones.
        ghosts = len(f.get("ghosts", ()))
        likely = np.full(ghosts, np.mean(own) if len(own) else 0.0)
        start = [np.concatenate([own, likely]), np.zeros(0),
                 np.concatenate([rates, np.zeros(ghosts)]) if name == "residual" else np.zeros(0)]
        parameters = {k: float(v) for k, v in f.get("parameters", {}).items()}
        tracer = Tracer(Layout(False, ("y", "z", "yp"), start, parameters, []))
        try:
            made = tracer.trace(name, f[name], facts, (rows,), (), 0.0)
        except TraceError as error:
            if must:
                raise
            self.model = f"callback: {error}"
            return None
        self.model = "traced"
        return made

    def __repr__(self) -> str:
        name = f" '{self.fields['name']}'" if "name" in self.fields else ""
        return f"<daedalus.distributed.DistributedProblem{name}, {self.fields['rows']} rows of this rank>"


class DistributedSolution(NamedTuple):
    """States of the own unknowns with the status, message and counts of all ranks."""

    own: Solution
    counts: Record  # reductions, messages, bytes, preconditioner_setups
    first: int  # global number of the first own unknown
    unknowns: int  # of all ranks


class End(NamedTuple):
    """How a program ended on all ranks."""

    code: int
    rank: int
    alone: bool


class Ranks:
    """The processes that mpirun started. Calls named collective are made by every rank, in the same order.

    ``dd.sweep(..., ranks=ranks)`` spreads the runs of a sweep over them.
    """

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size

    def solve(
        self,
        problem: DistributedProblem,
        t_span: Sequence[float],
        *,
        preconditioner: str = "automatic",
        overlap: int = -1,
        petsc_options: Sequence[str] = (),
        **options: Any,
    ) -> DistributedSolution:
        """Collective: one problem over all ranks, each with its part.

        Parameters
        ----------
        preconditioner : str
            "automatic", "redundant", "lu", "asm", "hypre", "gamg" or "user".
        overlap : int
            Of "asm", in rows of the matrix's graph; -1 lets the library choose.
        petsc_options : sequence of str
            ``"-dae_pc_type", "asm", ...``.
        **options
            As of :func:`daedalus.solve`, the same on every rank.
        """
        if not isinstance(problem, DistributedProblem):
            raise TypeError(f"problem: a {type(problem).__name__} is given, expected a DistributedProblem")
        t0, t1 = span(t_span)
        own, counts, first, unknowns = _daedalus.solve_cut(
            problem._native, t0, t1, prepare(options), preconditioner, int(overlap), [str(o) for o in petsc_options])
        solution = finish(own, None)
        solution.model = problem.model
        return DistributedSolution(solution, Record(counts), first, unknowns)

    def gather(self, own: Solution) -> Solution:
        """Collective: on rank 0 the solution with the states of all unknowns, on others their own."""
        return Solution(_daedalus.gather_ranks(own._native), None, own.model)

    def broadcast(self, data: bytes) -> bytes:
        """Collective: everybody has the bytes of rank 0."""
        return _daedalus.broadcast_ranks(data)

    def first_to_differ(self, text: str) -> int:
        """Collective: the first rank whose text is not that of rank 0; -1: all have the same."""
        return _daedalus.first_rank_to_differ(text)

    def conclude(self, code: int, patience: float = 5.0) -> End:
        """Collective, the last call of a program: the largest code of all, and who gave it."""
        return End(*_daedalus.conclude_ranks(int(code), float(patience)))

    def abort(self, code: int = 1) -> None:
        """Ends all ranks at once."""
        _daedalus.abort_ranks(int(code))

    def __repr__(self) -> str:
        return f"<daedalus.distributed.Ranks: {self.rank} of {self.size}>"


_ranks: Ranks | None = None


def _end() -> None:
    # The others would wait for ever for a rank that an exception ended.
    if _ranks is not None and _ranks.size > 1 and getattr(sys, "last_value", None) is not None:
        sys.stderr.flush()
        _ranks.abort(1)
    _daedalus.end_ranks()


def start_ranks() -> Ranks:
    """The ranks of this program; MPI begins with the first call and ends with the program.

    Without mpirun there is one. A rank that ends by an exception ends all. InvalidArgument where the package was
    built without MPI.
    """
    global _ranks
    if _ranks is None:
        _ranks = Ranks(*_daedalus.start_ranks())
        atexit.register(_end)
    return _ranks


def available() -> bool:
    """Whether the package was built with MPI; starts nothing."""
    return _daedalus.ranks_available()

