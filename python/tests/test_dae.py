# SPDX-License-Identifier: BSD-3-Clause
"""solve_dae: arguments, result, index 1 to 3, complex values, backward spans."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

TIGHT = {"rtol": 1e-8, "atol": 1e-10}


def decay(t, y, yp):
    return np.array([yp[0] + y[0], y[0] + y[1] - 1.0])


Y0, YP0 = [1.0, 0.0], [-1.0, 1.0]


def pendulum(t, y, yp, g=9.81):
    """Index 3 in Cartesian coordinates."""
    x, z, u, w, lam = y
    return np.array(
        [yp[0] - u, yp[1] - w, yp[2] + lam * x, yp[3] + lam * z + g, x * x + z * z - 1.0]
    )


def pendulum_index2(t, y, yp, g=9.81):
    x, z, u, w, lam = y
    return np.array([yp[0] - u, yp[1] - w, yp[2] + lam * x, yp[3] + lam * z + g, x * u + z * w])


def pendulum_index1(t, y, yp, g=9.81):
    x, z, u, w, lam = y
    return np.array(
        [yp[0] - u, yp[1] - w, yp[2] + lam * x, yp[3] + lam * z + g,
         u * u + w * w - lam * (x * x + z * z) - g * z]
    )


P0, PP0 = [1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, -9.81, 0.0]


@pytest.mark.parametrize("trace", [False, "auto"])
class TestResult:
    def test_fields(self, trace):
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, trace=trace, **TIGHT)
        for name in ("t", "y", "yp", "sol", "t_events", "y_events", "yp_events", "nfev", "njev",
                     "nlu", "status", "message", "success"):
            assert name in r
        assert r.success and r.status == 0 and r.message
        assert r.sol is None and r.t_events is None
        assert r.nfev > 0 and r.njev > 0 and r.nlu > 0

    def test_shapes_and_values(self, trace):
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, trace=trace, **TIGHT)
        assert r.y.shape == r.yp.shape == (2, len(r.t))
        assert_allclose(r.y[0], np.exp(-r.t), atol=1e-6)
        assert_allclose(r.y[1], 1 - np.exp(-r.t), atol=1e-6)
        assert_allclose(r.yp[0], -np.exp(-r.t), atol=1e-3)

    def test_t_eval(self, trace):
        t = np.linspace(0, 1, 7)
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, t_eval=t, trace=trace, **TIGHT)
        assert_allclose(r.t, t, rtol=0, atol=0)
        assert_allclose(r.y[0], np.exp(-t), atol=1e-6)

    def test_dense_output(self, trace):
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, dense_output=True, trace=trace, **TIGHT)
        y, yp = r.sol(0.3)
        assert y.shape == yp.shape == (2,)
        assert_allclose(y[0], np.exp(-0.3), atol=1e-6)
        y, yp = r.sol([0.1, 0.9])
        assert y.shape == (2, 2)
        assert_allclose(yp[0], -np.exp(-np.array([0.1, 0.9])), atol=1e-4)

    def test_backwards(self, trace):
        y1 = [np.exp(-1.0), 1 - np.exp(-1.0)]
        r = dd.solve_dae(decay, (1, 0), y1, [-y1[0], y1[0]], trace=trace, **TIGHT)
        assert r.success and r.t[-1] == 0.0 and np.all(np.diff(r.t) < 0)
        assert_allclose(r.y[0, -1], 1.0, atol=1e-6)

    def test_backwards_t_eval(self, trace):
        y1 = [np.exp(-1.0), 1 - np.exp(-1.0)]
        t = [1.0, 0.5, 0.0]
        r = dd.solve_dae(decay, (1, 0), y1, [-y1[0], y1[0]], t_eval=t, trace=trace, **TIGHT)
        assert_allclose(r.y[0], np.exp(-np.array(t)), atol=1e-6)

    def test_args(self, trace):
        def f(t, y, yp, k, c):
            return np.array([yp[0] + k * y[0] - c])

        r = dd.solve_dae(f, (0, 1), [0.0], [3.0], args=(2.0, 3.0), trace=trace, **TIGHT)
        assert_allclose(r.y[0], 1.5 * (1 - np.exp(-2 * r.t)), atol=1e-6)

    def test_vectorized(self, trace):
        def f(t, y, yp):
            assert y.ndim == 2
            return np.stack([yp[0] + y[0], y[0] + y[1] - 1.0])

        r = dd.solve_dae(f, (0, 1), Y0, YP0, vectorized=True, trace=trace, **TIGHT)
        assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)

    def test_complex(self, trace):
        r = dd.solve_dae(lambda t, y, yp: yp - 1j * y, (0, 1), [1 + 0j], [1j], trace=trace,
                         dense_output=True, **TIGHT)
        assert np.iscomplexobj(r.y) and np.iscomplexobj(r.yp)
        assert_allclose(r.y[0], np.exp(1j * r.t), atol=1e-6)
        y, yp = r.sol(0.5)
        assert_allclose(y[0], np.exp(0.5j), atol=1e-5)

    def test_tolerance_per_component(self, trace):
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, rtol=1e-8, atol=[1e-10, 1e-4], trace=trace)
        assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)

    def test_first_and_largest_step(self, trace):
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, first_step=1e-3, max_step=0.05, trace=trace)
        assert r.t[1] - r.t[0] <= 1e-3 * 1.0000001
        assert np.max(np.diff(r.t)) <= 0.05 * 1.02  # the last step may be stretched by 1 %

    @pytest.mark.parametrize("index, fun", [(3, pendulum), (2, pendulum_index2),
                                            (1, pendulum_index1)])
    def test_pendulum(self, trace, index, fun):
        var_index = {3: [1, 1, 2, 2, 3], 2: [1, 1, 1, 1, 2], 1: [1] * 5}[index]
        r = dd.solve_dae(fun, (0, 1), P0, PP0, var_index=var_index, trace=trace, **TIGHT)
        assert r.success, r.message
        energy = 0.5 * (r.y[2] ** 2 + r.y[3] ** 2) + 9.81 * r.y[1]
        assert np.max(np.abs(energy)) < 1e-6
        assert np.max(np.abs(r.y[0] ** 2 + r.y[1] ** 2 - 1)) < 1e-6

    @pytest.mark.parametrize("method", ["radau", "radau5", "bdf"])
    @pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
    def test_tight_tolerances_of_index_3(self, trace, rtol, method):
        """Derivatives by differences of plain functions are good enough for them."""
        r = dd.solve_dae(pendulum, (0, 2), P0, PP0, method=method, trace=trace, rtol=rtol, atol=1e-2 * rtol)
        assert r.success, r.message
        energy = 0.5 * (r.y[2] ** 2 + r.y[3] ** 2) + 9.81 * r.y[1]
        assert np.max(np.abs(energy)) < 1e3 * rtol

    @pytest.mark.parametrize("fun, index", [(pendulum, [1, 1, 2, 2, 3]), (pendulum_index2, [1, 1, 1, 1, 2]),
                                            (pendulum_index1, None)])
    def test_the_index_is_found(self, trace, fun, index):
        r = dd.solve_dae(fun, (0, 1), P0, PP0, trace=trace, **TIGHT)
        assert r.success, r.message
        assert np.max(np.abs(r.y[0] ** 2 + r.y[1] ** 2 - 1)) < 1e-6
        assert r.solution.problem.fields.get("variable_index") == index

    @pytest.mark.parametrize("method", ["Radau", "BDF", "radau", "bdf", "RADAU5", "auto"])
    def test_methods(self, trace, method):
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, method=method, trace=trace, **TIGHT)
        assert r.success
        assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-5)
        if method != "auto":
            assert r.solution.choice.method == method.lower()


class TestJacobian:
    jac = (np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 0.0]]))

    def test_constant_pair(self):
        r = dd.solve_dae(decay, (0, 1), Y0, YP0, jac=self.jac, trace=False, **TIGHT)
        assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)

    def test_callable(self):
        calls = []

        def jac(t, y, yp):
            calls.append(t)
            return self.jac

        r = dd.solve_dae(decay, (0, 1), Y0, YP0, jac=jac, trace=False, **TIGHT)
        assert calls and r.success

    def test_sparse(self):
        sparse = pytest.importorskip("scipy.sparse")
        pair = tuple(sparse.csr_matrix(a) for a in self.jac)
        for jac in (pair, lambda t, y, yp: pair):
            r = dd.solve_dae(decay, (0, 1), Y0, YP0, jac=jac, trace=False, **TIGHT)
            assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)

    def test_the_structure_is_found(self):
        n = 30

        def chain(t, y, yp):
            out = yp + y
            out[1:] -= 0.5 * y[:-1]
            return out

        y0 = np.ones(n)
        yp0 = -chain(0.0, y0, np.zeros(n))
        pattern = (np.eye(n) + np.eye(n, k=-1), np.eye(n))
        options = dict(method="radau5", trace=False, var_index=[1] * n)
        for sparsity in (None, pattern, (pattern[0], None)):
            r = dd.solve_dae(chain, (0, 1), y0, yp0, jac_sparsity=sparsity, **options)
            # Two colours for y and one for y' instead of 2 n columns.
            assert r.solution.statistics.total.jacobian_columns <= 4 * r.njev

    def test_the_structure_of_second_differences_is_found(self):
        """A heat equation: with entries of the Jacobian missing it took ten thousands of steps."""
        n = 400
        x = np.linspace(0, 1, n + 2)[1:-1]
        h = x[1] - x[0]

        def heat(t, y, yp):
            u = np.concatenate([[0.0], y, [0.0]])
            return yp - (u[2:] - 2 * u[1:-1] + u[:-2]) / h**2

        rate = -4 / h**2 * np.sin(np.pi * h / 2) ** 2
        start = np.sin(np.pi * x)
        r = dd.solve_dae(heat, (0, 0.2), start, rate * start, trace=False, rtol=1e-4, atol=1e-4)
        assert_allclose(r.y[:, -1], np.exp(0.2 * rate) * start, atol=1e-3)
        assert r.solution.statistics.steps < 20  # 6; traced 6
        assert r.nfev < 200

    def test_a_wrong_jacobian_hurts(self):
        wrong = (np.array([[-50.0, 0.0], [1.0, 1.0]]), self.jac[1])
        options = dict(method="radau5", trace=False, var_index=[1, 1], **TIGHT)
        good = dd.solve_dae(decay, (0, 1), Y0, YP0, jac=self.jac, **options)
        bad = dd.solve_dae(decay, (0, 1), Y0, YP0, jac=wrong, **options)
        assert not bad.success or bad.nfev > 1.3 * good.nfev

    def test_shapes(self):
        with pytest.raises(ValueError, match=r"jac: shape \(3, 3\)"):
            dd.solve_dae(decay, (0, 1), Y0, YP0, jac=(np.eye(3), np.eye(3)))
        with pytest.raises(ValueError, match="jac: expected a pair"):
            dd.solve_dae(decay, (0, 1), Y0, YP0, jac=np.eye(2))
        with pytest.raises(ValueError, match="jac_sparsity"):
            dd.solve_dae(decay, (0, 1), Y0, YP0, jac_sparsity=(np.eye(2), np.eye(3)))


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({"t_span": (0, np.inf)}, ValueError, "t_span"),
        ({"t_span": (0,)}, ValueError, "t_span"),
        ({"t_span": "ab"}, ValueError, "t_span"),
        ({"y0": [np.nan, 0.0]}, ValueError, "y0: entry 0"),
        ({"y0": [1.0, np.inf]}, ValueError, "y0: entry 1"),
        ({"y0": [[1.0, 0.0]]}, ValueError, "y0: shape"),
        ({"y0": ["a", "b"]}, ValueError, "y0"),
        ({"y0": []}, ValueError, "y0"),
        ({"yp0": [1.0]}, ValueError, "yp0: shape"),
        ({"yp0": [1.0, np.nan]}, ValueError, "yp0: entry 1"),
        ({"t_eval": [0.0, 2.0]}, ValueError, "t_eval"),
        ({"t_eval": [0.5, 0.2]}, ValueError, "t_eval"),
        ({"t_eval": [[0.5]]}, ValueError, "t_eval"),
        ({"var_index": [1]}, ValueError, "var_index"),
        ({"var_index": [1, 4]}, ValueError, "var_index"),
        ({"rtol": -1e-3}, ValueError, "rtol"),
        ({"rtol": [1e-3, 1e-3]}, ValueError, "rtol"),
        ({"atol": -1e-3}, ValueError, "atol"),
        ({"atol": [1e-3] * 3}, ValueError, "atol"),
        ({"first_step": -1.0}, ValueError, "first_step"),
        ({"first_step": 2.0}, ValueError, "first_step"),
        ({"max_step": 0.0}, ValueError, "max_step"),
        ({"method": "euler5"}, ValueError, "method"),
        ({"method": 3}, TypeError, "method"),
        ({"rtol": "a"}, ValueError, "rtol: 'a' is given"),
        ({"atol": "a"}, ValueError, "atol: 'a' is given"),
        ({"y0": None}, ValueError, "y0: None is given, expected numbers"),
        ({"events": [1]}, TypeError, "events: entry 0"),
        ({"events": 3}, TypeError, "events: 3 is given, expected a function or a list"),
        ({"args": 3.0}, TypeError, "args"),
        ({"trace": "maybe"}, ValueError, "trace"),
        ({"fun": 3}, TypeError, "fun"),
        ({"linear_algbra": "dense"}, TypeError, "did you mean linear_algebra"),
    ],
)
def test_wrong_arguments_are_named(change, error, text):
    given = {"fun": decay, "t_span": (0, 1), "y0": Y0, "yp0": YP0, **change}
    with pytest.raises(error, match=text):
        dd.solve_dae(**given)


def test_inconsistent_start_is_a_result():
    r = dd.solve_dae(decay, (0, 1), [1.0, 5.0], YP0, trace=False)
    assert not r.success and r.status == -1
    assert r.solution.status == "inconsistent_start" and r.message


def test_options_of_the_method_pass():
    r = dd.solve_dae(decay, (0, 1), Y0, YP0, method="radau5", max_steps=3)
    assert not r.success and r.solution.status == "too_many_steps"
