# SPDX-License-Identifier: BSD-3-Clause
"""Many runs: comparison of methods, sweeps over parameters, orders, perturbations."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _daedalus
from ._options import prepare
from ._record import Record, record, unknown
from ._run import finish, require, solve, span
from .problems import Problem
from .solution import Solution
from .tables import formulations, methods


# End state, status, message and time reached of one run.
_End = Tuple[Any, str, str, float]
# Runs of one thread between two visits to the interpreter: enough for its lock to cost nothing, few
# enough for an even share of the work.
_RUNS_AT_ONCE = 16


class Table(list[Record]):
    """Rows of a study; ``to_dataframe`` gives pandas what it wants."""

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame."""
        from .tabular import pandas

        return pandas().DataFrame([dict(row) for row in self])


def _fits(problem: Problem, options: dict[str, Any]) -> bool:
    try:
        _daedalus.recommend(problem._native(), prepare(options))
    except ValueError:
        return False
    return True


def _mescd(solution: Any, problem: Problem, rtol: float, atol: Any) -> float:
    """Digits of the worst counted component, relative to the mixed tolerance."""
    reference = getattr(problem, "reference", None)
    if reference is None or abs(reference.t - solution._native.end_time) > 1e-9 * abs(reference.t):
        return float("nan")
    values, end = dict(reference["values"]), solution.end
    counted = reference.counted or list(values)
    share = float(np.min(atol)) / rtol
    worst = max(abs(end[n] - values[n]) / (share + abs(values[n])) for n in counted)
    return float(-np.log10(worst)) if worst > 0 else 16.0


def compare(
    problem: Problem,
    t_span: Any = None,
    only_methods: Iterable[str] | None = None,
    only_formulations: Iterable[str] | None = None,
    **options: Any,
) -> Table:
    """Every formulation with every method that fits, one row each.

    Examples
    --------
    >>> import daedalus as dd
    >>> rows = dd.compare(dd.catalogue["robertson"], (0.0, 1.0), only_methods=["radau5", "bdf"])
    >>> [row.method for row in rows if row.formulation == ""]
    ['radau5', 'bdf']
    """
    for name in only_methods or ():
        methods[name]
    multibody = require(problem)._native().form == "multibody"
    forms = list(only_formulations or formulations)
    if not multibody and only_formulations is None:
        forms.insert(0, "auto")
    rows = Table()
    seen = set()
    for form, method in itertools.product(forms, only_methods or methods):
        chosen = {**problem.with_standard_options(options), "method": method, "formulation": form}
        if not _fits(problem, chosen):
            continue
        sol = solve(problem, t_span, **{**chosen, "output": "steps"})
        key = (sol.choice.formulation, method)
        if key in seen:
            continue
        seen.add(key)
        s = sol.statistics
        rows.append(
            Record(
                formulation=sol.choice.formulation,
                method=method,
                status=sol.status,
                message=sol.message,
                mescd=_mescd(sol, problem, options.get("rtol", 1e-6), options.get("atol", 1e-6)),
                steps=s.steps,
                function_evaluations=s.total.function_evaluations + s.total.residual_evaluations,
                jacobian_evaluations=s.total.jacobian_evaluations,
                factorisations=s.total.factorisations,
                position_max=s.position_residual,
                velocity_max=s.velocity_residual,
            )
        )
    return rows


def regret(
    problem: Problem,
    t_span: Any = None,
    *,
    digits: Callable[[Solution], float] | None = None,
    enough: float = 0.0,
    repetitions: int = 7,
    only_methods: Iterable[str] | None = None,
    only_formulations: Iterable[str] | None = None,
    **options: Any,
) -> Record:
    """Processor time of the automatic choice over that of the cheapest method that succeeds.

    Parameters
    ----------
    problem : Problem
    t_span : (float, float), optional
    digits : callable, optional
        ``digits(solution)``: how many digits are right, nan where that is not known; without it
        those against the reference of the problem, where there is one.
    enough : float
        Digits that a method must have to count.
    repetitions : int
        Interleaved; the least time of each counts.
    only_methods, only_formulations : iterable of str, optional
        Competitors; all that fit without it.

    Returns
    -------
    Record
        ``ratio`` (nan: no competitor), ``competitors``, ``failed``, and the records ``chosen`` and
        ``best`` with method, formulation, status, steps, seconds and digits.

    Examples
    --------
    >>> import daedalus as dd
    >>> r = dd.regret(dd.catalogue["robertson"], (0.0, 1.0), repetitions=1, only_methods=["radau5", "bdf"])
    >>> r.best.method in ("radau5", "bdf"), r.competitors > 0
    (True, True)
    """
    for name in only_methods or ():
        methods[name]
    for name in only_formulations or ():
        formulations[name]
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    rtol, atol = options.get("rtol", 1e-6), options.get("atol", 1e-6)

    def known(native: _daedalus.Solution) -> float:
        solution = Solution(native, problem, "")
        value = _mescd(solution, problem, rtol, atol) if digits is None else digits(solution)
        # Nothing to compare with: every run that succeeds counts.
        return float(value) if digits is not None or not np.isnan(value) else 0.0

    how = {
        "enough": float(enough),
        "repetitions": int(repetitions),
        "methods": list(only_methods or ()),
        "formulations": list(only_formulations or ()),
    }
    ready = prepare(problem.with_standard_options(options))
    return record(_daedalus.measure_regret(problem._native(), t0, t1, known, how, ready))


class Sweep:
    """States at the end of many runs: ``parameters`` (name -> values of the axis), ``names``,
    ``y`` of shape (axes..., variables), ``status`` and ``t`` of shape (axes...). Of a sample
    there is one axis, the runs, and ``parameters`` has the values of every run."""

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


def perturb(problem: Problem, t_span: Any = None, *, study: dict[str, Any] | None = None, **options: Any) -> Record:
    """Puts residuals into the equations and fits what they do to each component.

    ``study`` has the fields of C++ ``PerturbationStudy``: rows, kind, thetas, steps, components, ...
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    known = ("accuracy", "row_names", "seed", "thetas", "steps", "components", "at_end", "rows", "kind")
    for name in study or {}:
        if name not in known:
            raise TypeError(unknown("entry of study", name, known))
    return record(_daedalus.perturb(problem._native(), t0, t1, study or {}, prepare(options)))


def order(
    problem: Problem,
    t_span: Any = None,
    *,
    steps: Sequence[float] | None = None,
    exact: Any = None,
    norm: str = "absolute",
    **options: Any,
) -> Record:
    """Observed orders: the same run on a ladder of step sizes.

    ``exact(t)`` gives all variables, as a mapping by name or as a vector; problems of the catalogue
    bring theirs.
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    ladder = [abs(t1 - t0) / 2**k for k in range(6, 12)] if steps is None else [float(h) for h in steps]
    known = exact if exact is not None else _exact_of(problem, t0, t1, options)

    def state(t: float, names: list[str]) -> Any:
        value = known(t)
        if value is None or len(value) == 0:
            return None
        return [value[n] for n in names] if hasattr(value, "keys") else value

    ready = prepare(options)
    return record(_daedalus.measure_order(problem._native(), t0, t1, ready, ladder, state, norm))


def _exact_of(problem: Problem, t0: float, t1: float, options: dict[str, Any]) -> Any:
    own = getattr(problem, "exact", None)
    if own is not None and own(t1):
        return own
    fine = {**options, "method": "auto", "rtol": 1e-12, "atol": 1e-12}
    reference = solve(problem, (t0, t1), **fine).raise_for_status()
    end = dict(zip(reference.names, reference.end.y))
    return lambda t: end if abs(t - t1) <= 1e-12 * max(1.0, abs(t1)) else None
