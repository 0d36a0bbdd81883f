# SPDX-License-Identifier: BSD-3-Clause
"""Models as formulas, built call by call."""

import inspect
import math
import os
import pathlib
import re

import numpy as np
import pytest

import daedalus as dd

HEADER = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"]) / "include" / "daedalus" / "model.hpp"


def ball():
    m = dd.ModelBuilder("ball", interval=(0.0, 2.0), title="A ball")
    m.parameter("gravity", 9.81, unit="m/s2", min=0.0)
    m.parameter("restitution", 0.8)
    m.variable("height", start=1.0, fixed=True, unit="m")
    m.variable("speed", start=0.0, fixed=True)
    m.discrete("impacts")
    m.equation("der(height)", "speed", name="kinematics")
    m.equation("der(speed)", "-gravity")
    m.when("height < 0", name="impact").reinit("speed", "-restitution*pre(speed)").set(
        "impacts", "pre(impacts) + 1"
    )
    m.output("energy", "0.5*speed^2 + gravity*height", unit="J")
    return m


def test_events_outputs_and_parameters():
    problem = ball().problem()
    sol = dd.solve(problem, rtol=1e-9, atol=1e-9).raise_for_status()
    first = math.sqrt(2 / 9.81)
    times = [first, first + 1.6 * first, first + 1.6 * first + 1.28 * first]
    assert [e.t for e in sol.events[:3]] == pytest.approx(times, abs=1e-7)
    other = dd.solve(problem.with_parameters(gravity=1.0), rtol=1e-9, atol=1e-9)
    assert other.events[0].t == pytest.approx(math.sqrt(2), abs=1e-7)


def test_the_file_is_the_same_model(tmp_path):
    m = ball()
    again = dd.open(m.save(tmp_path / "ball.json"))
    one, two = dd.solve(m.problem()), dd.solve(again)
    assert np.array_equal(one.y, two.y)
    assert m.document()["daedalus"] == "model"


def test_multibody_models():
    m = dd.ModelBuilder("pendulum", interval=(0.0, 3.0))
    m.parameter("length", 1.0)
    x = m.coordinate("x", "u", start="length")
    y = m.coordinate("y", "v")
    for c in (x, y):
        m.mass(c, c, 0.5)
        m.mass(c, c, 0.5)  # adds
    m.force(y, -9.81)
    m.constraint("0.5*(x*x + y*y - length^2)", "tension")
    m.invariant("energy", "0.5*(u*u + v*v) + 9.81*y")
    problem = m.problem()
    assert dd.check(problem).numerical_index == 3
    sol = dd.solve(problem, rtol=1e-9, atol=1e-9).raise_for_status()
    known = dd.solve(dd.catalogue["pendulum"], (0.0, 3.0), rtol=1e-9, atol=1e-9)
    assert sol["x"][-1] == pytest.approx(known.y[0, -1], abs=1e-6)
    assert sol["tension"].shape == sol.t.shape


def test_arrays_tables_definitions_and_samples():
    n = 20
    m = dd.ModelBuilder("rod", interval=(0.0, 0.1), stiff=True)
    m.parameter("n", n)
    m.dependent_parameter("d", "1/n")
    m.table("source", [0.0, 1.0], [1.0, 2.0])
    m.definition("left", "source(time)")
    m.variable("u", size=n, start="i*d")
    m.equation("der(u[1])", "(u[2] - 2*u[1] + left)/d^2")
    m.equation("der(u[k])", "(u[k + 1] - 2*u[k] + u[k - 1])/d^2", over={"k": (2, n - 1)})
    m.equation(f"u[{n}]", 0.0)
    m.discrete("ticks")
    m.sample(0.0, 0.02).set("ticks", "pre(ticks) + 1")
    m.at(0.05).stop("half way")
    sol = dd.solve(m.problem(), rtol=1e-8, atol=1e-8)
    assert sol.t[-1] == pytest.approx(0.05)
    assert "half way" in sol.message or sol.success
    assert sol["u[1]"][-1] == pytest.approx(0.95 * 1.05, abs=0.2)


def test_branches_and_initial_equations():
    m = dd.ModelBuilder("switch", interval=(0.0, 2.0))
    m.variable("x")
    m.variable("i")
    m.equation("der(x)", "i")
    m.if_equations("time < 1", ["i = 1"], ["i = 0"])
    m.initial_equation("2*x", 3.0)
    sol = dd.solve(m.problem(), rtol=1e-8, atol=1e-8).raise_for_status()
    assert sol["x"][0] == pytest.approx(1.5)
    assert sol["x"][-1] == pytest.approx(2.5, abs=1e-6)


def test_requirements_end_the_run_with_their_message():
    m = dd.ModelBuilder("root", interval=(0.0, 2.0))
    m.variable("x", start=1.0, fixed=True)
    m.equation("der(x)", -1.0)
    m.require("x > 0.5", "x must stay above one half")
    sol = dd.solve(m.problem())
    assert not sol.success
    assert "x must stay above one half" in sol.message


def test_mistakes_are_told():
    m = ball()
    m.equation("der(height)", "sped")
    found = m.check()
    assert any("sped" in d["message"] for d in found)
    with pytest.raises(dd.InvalidModel):
        m.problem()
    with pytest.raises(ValueError, match="'gravity' already"):
        m.parameter("gravity", 1.0)
    assert ball().check() == []
    assert repr(m) == "<daedalus.ModelBuilder 'ball': 2 variables>"


def test_what_the_c_plus_plus_builder_has():
    """Every call of the C++ class has its name here, or another one that is told."""
    text = HEADER.read_text()
    body = re.search(r"class ModelBuilder \{(.*?)\n\};", text, re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body).split("private:")[0]
    names = set(re.findall(r"^  (?:[\w:<>&*, ]+ )?[*&]?(\w+)\([^;]*?\)[^;]*;", body, re.M))
    here = {n for n, _ in inspect.getmembers(dd.ModelBuilder) if not n.startswith("_")}
    elsewhere = {
        "ModelBuilder": "the constructor",
        "graph": "formulas are texts",
        "name": "of the constructor",
        "set_title": "title= of the constructor",
        "set_interval": "interval= of the constructor",
        "set_scene": "the section of model files",
        "time": "'time' in formulas",
        "variables": "size= of variable",
        "variable_at": "'name[i]' in formulas",
        "number_of": "names",
        "find": "names",
        "names": "names",
        "equations": "over= of equation",
        "discrete_equation": "when(...).set",
        "initial": "'initial()' in formulas",
        "dynamic_variable": "dynamics",
        "model": "problem",
        "data": "document",
        "operator=": "",
    }
    assert {"variable", "equation", "when", "mass"} <= names, names
    assert names - here <= set(elsewhere), names - here - set(elsewhere)
