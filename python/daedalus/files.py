# SPDX-License-Identifier: BSD-3-Clause
"""Files: trajectories, long runs with checkpoints."""

from __future__ import annotations

import json
import os
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _daedalus
from ._options import prepare
from ._record import unknown
from ._run import finish, require, span
from .problems import Problem
from .solution import Solution


class Trajectory:
    """States read from a file: ``t``, ``y`` with one row per variable, ``names``, ``run``.

    ``run`` is what the file tells about the run, as a dictionary where it is JSON.
    """

    def __init__(self, names: list[str], t: NDArray[np.float64], y: Any, run: str) -> None:
        self.names, self.t, self.y = names, t, y
        try:
            self.run: Any = json.loads(run) if run else {}
        except ValueError:
            self.run = run

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self.names:
            raise KeyError(unknown("variable", name, self.names))
        row: NDArray[np.float64] = self.y[self.names.index(name)]
        return row

    def __repr__(self) -> str:
        return f"<daedalus.Trajectory {len(self.names)} variables, {len(self.t)} states>"


def about(solution: Solution) -> dict[str, Any]:
    """What is written beside the states."""
    statistics = {k: v for k, v in solution.statistics.items() if isinstance(v, (int, float))}
    return {
        "problem": solution.problem.name if solution.problem is not None else "",
        "status": solution.status,
        "message": solution.message,
        "choice": dict(solution.choice),
        "statistics": {k: v for k, v in statistics.items() if np.isfinite(v)},
        "warnings": solution.warnings,
    }


def save(solution: Solution, path: str | os.PathLike[str]) -> str:
    """Writes the reported states; the ending of the name decides the format."""
    text = json.dumps(about(solution))
    return _daedalus.save_trajectory(solution._native, os.fspath(path), text)


def load(path: str | os.PathLike[str]) -> Trajectory:
    """Reads a trajectory that :meth:`Solution.save` or the tool wrote.

    Examples
    --------
    >>> import daedalus as dd, tempfile, os
    >>> sol = dd.solve(dd.catalogue["robertson"], (0.0, 1.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = dd.load(sol.save(os.path.join(folder, "run.npz")))
    >>> bool((again.y == sol.y).all())
    True
    """
    names, t, y, run = _daedalus.load_trajectory(os.fspath(path))
    return Trajectory(names, t, y.T, run)


def solve_long(
    problem: Problem,
    t_span: Sequence[float] | None = None,
    *,
    file: str | None = None,
    checkpoint: str | None = None,
    checkpoint_seconds: float = 60.0,
    checkpoint_steps: int = 0,
    resume: str | None = None,
    keep_states: bool = True,
    times_between: Sequence[float] = (),
    **options: Any,
) -> Solution:
    """A run that writes its states to ``file`` and its progress to ``checkpoint``.

    A run that resumes from a checkpoint gives the same bits as one that was never interrupted.
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    run = {
        "file": file,
        "checkpoint": checkpoint,
        "checkpoint_seconds": checkpoint_seconds,
        "checkpoint_steps": checkpoint_steps,
        "resume": resume,
        "keep_states": keep_states,
        "times_between": [float(t) for t in times_between],
    }
    given = {k: v for k, v in run.items() if v is not None}
    ready = prepare(problem.with_standard_options(options))
    return finish(_daedalus.long_run(problem._native(), t0, t1, ready, given), problem)
