# SPDX-License-Identifier: BSD-3-Clause
"""Solutions: views, interpolation, tables, files, cards, pickles; the Integrator; long runs."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

TIGHT = {"rtol": 1e-8, "atol": 1e-10}


@pytest.fixture(scope="module")
def sol():
    return dd.solve(dd.catalogue["pendulum"], (0.0, 2.0), output="dense", **TIGHT)


def test_views_share_memory(sol):
    assert sol.y.base is not None and np.shares_memory(sol.y, sol._native.y)
    assert sol.y.shape == (5, len(sol.t)) and not sol.y.flags.writeable


def test_values(sol):
    assert_allclose(sol(sol.t[3]), sol.y[:, 3], atol=1e-9)
    assert sol(1.0).shape == (5,) and sol([0.5, 1.0]).shape == (5, 2)
    assert_allclose(sol["x"], sol.y[0])
    assert_allclose(sol["x", 1.0], sol(1.0)[0])
    assert sol["x", [0.5, 1.0]].shape == (2,)
    with pytest.raises(KeyError, match="did you mean x"):
        sol["xx"]
    with pytest.raises(ValueError, match="outside"):
        sol(3.0)
    with pytest.raises(ValueError, match="t: shape"):
        sol([[1.0]])


@pytest.mark.parametrize("ending", ["npz", "csv", "json", "h5", "raw"])
def test_files_of_every_kind(sol, tmp_path, ending):
    try:
        name = sol.save(tmp_path / f"run.{ending}")
    except dd.FileError as error:
        if "HDF5" in str(error):
            pytest.skip("built without HDF5")
        raise
    again = dd.load(name)
    assert list(again.names) == sol.names
    assert_allclose(again.t, sol.t, rtol=1e-12)
    assert_allclose(again.y, sol.y, rtol=1e-9, atol=1e-12)


def test_rates(sol):
    t = np.linspace(0.1, 1.9, 7)
    assert_allclose(sol.derivative(t)[:2], sol(t)[2:4], atol=1e-4)


def test_facts(sol):
    assert sol.success and sol.status == "success" and sol.message
    assert sol.statistics.accepted == len(sol.t) - 1
    assert sol.choice.method in dd.methods and sol.choice.reason
    assert sol.classes == {"q": (0, 2), "v": (2, 2), "lambda": (4, 1)}
    assert sol.end.t == 2.0 and sol.start.t == 0.0
    assert_allclose(sol.end["x"], sol["x"][-1])
    assert "success" in repr(sol) and sol.choice.method in repr(sol)


@pytest.mark.parametrize("again", [lambda s: pickle.loads(pickle.dumps(s)), copy.copy,
                                   copy.deepcopy])
def test_copies(sol, again):
    other = again(sol)
    assert_allclose(other.y, sol.y, rtol=0)
    assert_allclose(other(1.234), sol(1.234), rtol=0)
    assert other.names == sol.names and other.statistics.total == sol.statistics.total
    assert other.choice == sol.choice and other.problem.name == "pendulum"


def test_damaged_pickles_say_so(sol):
    with pytest.raises(RuntimeError, match="ends too early"):
        sol._native.__class__.__new__(sol._native.__class__).__setstate__(b"abc")


@pytest.mark.parametrize("ending", ["npz", "csv", "json"])
def test_files(sol, ending, tmp_path):
    name = sol.save(tmp_path / f"run.{ending}")
    again = dd.load(name)
    assert again.names == sol.names
    assert_allclose(again.t, sol.t, rtol=0)
    assert_allclose(again["x"], sol["x"], rtol=1e-15)
    if ending == "npz":
        assert again.run["status"] == "success"
        with np.load(name) as data:
            assert_allclose(data["t"], sol.t, rtol=0)
    with pytest.raises(KeyError, match="did you mean"):
        again["xx"]


def test_wrong_files(sol, tmp_path):
    with pytest.raises(ValueError):
        sol.save(tmp_path / "run.xyz")
    with pytest.raises(OSError):
        dd.load(tmp_path / "missing.npz")
    (tmp_path / "bad.npz").write_bytes(b"PK nonsense")
    with pytest.raises(dd.FileError):
        dd.load(tmp_path / "bad.npz")


def test_pandas_round_trip(sol):
    pandas = pytest.importorskip("pandas")
    frame = sol.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t"
    assert_allclose(frame["x"].to_numpy(), sol["x"], rtol=0)
    assert list(frame.columns) == sol.names


def test_xarray(sol):
    pytest.importorskip("xarray")
    data = sol.to_xarray()
    assert_allclose(data["x"].values, sol["x"], rtol=0)
    assert data.attrs["status"] == "success"


def test_plot(sol):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = sol.plot("x", "y")
    assert isinstance(ax, plt.Axes) and len(ax.lines) == 2
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["x", "y"]
    figure, own = plt.subplots()
    assert sol.plot(ax=own) is own and len(own.lines) == 5
    plt.close("all")


def test_card(sol):
    text = sol._repr_html_()
    assert "success" in text and sol.choice.method in text and text.count("<svg") == 3
    bad = dd.solve(dd.catalogue["pendulum"], (0, 2), max_steps=3)
    assert "too_many_steps" in bad._repr_html_() and "firebrick" in bad._repr_html_()


def test_report(sol, tmp_path):
    from daedalus.page import document

    assert '"pendulum"' in document(sol)
    try:
        text = sol.report(tmp_path / "run.html")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert (tmp_path / "run.html").read_text() == text and 'id="run"' in text


def test_missing_packages_are_named(sol, monkeypatch):
    import daedalus.tabular

    def no(module):
        raise ImportError(module)

    monkeypatch.setattr(daedalus.tabular.importlib, "import_module", no)
    for call, name in ((sol.to_dataframe, "pandas"), (sol.to_xarray, "xarray"),
                       (sol.plot, "matplotlib")):
        with pytest.raises(ImportError, match=f"needs {name}"):
            call()


class TestIntegrator:
    def test_the_same_numbers(self):
        p = dd.catalogue["robertson"]
        run = dd.Integrator(p, rtol=1e-6)
        assert run.initialize(0.0, 1.0) == "success"
        steps = 0
        while run.t < 1.0:
            info = run.step(1.0)
            assert info.status == "success" and info.t == run.t
            steps += 1
        sol = dd.solve(p, (0.0, 1.0), rtol=1e-6)
        assert steps == sol.statistics.accepted == run.statistics.accepted
        assert_allclose(run.state.y, sol.end.y, rtol=0)
        assert_allclose(run.solution().y, sol.y, rtol=0)

    def test_inside_the_last_step(self):
        run = dd.Integrator(dd.catalogue["robertson"])
        run.initialize(0.0, 1.0)
        info = run.step(1.0)
        assert run.interpolate(info.t - 0.5 * info.h).t == info.t - 0.5 * info.h
        with pytest.raises(ValueError, match="not in the last step"):
            run.interpolate(5.0)

    def test_before_initialize(self):
        with pytest.raises(ValueError, match="initialize"):
            dd.Integrator(dd.catalogue["robertson"]).step(1.0)

    def test_checkpoints(self):
        p = dd.catalogue["robertson"]
        run = dd.Integrator(p)
        run.initialize(0.0, 10.0)
        for _ in range(5):
            run.step(10.0)
        kept = pickle.loads(pickle.dumps(run.checkpoint()))
        run.run(10.0)
        other = dd.Integrator(p)
        other.resume(kept)
        other.run(10.0)
        assert_allclose(other.state.y, run.state.y, rtol=0)
        with pytest.raises(ValueError, match="rtol"):
            dd.Integrator(p, rtol=1e-3).resume(kept)


def test_hooks():
    seen = {"progress": 0, "trace": 0, "sink": 0}

    def count(name):
        def hook(value):
            seen[name] += 1
        return hook

    sol = dd.solve(dd.catalogue["robertson"], (0, 1), cancel=lambda: False,
                   **{name: count(name) for name in seen})
    assert seen["progress"] == sol.statistics.accepted
    assert seen["trace"] == sol.statistics.steps
    assert seen["sink"] == len(sol.t)
    stopped = dd.solve(dd.catalogue["robertson"], (0, 1), cancel=lambda: True)
    assert stopped.status == "cancelled"


def test_long_runs(tmp_path):
    p = dd.catalogue["robertson"]
    file, mark = str(tmp_path / "run.npz"), str(tmp_path / "mark")
    sol = dd.solve_long(p, (0, 10), file=file, checkpoint=mark, checkpoint_steps=5,
                        keep_states=False)
    whole = dd.solve(p, (0, 10))
    assert sol.success and len(sol.t) == 0
    assert_allclose(dd.load(file).y, whole.y, rtol=0)


def test_output_times():
    t = [0.0, 0.5, 1.0]
    sol = dd.solve(dd.catalogue["robertson"], (0, 1), output="times", output_times=t)
    assert_allclose(sol.t, t, rtol=0)
    assert len(dd.solve(dd.catalogue["robertson"], (0, 1), output="end").t) <= 1
