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
