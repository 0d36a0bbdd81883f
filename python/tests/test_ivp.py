# SPDX-License-Identifier: BSD-3-Clause
"""solve_ivp beside scipy's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

scipy_integrate = pytest.importorskip("scipy.integrate")
sparse = pytest.importorskip("scipy.sparse")


def van_der_pol(t, y, mu=10.0):
    return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])


CALLS = {
    "plain": dict(fun=van_der_pol, t_span=(0, 5), y0=[2.0, 0.0]),
    "t_eval": dict(fun=van_der_pol, t_span=(0, 5), y0=[2.0, 0.0], t_eval=np.linspace(0, 5, 11)),
    "args": dict(fun=van_der_pol, t_span=(0, 5), y0=[2.0, 0.0], args=(3.0,)),
    "backwards": dict(fun=lambda t, y: -y, t_span=(1, 0), y0=[1.0]),
    "complex": dict(fun=lambda t, y: 1j * y, t_span=(0, 2), y0=[1.0 + 0j]),
    "jac": dict(fun=lambda t, y: [-3 * y[0]], t_span=(0, 2), y0=[1.0], jac=np.array([[-3.0]])),
    "vectorized": dict(fun=lambda t, y: -y, t_span=(0, 2), y0=[1.0, 2.0], vectorized=True),
}


@pytest.mark.parametrize("trace", [False, "auto"])
@pytest.mark.parametrize("name", CALLS)
def test_like_scipy(name, trace):
    call = CALLS[name]
    # scipy's Radau does not take complex values; its BDF does.
    tight = dict(rtol=1e-8, atol=1e-10, method="BDF" if name == "complex" else "Radau")
    ours = dd.solve_ivp(**call, **tight, trace=trace)
    theirs = scipy_integrate.solve_ivp(**call, **tight)
    assert ours.success and ours.status == theirs.status == 0
    assert ours.y.dtype == theirs.y.dtype and ours.y.shape[0] == theirs.y.shape[0]
    assert_allclose(ours.y[:, -1], theirs.y[:, -1], rtol=1e-4, atol=1e-6)
    if "t_eval" in call:
        assert_allclose(ours.t, theirs.t)
        assert_allclose(ours.y, theirs.y, rtol=1e-4, atol=1e-5)
    assert set(theirs) <= set(ours)


def test_dense_output_gives_y():
    r = dd.solve_ivp(lambda t, y: -y, (0, 1), [1.0], dense_output=True, rtol=1e-8, atol=1e-10)
    assert r.sol(0.5).shape == (1,) and r.sol([0.5, 0.6]).shape == (1, 2)
    assert_allclose(r.sol(0.5)[0], np.exp(-0.5), atol=1e-6)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_matrix, sparse.coo_matrix, sparse.csc_matrix])
def test_mass(kind):
    mass = kind([[1.0, 1.0], [0.0, 0.0]])
    r = dd.solve_ivp(lambda t, y: [-y[0], y[0] - 2 * y[1]], (0, 1), [1.0, 0.5], mass=mass,
                     rtol=1e-8, atol=1e-10, trace=False)
    assert r.success, r.message
    assert_allclose(r.y[0, -1], np.exp(-1 / 1.5), atol=1e-6)


@pytest.mark.parametrize("trace", [False, "auto"])
@pytest.mark.parametrize("unit", [1.0, 1j])
def test_mass_that_changes(trace, unit):
    def mass(t, y, k):
        return np.array([[1.0 + t, 0.0], [0.0, 0.0]])

    r = dd.solve_ivp(lambda t, y, k: [-k * y[0], y[1] - 2 * y[0]], (0, 1), [unit, 2 * unit], mass=mass, args=(2.0,),
                     rtol=1e-8, atol=1e-10, trace=trace)
    assert r.success, r.message
    assert_allclose(r.y[:, -1], [unit / 4, unit / 2], atol=1e-6)


def test_dense_output_knows_its_interval():
    for span in ((0, 2), (2, 0)):
        r = dd.solve_ivp(lambda t, y: -y, span, [1.0], dense_output=True)
        assert (r.sol.t_min, r.sol.t_max) == (0.0, 2.0)
        assert repr(r.sol) == "<daedalus.OdeSolution from t = 0 to 2>"


@pytest.mark.parametrize("name, owner", [("RK45", "scipy"), ("LSODA", "scipy"), ("ode15s", "MATLAB"), ("IDA", "SUNDIALS")])
def test_solvers_of_other_programs(name, owner):
    with pytest.raises(ValueError, match=f"method: '{name}' is a solver of {owner}; 'auto' chooses"):
        dd.solve_ivp(lambda t, y: -y, (0, 1), [1.0], method=name)


@pytest.mark.parametrize("change, error, text", [
    ({"rtol": [1e-3, 1e-4]}, ValueError, r"rtol: shape \(2,\) is given, .*atol takes one per component"),
    ({"t_span": np.linspace(0, 1, 5)}, ValueError, "expected two numbers; times to report are given as t_eval"),
    ({"fun": lambda t, y: 1j * y}, ValueError, r"complex128, expected real numbers .*y0 \+ 0j"),
    ({"jac": np.eye(3)}, ValueError, r"jac: shape \(3, 3\) is given, expected \(1, 1\)"),
    ({"jac": sparse.eye(3)}, ValueError, r"jac: shape \(3, 3\) is given, expected \(1, 1\)"),
])
def test_habits_that_differ_are_explained(change, error, text):
    given = {"fun": lambda t, y: -y, "t_span": (0, 1), "y0": [1.0], **change}
    with pytest.raises(error, match=text):
        dd.solve_ivp(**given)


def test_times_beyond_the_end_by_round_off():
    r = dd.solve_ivp(lambda t, y: -y, (0, 0.3), [1.0], t_eval=[0.1, 0.2, 3 * 0.1])
    assert r.t.tolist() == [0.1, 0.2, 0.3]
    r = dd.solve_ivp(lambda t, y: -y, (3 * 0.1, 0), [1.0], t_eval=[0.3, 0.0])
    assert r.t.tolist() == [0.3, 0.0]
    with pytest.raises(ValueError, match="not within t_span"):
        dd.solve_ivp(lambda t, y: -y, (0, 0.3), [1.0], t_eval=[0.3 + 1e-12])


def test_mass_of_the_wrong_shape():
    with pytest.raises(ValueError, match="mass"):
        dd.solve_ivp(lambda t, y: -y, (0, 1), [1.0], mass=np.eye(2))


def test_jac_callable_and_sparse():
    for jac in (lambda t, y: [[-1.0]], lambda t, y: sparse.csr_matrix([[-1.0]])):
        r = dd.solve_ivp(lambda t, y: -y, (0, 1), [1.0], jac=jac, rtol=1e-8, atol=1e-10,
                         trace=False, method="radau5")
        assert_allclose(r.y[0, -1], np.exp(-1), atol=1e-6)


def test_least_squares_over_a_solve():
    optimize = pytest.importorskip("scipy.optimize")
    t = np.linspace(0, 2, 9)
    data = 3.0 * np.exp(-0.7 * t)

    def misfit(x):
        r = dd.solve_ivp(lambda s, y, k: -k * y, (0, 2), [x[0]], t_eval=t, args=(x[1],),
                         rtol=1e-10, atol=1e-12)
        return r.y[0] - data

    found = optimize.least_squares(misfit, [1.0, 0.2])
    assert_allclose(found.x, [3.0, 0.7], rtol=1e-5)
