# SPDX-License-Identifier: BSD-3-Clause
"""Analyses and studies: check, explain, eigen, compare, sweep, order, perturb."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

oscillator = dd.MassMatrixProblem(
    rhs=lambda t, y: [y[1], -4.0 * y[0] - 0.2 * y[1]], y0=[1.0, 0.0], index=0)


def test_check():
    found = dd.check(dd.catalogue["pendulum"])
    assert found.numerical_index == 3 and found.consistent
    assert dd.check(oscillator).structural_index in (0, 1)


def test_explain_and_recommend():
    choice = dd.explain(dd.catalogue["andrews"])
    assert choice.method in dd.methods and choice.reason and choice.alternatives
    assert dd.recommend(dd.catalogue["andrews"], method="bdf").method == "bdf"
    with pytest.raises(ValueError):
        dd.recommend(dd.catalogue["robertson"], method="rk4", formulation="ggl")


def test_structure_and_index():
    found = dd.structural_analysis(dd.catalogue["pendulum"])
    assert found.index == 3 and found.text
    found = dd.index_analysis(dd.catalogue["pendulum"])
    assert found.index == 3 and len(found.constraints) == 3
    assert dd.index_along(dd.catalogue["pendulum"], (0, 0.5)).points[0].index == 3


def test_eigenvalues():
    values = dd.eigen(oscillator)["values"]
    exact = np.roots([1.0, 0.2, 4.0])
    assert_allclose(sorted(np.array(values).imag), sorted(exact.imag), atol=1e-5)
    rest = dd.eigen(oscillator, at="equilibrium")
    assert rest.equilibrium and rest.stable
    with pytest.raises(ValueError, match="at: 'rest'"):
        dd.eigen(oscillator, at="rest")


def test_steady_state():
    found = dd.steady_state(oscillator)
    assert found.found
    assert_allclose(found.x, [0, 0], atol=1e-6)


def test_weierstrass():
    form = dd.weierstrass_form(np.diag([1.0, 0.0]), np.diag([2.0, 1.0]))
    assert form.regular and form.index == 1 and form.finite == 1
    assert_allclose(form.eigenvalues[0].real, -2.0)


def test_compare():
    rows = dd.compare(dd.catalogue["pendulum"], (0, 1), only_methods=["radau5", "hedop5"],
                      only_formulations=["index2", "ggl"])
    assert {row.method for row in rows} == {"radau5", "hedop5"}
    assert all(row.status == "success" for row in rows)
    pandas = pytest.importorskip("pandas")
    assert isinstance(rows.to_dataframe(), pandas.DataFrame)
    with pytest.raises(KeyError, match="did you mean"):
        dd.compare(dd.catalogue["pendulum"], only_methods=["radau6"])


class TestSweep:
    def test_values(self):
        table = dd.sweep(dd.catalogue["pendulum"], (0, 1), length=[1.0, 2.0], gravity=[9.81, 1.62])
        assert table.y.shape == (2, 2, 5)
        single = dd.solve(dd.catalogue["pendulum"].with_parameters(length=2.0, gravity=1.62), (0, 1))
        assert_allclose(table.y[1, 1], single.end.y, rtol=0)
        assert_allclose(table["x"][1, 1], single.end["x"], rtol=0)

    def test_threads_do_not_matter(self):
        one = dd.sweep(dd.catalogue["pendulum"], (0, 1), length=np.linspace(1, 2, 6), threads=1)
        two = dd.sweep(dd.catalogue["pendulum"], (0, 1), length=np.linspace(1, 2, 6), threads=2)
        assert_allclose(one.y, two.y, rtol=0)

    def test_plain_functions(self):
        p = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], parameters={"k": 1.0},
                                 index=0, trace=False)
        table = dd.sweep(p, (0, 1), k=[1.0, 2.0], options=dict(rtol=1e-8, atol=1e-10))
        assert_allclose(table.y[:, 0], np.exp([-1.0, -2.0]), atol=1e-6)

    def test_xarray(self):
        pytest.importorskip("xarray")
        table = dd.sweep(dd.catalogue["pendulum"], (0, 1), length=[1.0, 2.0])
        data = table.to_xarray()
        assert_allclose(data["x"].sel(length=2.0).item(), table["x"][1])
        assert len(table.to_dataframe()) == 2

    def test_failures_are_kept(self):
        table = dd.sweep(dd.catalogue["pendulum"], (0, 1), length=[1.0, 2.0],
                         options={"max_steps": 2})
        assert set(table.status) == {"too_many_steps"} and np.all(np.isnan(table.y))

    def test_misuse(self):
        with pytest.raises(TypeError, match="did you mean length"):
            dd.sweep(dd.catalogue["pendulum"], lenght=[1.0])
        with pytest.raises(TypeError, match="no parameter"):
            dd.sweep(dd.catalogue["pendulum"])


def test_order():
    p = dd.MassMatrixProblem(rhs=lambda t, y: -y, y0=[1.0], index=0)
    study = dd.order(p, (0, 1), steps=[0.1, 0.05, 0.025], exact=lambda t: [np.exp(-t)],
                     method="radau5")
    assert abs(study.orders["y"] - 5) < 0.3 and not study.failure


def test_perturb():
    report = dd.perturb(dd.catalogue["pendulum"], (0, 0.2), method="bdf", formulation="index2",
                        study=dict(thetas=[1e-4, 1e-5], steps=[1e-2, 5e-3]))
    assert report.components and not report.failure
    with pytest.raises(TypeError, match="did you mean thetas"):
        dd.perturb(dd.catalogue["pendulum"], (0, 0.2), study=dict(theta=[1e-4]))
