# SPDX-License-Identifier: BSD-3-Clause
"""Many runs: comparison of methods, orders, perturbations."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterable, Sequence

import numpy as np

from . import _daedalus
from ._options import prepare
from ._record import Record, record, unknown
from ._run import require, solve, span
from .problems import Problem
from .solution import Solution
from .tables import formulations, methods


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


def perturb(problem: Problem, t_span: Any = None, *, study: dict[str, Any] | None = None, **options: Any) -> Record:
    """Puts residuals into the equations and fits what they do to each component.

    ``study`` has the fields of C++ ``PerturbationStudy``: rows, kind, thetas, steps, components, ...
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    asked = _study(study)
    return record(_daedalus.perturb(problem._native(), t0, t1, asked, prepare(options)))


def _study(given: dict[str, Any] | None) -> dict[str, Any]:
    known = ("accuracy", "row_names", "seed", "thetas", "steps", "components", "at_end", "rows", "kind")
    for name in given or {}:
        if name not in known:
            raise TypeError(unknown("entry of study", name, known))
    return given or {}


def uniform_index(
    problem: Problem,
    parameter: str,
    values: Iterable[float],
    t_span: Any = None,
    *,
    study: dict[str, Any] | None = None,
    **options: Any,
) -> Record:
    """The uniform perturbation index of a class of problems: the same for every value of a parameter.

    Returns
    -------
    Record
        ``index`` (0: none up to 4), ``growth`` (for m = 1 to 4 the ``constants`` C_m by value, their ``exponent``
        and a ``text``), ``worst`` component, ``warnings``. ``study`` as for :func:`perturb`.
    """
    t0, t1 = span(require(problem).t_span if t_span is None else t_span)
    if parameter not in problem.parameters:
        raise TypeError(unknown("parameter", parameter, problem.parameters))
    return record(_daedalus.uniform_index(
        problem._native(), t0, t1, _study(study), parameter, [float(v) for v in values],
        lambda value: problem.with_parameters(**{parameter: value})._native(), prepare(options)))


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
