# SPDX-License-Identifier: BSD-3-Clause
"""dd.open and dd.parse: every kind of file that the tool reads."""

import copy
import os
import pathlib
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

ROOT = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"])
MODELS = ROOT / "examples" / "models"
CIRCUITS = ROOT / "tests" / "circuit" / "spec"
MECHANISMS = ROOT / "tests" / "mechanism" / "files"

DIVIDER = "divider\nv1 in 0 10\nr1 in out 1k\nr2 out 0 1k\n.op\n.end\n"
DECAY = {"daedalus": "model", "name": "decay", "interval": [0, 1], "parameters": {"k": 2.0},
         "variables": {"x": 1.0}, "equations": ["der(x) = -k*x"], "outputs": {"twice": "2*x"}}


@pytest.mark.parametrize("path, kind", [
    (MODELS / "robertson.json", "model"),
    (MODELS / "andrews.json", "model"),
    (CIRCUITS / "rc.cir", "netlist"),
    (MECHANISMS / "andrews.json", "mechanism"),
    (MECHANISMS / "arm6.urdf", "urdf"),
], ids=lambda x: getattr(x, "name", x))
def test_open(path, kind):
    try:
        problem = dd.open(path)
    except dd.InvalidArgument as error:
        if kind == "urdf" and "pugixml" in str(error):
            pytest.skip("built without pugixml")
        raise
    assert isinstance(problem, dd.Problem) and problem.entry.kind == kind
    t0, t1 = problem.t_span
    assert dd.solve(problem, (t0, t0 + 0.01 * (t1 - t0)), rtol=1e-4).success


def test_every_kind_of_the_tool_opens():
    kinds = dd.file_kinds()
    assert {"model", "netlist", "mechanism", "urdf"} <= set(kinds)
    source = (ROOT / "src" / "files" / "readers.cpp").read_text()
    assert all(f'{{"{kind}"' in source for kind in kinds)


def test_a_model_agrees_with_the_catalogue():
    read, known = dd.open(MODELS / "andrews.json"), dd.catalogue["andrews"]
    end = dd.solve(read, rtol=1e-9, atol=1e-9).end
    for name, value in known.reference["values"][:7]:
        assert abs(end[name] - value) < 1e-5 * max(1.0, abs(value))


class TestModels:
    def test_parameters_outputs_and_names(self):
        problem = dd.parse(DECAY)
        assert problem.parameters == {"k": 2.0} and problem.t_span == (0.0, 1.0)
        sol = dd.solve(problem.with_parameters(k=3.0), rtol=1e-9, atol=1e-12)
        assert_allclose(sol["x"][-1], np.exp(-3.0), rtol=1e-6)
        assert_allclose(sol["twice"], 2.0 * sol["x"], rtol=1e-14)
        with pytest.raises(KeyError, match="thrice"):
            sol["thrice"]
        with pytest.raises(TypeError, match="there is no parameter 'kk'"):
            problem.with_parameters(kk=1.0)

    def test_events_of_the_model_and_of_the_user(self):
        ball = dd.open(MODELS / "bouncing-ball.json")
        half = dd.Event(lambda s: s["height"] - 0.5, name="half", direction="falling")
        sol = dd.solve(ball, events=[half], rtol=1e-8, atol=1e-8)
        assert {"impact", "half"} <= {e.name for e in sol.events}

    def test_mistakes_come_with_their_places(self):
        wrong = {**DECAY, "equations": ["der(x) = -k*y"]}
        with pytest.raises(dd.InvalidModel, match="'y'") as caught:
            dd.parse(wrong)
        (mistake,) = [d for d in caught.value.diagnostics if "'y'" in d["message"]]
        assert mistake["line"] >= 1 and mistake["severity"] == "error" and mistake["file"] == "text"
        assert issubclass(dd.InvalidModel, ValueError)

    def test_files_that_are_none(self, tmp_path):
        with pytest.raises(dd.FileError, match="nothing.json"):
            dd.open(tmp_path / "nothing.json")
        other = tmp_path / "other.txt"
        other.write_text("hello")
        with pytest.raises(ValueError, match="kind tells what a file is"):
            dd.open(other)
        with pytest.raises(ValueError, match="allowed are model, netlist"):
            dd.open(other, kind="novel")
        with pytest.raises(ValueError, match="kind: it is needed"):
            dd.parse(DIVIDER)

    @pytest.mark.parametrize("again", [lambda p: pickle.loads(pickle.dumps(p)), copy.copy, copy.deepcopy])
    def test_copies(self, again):
        for problem in (dd.parse(DECAY).with_parameters(k=3.0), dd.open(MODELS / "robertson.json")):
            other = again(problem)
            assert other.parameters == problem.parameters
            assert_allclose(dd.solve(other).end.y, dd.solve(problem).end.y, rtol=0)

    def test_solutions_keep_their_problem_through_pickles(self):
        sol = pickle.loads(pickle.dumps(dd.solve(dd.parse(DECAY))))
        assert_allclose(sol["twice"], 2.0 * sol["x"], rtol=1e-14)

    def test_analyses(self):
        problem = dd.parse(DECAY)
        assert_allclose(dd.eigen(problem)["values"][0].real, -2.0, rtol=1e-9)
        assert dd.check(problem).numerical_index == 0
        assert dd.explain(problem).method in dd.methods
        table = dd.sweep(problem, k=np.linspace(1, 2, 5))
        assert_allclose(table["x"], np.exp(-np.linspace(1, 2, 5)), rtol=1e-3)


class TestCircuits:
    def test_operating_point(self):
        circuit = dd.parse(DIVIDER, "netlist").circuit
        op = circuit.operating_point()
        assert op.found and op.attempts[0].method
        assert_allclose(op["values"]["v(out)"], 5.0, rtol=1e-9)
        assert circuit.elements == {"r": 2, "v": 1} and circuit.nodes == 2
        assert circuit.names and circuit.analyses == ["op"] and "divider" in repr(circuit)

    def test_index(self):
        assert dd.open(CIRCUITS / "rc.cir").circuit.index().topology == 1
        found = dd.open(CIRCUITS / "cvloop.cir").circuit.index()
        assert found.topology == 2 and found.loops and found.cause

    def test_small_signals_sweeps_and_poles(self):
        text = ("rc\nv1 in 0 dc 1 ac 1\nr1 in out 1k\nc1 out 0 1u\n.ac dec 5 1 1k\n.dc v1 0 2 0.5\n"
                ".pz\n.end\n")
        circuit = dd.parse(text, "netlist").circuit
        ac = circuit.small_signals()
        out = ac["values"][:, ac.names.index("v(out)")]
        assert_allclose(out, 1.0 / (1.0 + 2j * np.pi * ac.f * 1e-3), rtol=1e-6)
        dc = circuit.direct_sweep()
        assert dc.complete and dc.swept.shape == (5, 1)
        assert_allclose(dc["values"][:, dc.names.index("v(out)")], dc.swept[:, 0], atol=1e-9)
        assert_allclose(circuit.poles().real, [-1000.0], rtol=1e-6)

    def test_others_have_none(self):
        assert dd.parse(DECAY).circuit is None and dd.parse(DECAY).mechanism is None
