# SPDX-License-Identifier: BSD-3-Clause
"""What a problem is made of, before and besides solving it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _daedalus
from ._options import prepare
from ._record import Record, record
from ._run import require, span
from .problems import Problem
from .tabular import need


def _start(problem: Problem, t0: float | None) -> float:
    if t0 is not None:
        return float(t0)
    return require(problem).t_span[0] if problem.has_interval else 0.0


def check(problem: Problem, t0: float | None = None, **options: Any) -> Record:
    """Index, consistency of start values, derivatives against differences, advice.

    Examples
    --------
    >>> import daedalus as dd
    >>> dd.check(dd.catalogue["pendulum"]).numerical_index
    3
    """
    return record(_daedalus.check(require(problem)._native(), _start(problem, t0), prepare(options)))


def structural_analysis(problem: Problem, t0: float | None = None, **options: Any) -> Record:
    """Signature matrix, offsets, structural index and blocks (the Sigma method)."""
    native = require(problem)._native()
    return record(_daedalus.structural_analysis(native, _start(problem, t0), prepare(options)))


def index_analysis(
    problem: Problem, t0: float | None = None, tolerance: float = 1e-11, max_size: int = 60
) -> Record:
    """Differentiation index by numbers, with all hidden constraints."""
    native = require(problem)._native()
    return record(_daedalus.index_analysis(native, _start(problem, t0), tolerance, max_size))


def index_along(problem: Problem, t_span: Any = None, points: int = 5, **options: Any) -> Record:
    """The index at the start and at some points of a solution."""
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    return record(_daedalus.index_along(problem._native(), t0, t1, prepare(options), points))


def steady_state(problem: Problem, t0: float | None = None, **options: Any) -> Record:
    """x with F(t, x, 0) = 0, from the start values."""
    native = require(problem)._native()
    return record(_daedalus.steady_state(native, _start(problem, t0), prepare(options)))


def eigen(problem: Problem, at: float | str | None = None, t0: float | None = None, **options: Any) -> Record:
    """Finite eigenvalues of the linearised equations.

    Parameters
    ----------
    at : float or "equilibrium", optional
        A time, reached from the start values; the default is the start.

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.MassMatrixProblem(rhs=lambda t, y: [-2.0 * y[0]], y0=[1.0])
    >>> round(dd.eigen(p)["values"][0].real, 6)
    -2.0
    """
    start = _start(problem, t0)
    if isinstance(at, str) and at != "equilibrium":
        raise ValueError(f"at: '{at}' is given, expected a time or 'equilibrium'")
    time = None if at == "equilibrium" else start if at is None else float(at)
    return record(_daedalus.eigenvalues(problem._native(), start, time, prepare(options)))


def linearise(problem: Problem, t0: float | None = None, y: ArrayLike | None = None, **options: Any) -> Record:
    """E and J of the linearised equations E x' + J x = 0, as ``scipy.sparse`` matrices.

    Parameters
    ----------
    y : array_like, optional
        Values of the variables; the default are the start values, made consistent.

    Examples
    --------
    >>> import daedalus as dd
    >>> p = dd.MassMatrixProblem(rhs=lambda t, y: [-2.0 * y[0], y[0] - y[1]],
    ...                          mass_matrix=[[1, 0], [0, 0]], y0=[1.0, 1.0])
    >>> dd.linearise(p).J.toarray().tolist()
    [[2.0, 0.0], [-1.0, 1.0]]
    """
    sparse = need("scipy.sparse", "linearise")
    at = None if y is None else np.atleast_1d(np.asarray(y, dtype=float))
    found = _daedalus.linearise(require(problem)._native(), _start(problem, t0), at, prepare(options))
    result = record(found)
    for name in ("E", "J"):
        start, rows, values, shape = found[name]
        result[name] = sparse.csc_matrix((values, rows, start), shape=shape)
    return result


def weierstrass_form(a: ArrayLike, b: ArrayLike, tolerance: float = 1e-11) -> Record:
    """Index, ranks and normal form of the pencil A x' + B x.

    Examples
    --------
    >>> import daedalus as dd
    >>> dd.weierstrass_form([[0, 1], [0, 0]], [[1, 0], [0, 1]]).index
    2
    """
    left, right = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (a, b))
    if left.shape != right.shape or left.shape[0] != left.shape[1]:
        raise ValueError(f"a, b: shapes {left.shape} and {right.shape}, expected two square matrices")
    return record(_daedalus.weierstrass_form(left, right, tolerance))


def recommend(problem: Problem, **options: Any) -> Record:
    """The method that ``solve`` would start with, why, and the runners-up."""
    ready = prepare(require(problem).with_standard_options(options))
    return record(_daedalus.recommend(problem._native(), ready))


def explain(problem: Problem, t_span: Any = None, **options: Any) -> Record:
    """As :func:`recommend`, after a look at the start values.

    Examples
    --------
    >>> import daedalus as dd
    >>> dd.explain(dd.catalogue["robertson"]).method in dd.methods
    True
    """
    own = require(problem).t_span if problem.has_interval else (0.0, 1.0)
    t0, t1 = span(own if t_span is None else t_span)
    ready = prepare(problem.with_standard_options(options))
    choice = record(_daedalus.recommend(problem._native(), ready))
    choice.linear_solver = ""
    run = _daedalus.Integrator(problem._native(), ready)
    if run.initialize(t0, t1) == "success":
        used = run.solution().choice
        choice.linear_solver = used["linear_solver"]
        if (used["method"], used["formulation"]) != (choice.method, choice.formulation):
            first = Record(method=choice.method, formulation=choice.formulation, reason=choice.reason)
            choice.alternatives = [first, *choice.alternatives]
            choice.update({k: used[k] for k in ("method", "formulation", "reason")})
    return choice
