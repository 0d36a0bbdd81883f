# SPDX-License-Identifier: BSD-3-Clause
"""consistent_initial_conditions of index 1 to 3."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd
from test_dae import pendulum, pendulum_index1, pendulum_index2


def amplifier_like(t, y, yp):
    return np.array([yp[0] + y[0] - y[1], y[1] ** 3 + y[1] - y[0]])


def test_index_1():
    y, yp, f = dd.consistent_initial_conditions(amplifier_like, 0.0, [2.0, 0.0], [0.0, 0.0],
                                                fixed_y0=[0])
    assert_allclose(y, [2.0, 1.0], atol=1e-7)
    assert_allclose(yp[0], -1.0, atol=1e-7)
    assert np.max(np.abs(f)) < 1e-8


@pytest.mark.parametrize("fun", [pendulum, pendulum_index2, pendulum_index1])
def test_pendulum(fun):
    guess = [np.sin(0.5), -np.cos(0.5), np.cos(0.5), np.sin(0.5), 5.0]
    y, yp, f = dd.consistent_initial_conditions(fun, 0.0, guess, np.zeros(5),
                                                fixed_y0=[0, 1, 2, 3])
    assert_allclose(y[:4], guess[:4], atol=1e-6)
    assert_allclose(y[4], 1.0 + 9.81 * np.cos(0.5), rtol=1e-5)
    assert np.max(np.abs(f)) < 1e-7


def test_hidden_constraints_are_satisfied():
    y, yp, f = dd.consistent_initial_conditions(
        pendulum, 0.0, [1.1, 0.0, 0.5, 1.0, 0.0], np.zeros(5))
    assert abs(y[0] ** 2 + y[1] ** 2 - 1) < 1e-7
    assert abs(y[0] * y[2] + y[1] * y[3]) < 1e-6


def test_what_cannot_be_satisfied_is_named():
    with pytest.raises(dd.SolveError) as caught:
        dd.consistent_initial_conditions(amplifier_like, 0.0, [2.0, 0.0], [0.0, 0.0],
                                         fixed_y0=[0, 1])
    assert str(caught.value)


def test_arguments():
    with pytest.raises(ValueError, match="fixed_y0: there is no component 7"):
        dd.consistent_initial_conditions(amplifier_like, 0.0, [2, 0], [0, 0], fixed_y0=[7])
    with pytest.raises(ValueError, match="yp0: shape"):
        dd.consistent_initial_conditions(amplifier_like, 0.0, [2.0, 0.0], [0.0])


def test_args():
    def f(t, y, yp, a):
        return np.array([yp[0] + y[0], y[1] - a * y[0]])

    y, yp, _ = dd.consistent_initial_conditions(f, 0.0, [1.0, 0.0], [0.0, 0.0], args=(3.0,),
                                                fixed_y0=[0])
    assert_allclose(y, [1.0, 3.0], atol=1e-7)


def test_a_solve_accepts_them():
    y, yp, _ = dd.consistent_initial_conditions(amplifier_like, 0.0, [2.0, 0.0], [0.0, 0.0],
                                                fixed_y0=[0])
    assert dd.solve_dae(amplifier_like, (0, 1), y, yp).success
