# SPDX-License-Identifier: BSD-3-Clause
"""solve_dae: F(t, y, y') = 0 with the signature and the result that users of scipy know."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _daedalus
from ._jacobian import pair_of
from ._options import prepare
from ._record import Record
from ._run import finish, span
from ._variable_index import find_index
from ._watch import Watched, watch
from ._wrap import Residual, ComplexResidual, check_times, join, split, start_vector
from .events import Event
from .problems import ImplicitProblem
from .solution import Solution

Array = NDArray[Any]


class Dense:
    """A solution between its steps."""

    def __init__(self, solution: Solution, is_complex: bool, t_end: float) -> None:
        self.solution, self.is_complex = solution, is_complex
        self.t_min, self.t_max = sorted((float(solution._native.start_time), t_end))

    def __repr__(self) -> str:
        return f"<daedalus.{type(self).__name__} from t = {self.t_min:g} to {self.t_max:g}>"


class DaeSolution(Dense):
    """``sol(t)`` gives ``(y, yp)`` anywhere in the computed interval."""

    def __call__(self, t: ArrayLike) -> tuple[Array, Array]:
        y, yp = self.solution(t), self.solution.derivative(t)
        return (join(y), join(yp)) if self.is_complex else (y, yp)


class DaeResult(Record):
    """Result of :func:`solve_dae`: t, y, yp, sol, t_events, y_events, yp_events, nfev, njev, nlu,
    status, message, success; and ``solution``, ``model``."""

    solution: Solution


def _tolerance(name: str, value: Any, n: int, is_complex: bool) -> Any:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {value!r} is given, expected a number or one per component") from None
    if array.ndim > 1 or (array.ndim == 1 and array.size not in (1, n)):
        raise ValueError(f"{name}: shape {array.shape} is given, expected a number or ({n},)")
    if not np.all(array >= 0) or not np.all(np.isfinite(array)):
        raise ValueError(f"{name}: it must be finite and not negative")
    return np.concatenate([array, array]) if array.size == n > 1 and is_complex else array


def _steps(first_step: float | None, max_step: float, t0: float, t1: float) -> dict[str, float]:
    chosen: dict[str, float] = {}
    if first_step is not None:
        if not first_step > 0:
            raise ValueError("first_step: it must be positive")
        if first_step > abs(t1 - t0):
            raise ValueError("first_step: it exceeds the interval")
        chosen["initial_step"] = float(first_step)
    if not max_step > 0:
        raise ValueError("max_step: it must be positive")
    if np.isfinite(max_step):
        chosen["max_step"] = float(max_step)
    return chosen


def event_list(events: Any) -> list[Any]:
    """One function or several."""
    if events is None:
        return []
    if isinstance(events, Event) or (not callable(events) and not isinstance(events, Iterable)):
        raise TypeError(f"events: {_short(events)} is given, expected a function or a list of functions")
    several = [events] if callable(events) else list(events)
    for number, event in enumerate(several):
        if not callable(event):
            raise TypeError(f"events: entry {number} is {_short(event)}, expected a function")
    return several


def _short(event: Any) -> str:
    return "a daedalus.Event, which daedalus.solve takes," if isinstance(event, Event) else repr(event)


class _BoundEvent:
    def __init__(self, event: Callable[..., Any], args: Sequence[Any], count: int) -> None:
        self.event, self.args, self.count = event, tuple(args), count
        self.terminal = getattr(event, "terminal", None)
        self.direction = getattr(event, "direction", 0)

    def __call__(self, t: float, y: Array, yp: Array) -> Any:
        return self.event(t, *(y, yp)[: self.count], *self.args)


def _same(x: Array) -> Array:
    return x


def run_problem(
    problem: Any,
    t_span: tuple[float, float],
    options: dict[str, Any],
    events: list[Any],
    args: Sequence[Any],
    is_complex: bool,
    event_vectors: int,
) -> tuple[Solution, list[Watched], float | None]:
    """The run, the events with what happened, and the time of the event that ended it."""
    ready = prepare({**options, "output": "dense"})
    watched = []
    for number, event in enumerate(events):
        watched.append(Watched(number, _BoundEvent(event, args, event_vectors)))
    t0, t1 = t_span
    if not watched:
        native = _daedalus.solve(problem._native(), t0, t1, ready)
        return finish(native, problem), [], None
    run = _daedalus.WatchedRun(problem._native(), t0, t1, ready)
    stopped = None
    if run.status == "success":
        try:
            stopped = watch(run, t1, watched, join if is_complex else _same)
        except BaseException as error:
            error.solution = Solution(run.solution(), problem)  # type: ignore[attr-defined]
            raise
    return finish(run.solution(), problem), watched, stopped


def times_of(sol: Solution, t_eval: Array | None, stopped: float | None) -> Array:
    """Times to report: those asked for, or the steps, up to where the run ended."""
    start, end = sol._native.start_time, sol._native.end_time
    limit = end if stopped is None else stopped
    sign = 1.0 if limit >= start else -1.0
    if t_eval is not None:
        return t_eval[sign * (limit - t_eval) >= 0]
    times = np.array(sol.t)
    if stopped is None:
        return times
    before = times[sign * (stopped - times) > 0]
    return np.append(before, stopped)


def pack(
    sol: Solution,
    watched: list[Watched] | None,
    stopped: float | None,
    t_eval: Array | None,
    is_complex: bool,
    dense_output: bool,
    with_rates: bool,
) -> DaeResult:
    """The result in scipy's words."""
    times = times_of(sol, t_eval, stopped) if sol._native.dense else np.array(sol.t)
    n = len(sol.names)
    if sol._native.dense:
        y, yp = sol(times), sol.derivative(times)
    else:
        y, yp = np.array(sol.y), np.full((n, len(times)), np.nan)
    total = sol.statistics.total
    result = DaeResult(
        t=times,
        y=join(y) if is_complex else y,
        sol=None,
        t_events=None,
        y_events=None,
        nfev=total.residual_evaluations + total.function_evaluations,
        njev=total.jacobian_evaluations,
        nlu=total.factorisations,
        status=-1 if not sol.success else 1 if stopped is not None else 0,
        message=sol.message,
        success=sol.success,
    )
    if with_rates:
        result.yp = join(yp) if is_complex else yp
        result.yp_events = None
    if dense_output and sol._native.dense:
        result.sol = DaeSolution(sol, is_complex, float(times[-1]) if len(times) else 0.0)
    if watched:
        result.t_events = [np.array(e.t) for e in watched]
        result.y_events = [np.array(e.y) for e in watched]
        if with_rates:
            result.yp_events = [np.array(e.yp) for e in watched]
    if stopped is not None:  # the library went on to the end of the step
        result.message = f"A termination event occurred at t = {stopped:g}."
    result.model = sol.model
    result.solution = sol
    return result


def solve_dae(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: ArrayLike,
    yp0: ArrayLike,
    method: str = "auto",
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: Any = None,
    var_index: Sequence[int] | None = None,
    vectorized: bool = False,
    args: Sequence[Any] | None = None,
    *,
    jac: Any = None,
    jac_sparsity: Any = None,
    rtol: float = 1e-3,
    atol: ArrayLike = 1e-6,
    first_step: float | None = None,
    max_step: float = np.inf,
    trace: bool | str = "auto",
    **method_options: Any,
) -> DaeResult:
    """Solves F(t, y, y') = 0.

    Parameters
    ----------
    fun : callable
        ``fun(t, y, yp, *args)`` returns the residual.
    t_span : (float, float)
        May run backwards.
    y0, yp0 : array_like
        Consistent start values; complex ones are solved as the real system of twice the size.
    method : str
        A name of :data:`daedalus.methods`, "auto", "Radau" or "BDF"; case does not matter.
    t_eval : array_like, optional
        Times to report; otherwise every step.
    dense_output : bool
        Whether ``sol(t)`` gives ``(y, yp)``.
    events : callable or list, optional
        ``event(t, y, yp, *args)`` with attributes ``terminal`` (bool or count) and ``direction``.
    var_index : sequence of int, optional
        Differentiation index per variable (1 or less, 2, 3); None: the library finds it.
    vectorized : bool
        ``fun`` takes and returns columns.
    args : sequence, optional
        Further arguments of ``fun``, ``jac`` and the events.
    jac : pair of matrices or callable, optional
        dF/dy and dF/dy', dense or ``scipy.sparse``; or ``jac(t, y, yp, *args)`` returning them.
    jac_sparsity : pair of matrices, optional
        Where they may differ from zero; checked, and not needed.
    trace : {"auto", True, False}
        Whether the model is turned into formulas (see :doc:`tracing`).
    **method_options
        Further options of :func:`daedalus.solve` and of the method.

    Returns
    -------
    DaeResult

    Examples
    --------
    >>> import numpy as np, daedalus as dd
    >>> def F(t, y, yp):
    ...     return np.array([yp[0] + y[0], y[0] + y[1] - 1.0])
    >>> r = dd.solve_dae(F, (0.0, 1.0), [1.0, 0.0], [-1.0, 1.0], rtol=1e-8, atol=1e-8)
    >>> r.success, bool(abs(r.y[0, -1] - np.exp(-1.0)) < 1e-6)
    (True, True)
    """
    t0, t1 = span(t_span)
    if not callable(fun):
        raise TypeError(f"fun: a {type(fun).__name__} is given, expected a function")
    start, complex_y = start_vector("y0", y0)
    rates, complex_yp = start_vector("yp0", yp0)
    if start.shape != rates.shape:
        raise ValueError(f"yp0: shape {rates.shape} is given, y0 has {start.shape}")
    is_complex, n = complex_y or complex_yp, start.size
    times = None if t_eval is None else check_times("t_eval", t_eval, t0, t1)
    further = _arguments(args)
    bound: Any = Residual(fun, further, vectorized)
    if is_complex:
        bound, start, rates = ComplexResidual(bound), split(start + 0j), split(rates + 0j)
    by_y, by_yp = pair_of(jac, jac_sparsity, n, further, is_complex)
    problem = ImplicitProblem(
        residual=bound, y0=start, yp0=rates, jacobian_y=by_y, jacobian_yp=by_yp, trace=trace
    )
    problem = find_index(problem, var_index, n, is_complex, t0)
    options = {
        "method": method,
        "rtol": _relative(rtol),
        "atol": _tolerance("atol", atol, n, is_complex),
        **_steps(first_step, max_step, t0, t1),
        **method_options,
    }
    sol, watched, stopped = run_problem(
        problem, (t0, t1), options, event_list(events), further, is_complex, 2
    )
    return pack(sol, watched, stopped, times, is_complex, dense_output, True)


def _relative(rtol: Any) -> float:
    if np.ndim(rtol) > 0:
        raise ValueError(f"rtol: shape {np.shape(rtol)} is given, expected a number for all components; "
                         "atol takes one per component")
    try:
        number = float(rtol)
    except (TypeError, ValueError):
        number = -1.0
    if not np.isfinite(number) or number < 0:
        raise ValueError(f"rtol: {rtol!r} is given, expected a number that is not negative")
    return number


def _arguments(args: Any) -> tuple[Any, ...]:
    if args is None:
        return ()
    try:
        return tuple(args)
    except TypeError:
        raise TypeError(f"args: {args!r} is given, expected a tuple; try args=({args!r},)") from None
