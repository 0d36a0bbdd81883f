# SPDX-License-Identifier: BSD-3-Clause
"""Consistent initial conditions."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _daedalus
from ._jacobian import pair_of
from ._options import prepare
from ._variable_index import find_index
from ._wrap import Residual, start_vector
from .problems import ImplicitProblem
from .solution import Solution, SolveError

Array = NDArray[np.float64]


def _indices(name: str, given: Sequence[int] | None, n: int) -> list[int]:
    chosen = [] if given is None else [int(i) for i in given]
    for i in chosen:
        if not -n <= i < n:
            raise ValueError(f"{name}: there is no component {i} of {n}")
    return [i % n for i in chosen]


class _Held:
    """Rows that hold chosen rates at their given values."""

    def __init__(self, rows: list[int], values: Array) -> None:
        self.rows, self.values = rows, values

    def __call__(self, t: Any, y: Any, yp: Any) -> Any:
        return [yp[i] - self.values[i] for i in self.rows]


def consistent_initial_conditions(
    fun: Callable[..., Any],
    t0: float,
    y0: ArrayLike,
    yp0: ArrayLike,
    jac: Any = None,
    fixed_y0: Sequence[int] | None = None,
    fixed_yp0: Sequence[int] | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-8,
    args: Sequence[Any] = (),
) -> tuple[Array, Array, Array]:
    """Values near the given ones that satisfy F(t0, y, y') = 0 and its hidden constraints.

    Parameters
    ----------
    fun : callable
        ``fun(t, y, yp, *args)``.
    y0, yp0 : array_like
        Guesses.
    jac : pair of matrices or callable, optional
        As in :func:`solve_dae`.
    fixed_y0, fixed_yp0 : sequence of int, optional
        Components that must stay.
    rtol, atol : float
        How accurately.

    Returns
    -------
    y0, yp0, f0 : ndarray
        Consistent values and the residual there.

    Raises
    ------
    SolveError
        Where no such values are found; the message names what cannot be satisfied.

    Examples
    --------
    >>> import numpy as np, daedalus as dd
    >>> def F(t, y, yp):
    ...     return np.array([yp[0] + y[0], y[0] + y[1] - 1.0])
    >>> y, yp, f = dd.consistent_initial_conditions(F, 0.0, [1.0, 5.0], [0.0, 0.0], fixed_y0=[0])
    >>> bool(np.allclose(y, [1.0, 0.0])), bool(np.allclose(yp[0], -1.0)), bool(np.abs(f).max() < 1e-8)
    (True, True, True)
    """
    start, is_complex = start_vector("y0", y0)
    rates, complex_rates = start_vector("yp0", yp0)
    if is_complex or complex_rates:
        raise ValueError("y0: complex values are not supported here; give real and imaginary parts")
    if start.shape != rates.shape:
        raise ValueError(f"yp0: shape {rates.shape} is given, y0 has {start.shape}")
    n = start.size
    bound = Residual(fun, args)
    by_y, by_yp = pair_of(jac, None, n, args, False)
    held = _indices("fixed_yp0", fixed_yp0, n)
    names = [f"y{i + 1}" for i in range(n)]
    problem = ImplicitProblem(
        residual=bound,
        y0=start,
        yp0=rates,
        jacobian_y=by_y,
        jacobian_yp=by_yp,
        variables=names,
        initial_equation_count=len(held) or None,
        initial_equations=_Held(held, rates) if held else None,
    )
    problem = find_index(problem, None, n, False, float(t0))
    options = prepare(
        {
            "start": "solve",
            "fixed": [names[i] for i in _indices("fixed_y0", fixed_y0, n)] or None,
            "rtol": rtol,
            "atol": atol,
        }
    )
    run = _daedalus.WatchedRun(problem._native(), float(t0), float(t0) + 1.0, options)
    if run.status != "success":
        solution = Solution(run.solution(), problem)
        error = run.solution().take_exception()
        if error is not None:
            raise error
        raise SolveError(solution.message, solution)
    y, yp = run.state()
    return y, yp, np.asarray(bound(float(t0), y, yp), dtype=float)
