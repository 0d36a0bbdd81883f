# SPDX-License-Identifier: BSD-3-Clause
"""The builder of mechanisms: the same names as in C++, the same numbers as by hand."""

import inspect
import os
import pathlib
import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd
from daedalus import profiles

ROOT = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"])
G = 9.81


def rod(space="r3xso3"):
    m = dd.Mechanism("pendulum", space)
    m.gravity([0, 0, -G])
    body = m.body("rod", mass=2.0, inertia=[0.01, 0.08, 0.08], position=[0.5, 0, 0],
                  shapes=[{"shape": "box", "size": [1.0, 0.05, 0.05]}])
    hinge = m.revolute("hinge", m.ground, body, at=[0, 0, 0], axis=[0, 1, 0])
    return m, body, hinge


@pytest.mark.parametrize("space", ["r3xso3", "se3", "r3xs3", "s3_semidirect"])
def test_pendulum(space):
    m, body, hinge = rod(space)
    problem = m.problem()
    sol = dd.solve(problem, (0, 0.5), rtol=1e-8, atol=1e-8)
    assert sol.success
    a = problem.mechanism
    assert a.report.degrees_of_freedom == 1 and "1 degrees of freedom" in a.report.text
    # theta'' = m g l cos(theta) / (I + m l^2), from rest: the energy gives the rate.
    angle, rate = a.coordinate(sol, hinge), a.rate(sol, hinge)
    assert_allclose(0.5 * (0.08 + 0.5) * rate**2, 2.0 * G * 0.5 * np.abs(np.sin(angle)), atol=1e-5)
    kinetic, potential = a.energies(sol).T
    assert_allclose(kinetic + potential, kinetic[0] + potential[0], atol=1e-5)
    assert a.position(sol, body).shape == (len(sol.t), 3)
    first = a.reaction(sol.start, hinge)
    assert first.known and first.force.shape == (3,)


def test_planar_driven_crank():
    m = dd.Mechanism("crank", "planar")
    m.gravity([0, 0])
    crank = m.body("crank", mass=1.0, inertia=0.01, position=[0.1, 0.0])
    hinge = m.revolute("hinge", m.ground, crank, at=[0, 0])
    motor = m.drive("motor", hinge, lambda t: 2.0 * t + 0.1 * np.sin(t) ** 2)
    problem = m.problem()
    sol = dd.solve(problem, (0, 1), rtol=1e-8, atol=1e-8)
    a = problem.mechanism
    assert_allclose(a.coordinate(sol.end, hinge), 2.0 + 0.1 * np.sin(1.0) ** 2, atol=1e-6)
    inertia, acceleration = 0.01 + 0.1**2, 0.2 * np.cos(2.0)
    assert_allclose(a.effort(sol.end, motor), inertia * acceleration, atol=1e-5)


def test_spring_and_force_of_a_coordinate():
    m = dd.Mechanism("slider", "planar")
    m.gravity([0, 0])
    mass = m.body("mass", mass=2.0, inertia=0.1, position=[1.0, 0.0])
    rail = m.prismatic("rail", m.ground, mass, at=[1.0, 0.0], axis=[1, 0])
    m.argument(0, rail)
    m.force("spring", body=mass, at=[1.0, 0.0], value=[lambda t, x: 3.0 - 8.0 * x, 0.0])
    sol = dd.solve(m.problem(), (0, 2), rtol=1e-9, atol=1e-9)
    # 2 x'' = 3 - 8 x from rest.
    assert_allclose(sol.y[0], 1.0 + 0.375 * (1 - np.cos(2.0 * sol.t)), atol=1e-5)


def test_limits_are_events():
    m, body, hinge = rod()
    m.limit("stop", hinge, upper=0.5, action="stop")
    sol = dd.solve(m.problem(), (0, 5), rtol=1e-8, atol=1e-8)
    assert sol.status == "stopped_by_event"
    assert abs(abs(m.problem().mechanism.coordinate(sol.end, hinge)) - 0.5) < 1e-6


def test_redundant_loops_are_named():
    m, body, hinge = rod()
    m.revolute("second hinge", m.ground, body, at=[0, 1, 0], axis=[0, 1, 0])
    report = m.assemble().report
    assert report.degrees_of_freedom == 1 and len(report.redundant) == 5
    assert {joint for joint, _ in report.redundant} <= {"hinge", "second hinge"}
    with pytest.raises(dd.InvalidArgument, match="hinge"):
        m.assemble(redundant="refuse")


def test_the_page_moves():
    m, body, hinge = rod()
    try:
        page = dd.solve(m.problem(), (0, 0.1), output="dense").report()
    except FileNotFoundError:
        pytest.skip("this build has no page")
    assert '"rod"' in page


@pytest.mark.parametrize("misuse, error, text", [
    (lambda m, b, h: m.body("x", mass=1.0, inertia=[1, 2]), ValueError, "inertia: 2 numbers"),
    (lambda m, b, h: m.body("x", mass=1.0, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), ValueError, "symmetric"),
    (lambda m, b, h: m.body("x", mass="heavy"), TypeError, "mass"),
    (lambda m, b, h: m.body("x", mass=1.0, colour="red"), TypeError, "colour"),
    (lambda m, b, h: m.joint("rivet", "x", m.ground, b, at=[0, 0, 0]), ValueError, "type: 'rivet'"),
    (lambda m, b, h: m.revolute("x", m.ground, b, at=[0], axis=[0, 1, 0]), ValueError, "at: 1 numbers"),
    (lambda m, b, h: m.drive("x", h, 1.0, coordinate="colour"), ValueError, "coordinate: 'colour'"),
    (lambda m, b, h: m.limit("x", h, upper=1.0, action="explode"), ValueError, "action: 'explode'"),
    (lambda m, b, h: dd.Mechanism("x", "flat"), ValueError, "space: 'flat'"),
])
def test_misuse(misuse, error, text):
    with pytest.raises(error, match=text):
        misuse(*rod())


def test_pickles_say_why_not():
    with pytest.raises(TypeError, match="build it in each process"):
        pickle.dumps(rod()[0].problem())


def fields(struct):
    """Names of the fields of a struct of the public header."""
    text = (ROOT / "include/daedalus/mechanism/parts.hpp").read_text()
    body = re.search(rf"struct {struct} {{(.*?)\n}};", text, re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    names = []
    for line in body.split(";"):
        names += re.findall(r"(?:[\s,]|^)([a-z]\w*)\s*(?:=[^,]*|\{[^}]*\})?\s*(?=,|$)", line.strip())
    return {n for n in names if n not in ("double", "bool", "int", "infinity")}


@pytest.mark.parametrize("struct, method, positional", [
    ("RigidBody", "body", {"name"}),
    ("JointOptions", "joint", set()),
    ("ForceOptions", "force", set()),
    ("SpringOptions", "spring_damper", set()),
    ("JointSpringOptions", "joint_spring", set()),
    ("BushingOptions", "bushing", set()),
    ("DragOptions", "drag", set()),
    ("FrictionOptions", "friction", set()),
    ("LimitOptions", "limit", set()),
    ("CallbackOptions", "callback", set()),
    ("AssemblyOptions", "assemble", set()),
])
def test_every_field_is_reachable(struct, method, positional):
    known = set(inspect.signature(getattr(dd.Mechanism, method)).parameters)
    found = fields(struct)
    assert found and found <= known, found - known
    assert positional <= found
    source = (ROOT / "python/bindings/mechanisms.cpp").read_text()
    for name in found:
        assert f'k("{name}"' in source, name


def test_every_method_of_the_builder_is_there():
    text = (ROOT / "include/daedalus/mechanism.hpp").read_text()
    body = text[text.index("class Mechanism {"):text.index("class Assembled {\n public")]
    names = set(re.findall(r"^  (?:void|\w+Id|Assembled) (\w+)\(", body, re.M))
    assert len(names) > 20
    for name in names:
        assert hasattr(dd.Mechanism, name), name
    assert len(dd.mechanism.joint_types()) == 19


def test_every_result_of_an_assembled_mechanism_is_there():
    text = (ROOT / "include/daedalus/mechanism.hpp").read_text()
    body = re.sub(r"//[^\n]*", "", text[text.index("class Assembled {\n public"):]).split("private:")[0]
    names = set(re.findall(r"^  [\w:<>&, ]+ (\w+)\(", body, re.M)) - {"plan"}
    assert {"reactions", "modes", "hold", "dead_positions"} <= names
    for name in names:
        assert hasattr(dd.Assembled, name), name


class TestCallback:
    def ball(self, law, **more):
        m = dd.Mechanism("ball")
        m.gravity([0, 0, 0])
        ball = m.body("ball", mass=0.5, position=[0, 0, 1], point=True)
        m.callback("law", m.ground, ball, law, at=[0, 0, 0], at2=[0, 0, 1], **more)
        return dd.solve(m.problem(), (0, 3), rtol=1e-9, atol=1e-9)

    def test_force(self):
        sol = self.ball(lambda t, a, b: -2.0 * (b.position - a.position))
        assert_allclose(sol.y[2], np.cos(2.0 * sol.t), atol=1e-6)

    def test_velocity_and_time(self):
        sol = self.ball(lambda t, a, b: np.array([0.0, 0.0, np.cos(t)]) - 0.5 * b.velocity)
        # z'' + z' = 2 cos t from rest at 1.
        assert_allclose(sol.y[2], 1.0 + np.sin(sol.t) - np.cos(sol.t) + np.exp(-sol.t), atol=1e-6)

    def test_moment_and_rotation(self):
        m = dd.Mechanism("flywheel")
        m.gravity([0, 0, 0])
        wheel = m.body("wheel", mass=1.0, inertia=[0.2, 0.2, 0.2], position=[0, 0, 0])
        hinge = m.revolute("hinge", m.ground, wheel, at=[0, 0, 0], axis=[0, 0, 1])

        def law(t, a, b):
            sine = (a.rotation.T @ b.rotation)[1, 0]
            return np.zeros(3), np.array([0.0, 0.0, 0.1 - 0.8 * sine])

        m.callback("torsion", m.ground, wheel, law, at=[0, 0, 0])
        problem = m.problem()
        sol = dd.solve(problem, (0, 2), rtol=1e-10, atol=1e-10)
        other = dd.solve_ivp(lambda t, y: [y[1], (0.1 - 0.8 * np.sin(y[0])) / 0.2], (0, 2), [0, 0], rtol=1e-10,
                             atol=1e-12)
        assert_allclose(problem.mechanism.coordinate(sol.end, hinge), other.y[0, -1], atol=1e-7)

    def test_what_cannot_be_written_down_is_named(self):
        def law(t, a, b):
            if b.position[2] > 0:
                return [0, 0, -1]
            return [0, 0, 1]

        with pytest.raises(dd.TraceError, match=r"callback 'law': a branch.*if b.position\[2\] > 0"):
            self.ball(law)
        with pytest.raises(ValueError, match="callback 'law': 2 numbers of the force"):
            self.ball(lambda t, a, b: [0, 1])


def test_reactions_holds_and_modes():
    m, body, hinge = rod()
    problem = m.problem()
    a = problem.mechanism
    sol = dd.solve(problem, (0, 0.3), rtol=1e-8, atol=1e-8)
    assert_allclose(a.reactions(sol.end)[0].force, a.reaction(sol.end, hinge).force)
    pivot, joints = a.hold(sol.end)
    assert 0 < pivot <= 1 and set(joints) <= {"hinge", "ground", "rod"}
    assert a.dead_positions(sol) == [] and a.has_coordinate(hinge)
    hanging = dd.Mechanism("hanging")
    hanging.gravity([0, 0, -G])
    other = hanging.body("rod", mass=2.0, inertia=[0.08, 0.08, 0.01], position=[0, 0, -0.5])
    hanging.revolute("hinge", hanging.ground, other, at=[0, 0, 0], axis=[0, 1, 0])
    modes = hanging.assemble().modes(at=0.0)
    omega = np.sqrt(2.0 * G * 0.5 / (0.08 + 0.5))
    assert_allclose(max(mode.frequency_hz for mode in modes), omega / (2 * np.pi), rtol=1e-6)


class TestProfiles:
    def test_values_and_derivatives(self):
        assert profiles.polynomial([1, 2, 3])(2.0) == 17.0
        assert_allclose(profiles.harmonic(1.0, 2.0, 3.0).rate(0.0), 6.0)
        step = profiles.smooth_step(0, 1, 2, 4)
        assert step(0.0) == 2.0 and step(1.0) == 4.0 and step.smooth
        table = profiles.table([0, 1, 2, 3], [0, 1, 0, 1])
        assert_allclose(table(1.0), 1.0) and table.smooth

    def test_functions_become_formulas(self):
        p = profiles.profile(lambda t: np.sin(2 * t) + t**2)
        assert_allclose([p(0.3), p.rate(0.3), p.acceleration(0.3)],
                        [np.sin(0.6) + 0.09, 2 * np.cos(0.6) + 0.6, -4 * np.sin(0.6) + 2], rtol=1e-12)
        assert profiles.profile(2.5).constant and profiles.profile(p) is p
        with pytest.raises(dd.TraceError):
            profiles.profile(lambda t: 1.0 if t > 0 else 0.0)
