# SPDX-License-Identifier: BSD-3-Clause
"""solve and the Integrator."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _daedalus
from ._options import prepare
from ._record import Record, record
from .problems import Problem
from .solution import Solution


def span(t_span: Any) -> tuple[float, float]:
    """Two finite, different numbers."""
    try:
        t0, t1 = (float(t) for t in t_span)
    except (TypeError, ValueError):
        times = "; times to report are given as t_eval" if np.ndim(t_span) == 1 and np.size(t_span) > 2 else ""
        raise ValueError(f"t_span: {t_span!r} is given, expected two numbers{times}") from None
    if not (math.isfinite(t0) and math.isfinite(t1)):
        raise ValueError(f"t_span: ({t0}, {t1}) is not finite")
    return t0, t1


def finish(native: _daedalus.Solution, problem: Problem | None) -> Solution:
    """The solution; what a callback raised is raised again, with the solution on it."""
    solution = Solution(native, problem, getattr(problem, "model", ""))
    error = native.take_exception()
    if error is not None:
        error.solution = solution
        raise error
    return solution


def require(problem: Any) -> Problem:
    """The problem, or TypeError."""
    if not isinstance(problem, Problem):
        raise TypeError(f"problem: a {type(problem).__name__} is given, expected a daedalus.Problem")
    return problem


def solve(problem: Problem, t_span: Sequence[float] | None = None, **options: Any) -> Solution:
    """Solves a problem over an interval of time.

    Parameters
    ----------
    problem : Problem
    t_span : (float, float), optional
        From where to where; may run backwards. Problems of the catalogue have one of their own.
    **options
        The options of the library by their C++ names (:func:`daedalus.options` lists them), and
        those of the chosen method and formulation.

    Returns
    -------
    Solution
        Complete up to the last good point, whatever happened; ``success`` tells.

    Examples
    --------
    >>> import daedalus as dd
    >>> sol = dd.solve(dd.catalogue["pendulum"], (0.0, 1.0), rtol=1e-8, atol=1e-8)
    >>> sol.success
    True
    >>> dd.solve(dd.catalogue["pendulum"], (0.0, 1.0), rtoll=1e-8)
    Traceback (most recent call last):
    TypeError: there is no option 'rtoll'; did you mean rtol?
    """
    require(problem)
    t0, t1 = span(problem.t_span if t_span is None else t_span)
    ready = prepare(problem.with_standard_options(options))
    return finish(_daedalus.solve(problem._native(), t0, t1, ready), problem)


class StepInfo(NamedTuple):
    """One accepted step."""

    t: float
    h: float
    order: int
    status: str


class Integrator:
    """The machinery of :func:`solve`, one step at a time.

    Examples
    --------
    >>> import daedalus as dd
    >>> run = dd.Integrator(dd.catalogue["robertson"], rtol=1e-6)
    >>> run.initialize(0.0, 1.0)
    'success'
    >>> while run.t < 1.0:
    ...     step = run.step(1.0)
    >>> run.t
    1.0
    """

    def __init__(self, problem: Problem, **options: Any) -> None:
        self.problem = require(problem)
        ready = prepare(problem.with_standard_options(options))
        self._native = _daedalus.Integrator(problem._native(), ready)

    def _checked(self, status: str) -> str:
        if status == "callback_failed":
            finish(self._native.solution(), self.problem)
        return status

    def initialize(self, t0: float, towards: float | None = None) -> str:
        """Consistent start at t0; ``towards`` tells direction and scale. Returns the status."""
        end = t0 + 1.0 if towards is None else towards
        return self._checked(self._native.initialize(float(t0), float(end)))

    def step(self, t_end: float) -> StepInfo:
        """One accepted step that does not pass t_end."""
        info = StepInfo(*self._native.step(float(t_end)))
        self._checked(info.status)
        return info

    def run(self, t_end: float) -> str:
        """Steps until t_end; returns the status."""
        return self._checked(self._native.run(float(t_end)))

    @property
    def t(self) -> float:
        """Time reached."""
        return self._native.t

    @property
    def state(self) -> _daedalus.State:
        """State reached."""
        return self._native.state

    def interpolate(self, t: float) -> _daedalus.State:
        """State inside the last step."""
        return self._native.interpolate(float(t))

    @property
    def statistics(self) -> Record:
        """Counts so far."""
        return record(self._native.statistics)

    def solution(self) -> Solution:
        """Everything so far."""
        return Solution(self._native.solution(), self.problem)

    def checkpoint(self) -> _daedalus.Checkpoint:
        """The state of the run between two steps; may be pickled."""
        return self._native.checkpoint()

    def resume(self, checkpoint: _daedalus.Checkpoint) -> None:
        """Goes on from a checkpoint of the same problem and options."""
        self._native.resume(checkpoint)
