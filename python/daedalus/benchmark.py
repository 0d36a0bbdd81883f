# SPDX-License-Identifier: BSD-3-Clause
"""``python -m daedalus.benchmark``: what the package costs, side by side, in one run."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np

import daedalus as dd

from . import benchmark_models as models


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
    """Time per call beside the function's own: a run with callbacks less the same run traced."""
    calls = [0]

    def f(t: Any, y: Any) -> Any:
        return -y

    def counted(t: Any, y: Any) -> Any:
        calls[0] += 1
        return -y

    options = {"rtol": 1e-9, "atol": 1e-9, "output": "end"}
    plain, traced, counting = (
        dd.MassMatrixProblem(rhs=g, y0=[1.0, 1.0, 1.0], index=0, trace=t)
        for g, t in ((f, False), (f, True), (counted, False))
    )
    options["method"] = dd.solve(traced, (0, 200), **options).choice.method
    calls[0] = 0
    dd.solve(counting, (0, 200), **options)
    # Short pieces of equal length, many times: a busy machine interrupts the long ones.
    with_f, without = (
        best(lambda: dd.solve(p, (0, 200), **options), 300) for p in (plain, traced)  # noqa: B023
    )
    y = np.ones(3)
    own = best(lambda: [f(0.0, y) for _ in range(calls[0])], 300) / calls[0]
    line("overhead of one plain callback (n = 3)", 1e6 * ((with_f - without) / calls[0] - own), "us", 1.5)


def against_compiled() -> None:
    """Traced models against the catalogue's; Andrews' mechanism has no numpy version here yet."""
    amplifier = dd.catalogue["transistor-amplifier"]
    start = dd.Integrator(amplifier)
    start.initialize(*amplifier.t_span)
    first = start.state.y
    cells = dd.catalogue["pde-1d"].with_parameters(n=1000)
    pairs = [
        (amplifier, dd.MassMatrixProblem(rhs=models.transistor_amplifier, y0=first, trace=True,
                                         mass_matrix=models.amplifier_mass(), index=1)),
        (dd.catalogue["pollution"], dd.MassMatrixProblem(
            rhs=models.Pollution(), y0=_start(dd.catalogue["pollution"]), index=0, trace=True)),
        (cells, models.Rod(1000).problem()),
    ]
    for compiled, traced in pairs:
        t0, t1 = compiled.t_span
        options = {"rtol": 1e-6, "atol": 1e-6, "method": "radau5", "output": "end"}
        a, b = (best(lambda: dd.solve(p, (t0, t1), **options).raise_for_status())  # noqa: B023
                for p in (compiled, traced))
        line(f"traced {compiled.name} against the same in C++", b / a, "", 1.3)


def _start(problem: dd.Problem) -> Any:
    run = dd.Integrator(problem)
    run.initialize(*problem.t_span)
    return run.state.y


def tracing() -> None:
    """Time of the trace alone."""
    fields = models.network(10_000)
    line("tracing a network of 10^4 equations",
         best(lambda: dd.MassMatrixProblem(**fields, trace=True), 1), "s", 2)


def against_scipy() -> None:
    """At equal error, plain and traced."""
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        print("scipy is not installed: no comparison")
        return
    stiff: dict[str, Callable[..., Any]] = {
        "van-der-pol": models.van_der_pol,
        "hires": models.hires,
        "pollution": models.Pollution(),
    }
    for name, f in stiff.items():
        problem = dd.catalogue[name]
        t0, t1 = problem.t_span
        start = _start(problem)
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
