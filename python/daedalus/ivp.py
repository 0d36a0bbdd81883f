# SPDX-License-Identifier: BSD-3-Clause
"""solve_ivp: M y' = f(t, y) with scipy's signature and result."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._jacobian import check_pattern, constant, sparsity_of
from ._run import span
from ._wrap import (
    ComplexRightHandSide,
    RightHandSide,
    check_times,
    complex_matrix,
    join,
    split,
    start_vector,
)
from .dae import DaeResult, Dense, _arguments, _relative, _steps, _tolerance, event_list, pack, run_problem
from .problems import MassMatrixProblem


class _Jacobian:
    def __init__(self, jac: Any, args: Sequence[Any], is_complex: bool, sparsity: Any = None) -> None:
        self.jac, self.args, self.is_complex = jac, tuple(args), is_complex
        self.sparsity, self.constant = sparsity, not callable(jac)

    def __call__(self, t: float, y: Any) -> Any:
        if not callable(self.jac):
            return self.jac
        value = self.jac(t, join(y) if self.is_complex else y, *self.args)
        return complex_matrix(value) if self.is_complex else value


def _jacobian(jac: Any, sparsity: Any, n: int, args: Any, is_complex: bool) -> Any:
    check_pattern("jac_sparsity", sparsity, n)
    if jac is not None:
        if not callable(jac):
            jac = constant("jac", jac, n, is_complex)
        return _Jacobian(jac, args, is_complex, sparsity_of(sparsity, is_complex))
    return None


class _Mass(_Jacobian):
    """M(t, y)."""


def _mass(mass: Any, n: int, args: Any, is_complex: bool) -> dict[str, Any]:
    if mass is None:
        return {}
    if callable(mass):
        return {"mass": _Mass(mass, args, is_complex)}
    if getattr(mass, "shape", np.shape(mass)) != (n, n):
        raise ValueError(f"mass: shape {np.shape(mass)} is given, expected ({n}, {n})")
    return {"mass_matrix": complex_matrix(mass) if is_complex else mass}


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Sequence[float],
    y0: ArrayLike,
    method: str = "auto",
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Sequence[Any] | None = None,
    *,
    mass: Any = None,
    jac: Any = None,
    jac_sparsity: Any = None,
    rtol: float = 1e-3,
    atol: ArrayLike = 1e-6,
    first_step: float | None = None,
    max_step: float = np.inf,
    trace: bool | str = "auto",
    **options: Any,
) -> DaeResult:
    """Solves M y' = f(t, y); signature and result are those of ``scipy.integrate.solve_ivp``.

    Parameters
    ----------
    fun : callable
        ``fun(t, y, *args)``.
    mass : matrix or callable, optional
        M, dense or ``scipy.sparse``, possibly singular, or ``mass(t, y, *args)``; the identity without it.
    method : str
        A name of :data:`daedalus.methods`, "auto", "Radau" or "BDF".

    The other parameters are those of :func:`solve_dae`; events are ``event(t, y, *args)``.

    Examples
    --------
    >>> import daedalus as dd
    >>> r = dd.solve_ivp(lambda t, y: -0.5 * y, (0.0, 10.0), [2.0, 4.0], rtol=1e-6)
    >>> r.success, r.y.shape[0]
    (True, 2)
    """
    t0, t1 = span(t_span)
    if not callable(fun):
        raise TypeError(f"fun: a {type(fun).__name__} is given, expected a function")
    start, is_complex = start_vector("y0", y0)
    n = start.size
    times = None if t_eval is None else check_times("t_eval", t_eval, t0, t1)
    further = _arguments(args)
    bound: Any = RightHandSide(fun, further, vectorized)
    if is_complex:
        bound, start = ComplexRightHandSide(bound), split(start)
    problem = MassMatrixProblem(
        rhs=bound,
        y0=start,
        **_mass(mass, n, further, is_complex),
        jacobian=_jacobian(jac, jac_sparsity, n, further, is_complex),
        index=0 if mass is None else None,
        trace=trace,
    )
    chosen = {
        "method": method,
        "rtol": _relative(rtol),
        "atol": _tolerance("atol", atol, n, is_complex),
        **_steps(first_step, max_step, t0, t1),
        **options,
    }
    sol, watched, stopped = run_problem(
        problem, (t0, t1), chosen, event_list(events), further, is_complex, 1
    )
    result = pack(sol, watched, stopped, times, is_complex, False, False)
    if dense_output:
        result.sol = OdeSolution(sol, is_complex, float(result.t[-1]) if len(result.t) else t1)
    return result


class OdeSolution(Dense):
    """``sol(t)`` gives y anywhere in the computed interval."""

    def __call__(self, t: ArrayLike) -> Any:
        y = self.solution(t)
        return join(y) if self.is_complex else y
