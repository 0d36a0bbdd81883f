# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: one problem with many values of its parameters."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _daedalus
from ._options import prepare
from ._record import unknown
from ._run import Integrator, finish, require, span
from ._wrap import check_times
from .distributed import Ranks
from .problems import Problem

# End state, status, message and time reached of one run.
_End = Tuple[Any, str, str, float]
# Runs of one thread between two visits to the interpreter: enough for its lock to cost nothing, few
# enough for an even share of the work.
_RUNS_AT_ONCE = 16


class Sweep:
    """States at the end of many runs: ``parameters`` (name -> values of the axis), ``names``,
    ``y`` of shape (axes..., variables), ``status`` and ``t`` of shape (axes...). Of a sample
    there is one axis, the runs, and ``parameters`` has the values of every run.

    With ``t_eval``: ``times`` and ``series`` of shape (axes..., times, variables). ``engine`` is what
    did the runs, ``reason`` why."""

    times: NDArray[np.float64] = np.zeros(0)
    series: NDArray[np.float64] = np.zeros((0, 0))
    engine: str = "threads"
    reason: str = ""

    def __init__(
        self, parameters: dict[str, NDArray[np.float64]], names: list[str], sampled: bool = False
    ) -> None:
        self.parameters, self.names, self.sampled = parameters, names, sampled
        lengths = tuple(len(v) for v in parameters.values())
        shape = lengths[:1] if sampled else lengths
        self.y = np.full((*shape, len(names)), np.nan)
        self.t = np.full(shape, np.nan)
        self.status = np.full(shape, "", dtype=object)
        self.message = np.full(shape, "", dtype=object)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self.names:
            raise KeyError(unknown("variable", name, self.names))
        return self.y[..., self.names.index(name)]

    def quantiles(self, probabilities: ArrayLike = (0.05, 0.25, 0.5, 0.75, 0.95)) -> NDArray[np.float64]:
        """Quantiles of the end values over all runs that succeeded, one row per probability."""
        values = self.y.reshape(-1, len(self.names))
        return np.asarray(np.nanquantile(values, np.asarray(probabilities), axis=0), dtype=np.float64)

    def bands(self, probabilities: ArrayLike = (0.05, 0.25, 0.5, 0.75, 0.95)) -> NDArray[np.float64]:
        """Quantiles over all runs at the times of ``t_eval``: shape (probabilities, times, variables)."""
        if not len(self.times):
            raise ValueError("bands: sweep was made without t_eval, the times that bands are of")
        rows = self.series.reshape(-1, len(self.times), len(self.names))
        return np.asarray(np.nanquantile(rows, np.asarray(probabilities), axis=0), dtype=np.float64)

    def to_xarray(self) -> Any:
        """An xarray.Dataset over the parameters."""
        from .tabular import sweep_to_xarray

        return sweep_to_xarray(self)

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame with one row per run."""
        return self.to_xarray().to_dataframe().reset_index()

    def __repr__(self) -> str:
        axes = ", ".join(k if self.sampled else f"{k} ({len(v)})" for k, v in self.parameters.items())
        good = int(np.sum(self.status == "success"))
        return f"<daedalus.Sweep over {axes}: {good} of {self.status.size} runs succeeded>"


def sweep(
    problem: Problem,
    t_span: Any = None,
    *,
    threads: int | None = None,
    options: dict[str, Any] | None = None,
    samples: int = 100,
    sampling: str = "latin-hypercube",
    seed: int = 1,
    engine: str | None = None,
    t_eval: ArrayLike | None = None,
    ranks: Ranks | None = None,
    **parameters: ArrayLike | str,
) -> Sweep:
    """Solves the problem for all combinations of parameter values, or for samples of them.

    Parameters
    ----------
    threads : int, optional
        Runs at a time; all cores without it. Callbacks in Python take turns.
    options : dict, optional
        Options of :func:`solve`.
    samples, sampling, seed
        Of parameters that have a law; sampling is ``latin-hypercube``, ``sobol`` or ``random``.
    engine : {"automatic", "threads", "lanes", "gpu"}, optional
        ``lanes`` solves several runs at a time in vector instructions, ``gpu`` on a graphics processor:
        small problems made of formulas, as traced functions are. ``Sweep.reason`` says why an engine was taken.
    t_eval : array_like, optional
        Times at which every run is kept as well (by threads alone), see :class:`Sweep`.
    ranks : Ranks, optional
        Of :func:`daedalus.distributed.start_ranks`: every rank makes the call, runs go to whichever is free, and
        rank 0 alone has all of them; others have those they made, the rest is "cancelled".
    **parameters
        Values by name of parameter, or a law as text: ``"lognormal(1, 0.1)"``, ``normal``,
        ``uniform``, ``loguniform``, ``triangular``, ``exponential``, ``weibull``.

    Examples
    --------
    >>> import numpy as np, daedalus as dd
    >>> table = dd.sweep(dd.catalogue["pendulum"], (0.0, 1.0), length=[1.0, 2.0])
    >>> table.y.shape[0], set(table.status)
    (2, {'success'})
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    if not parameters:
        raise TypeError("sweep: no parameter is given; its keyword arguments are parameters")
    for name in parameters:
        if name not in problem.parameters:
            raise TypeError(unknown("parameter", name, problem.parameters))
    laws = {k: v for k, v in parameters.items() if isinstance(v, str)}
    axes = {k: np.atleast_1d(np.asarray(v, dtype=float)) for k, v in parameters.items() if k not in laws}
    stop = _daedalus.CancelFlag()
    ready: dict[str, Any] = {"cancel": stop, **problem.with_standard_options(options or {}), "output": "end"}
    points = list(itertools.product(*(range(len(v)) for v in axes.values())))
    if laws:
        axes = _sampled_axes(axes, points, laws, (samples, sampling, seed))
        points = [(i,) * len(axes) for i in range(len(next(iter(axes.values()))))]

    # Events of a model may depend on its parameters: such problems are solved one by one.
    alike = type(problem).standard_options is Problem.standard_options
    workers = threads or os.cpu_count() or 1
    if ranks is not None and not isinstance(ranks, Ranks):
        raise TypeError(f"ranks: a {type(ranks).__name__} is given, expected that of distributed.start_ranks()")
    if engine is not None or t_eval is not None or ranks is not None:
        values = [{k: float(v[i]) for (k, v), i in zip(axes.items(), point)} for point in points]
        times = [] if t_eval is None else check_times("t_eval", t_eval, t0, t1)
        if not alike and ready.get("events"):
            raise ValueError("engine, t_eval, ranks: this model has events of its own, which may depend on its parameters; "
                             "leave both out")
        found = _by_engine(problem, values, (t0, t1), ready, times, engine or "threads",
                           (workers if ranks is None else threads or 0, stop, ranks is not None))
        return _filled(Sweep(axes, _names_of(problem, t0, t1, options or {}), bool(laws)), found, times)
    size = max(1, min(_RUNS_AT_ONCE, len(points) // (4 * workers))) if alike else 1
    parts = [points[k : k + size] for k in range(0, len(points), size)]

    def run(part: list[tuple[int, ...]]) -> list[_End]:
        return _ends(problem, [{k: float(v[i]) for (k, v), i in zip(axes.items(), point)} for point in part],
                     (t0, t1), ready)

    with ThreadPoolExecutor(workers) as pool:
        try:
            results = [end for ends in pool.map(run, parts) for end in ends]
        except BaseException:  # an interrupt, or what a callback raised: the other runs end as well
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    names: list[str] = next((end.names for end, *_ in results if end is not None), [])
    table = Sweep(axes, names, bool(laws))
    for point, (end, status, message, t) in zip(points, results):
        point = point[:1] if laws else point
        table.status[point], table.message[point], table.t[point] = status, message, t
        if end is not None and status in ("success", "stopped_by_event"):
            table.y[point] = end.y
    return table


def _names_of(problem: Problem, t0: float, t1: float, options: dict[str, Any]) -> list[str]:
    run = Integrator(problem, **options)
    run.initialize(t0, t1)
    return list(run.state.names)


def _by_engine(
    problem: Problem,
    values: list[dict[str, float]],
    t_span: tuple[float, float],
    options: dict[str, Any],
    times: Any,
    engine: str,
    how: tuple[int, Any, bool],
) -> dict[str, Any]:
    """All runs by one engine of the library."""
    workers, stop, over_ranks = how
    ready = prepare({k: v for k, v in options.items() if k not in ("cancel", "output")})
    problems = [problem.with_parameters(**given)._native() for given in values]
    arguments = (problems, *t_span, ready, [float(t) for t in times], engine, workers, stop, over_ranks)
    if over_ranks:  # MPI belongs to the thread that started it
        return _daedalus.solve_ensemble(*arguments)
    # In a thread of its own: an interrupt reaches this one while it waits.
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(_daedalus.solve_ensemble, *arguments)
        try:
            return work.result()
        except BaseException:
            stop.set()
            raise


def _filled(table: Sweep, found: dict[str, Any], times: Any) -> Sweep:
    shape, n = table.status.shape, len(table.names)
    table.engine, table.reason = found["engine"], found["reason"]
    table.status = np.array(found["status"], dtype=object).reshape(shape)
    table.message = np.array(found["message"], dtype=object).reshape(shape)
    table.t = np.array(found["t"], dtype=float).reshape(shape)
    good = np.isin(table.status, ("success", "stopped_by_event"))
    if found["y"].shape[1]:
        table.y = np.where(good[..., None], found["y"][:, :n].reshape((*shape, n)), np.nan)
    table.times = np.asarray(times, dtype=float)
    rows = np.full((table.status.size, len(times) * n), np.nan)
    rows[:, : found["series"].shape[1]] = found["series"]
    table.series = rows.reshape((*shape, len(times), n))
    return table


def _ends(problem: Problem, values: list[dict[str, float]], t_span: tuple[float, float],
          options: dict[str, Any]) -> list[_End]:
    """End states of runs with these parameters, in one call of the library."""
    found: list[Any] = []
    for given in values:
        try:
            found.append(problem.with_parameters(**given))
        except ValueError as error:
            found.append(str(error))
    good = [p for p in found if isinstance(p, Problem)]
    results: list[Any] = []
    if good:
        try:
            ready = prepare(good[0].with_standard_options(options))
            results = _daedalus.solve_several([p._native() for p in good], *t_span, ready)
        except ValueError as error:
            results = [str(error)] * len(good)
    solved = iter(results)
    ends: list[_End] = []
    for one in found:
        result = next(solved) if isinstance(one, Problem) else one
        if isinstance(result, str):
            ends.append((None, "invalid_argument", result, float("nan")))
            continue
        sol = finish(result, one)
        ends.append((sol.end, sol.status, sol.message, sol._native.end_time))
    return ends


def _sampled_axes(
    axes: dict[str, NDArray[np.float64]],
    points: list[tuple[int, ...]],
    laws: dict[str, str],
    how: tuple[int, str, int],
) -> dict[str, NDArray[np.float64]]:
    """Values of every run: all combinations of the axes with the samples, those fastest."""
    drawn = np.array(_daedalus.sample_points(list(laws), list(laws.values()), *how))
    grid = np.array([[v[i] for v, i in zip(axes.values(), point)] for point in points])
    whole = np.hstack([np.repeat(grid, len(drawn), axis=0), np.tile(drawn, (len(points), 1))])
    return {name: whole[:, k] for k, name in enumerate([*axes, *laws])}
