# SPDX-License-Identifier: BSD-3-Clause
"""Failures: tracebacks, partial solutions, shapes and types, interrupts, kept arguments, threads."""

import _thread
import asyncio
import concurrent.futures
import gc
import multiprocessing
import signal
import threading
import time
import traceback

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd


def problem(f, **more):
    return dd.MassMatrixProblem(rhs=f, y0=[1.0, 2.0], index=0, trace=False, **more)


class TestExceptions:
    def test_traceback_and_partial_solution(self):
        def deep(t):
            raise ZeroDivisionError(f"at {t}")

        def f(t, y):
            if t > 0.5:
                deep(t)
            return -y

        with pytest.raises(ZeroDivisionError, match="at 0.") as caught:
            dd.solve(problem(f), (0, 1))
        names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
        assert names[-2:] == ["f", "deep"]
        partial = caught.value.solution
        assert 0.1 < partial.t[-1] <= 0.5 and partial.status == "callback_failed"
        assert_allclose(partial.y[0, -1], np.exp(-partial.t[-1]), rtol=1e-3)
        assert "ZeroDivisionError: at 0." in partial.message and "\n" not in partial.message

    def test_at_the_start(self):
        def f(t, y):
            raise KeyError("never")

        with pytest.raises(KeyError, match="never") as caught:
            dd.solve(problem(f), (0, 1))
        assert caught.value.solution is not None

    def test_in_every_hook(self):
        def bad(*args):
            raise RuntimeError("hook")

        for name in ("progress", "trace", "sink", "cancel"):
            with pytest.raises(RuntimeError, match="hook"):
                dd.solve(dd.catalogue["pendulum"], (0, 1), **{name: bad})
        with pytest.raises(RuntimeError, match="hook"):
            dd.solve(dd.catalogue["pendulum"], (0, 1), events=[dd.Event(bad)])

    def test_handlers(self):
        def bad(context):
            raise RuntimeError("handler")

        hit = dd.Event(lambda t, y: y[0] - 0.5, action="handle", handler=bad)
        with pytest.raises(RuntimeError, match="handler"):
            dd.solve(problem(lambda t, y: -y), (0, 2), events=[hit])

    def test_reject_is_no_error(self):
        def f(t, y):
            if y[0] < 0.5:
                raise dd.Reject("too small")
            return -y

        sol = dd.solve(problem(f), (0, 2))
        assert not sol.success and sol.status == "left_domain"
        assert_allclose(sol.y[0, -1], 0.5, atol=0.05)
        with pytest.raises(dd.SolveError) as caught:
            sol.raise_for_status()
        assert caught.value.solution is sol

    def test_integrator(self):
        run = dd.Integrator(problem(lambda t, y: -y if t < 0.5 else 1 / 0))
        assert run.initialize(0.0, 1.0) == "success"
        with pytest.raises(ZeroDivisionError):
            run.run(1.0)


class TestResults:
    @pytest.mark.parametrize(
        "result, error, text",
        [
            (lambda y: np.zeros(3), ValueError, r"rhs: the function returned shape \(3,\)"),
            (lambda y: [1.0], ValueError, r"rhs: .*expected shape \(2,\) \(t = 0\)"),
            (lambda y: np.zeros((2, 2)), ValueError, r"shape \(2, 2\)"),
            (lambda y: "ab", TypeError, "rhs: the function returned a str"),
            (lambda y: None, TypeError, "rhs: the function returned a NoneType"),
            (lambda y: y * 1j, ValueError, "rhs: .*complex128, expected real numbers"),
            (lambda y: {"a": 1}, TypeError, "rhs: the function returned a dict"),
            (lambda y: [np.zeros(1), 1.0], TypeError, "rhs: the function returned a list, expected real numbers"),
        ],
    )
    def test_wrong_results_are_named(self, result, error, text):
        with pytest.raises(error, match=text):
            dd.solve(problem(lambda t, y: result(y)), (0, 1))

    @pytest.mark.parametrize(
        "result",
        [
            lambda y: -y,
            lambda y: list(-y),
            lambda y: tuple(-y),
            lambda y: (-y).astype(np.float32),
            lambda y: (-y)[:, None],
            lambda y: np.array([-y[0], -y[1]], dtype=object),
            lambda y: np.stack([-y, y])[0],
            lambda y: np.repeat(-y, 2)[::2],
            lambda y: [-float(y[0]), -y[1]],
        ],
    )
    def test_what_people_return(self, result):
        sol = dd.solve(problem(lambda t, y: result(y)), (0, 1))
        assert sol.success
        assert_allclose(sol.end.y, [np.exp(-1), 2 * np.exp(-1)], rtol=1e-3)

    def test_integers(self):
        sol = dd.solve(problem(lambda t, y: [1, 2]), (0, 1))
        assert_allclose(sol.end.y, [2, 4], atol=1e-5)

    def test_not_finite(self):
        sol = dd.solve(problem(lambda t, y: -y if t < 0.5 else y * np.nan), (0, 1))
        assert not sol.success and sol.status == "not_finite"
        assert "rhs" in sol.message


def test_growth_is_no_branch():
    """Near a zero of its slope a smooth formula changes by as much as it has there."""
    r = dd.solve_ivp(lambda t, y: y**2, (0, 2), [1.0])
    assert not r.success and r.model == "traced"
    assert "grows beyond bounds" in r.message and "branch" not in r.message


class TestArguments:
    def test_kept_arguments_never_change(self):
        kept, copies = [], []

        def f(t, y):
            for view in (y, y[:1], y.reshape(1, 2).T[0], memoryview(y)):  # each keeps the whole array
                kept.append(view)
                copies.append(y[0])
            return -y

        dd.solve(problem(f), (0, 1))
        assert len(kept) > 40
        for view, value in zip(kept, copies):
            assert view[0] == value

    def test_one_array_serves_all_calls_where_nothing_is_kept(self):
        places = []

        def f(t, y):
            places.append(y.ctypes.data)
            return -y

        dd.solve(problem(f), (0, 1))
        assert len(places) > 10 and len(set(places[1:])) == 1

    def test_writing_does_no_harm(self):
        def f(t, y):
            y *= -1.0
            return y

        sol = dd.solve(problem(f), (0, 1))
        assert_allclose(sol.end.y, [np.exp(-1), 2 * np.exp(-1)], rtol=1e-3)

    def test_returning_an_argument_twice(self):
        sol = dd.solve(problem(lambda t, y: y), (0, 1))
        assert_allclose(sol.end.y[0], np.e, rtol=1e-3)


def test_interrupt_stops_a_run():
    fine = dict(rtol=1e-13, atol=1e-13, max_steps=10**9, output="end")
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt) as caught:
        dd.solve(dd.catalogue["pendulum"], (0, 1e9), **fine)
    assert time.perf_counter() - begin < 0.3 + 0.2 + 0.3  # the last: a busy machine
    assert caught.value.solution.end.t > 0
    timer.join()


@pytest.mark.parametrize("trace", [True, False])
def test_interrupt_stops_a_sweep(trace):
    def f(t, y, p):
        return np.array([y[1], -p.k * y[0]])

    p = dd.MassMatrixProblem(rhs=f, y0=[1.0, 0.0], parameters={"k": 1.0}, index=0, trace=trace)
    fine = dict(rtol=1e-12, atol=1e-12, max_steps=10**9, method="rodas5p")
    # A real signal: the main thread waits for the others.
    timer = threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        dd.sweep(p, (0, 1e9), k=np.linspace(1, 2, 50), options=fine, threads=2)
    assert time.perf_counter() - begin < 0.3 + 0.2 + 0.8  # the last: a busy machine and two threads
    timer.join()


def test_an_exception_in_a_sweep_ends_it():
    def breaks(t, y, p):
        if p.k > 1.5 and t > 0.1:
            raise ArithmeticError("mine")
        return -p.k * y

    p = dd.MassMatrixProblem(rhs=breaks, y0=[1.0], parameters={"k": 1.0}, trace=False)
    with pytest.raises(ArithmeticError, match="mine") as caught:
        dd.sweep(p, (0, 1), k=np.linspace(1, 2, 20), threads=2)
    assert caught.value.solution.end.t > 0


def _solve(k):
    p = dd.MassMatrixProblem(rhs=_decay, y0=[1.0], parameters={"k": k}, index=0)
    return dd.solve(p, (0, 1), rtol=1e-8, atol=1e-10)


def _decay(t, y, p):
    return -p.k * y


class TestManyAtOnce:
    values = [0.5, 1.0, 1.5, 2.0]

    def check(self, solutions):
        ends = [s.end.y[0] for s in solutions]
        assert_allclose(ends, np.exp(-np.array(self.values)), atol=1e-6)

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.check(pool.map(_solve, self.values))

    def test_one_problem_in_threads(self):
        p = problem(lambda t, y: -y)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(lambda _: dd.solve(p, (0, 1)).end.y, range(8)))
        for end in ends:
            assert_allclose(end, ends[0], rtol=0)

    def test_asyncio(self):
        async def all_of_them():
            return await asyncio.gather(*(asyncio.to_thread(_solve, k) for k in self.values))

        self.check(asyncio.run(all_of_them()))

    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_processes(self, method):
        _solve(1.0)  # fork after a solve
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            self.check(pool.map(_solve, self.values))


def test_memory_stays_constant():
    """A thousand solves, some of which fail; test_slow_memory.py has the long form."""
    p = problem(lambda t, y: -y)

    def fails(t, y):
        raise ArithmeticError("as asked for")

    def resident():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def some(count):
        for k in range(count):
            dd.solve(p, (0, 1e-3), rtol=1e-3, atol=1e-3)
            if k % 4 == 0:
                with pytest.raises(ArithmeticError):
                    dd.solve(problem(fails), (0, 1))
        gc.collect()
        return resident()

    some(300)
    before = some(100)
    assert some(600) - before < 512  # kB; one kept exception per failure would be 1000


def test_a_solution_outlives_everything():
    def make():
        return dd.solve(problem(lambda t, y: -y), (0, 1), output="dense")

    t, y = make().t, make().y
    gc.collect()
    assert_allclose(y[0], np.exp(-t), rtol=1e-3)
    with pytest.raises(ValueError):
        y[0, 0] = 5.0
