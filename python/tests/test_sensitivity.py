# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of solutions with respect to parameters."""

import numpy as np
import pytest

import daedalus as dd


def test_columns_of_a_catalogue_problem():
    sol = dd.solve(
        dd.catalogue["robertson"], (0.0, 0.4), rtol=1e-8, atol=1e-12, sensitivities={"parameters": ["k1", "k3"]}
    )
    assert sol.success
    assert sol.sensitivity_columns == ["k1", "k3"]
    s = sol.sensitivity(0.4)
    assert s.shape == (3, 2)
    row = sol.sensitivity_variables.index("y1")
    assert np.isclose(s[row, 0], -0.3559525659828556, rtol=1e-5)
    assert np.isclose(s[row, 1], 9.542381427849769e-8, rtol=1e-4)


def test_bad_requests_name_what_there_is():
    with pytest.raises(ValueError, match="k1, k2, k3"):
        dd.solve(dd.catalogue["robertson"], (0.0, 0.4), sensitivities={"parameters": ["k9"]})
    with pytest.raises(TypeError, match="allowed are parameters, start_values"):
        dd.solve(dd.catalogue["robertson"], (0.0, 0.4), sensitivities={"names": ["k1"]})
    with pytest.raises(TypeError, match="sensitivities: parameters is 3, expected names"):
        dd.solve(dd.catalogue["robertson"], (0.0, 0.4), sensitivities={"parameters": 3})
    with pytest.raises(TypeError, match="sensitivities: .* is given, expected"):
        dd.solve(dd.catalogue["robertson"], (0.0, 0.4), sensitivities=["k1"])


@pytest.mark.parametrize("trace", [True, False])
def test_columns_of_numpy_models(trace):
    """x' = c - k x from x0: derivatives in closed form, at reported times alone without dense output."""
    p = dd.MassMatrixProblem(rhs=lambda t, y, p: [p.c - p.k * y[0]], y0=[1.0], variables=["x"], index=0,
                             parameters={"k": 1.0, "c": 0.0}, trace=trace)
    asked = {"parameters": ["k", "c"], "start_values": "x"}
    sol = dd.solve(p, (0.0, 3.0), rtol=1e-9, atol=1e-9, sensitivities=asked)
    assert sol.sensitivity_columns == ["k", "c", "x"]
    np.testing.assert_allclose(sol.sensitivity(3.0)[0], [-3 * np.exp(-3), 1 - np.exp(-3), np.exp(-3)], atol=1e-6)
    with pytest.raises(ValueError, match="t = 1.2345 is not a reported time"):
        sol.sensitivity(1.2345)
    with pytest.raises(ValueError, match=r"t: shape \(2,\) is given, expected one time"):
        sol.sensitivity([1.0, 2.0])
