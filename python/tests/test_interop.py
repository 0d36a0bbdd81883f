# SPDX-License-Identifier: BSD-3-Clause
"""Beside scipy, pandas, xarray, processes and threads."""

import asyncio
import concurrent.futures
import multiprocessing
import subprocess
import sys
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd


def decay(t, y, p):
    return -p.k * y


def stubborn(t, y, p):
    return -p.k * y if y[0] > -1 else y  # cannot be traced


def problem(function=decay, k=1.0):
    return dd.MassMatrixProblem(rhs=function, y0=[1.0], parameters={"k": k}, variables=["x"], index=0)


def end_of(p):
    return dd.solve(p, (0, 1), rtol=1e-8, atol=1e-10).end.y[0]


def whole(k):
    return dd.solve(problem(k=k), (0, 1), rtol=1e-8, atol=1e-10, output="dense")


class TestSparse:
    def chain(self, sparse, n=50):
        matrix = sparse.diags([np.ones(n - 1), -2.0 * np.ones(n), np.ones(n - 1)], [-1, 0, 1])
        return matrix, np.sin(np.pi * np.arange(1, n + 1) / (n + 1))

    @pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok"])
    def test_in(self, kind):
        sparse = pytest.importorskip("scipy.sparse")
        matrix, y0 = self.chain(sparse)
        given = matrix.asformat(kind)
        r = dd.solve_ivp(lambda t, y: matrix @ y, (0, 1), y0, mass=sparse.eye(50).asformat(kind),
                         jac=lambda t, y: given, trace=False, rtol=1e-8, atol=1e-10)
        assert_allclose(r.y[:, -1], np.exp((2 * np.cos(np.pi / 51) - 2)) * y0, atol=1e-6)

    def big(self, sparse, n=400):
        matrix, y0 = self.chain(sparse, n)
        return matrix.tocsr(), y0, np.exp(2 * np.cos(np.pi / (n + 1)) - 2) * y0

    @pytest.mark.parametrize("constant", [True, False])
    @pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
    @pytest.mark.parametrize("method", ["radau", "rodas5p", "bdf"])
    def test_a_sparse_jacobian_keeps_its_structure(self, kind, constant, method):
        sparse = pytest.importorskip("scipy.sparse")
        matrix, y0, end = self.big(sparse)
        given, calls = matrix.asformat(kind), []

        def jac(t, y):
            calls.append(t)
            return given

        options = dict(trace=False, method=method, rtol=1e-7, atol=1e-9)
        r = dd.solve_ivp(lambda t, y: matrix @ y, (0, 1), y0, jac=given if constant else jac, **options)
        assert_allclose(r.y[:, -1], end, atol=1e-6)
        assert r.solution.statistics.total.jacobian_columns == 0 and (constant or calls)
        own = dd.solve_ivp(lambda t, y: matrix @ y, (0, 1), y0, **options)
        assert r.solution.statistics.accepted <= own.solution.statistics.accepted + 2
        assert dd.explain(r.solution.problem).linear_solver == dd.explain(own.solution.problem).linear_solver != "dense"

    def test_the_structure_of_a_jacobian_may_grow_where_it_is_given(self):
        sparse = pytest.importorskip("scipy.sparse")
        n = 200

        def jac(t, y):
            couples = np.where(np.arange(n - 1) < 5, max(t - 0.5, 0.0), 1.0)
            return sparse.csr_matrix(np.diag(-np.ones(n)) + np.diag(couples, -1))  # zeros are dropped

        def rhs(t, y):
            return jac(t, y) @ y

        options = dict(trace=False, method="radau", rtol=1e-6, atol=1e-8)
        with pytest.raises(ValueError, match=r"jacobian: entry \(\d+, \d+\) is not zero.*jac_sparsity"):
            dd.solve_ivp(rhs, (0, 1), np.ones(n), jac=jac, **options)
        pattern = sparse.diags([np.ones(n), np.ones(n - 1)], [0, -1])
        r = dd.solve_ivp(rhs, (0, 1), np.ones(n), jac=jac, jac_sparsity=pattern, **options)
        assert r.success, r.message
        own = dd.solve_ivp(rhs, (0, 1), np.ones(n), **options)
        assert_allclose(r.y[:, -1], own.y[:, -1], rtol=1e-4)

    def test_a_matrix_that_is_changed_in_place(self):
        """One object serves all calls of the user's function."""
        sparse = pytest.importorskip("scipy.sparse")
        n = 150
        matrix = sparse.identity(n, format="csc")

        def jac(t, y):
            matrix.data[:] = -3 * y**2
            return matrix

        options = dict(trace=False, method="radau", rtol=1e-8, atol=1e-10)
        r = dd.solve_ivp(lambda t, y: -(y**3), (0, 5), np.full(n, 3.0), jac=jac, **options)
        own = dd.solve_ivp(lambda t, y: -(y**3), (0, 5), np.full(n, 3.0), **options)
        assert_allclose(r.y[:, -1], 3.0 / np.sqrt(1 + 90.0), rtol=1e-6)
        assert r.solution.statistics.accepted <= own.solution.statistics.accepted + 2

    def test_a_wrong_sparse_jacobian_hurts(self):
        sparse = pytest.importorskip("scipy.sparse")
        matrix, y0, _ = self.big(sparse)
        options = dict(trace=False, method="radau", rtol=1e-7, atol=1e-9)
        good = dd.solve_ivp(lambda t, y: 50 * (matrix @ y), (0, 1), y0, jac=50 * matrix, **options)
        bad = dd.solve_ivp(lambda t, y: 50 * (matrix @ y), (0, 1), y0, jac=-20 * matrix, **options)
        assert not bad.success or bad.nfev > 1.3 * good.nfev
        assert dd.check(good.solution.problem).jacobian_error < 1e-6
        assert dd.check(bad.solution.problem).jacobian_error > 0.1

    @pytest.mark.parametrize("callable_", [True, False])
    def test_a_pair_of_sparse_jacobians(self, callable_):
        sparse = pytest.importorskip("scipy.sparse")
        matrix, y0, end = self.big(sparse)
        pair = (-matrix, sparse.eye(len(y0)).tocsr())
        r = dd.solve_dae(lambda t, y, yp: yp - matrix @ y, (0, 1), y0, matrix @ y0, trace=False, rtol=1e-7, atol=1e-9,
                         jac=(lambda t, y, yp: pair) if callable_ else pair, var_index=[1] * len(y0))
        assert_allclose(r.y[:, -1], end, atol=1e-6)
        assert r.solution.statistics.total.jacobian_columns == 0

    def test_a_complex_sparse_jacobian_and_mass(self):
        sparse = pytest.importorskip("scipy.sparse")
        matrix, y0, _ = self.big(sparse, 150)
        r = dd.solve_ivp(lambda t, y: 1j * (matrix @ y), (0, 1), y0 + 0j, mass=2j * sparse.eye(150), trace=False,
                         jac=1j * matrix, jac_sparsity=matrix, rtol=1e-8, atol=1e-10)
        assert_allclose(r.y[:, -1], np.exp(np.cos(np.pi / 151) - 1) * y0, atol=1e-6)
        assert r.solution.statistics.total.jacobian_columns == 0

    def test_out(self):
        sparse = pytest.importorskip("scipy.sparse")
        matrix, y0 = self.chain(sparse)
        p = dd.MassMatrixProblem(rhs=lambda t, y: matrix.toarray() @ y, y0=y0, mass_matrix=2.0 * sparse.eye(50))
        found = dd.linearise(p)
        assert sparse.issparse(found.E) and sparse.issparse(found.J) and found.J.nnz <= 3 * 50
        assert abs(found.E - 2.0 * sparse.eye(50)).max() == 0.0
        assert_allclose(found.J.toarray(), -matrix.toarray(), atol=1e-12)
        with pytest.raises(ValueError, match="y: 3 numbers are given, the problem has 50 variables"):
            dd.linearise(p, y=[1.0, 2.0, 3.0])

    def test_out_at_another_point(self):
        pytest.importorskip("scipy.sparse")
        p = dd.MassMatrixProblem(rhs=lambda t, y: -(y**2), y0=[1.0])
        assert_allclose(dd.linearise(p, y=[3.0]).J.toarray(), [[6.0]])


def test_least_squares_with_bounds():
    optimize = pytest.importorskip("scipy.optimize")
    times = np.linspace(0.1, 1, 8)
    options = dict(output="times", output_times=times, rtol=1e-9, atol=1e-12)
    model = dd.parse({"daedalus": "model", "name": "two", "parameters": {"k": 1.0, "c": 0.0},
                      "variables": {"x": 1.0}, "equations": ["der(x) = c - k*x"]})
    data = dd.solve(model.with_parameters(k=1.7, c=0.4), (0, 1), **options)["x"]

    def misfit(v):
        return dd.solve(model.with_parameters(k=v[0], c=v[1]), (0, 1), **options)["x"] - data

    fit = optimize.least_squares(misfit, [1.0, 0.1], bounds=([0, 0], [5, 5]))
    assert_allclose(fit.x, [1.7, 0.4], atol=1e-5)


def test_pandas_round_trip(tmp_path):
    pandas = pytest.importorskip("pandas")
    sol = whole(2.0)
    frame = sol.to_dataframe()
    frame.to_csv(tmp_path / "run.csv", float_format="%.17g")
    again = pandas.read_csv(tmp_path / "run.csv", index_col="t", float_precision="round_trip")
    assert_allclose(again["x"].to_numpy(), sol["x"], rtol=0)
    assert_allclose(again.index.to_numpy(), sol.t, rtol=0)


def test_a_sweep_is_ready_for_xarray():
    pytest.importorskip("xarray")
    table = dd.sweep(problem(), (0, 1), k=np.linspace(1, 2, 4), options={"rtol": 1e-8, "atol": 1e-10})
    data = table.to_xarray()
    assert data["x"].dims == ("k",) and set(data.coords) == {"k"}
    assert_allclose(data["x"].sel(k=2.0), np.exp(-2.0), rtol=1e-6)
    assert list(table.to_dataframe().columns) == ["k", "x", "status"]


class TestProcesses:
    values = [0.5, 1.0, 2.0]

    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_problems_in_and_solutions_out(self, method):
        whole(1.0)  # fork after a solve
        context = multiprocessing.get_context(method)
        models = [problem(k=k) for k in self.values] + [dd.catalogue["pendulum"]]
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            ends = list(pool.map(end_of, models))
            solutions = list(pool.map(whole, self.values))
        assert_allclose(ends[:3], np.exp(-np.array(self.values)), rtol=1e-6)
        for k, sol in zip(self.values, solutions):
            assert sol.success and sol.choice.method
            assert_allclose(sol(0.5), np.exp(-0.5 * k), rtol=1e-5)

    def test_fork_while_threads_solve(self):
        stop = threading.Event()

        def busy():
            while not stop.is_set():
                whole(1.0)

        thread = threading.Thread(target=busy)
        thread.start()
        try:
            context = multiprocessing.get_context("fork")
            with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
                assert_allclose(pool.submit(end_of, problem(k=2.0)).result(timeout=60), np.exp(-2.0), rtol=1e-6)
        finally:
            stop.set()
            thread.join()


class TestThreads:
    @pytest.mark.parametrize("function", [decay, stubborn])
    def test_one_problem_each_its_parameters(self, function):
        p = problem(function)
        values = np.linspace(0.5, 2, 8)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(lambda k: end_of(p.with_parameters(k=k)), values))
        assert_allclose(ends, np.exp(-values), rtol=1e-6)

    def test_asyncio(self):
        async def two():
            return await asyncio.gather(*(asyncio.to_thread(whole, k) for k in (1.0, 2.0)))

        assert_allclose([s.end.y[0] for s in asyncio.run(two())], np.exp([-1.0, -2.0]), rtol=1e-6)

    def test_an_exception_in_one_thread_is_its_own(self):
        def breaks(t, y):
            raise ArithmeticError("mine")

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            bad = pool.submit(lambda: dd.solve(dd.MassMatrixProblem(rhs=breaks, y0=[1.0], trace=False), (0, 1)))
            good = pool.submit(end_of, problem())
            assert_allclose(good.result(), np.exp(-1.0), rtol=1e-6)
            with pytest.raises(ArithmeticError, match="mine"):
                bad.result()


def test_sub_interpreters_work_or_say_why_not():
    pytest.importorskip("_xxsubinterpreters")
    code = ("import _xxsubinterpreters as s\n"
            "import daedalus\n"
            "i = s.create()\n"
            "try:\n"
            "    s.run_string(i, 'import daedalus as dd; assert dd.solve(dd.catalogue[\"pendulum\"], (0, 0.1)).success')\n"
            "    print('works')\n"
            "except s.RunFailedError as error:\n"
            "    print('sentence:', error)\n")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(("works", "sentence: "))
