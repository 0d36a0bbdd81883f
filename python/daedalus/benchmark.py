# SPDX-License-Identifier: BSD-3-Clause
"""``python -m daedalus.benchmark``: what the package costs, side by side, in one run."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np

import daedalus as dd

from . import _daedalus
from . import benchmark_models as models


def best(call: Callable[[], Any], repeat: int = 5) -> float:
    """Shortest CPU time of several calls: what else runs on the machine does not count."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def line(what: str, value: float, unit: str, bound: float) -> None:
    """One figure beside its bound."""
    verdict = "ok" if value <= bound else "above"
    print(f"{what:66s} {value:10.3g} {unit:3s} at most {bound:<8.3g} {verdict}")


def callback() -> None:
    """One call through the library, in a loop of the compiled side, less one call from Python."""
    from ._functions import describe

    def f(t: Any, y: Any) -> Any:
        return -y

    facts = _daedalus.problem_fields("mass-matrix")["rhs"]
    description, y, calls = describe("rhs", f, facts, []), np.ones(3), 2000
    # Short pieces, many times, side by side: a busy machine interrupts the long ones.
    pairs = [(_daedalus.seconds_per_call(description, [1.0, 1.0, 1.0], calls),
              best(lambda: [f(0.0, y) for _ in range(calls)], 1) / calls) for _ in range(100)]
    through, own = (min(column) for column in zip(*pairs))
    line("overhead of one plain callback (n = 3)", 1e6 * (through - own), "us", 1.5)


def against_compiled() -> None:
    """Traced models against the catalogue's."""
    amplifier = dd.catalogue["transistor-amplifier"]
    pairs: list[tuple[Any, Any, str]] = [
        (amplifier, dd.MassMatrixProblem(rhs=models.transistor_amplifier, y0=_start(amplifier), trace=True,
                                         mass_matrix=models.amplifier_mass(), index=1), "radau5"),
        (dd.catalogue["andrews"], models.Andrews().problem(), "auto"),
        (dd.catalogue["pollution"], dd.MassMatrixProblem(
            rhs=models.Pollution(), y0=_start(dd.catalogue["pollution"]), index=0, trace=True), "radau5"),
        (dd.catalogue["pde-1d"].with_parameters(n=1000), models.Rod(1000).problem(), "radau5"),
    ]
    for compiled, traced, method in pairs:
        t_span = compiled.t_span
        options: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-6, "method": method, "output": "end"}
        if method == "auto":  # the same one for both
            chosen = dd.solve(compiled, t_span, **options).choice
            options.update(method=chosen.method, formulation=chosen.formulation)

        def run(p: Any) -> Any:
            return dd.solve(p, t_span, **options).raise_for_status()  # noqa: B023

        # In turns: what disturbs the one disturbs the other.
        times = [(best(lambda: run(compiled), 1), best(lambda: run(traced), 1))  # noqa: B023
                 for _ in range(9)]
        a, b = (min(column) for column in zip(*times))
        line(f"traced {compiled.name} against the same in C++", b / a, "", 1.3)


def _start(problem: dd.Problem) -> Any:
    run = dd.Integrator(problem)
    run.initialize(*problem.t_span)
    return run.state.y


def tracing() -> None:
    """Time of the trace alone."""
    andrews = models.Andrews()
    fields = andrews.problem().fields
    line("tracing Andrews' mechanism", best(lambda: dd.MultibodyProblem(**fields, trace=True), 5), "s", 0.05)
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
        code = f"import numpy, time; a = time.process_time(); import {module}; print(time.process_time() - a)"
        runs = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                     check=True).stdout) for _ in range(5)]
        return min(runs)

    line("import daedalus, beyond numpy", seconds("daedalus"), "s", 0.15)


def sweeping() -> None:
    """Two threads against one."""
    problem = dd.MassMatrixProblem(rhs=models.hires_with_parameter, y0=models.HIRES_START, index=0,
                                   parameters={"k": 1.71}, trace=True)
    values = np.linspace(1.6, 1.8, 1000)
    seconds = []
    for threads in (1, 2):
        begin = time.perf_counter()  # two cores: CPU time would tell nothing
        dd.sweep(problem, (0, 321.8), k=values, threads=threads)
        seconds.append(time.perf_counter() - begin)
    line("1000-run sweep: time on two cores as part of that on one", seconds[1] / seconds[0], "", 1 / 1.8)


def main() -> None:
    """All figures."""
    for part in (importing, callback, tracing, against_compiled, against_scipy, sweeping):
        part()


if __name__ == "__main__":
    main()
