# SPDX-License-Identifier: BSD-3-Clause
"""Analyses and studies: check, explain, eigen, compare, sweep, order, perturb."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

oscillator = dd.MassMatrixProblem(
    rhs=lambda t, y: [y[1], -4.0 * y[0] - 0.2 * y[1]], y0=[1.0, 0.0], index=0)


def test_regret_names_the_choice_and_the_cheapest():
    problem = dd.catalogue["robertson"]
    r = dd.regret(problem, (0.0, 1.0), repetitions=1, only_methods=["radau5"], digits=lambda s: float(s.success))
    assert r.best.method == "radau5" and r.chosen.method == "auto" and r.chosen.digits == 1.0
    assert r.ratio > 0.0 and not r.failed
    none = dd.regret(problem, (0.0, 1.0), repetitions=1, only_methods=["radau5"], digits=lambda s: 1.0, enough=2.0)
    assert none.competitors == 0 and np.isnan(none.ratio)
    with pytest.raises(KeyError, match="radau5"):
        dd.regret(problem, (0.0, 1.0), only_methods=["radau55"])


def test_gradients_of_both_ways_agree_with_the_closed_form():
    decay = dd.ImplicitProblem(
        residual=lambda t, y, yp, p: [yp[0] + p.k * y[0]], y0=[1.0], yp0=[-2.0], parameters={"k": 2.0},
        variables=["x"],
    )
    for way in ("forward", "adjoint"):
        g = dd.gradient(
            decay, ["end(x)", "integral(x^2)"], (0.0, 1.0), parameters=["k"], start_values=["x"], way=way,
            rtol=1e-9, atol=1e-9,
        )
        assert g.way == way and g.status == "success"
        assert g.value("end(x)") == pytest.approx(np.exp(-2.0), rel=1e-6)
        assert g.derivative("end(x)", "k") == pytest.approx(-np.exp(-2.0), rel=1e-5)
        assert g.derivative("end(x)", "x") == pytest.approx(np.exp(-2.0), rel=1e-5)
        by_k = (np.exp(-4.0) * (4.0 + 1.0) - 1.0) / (2.0 * 2.0**2)  # of (1 - exp(-2 k)) / (2 k)
        assert g.derivative("integral(x^2)", "k") == pytest.approx(by_k, rel=1e-5)
    with pytest.raises(ValueError, match="x"):
        dd.gradient(decay, "end(y)", (0.0, 1.0), parameters=["k"])
    with pytest.raises(ValueError, match="automatic, forward, adjoint"):
        dd.gradient(decay, "end(x)", (0.0, 1.0), parameters=["k"], way="backward")
    with pytest.raises(KeyError, match="end"):
        g.value("end(y)")


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

    def test_samples_are_those_of_the_library(self):
        table = dd.sweep(dd.catalogue["pendulum"], (0, 0.1), samples=8, sampling="sobol", seed=3,
                         length="lognormal(1, 0.1)", mass=[1.0, 2.0])
        assert table.y.shape[0] == 16 and set(table.status) == {"success"}
        assert list(table.parameters) == ["mass", "length"]
        assert np.array_equal(table.parameters["length"][:8], table.parameters["length"][8:])
        assert len(set(table.parameters["length"])) == 8
        assert table.quantiles([0.5]).shape == (1, len(table.names))
        again = dd.sweep(dd.catalogue["pendulum"], (0, 0.1), samples=8, sampling="sobol", seed=4, length="lognormal(1, 0.1)")
        assert not np.array_equal(again.parameters["length"], table.parameters["length"][:8])
        with pytest.raises(ValueError, match="gauss"):
            dd.sweep(dd.catalogue["pendulum"], (0, 0.1), length="gauss(1, 1)")

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

    def test_rows_belong_to_their_parameters(self):
        """Runs go to the library in parts; a run that fails spoils no other."""

        def decay(t, y, p):
            if 1.5 < p.k < 1.52:
                raise dd.Reject("not here")
            return -p.k * y

        p = dd.MassMatrixProblem(rhs=decay, y0=[1.0], parameters={"k": 1.0}, trace=False, variables=["x"])
        k = np.linspace(1, 2, 200)
        table = dd.sweep(p, (0, 1), k=k, threads=2, options={"rtol": 1e-8, "atol": 1e-10})
        good = ~((1.5 < k) & (k < 1.52))
        assert np.array_equal(table.status == "success", good)
        np.testing.assert_allclose(table["x"][good], np.exp(-k[good]), rtol=1e-6)
        assert np.all(np.isnan(table["x"][~good]))

    def test_engines_agree(self):
        p = dd.MassMatrixProblem(rhs=lambda t, y, p: np.array([y[1], -p.k * y[0]]), y0=[1.0, 0.0], index=0,
                                 parameters={"k": 1.0}, trace=True)
        k, times = np.linspace(1.0, 4.0, 12), [0.5, 1.0, 2.0]
        options = {"rtol": 1e-8, "atol": 1e-10}
        plain = dd.sweep(p, (0, 2), k=k, options=options)
        for engine in ("automatic", "threads", "lanes"):
            table = dd.sweep(p, (0, 2), k=k, engine=engine, options=options)
            assert table.engine == ("threads" if engine == "automatic" else engine), table.reason
            assert set(table.status) == {"success"} and table.names == plain.names
            assert np.abs(table.y - plain.y).max() < 1e-6
        table = dd.sweep(p, (0, 2), k=k, t_eval=times, options=options)
        assert table.series.shape == (12, 3, 2)
        exact = np.cos(np.sqrt(k)[:, None] * np.array(times))
        assert np.abs(table.series[:, :, 0] - exact).max() < 1e-6
        assert np.allclose(table.bands([0.5])[0], np.median(table.series, axis=0))
        inside = dd.sweep(p, (0, 2), k=k, engine="lanes", t_eval=times, options=options)
        assert inside.engine == "lanes" and np.abs(inside.series - table.series).max() < 1e-6
        with pytest.raises(ValueError, match="t_eval: values are not within"):
            dd.sweep(p, (0, 2), k=k, t_eval=[3.0])

    def test_engine_of_the_catalogue_and_of_plain_functions(self):
        table = dd.sweep(dd.catalogue["robertson"], (0, 1), k1=[0.04, 0.05], engine="lanes")
        one = dd.sweep(dd.catalogue["robertson"], (0, 1), k1=[0.04, 0.05])
        assert table.engine == "lanes" and np.allclose(table.y, one.y, rtol=1e-4)
        plain = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], index=0, parameters={"k": 1.0}, trace=False)
        assert np.allclose(dd.sweep(plain, (0, 1), k=[1.0, 2.0], engine="threads")["y1"], np.exp([-1, -2]), rtol=1e-4)
        with pytest.raises(ValueError, match="lanes"):
            dd.sweep(plain, (0, 1), k=[1.0, 2.0], engine="lanes")
        with pytest.raises(ValueError, match="engine: 'lane' is given; allowed are automatic, threads"):
            dd.sweep(plain, (0, 1), k=[1.0], engine="lane")
        with pytest.raises(ValueError, match="bands"):
            table.bands()

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


def test_uniform_index():
    # |z| = alpha theta/(2 + alpha h): not bounded in alpha by itself, but times h.
    damped = dd.SemiExplicitProblem(
        f=lambda t, y, z, p: np.array([z[0], z[0]]), g=lambda t, y, z, p: np.array([2 * z[0] / p.alpha + y[0] + y[1]]),
        y0=[1.0, -1.0], z0=[0.0], parameters={"alpha": 10.0})
    found = dd.uniform_index(damped, "alpha", [10.0, 40.0, 160.0, 640.0], (0, 1), method="implicit-euler",
                             study=dict(thetas=[1e-4, 1e-5], steps=[1e-1, 1e-3], components=["z"]))
    assert found.index == 2 and found.growth[1]["text"] == "bounded"
    with pytest.raises(TypeError, match="did you mean alpha"):
        dd.uniform_index(damped, "alphas", [1.0, 2.0], (0, 1))


def test_sensitivities_beside_differences():
    decay = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], index=0, parameters={"k": 2.0})
    check = dd.check_sensitivities(decay, (0, 1), parameters=["k"], rtol=1e-8, atol=1e-8)
    assert np.allclose(check.columns, -np.exp(-2.0), rtol=1e-5) and np.allclose(check.differences, check.columns, rtol=1e-3)
    with pytest.raises(TypeError, match="neither parameters nor start_values"):
        dd.check_sensitivities(decay, (0, 1))
