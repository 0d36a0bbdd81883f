# SPDX-License-Identifier: BSD-3-Clause
"""Parameters from data: files and arrays, and what the result has."""

import pathlib
import signal
import threading
import time

import numpy as np
import pytest

import daedalus as dd
from daedalus import _daedalus

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "fit" / "data"

pytestmark = pytest.mark.skipif(not _daedalus.can_fit(), reason="built without Ceres")


def test_a_file_of_data():
    result = dd.fit(
        dd.open(str(ROOT / "examples" / "models" / "reactions.json")),
        DATA / "abc.csv",
        "k1=0.1..10,k2=0.01..1",
        sigma={"A": 0.01, "B": 0.01, "C": 0.01},
    )
    assert result.status == "converged"
    assert result.parameters.k1.value == pytest.approx(0.7026487519633438, rel=1e-6)
    assert result.parameters.k2.standard_error == pytest.approx(0.0011065370125438487, rel=1e-3)
    assert result.fit.cost == pytest.approx(37.86748759414391, rel=1e-8)


def test_arrays_of_data():
    t = np.linspace(0.1, 1.5, 12)
    run = dd.solve(dd.catalogue["pendulum"], (0.0, 1.5), rtol=1e-9, atol=1e-9, output="dense")
    data = {"t": t, "x": run(t)[0]}
    result = dd.fit(dd.catalogue["pendulum"], data, ["gravity=5..15@9"], sigma={"x": 0.01})
    assert result.parameters.gravity.value == pytest.approx(9.81, rel=1e-5)


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="did you mean length"):
        dd.fit(dd.catalogue["pendulum"], {"t": [1.0], "x": [0.1]}, "lenght")
    with pytest.raises(OSError, match="nothing.csv"):
        dd.fit(dd.catalogue["pendulum"], "nothing.csv", "length")


def _decay(t, y, p):
    return -p.k * y


@pytest.mark.parametrize("trace", [True, False])
def test_numpy_models(trace):
    t = np.linspace(0.1, 2.0, 10)
    p = dd.MassMatrixProblem(rhs=_decay, y0=[1.0], parameters={"k": 1.0}, variables=["x"], trace=trace)
    result = dd.fit(p, {"t": t, "x": np.exp(-1.7 * t)}, "k=0.1..10", t_span=(0.0, 2.0))
    assert result.status == "converged"
    assert result.parameters.k.value == pytest.approx(1.7, rel=1e-6)
    with pytest.raises(TypeError, match="t_span: this problem has no interval of its own"):
        dd.fit(p, {"t": t, "x": np.exp(-1.7 * t)}, "k=0.1..10")


def test_exceptions_of_the_model_come_through():
    """They are no parameters without a solution, which a search avoids."""

    def breaks(t, y, p):
        if p.k > 1.2:
            raise ArithmeticError("mine")
        return -p.k * y

    t = np.linspace(0.1, 2.0, 10)
    p = dd.MassMatrixProblem(rhs=breaks, y0=[1.0], parameters={"k": 1.0}, variables=["x"], trace=False)
    with pytest.raises(ArithmeticError, match="mine"):
        dd.fit(p, {"t": t, "x": np.exp(-1.7 * t)}, "k=0.1..10", t_span=(0.0, 2.0))


def test_an_interrupt_stops_a_fit():
    p = dd.MassMatrixProblem(rhs=lambda t, y, p: [y[1], -p.k * y[0]], y0=[1.0, 0.0], parameters={"k": 1.0},
                             variables=["x", "v"], trace=True)
    t = np.linspace(0.1, 300.0, 2000)
    timer = threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        dd.fit(p, {"t": t, "x": np.cos(t)}, "k=0.5..2@1.3", t_span=(0.0, 300.0), starts=50, rtol=1e-12)
    assert time.perf_counter() - begin < 0.3 + 0.2 + 0.8  # the last: a busy machine
    timer.join()
