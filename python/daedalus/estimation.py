# SPDX-License-Identifier: BSD-3-Clause
"""Parameters from measured data."""

from __future__ import annotations

import functools
import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from . import _daedalus
from ._options import prepare
from ._record import Record, record
from ._run import require, span
from .entries import EntryProblem
from .problems import Problem


def _experiment(data: Any, number: int) -> dict[str, Any]:
    """A file, (file, {parameter: value}), or {"t": ..., "x": ..., "x.sigma": ..., "set": {...}}."""
    if isinstance(data, (str, os.PathLike)):
        return {"file": os.fspath(data)}
    if isinstance(data, tuple):
        return {"file": os.fspath(data[0]), "set": dict(data[1])}
    columns = {k: v for k, v in dict(data).items() if k not in ("t", "set", "name")}
    if "t" not in data:
        raise TypeError("fit: data of arrays have their times as 't'")
    as_list = {k: [float(x) for x in np.atleast_1d(np.asarray(v, dtype=float))] for k, v in columns.items()}
    return {
        "name": str(data.get("name", f"run{number + 1}")),
        "set": dict(data.get("set", {})),
        "t": [float(x) for x in np.atleast_1d(np.asarray(data["t"], dtype=float))],
        "columns": {k: v for k, v in as_list.items() if not k.endswith(".sigma")},
        "sigma": {k[: -len(".sigma")]: v for k, v in as_list.items() if k.endswith(".sigma")},
    }


def fit(
    problem: Problem,
    data: Any,
    free: Iterable[str] | str,
    *,
    t_span: Any = None,
    sigma: Mapping[str, float] | None = None,
    scale: Mapping[str, float] | None = None,
    ignore: Sequence[str] = (),
    loss: str = "linear",
    loss_scale: float = 1.0,
    sigma_known: bool | None = None,
    confidence: float = 0.95,
    starts: int = 1,
    seed: int = 1,
    threads: int | None = None,
    curve_points: int = 0,
    journal: str = "",
    **options: Any,
) -> Record:
    """The parameters with which the problem follows measured data best.

    Parameters
    ----------
    data : mapping, str, path, tuple or list of these
        One experiment or several: a mapping with ``t`` and columns by name of variable or output
        (``x.sigma``: standard deviations, ``set``: parameters of this experiment, ``name``), a CSV
        file, or ``(file, {parameter: value})``.
    free : str or sequence of str
        What may change, as for ``daedalus fit``: ``"k1=0.1..10"`` with limits, ``"k1=0.1..10@2"``
        with a first value, ``"start:x"`` for a start value, ``"run2.k1"`` in one experiment.
    t_span : (float, float), optional
        Of the runs; problems of the catalogue and of files have one of their own.
    sigma, scale : mapping, optional
        Standard deviations by column, where the data have none; factors of columns.
    ignore : sequence of str
        Columns that are left out.
    loss : {"linear", "huber", "soft-l1", "cauchy"}
        How large residuals count; ``loss_scale`` tells in standard deviations what is large.
    sigma_known : bool, optional
        Whether standard errors take the deviations as they are given, or scale them by the misfit.
    confidence : float
        Of the intervals.
    starts, seed : int
        Searches from several points; the best one is told.
    threads : int, optional
        Runs at a time; all cores without it.
    curve_points : int
        Points of the fitted curves in the result.
    journal : str
        A file that gets a line per iteration.
    **options
        Of :func:`solve`, for the runs.

    Returns
    -------
    Record
        The document of the tool: ``status``, ``parameters``, ``correlation``, ``undetermined``, ``fit``.

    Examples
    --------
    >>> import numpy as np, daedalus as dd
    >>> decay = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], variables=["x"],
    ...                              parameters={"k": 1.0})
    >>> t = np.linspace(0.1, 2.0, 10)
    >>> found = dd.fit(decay, {"t": t, "x": np.exp(-1.7 * t)}, "k=0.1..10", t_span=(0.0, 2.0))
    >>> found.status, round(found.parameters.k.value, 6)
    ('converged', 1.7)
    """
    require(problem)
    t0, t1 = span(problem.t_span if t_span is None else t_span)
    single = isinstance(data, (str, os.PathLike, tuple, Mapping))
    how = {
        "t0": t0,
        "t1": t1,
        "set": dict(getattr(problem, "_values", {})),
        "experiments": [_experiment(d, k) for k, d in enumerate([data] if single else data)],
        "free": free.split(",") if isinstance(free, str) else list(free),
        "sigma": dict(sigma or {}),
        "scale": dict(scale or {}),
        "ignore": list(ignore),
        "loss": loss,
        "loss_scale": float(loss_scale),
        "sigma_known": sigma_known,
        "confidence": float(confidence),
        "starts": int(starts),
        "seed": int(seed),
        "threads": int(threads or 0),
        "curve_points": int(curve_points),
        "journal": str(journal),
    }
    stop = _daedalus.CancelFlag()
    raised: list[BaseException] = []
    model: _daedalus.Entry | _daedalus.Problem
    if isinstance(problem, EntryProblem):
        model = problem._entry
    else:
        model = _watched(problem, stop, raised)._native()
    own = options.get("cancel")
    ready = prepare({"rtol": 1e-10, "atol": 1e-10, **options,
                     "cancel": stop if own is None else lambda: stop.is_set() or own()})
    # In a thread of its own: this one stays free for interrupts.
    with ThreadPoolExecutor(1) as pool:
        search = pool.submit(_daedalus.fit, model, how, ready)
        try:
            result = search.result()
        except BaseException:
            stop.set()
            raise
    if raised:
        raise raised[0]
    return record(json.loads(result))


def _watched(problem: Problem, stop: _daedalus.CancelFlag, raised: list[BaseException]) -> Problem:
    """The problem with functions whose exceptions end the search; the library would take them for
    parameters without a solution."""
    if problem.traced:
        return problem

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except _daedalus.Reject:
                raise
            except BaseException as error:
                raised.append(error)
                stop.set()
                raise

        return call

    functions = {k: watched(f) for k, f in problem.fields.items() if callable(f)}
    return problem.replace(**functions) if functions else problem
