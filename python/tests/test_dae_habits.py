# SPDX-License-Identifier: BSD-3-Clause
"""solve_dae with the habits of its users: what they pass, what they read, what goes wrong."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd
from test_dae import P0, PP0, TIGHT, Y0, YP0, decay, pendulum, pendulum_index1, pendulum_index2

BOTH = pytest.mark.parametrize("trace", [False, "auto"])


def grow(t, y, yp):
    return yp - y


def swing(t, y, yp):
    return np.array([yp[0] - y[1], yp[1] + y[0]])


@BOTH
@pytest.mark.parametrize("start", [
    ([1.0, 0.0], [-1.0, 1.0]), ((1, 0), (-1, 1)), (np.array([1, 0]), np.array([-1, 1])),
    (np.array([1, 0], dtype=np.float32), np.array([-1, 1], dtype=np.float32)),
    (np.array([[1.0, 0.0]])[0], np.array([-1.0, 9.0, 1.0])[::2])])
def test_start_values_of_all_kinds(trace, start):
    r = dd.solve_dae(decay, (0, 1), *start, trace=trace, **TIGHT)
    assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)
    assert r.y.dtype == np.float64


@BOTH
def test_numbers_for_one_equation(trace):
    r = dd.solve_dae(lambda t, y, yp: yp[0] + y[0], (0, 1), 1.0, -1.0, trace=trace, **TIGHT)
    assert r.y.shape == (1, len(r.t))
    assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)


@BOTH
@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda v: np.array(v).reshape(-1, 1)],
                         ids=["list", "tuple", "array", "column"])
def test_what_functions_return(trace, kind):
    r = dd.solve_dae(lambda t, y, yp: kind([yp[0] + y[0], y[0] + y[1] - 1.0]), (0, 1), Y0, YP0, trace=trace,
                     **TIGHT)
    assert_allclose(r.y[1, -1], 1 - np.exp(-1), atol=1e-6)


@BOTH
@pytest.mark.parametrize("times", [[0, 1], [0.5], [], (0.25, 0.75), np.linspace(0, 1, 101), [1.0], [0.0]])
def test_t_eval(trace, times):
    r = dd.solve_dae(decay, (0, 1), Y0, YP0, t_eval=times, trace=trace, **TIGHT)
    assert r.t.shape == (len(times),) and r.y.shape == r.yp.shape == (2, len(times))
    assert_allclose(r.y[0], np.exp(-np.asarray(times, dtype=float)), atol=1e-6)


@BOTH
@pytest.mark.parametrize("span", [(0, 1), (1, 0), (-2, 3), (5.0, 4.5), [0, 1], np.array([0.0, 1.0])])
def test_spans(trace, span):
    t0, t1 = span
    r = dd.solve_dae(grow, span, [np.exp(t0)], [np.exp(t0)], trace=trace, **TIGHT)
    assert r.success and r.t[0] == t0 and r.t[-1] == t1
    assert np.all(np.diff(r.t) * np.sign(t1 - t0) > 0)
    assert_allclose(r.y[0], np.exp(r.t), rtol=1e-6)


@BOTH
@pytest.mark.parametrize("method", ["radau", "radau5", "bdf"])
@pytest.mark.parametrize("fun, index", [(pendulum, [1, 1, 2, 2, 3]), (pendulum_index2, [1, 1, 1, 1, 2]),
                                        (pendulum_index1, [1] * 5)], ids=["3", "2", "1"])
def test_methods_on_every_index(trace, method, fun, index):
    r = dd.solve_dae(fun, (0, 0.5), P0, PP0, method=method, var_index=index, trace=trace, rtol=1e-6,
                     atol=1e-7)
    assert r.success, r.message
    # The energy is conserved, and the rod keeps its length.
    assert np.max(np.abs(0.5 * (r.y[2] ** 2 + r.y[3] ** 2) + 9.81 * r.y[1])) < 1e-3
    assert np.max(np.abs(r.y[0] ** 2 + r.y[1] ** 2 - 1)) < 1e-4


@BOTH
def test_zero_and_negative_var_index_count_as_one(trace):
    r = dd.solve_dae(decay, (0, 1), Y0, YP0, var_index=[0, -1], trace=trace, **TIGHT)
    assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)


class TestDense:
    @BOTH
    def test_interpolant(self, trace):
        r = dd.solve_dae(swing, (0, 6), [0.0, 1.0], [1.0, 0.0], dense_output=True, trace=trace, **TIGHT)
        t = np.linspace(0, 6, 200)
        y, yp = r.sol(t)
        assert y.shape == yp.shape == (2, 200)
        assert_allclose(y, [np.sin(t), np.cos(t)], atol=1e-5)
        assert_allclose(yp, [np.cos(t), -np.sin(t)], atol=1e-3)
        assert (r.sol.t_min, r.sol.t_max) == (0.0, 6.0)

    @BOTH
    def test_at_the_steps(self, trace):
        r = dd.solve_dae(swing, (0, 6), [0.0, 1.0], [1.0, 0.0], dense_output=True, trace=trace)
        assert_allclose(r.sol(r.t)[0], r.y, atol=1e-9)

    @BOTH
    def test_backwards(self, trace):
        r = dd.solve_dae(swing, (6, 0), [np.sin(6), np.cos(6)], [np.cos(6), -np.sin(6)], dense_output=True,
                         trace=trace, **TIGHT)
        assert_allclose(r.sol([5.0, 1.0])[0][0], np.sin([5.0, 1.0]), atol=1e-5)
        assert (r.sol.t_min, r.sol.t_max) == (0.0, 6.0)

    def test_outside(self):
        r = dd.solve_dae(swing, (0, 1), [0.0, 1.0], [1.0, 0.0], dense_output=True)
        with pytest.raises(ValueError, match="t"):
            r.sol(2.0)

    def test_outlives_the_result(self):
        sol = dd.solve_dae(swing, (0, 1), [0.0, 1.0], [1.0, 0.0], dense_output=True, **TIGHT).sol
        assert_allclose(sol(0.5)[0][0], np.sin(0.5), atol=1e-6)


class TestEvents:
    @staticmethod
    def zero(t, y, yp):
        return y[0]

    def run(self, event, span=(0, 10), **more):
        t0 = span[0]
        return dd.solve_dae(swing, span, [np.sin(t0), np.cos(t0)], [np.cos(t0), -np.sin(t0)], events=event,
                            **TIGHT, **more)

    @BOTH
    def test_values_belong_to_the_times(self, trace):
        r = self.run(self.zero, trace=trace)
        assert_allclose(r.t_events[0], np.pi * np.arange(1, 4), atol=1e-5)
        assert r.y_events[0].shape == r.yp_events[0].shape == (3, 2)
        assert_allclose(r.y_events[0][:, 0], 0.0, atol=1e-6)
        assert_allclose(r.yp_events[0][:, 0], [-1, 1, -1], atol=1e-3)

    @BOTH
    def test_none_is_an_empty_list(self, trace):
        r = self.run(lambda t, y, yp: y[0] + 5.0, trace=trace)
        assert r.status == 0 and len(r.t_events) == 1 and r.t_events[0].size == 0

    @BOTH
    def test_backwards_and_direction(self, trace):
        def falls(t, y, yp):
            return y[0]
        falls.direction = -1
        r = self.run(falls, (10, 0), trace=trace)
        # Along the run, not along t: backwards the sine falls through zero at 2 pi.
        assert_allclose(r.t_events[0], [2 * np.pi], atol=1e-5)

    @BOTH
    def test_several(self, trace):
        r = self.run([self.zero, lambda t, y, yp: y[1], lambda t, y, yp: t - 4.0], trace=trace)
        assert [len(t) for t in r.t_events] == [3, 3, 1]
        assert_allclose(r.t_events[2], [4.0], atol=1e-9)

    @BOTH
    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_the_count_ends_the_run(self, trace, count):
        def event(t, y, yp):
            return y[0]
        event.terminal = count
        r = self.run(event, trace=trace)
        assert r.status == 1 and r.success and len(r.t_events[0]) == count
        assert_allclose(r.t[-1], count * np.pi, atol=1e-5)
        assert "event" in r.message

    def test_one_that_is_zero_at_the_start(self):
        r = self.run(self.zero)
        assert r.t_events[0][0] > 1.0


class TestComplex:
    @BOTH
    def test_t_eval_and_events(self, trace):
        def real(t, y, yp):
            return y[0].real
        r = dd.solve_dae(lambda t, y, yp: yp - 1j * y, (0, 4), [1.0 + 0j], [1j], t_eval=[1.0, 2.0], events=real,
                         trace=trace, **TIGHT)
        assert_allclose(r.y[0], np.exp(1j * np.array([1.0, 2.0])), atol=1e-6)
        assert_allclose(r.t_events[0], [np.pi / 2], atol=1e-5)
        assert np.iscomplexobj(r.y_events[0])

    def test_jacobian(self):
        jac = (np.array([[-1j]]), np.array([[1.0]]))
        r = dd.solve_dae(lambda t, y, yp: yp - 1j * y, (0, 1), [1.0 + 0j], [1j], jac=jac, trace=False, **TIGHT)
        assert_allclose(r.y[0, -1], np.exp(1j), atol=1e-6)

    @BOTH
    def test_algebraic(self, trace):
        r = dd.solve_dae(lambda t, y, yp: np.array([yp[0] - 2j * y[0], y[1] - 3j * y[0]]), (0, 1),
                         [1.0, 3j], [2j, -6.0], trace=trace, **TIGHT)
        assert_allclose(r.y[1, -1], 3j * np.exp(2j), atol=1e-5)

    def test_complex_rates_alone(self):
        r = dd.solve_dae(lambda t, y, yp: yp - 1j * y, (0, 1), [1.0], [1j], **TIGHT)
        assert np.iscomplexobj(r.y)


class TestFailures:
    def test_exceptions_come_through(self):
        def breaks(t, y, yp):
            if t > 0.5:
                raise ArithmeticError("at half")
            return yp + y
        with pytest.raises(ArithmeticError, match="at half") as caught:
            dd.solve_dae(breaks, (0, 1), [1.0], [-1.0], max_step=0.1)
        assert 0 < caught.value.solution.end.t <= 0.5

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_values_that_are_not_finite(self, value):
        r = dd.solve_dae(lambda t, y, yp: yp + (y if t < 0.5 else y * value), (0, 1), [1.0], [-1.0], trace=False,
                         max_step=0.1)
        assert not r.success and r.status == -1 and r.message
        assert r.t[-1] <= 0.5 + 1e-9 and np.all(np.isfinite(r.y))

    @pytest.mark.parametrize("result, error", [([1.0, 2.0, 3.0], ValueError), ("text", TypeError), (None, TypeError),
                                               (np.ones((2, 2)), ValueError)])
    def test_wrong_results_are_named(self, result, error):
        with pytest.raises(error, match="residual"):
            dd.solve_dae(lambda t, y, yp: result, (0, 1), Y0, YP0, trace=False)

    def test_wrong_number_of_arguments(self):
        with pytest.raises(TypeError):
            dd.solve_dae(lambda t, y: y, (0, 1), Y0, YP0)

    def test_no_solution_after_the_end(self):
        # y' = y^2: y = 1/(1 - t) leaves every bound at t = 1.
        r = dd.solve_dae(lambda t, y, yp: yp - y * y, (0, 2), [1.0], [1.0], **TIGHT)
        assert not r.success and abs(r.t[-1] - 1.0) < 1e-2

    def test_state_of_the_user_is_read_anew(self):
        """What a function reads from outside may change between runs, and at events."""
        rate = [1.0]
        p = dd.MassMatrixProblem(rhs=lambda t, y: -rate[0] * y, y0=[1.0], index=0, trace=False)
        for k in (1.0, 2.0, 3.0):
            rate[0] = k
            assert_allclose(dd.solve(p, (0, 1), **TIGHT).end.y, np.exp(-k), rtol=1e-6)

        def switch(x):
            rate[0] = 0.0
        rate[0] = 1.0
        half = dd.Event(lambda s: s.t - 0.5, action="handle", handler=switch, direction="rising")
        assert_allclose(dd.solve(p, (0, 1), events=[half], **TIGHT).end.y, np.exp(-0.5), rtol=1e-6)
