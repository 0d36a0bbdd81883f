# SPDX-License-Identifier: BSD-3-Clause
"""``python -m daedalus.benchmark``: what the package costs, side by side, in one run."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np

import daedalus as dd

from . import _models_for_benchmark as models


def best(call: Callable[[], Any], repeat: int = 5) -> float:
    """Shortest time of several calls."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def line(what: str, value: float, unit: str, bound: float) -> None:
    """One figure beside its bound."""
    verdict = "ok" if value <= bound else "above"
    print(f"{what:66s} {value:10.3g} {unit:3s} at most {bound:<8.3g} {verdict}")


def callback() -> None:
    """Time per call beside the function's own."""
    def f(t: float, y: Any) -> Any:
        return y

    problem = dd.MassMatrixProblem(rhs=f, y0=[1.0, 1.0, 1.0], index=0, trace=False)
    native, y = problem._native(), np.ones(3)
    count = 20000
    inside = best(lambda: native.call_rhs(0.0, [1.0, 1.0, 1.0], count)) / count
    own = best(lambda: [f(0.0, y) for _ in range(count)]) / count
    line("overhead of one plain callback (n = 3)", 1e6 * (inside - own), "us", 1.5)


def against_compiled() -> None:
    """Traced models against the catalogue's."""
    for name, make, options in models.traced():
        compiled = dd.catalogue[name]
        if name == "pde-1d":
            compiled = compiled.with_parameters(cells=1000)
        traced = make(compiled)
        span = compiled.t_span
        a = best(lambda: dd.solve(compiled, span, **options).raise_for_status(), 3)
        b = best(lambda: dd.solve(traced, span, **options).raise_for_status(), 3)
        line(f"traced {name} against the same in C++", b / a, "", 1.3)


def tracing() -> None:
    """Time of the trace alone."""
    andrews = models.andrews_fields(dd.catalogue["andrews"])
    line("tracing Andrews' mechanism", 1e3 * best(lambda: dd.MultibodyProblem(**andrews), 3), "ms", 50)
    fields = models.network_fields(10_000)
    line("tracing a network of 10^4 equations", best(lambda: dd.MassMatrixProblem(**fields), 1), "s", 2)


def against_scipy() -> None:
    """At equal error, plain and traced."""
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        print("scipy is not installed: no comparison")
        return
    for name, f, jac in models.stiff():
        problem = dd.catalogue[name]
        t0, t1 = problem.t_span
        start = dd.solve(problem, (t0, t0 + 1e-9 * (t1 - t0)), output="end").start.y
        reference = dd.solve(problem, (t0, t1), rtol=1e-12, atol=1e-14, method="radau").end.y

        def error(y: Any) -> float:
            return float(np.max(np.abs(y - reference) / (1e-6 + np.abs(reference))))

        def run(solve: Callable[..., Any], rtol: float, **more: Any) -> Any:
            return solve(f, (t0, t1), start, method="Radau", rtol=rtol, atol=1e-3 * rtol, **more)

        theirs_error = error(run(solve_ivp, 1e-6).y[:, -1])
        theirs = best(lambda: run(solve_ivp, 1e-6), 2)
        for trace, share in ((False, 5), (True, 50)):
            rtol = 1e-3
            while rtol > 1e-12 and error(run(dd.solve_ivp, rtol, trace=trace).y[:, -1]) > theirs_error:
                rtol /= 2
            problem_made = dd.MassMatrixProblem(rhs=f, y0=start, index=0, trace=trace)
            ours = best(
                lambda: dd.solve(problem_made, (t0, t1), method="radau", rtol=rtol, atol=1e-3 * rtol), 3)
            kind = "traced" if trace else "plain"
            line(f"{name}, {kind}, against scipy's Radau at equal error", ours / theirs, "", 1 / share)


def importing() -> None:
    """Beyond numpy."""
    def seconds(module: str) -> float:
        code = f"import numpy, time; a = time.perf_counter(); import {module}; print(time.perf_counter() - a)"
        runs = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                     check=True).stdout) for _ in range(5)]
        return min(runs)

    line("import daedalus, beyond numpy", seconds("daedalus"), "s", 0.15)


def sweeping() -> None:
    """Two threads against one."""
    problem = dd.MassMatrixProblem(rhs=models.hires_with_parameter, y0=models.HIRES_START, index=0,
                                   parameters={"k": 1.71}, trace=True)
    values = np.linspace(1.6, 1.8, 1000)
    seconds = [best(lambda: dd.sweep(problem, (0, 321.8), k=values, threads=n), 1) for n in (1, 2)]
    line("1000-run sweep: time on two cores as part of that on one", seconds[1] / seconds[0], "", 1 / 1.8)


def main() -> None:
    """All figures."""
    for part in (importing, callback, tracing, against_compiled, against_scipy, sweeping):
        part()


if __name__ == "__main__":
    main()
