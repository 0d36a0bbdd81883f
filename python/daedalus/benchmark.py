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


# Tolerances of both codes; times are compared where the lines through their results meet this error.
_TOLERANCES = [10.0 ** (-3 - k / 2) for k in range(11)]
_EQUAL_ERROR = 1e-7


def against_scipy() -> None:
    """At equal error, plain and traced.

    The error at the end of a single run is luck: it jumps by a factor of ten from one tolerance to
    the next. So each code runs with eleven tolerances, a line is laid through log(time) over
    log(error), and the lines are compared.
    """
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
        t_span, start = problem.t_span, _start(problem)
        reference = dd.solve(problem, t_span, rtol=1e-12, atol=1e-14, method="radau").end.y

        def error(y: Any) -> float:
            return float(np.max(np.abs(y - reference) / (1e-6 + np.abs(reference))))  # noqa: B023

        def theirs(rtol: float) -> Any:
            return solve_ivp(f, t_span, start, method="Radau", rtol=rtol, atol=1e-3 * rtol).y[:, -1]  # noqa: B023

        scipy_time = _time_at_equal_error(theirs, error, 2)
        for trace, share in ((False, 5), (True, 50)):
            made = dd.MassMatrixProblem(rhs=f, y0=start, index=0, trace=trace)

            def ours(rtol: float, method: str) -> Any:
                return dd.solve(made, t_span, method=method, rtol=rtol, atol=1e-3 * rtol).end.y  # noqa: B023

            times = {m: _time_at_equal_error(lambda r: ours(r, m), error, 6 if trace else 3)  # noqa: B023
                     for m in ("auto", "radau")}
            method = min(times, key=lambda m: times[m])  # noqa: B023
            kind = "traced before" if trace else "plain"
            line(f"{name}, {kind}, {method}, against scipy's Radau at equal error", times[method] / scipy_time, "",
                 1 / share)


def _time_at_equal_error(run: Callable[[float], Any], error: Callable[[Any], float], repeat: int) -> float:
    """CPU time at _EQUAL_ERROR of the line through the results of all tolerances."""
    points = [(np.log(error(run(rtol))), np.log(best(lambda: run(rtol), repeat)))  # noqa: B023
              for rtol in _TOLERANCES]
    errors, times = (list(column) for column in zip(*points))
    slope, offset = np.polyfit(errors, times, 1)
    return float(np.exp(offset + slope * np.log(_EQUAL_ERROR)))


def importing() -> None:
    """Beyond numpy."""
    def seconds(module: str) -> float:
        code = f"import numpy, time; a = time.process_time(); import {module}; print(time.process_time() - a)"
        runs = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                     check=True).stdout) for _ in range(5)]
        return min(runs)

    line("import daedalus, beyond numpy", seconds("daedalus"), "s", 0.15)


def sweeping() -> None:
    """Two threads against one; in turns, since other programs take cores away for a while."""
    problem = dd.MassMatrixProblem(rhs=models.hires_with_parameter, y0=models.HIRES_START, index=0,
                                   parameters={"k": 1.71}, trace=True)
    values = np.linspace(1.6, 1.8, 1000)

    def seconds(threads: int) -> float:
        begin = time.perf_counter()  # two cores: CPU time would tell nothing
        dd.sweep(problem, (0, 321.8), k=values, threads=threads)
        return time.perf_counter() - begin

    pairs = [(seconds(1), seconds(2)) for _ in range(5)]
    one, two = (min(column) for column in zip(*pairs))
    line("1000-run sweep: time on two cores as part of that on one", two / one, "", 1 / 1.8)


def main() -> None:
    """All figures."""
    for part in (importing, callback, tracing, against_compiled, against_scipy, sweeping):
        part()


if __name__ == "__main__":
    main()
