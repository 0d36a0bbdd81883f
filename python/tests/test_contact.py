# SPDX-License-Identifier: BSD-3-Clause
"""Contact families, their treatments and tables; wheel and rail. The disc is that of example 19."""

import os
import pathlib

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd
from daedalus import contact
from daedalus import wheel_rail as wr
from test_tables import fields_of

HEADERS = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"]) / "include" / "daedalus"


def zeta(s, p):
    return np.sqrt((0.8 - s) * (0.8 + s)) + np.sqrt((p[0] + s) ** 2 + 0.16)


def disc(nu=0.02):
    return contact.ContactFamily(contact.ContactGrid.uniform(-0.8, 0.8, 400), nu, zeta)


def contacts():
    return [contact.Contact("disc", disc(), pose=lambda t, q: q[0], height=lambda t, q: q[1])]


def body(height):
    return dd.MultibodyProblem(mass_matrix=np.eye(2), q0=[-1.0, height], v0=[0, 0],
                               force=lambda t, q, v: np.array([0.0, -9.81]))


class TestFamily:
    def test_rigid_contact_is_the_largest_value(self):
        s = np.linspace(-0.8, 0.8, 200_001)
        values = zeta(s, [-1.0])
        found = disc().rigid([-1.0])
        assert_allclose(found.s, s[np.argmax(values)], atol=1e-5)
        assert_allclose(found.value, values.max(), atol=1e-9)
        assert found.interior and abs(disc().slope(found.s, [-1.0])) < 1e-9

    def test_smooth_maximum_by_its_definition(self):
        family, p = disc(), [-0.7]
        values = zeta(family.grid.points, p)
        expected = 0.02 * np.log(np.sum(family.grid.weights * np.exp(values / 0.02)))
        assert_allclose(family.smax(p), expected, rtol=1e-12)
        weights = family.grid.weights * np.exp((values - values.max()) / 0.02)
        assert_allclose(family.attack(p), weights @ family.grid.points / weights.sum(), rtol=1e-10)
        assert family.approach(p) > 0

    def test_expansion_against_differences(self):
        family, h = disc(), 1e-4
        e = family.expansion([-0.7])
        low, mid, high = (family.smax([-0.7 + d]) for d in (-h, 0.0, h))
        assert_allclose(e.gradient[0], (high - low) / (2 * h), rtol=1e-6)
        assert_allclose(e.hessian[0, 0], (high - 2 * mid + low) / h**2, rtol=1e-4)

    def test_two_coordinates(self):
        family = contact.ContactFamily(contact.ContactGrid.uniform(-1, 1, 100), 0.05,
                                       lambda s, p: p[1] * s - s * s + np.sin(p[0]), dimension=2)
        assert_allclose(family.rigid([0.3, 0.5]).value, np.sin(0.3) + 0.0625, atol=1e-12)
        e, h = family.expansion([0.3, 0.5]), 1e-5
        assert_allclose(e.gradient[0], np.cos(0.3), rtol=1e-10)
        assert_allclose(e.gradient[1], (family.smax([0.3, 0.5 + h]) - family.smax([0.3, 0.5 - h])) / (2 * h),
                        rtol=1e-6)

    def test_misuse(self):
        with pytest.raises(ValueError, match="nu"):
            disc(-1.0)
        with pytest.raises(dd.TraceError, match="zeta: a branch depends on a value"):
            contact.ContactFamily(contact.ContactGrid.uniform(0, 1, 10), 0.1, lambda s, p: s if s > 0 else -s)
        with pytest.raises(ValueError, match="p: 2 numbers are given, the family has 1"):
            disc().smax([1.0, 2.0])
        with pytest.raises(ValueError, match="side: 'up'"):
            disc().lead(0.0, [1.0], "up")


class TestProblems:
    def test_rigid_contact_jumps(self):
        problem = contact.rigid_contacts(body(disc().rigid([-1.0]).value), contacts())
        events = [*contact.jump_events(problem, contacts()), contact.lift_off("lift-off", 0)]
        chosen = {"method": "bdf", "formulation": "ggl"}
        sol = dd.solve(problem, (0, 0.8), events=events, **chosen)
        assert sol.success and len(sol.events) == 1
        assert_allclose(sol.events[0].t, 0.632534, atol=1e-4)  # as the example in C++
        assert not dd.solve(problem, (0, 1.0), **chosen).success  # an impasse without the events

    def test_quasi_elastic_contact_passes_and_tables_agree(self, tmp_path):
        start = body(disc().smax([-1.0]))
        online = dd.solve(contact.quasi_elastic_contacts(start, contacts()), (0, 1)).raise_for_status()
        axis = contact.TableAxis.uniform("q1", -1.5, 1.5, 120)
        quantities = [contact.TableQuantity(name="smax", degree=4), contact.TableQuantity(name="attack", degree=2)]
        table = disc().table([axis], quantities=quantities, means=lambda s, p: s, directory=str(tmp_path))
        assert len(list(tmp_path.iterdir())) == 1
        values, gradient = contact.evaluate_table(table, [-0.7])
        assert_allclose(values, [disc().smax([-0.7]), disc().attack([-0.7])], atol=1e-3)
        assert_allclose(gradient[0], disc().expansion([-0.7]).gradient[0], atol=1e-3)
        tabulated = dd.solve(contact.table_contacts(start, contacts(), [table]), (0, 1)).raise_for_status()
        assert_allclose(online.end.q[0], tabulated.end.q[0], atol=1e-3)
        # Height and smooth maximum agree along the run.
        assert_allclose(online.y[1], [disc().smax([x]) for x in online.y[0]], atol=1e-4)

    def test_plastic_impact_keeps_the_tangent(self):
        problem = contact.rigid_contacts(body(disc().rigid([-1.0]).value), contacts())
        s = disc().rigid([-1.0]).s
        v = contact.plastic_impact(problem, 0.0, [-1.0, disc().rigid([-1.0]).value], [1.0, -5.0], [s])
        slope = (s - 1.0) / np.sqrt((s - 1.0) ** 2 + 0.16)  # of the ground below the contact point
        assert_allclose(v[1], slope * v[0], atol=1e-9)

    def test_misuse(self):
        implicit = dd.ImplicitProblem(residual=lambda t, y, yp: yp, y0=[1.0], yp0=[0.0])
        with pytest.raises(TypeError, match="MultibodyProblem"):
            contact.rigid_contacts(implicit, contacts())


class TestWheelRail:
    def pair(self):
        return wr.WheelRail(wr.RailProfile.s1002(0.5), wr.RailProfile.uic60())

    def model(self, **data):
        condition = wr.QuasiElasticOnline(self.pair(), wr.wear_profile_grid(), 2e-5)
        return wr.WheelsetModel(wr.WheelsetData(**data), condition, wr.CreepModel(law="tanh"))

    def test_profiles(self):
        cone = wr.RailProfile.cone(0.5, 0.025)
        assert_allclose(cone.value(np.array([0.0, 0.01])), [0.5, 0.50025])
        assert_allclose(wr.RailProfile.circle(0.3, 0.03).jet(0.0), [0, 0, 1 / 0.3, 0], atol=1e-12)
        x = np.linspace(-0.03, 0.03, 50)
        spline = wr.RailProfile.measured("mine", x, x**2)
        assert_allclose(spline.value(0.01), 1e-4, atol=1e-6)

    def test_hertz_of_a_ball(self):
        material = wr.ContactMaterial()
        a, b, approach = wr.hertz(0.5, 0.5, 1000.0, material)  # a sphere of radius 1
        radius = (0.75 * 1000.0 / material.modulus) ** (1 / 3)
        assert_allclose([a, b], [radius, radius], rtol=1e-10)
        assert_allclose(approach, radius**2, rtol=1e-10)

    def test_creep_saturates(self):
        creep = wr.CreepModel(law="tanh", friction=0.25)
        assert_allclose(creep.force(5e-3, 5e-3, 1e5, along=0.5), [-2.5e4, 0.0], rtol=1e-3, atol=1)
        with pytest.raises(ValueError, match="law: 'sticky'"):
            wr.CreepModel(law="sticky")
        with pytest.raises(TypeError, match="there is no field 'fricton'"):
            wr.CreepModel(fricton=0.1)

    def test_a_wheelset_rolls(self):
        model = self.model(speed=20.0)
        start = model.on_rails(2e-3)
        problem = model.problem(start)
        sol = dd.solve(problem, (0, 0.1), rtol=1e-6, atol=1e-8).raise_for_status()
        wheel = model.wheel(1, 0.0, sol.start.q, sol.start.v, sol.start.lam[0])
        assert 0.3 * model.data.load < wheel.normal_force < 0.7 * model.data.load
        assert '"frames"' in model.picture(sol)
        assert model.with_bogie().wheelsets == 2
        gaps, _ = model.gaps(start)
        assert_allclose(gaps, 0.0, atol=1e-9)

    @pytest.mark.parametrize("header, struct, cls", [
        ("wheel_rail/wheelset.hpp", "WheelsetData", wr.WheelsetData),
        ("wheel_rail/wheelset.hpp", "BogieFrame", wr.BogieFrame),
        ("wheel_rail/wheelset.hpp", "WheelsetPosition", wr.WheelsetPosition),
        ("wheel_rail/geometry.hpp", "TableRange", wr.TableRange),
        ("contact_table.hpp", "TableQuantity", contact.TableQuantity),
    ])
    def test_every_field_is_reachable(self, header, struct, cls):
        found = {f for f in fields_of(header, struct) if f.isidentifier() and f not in ("const", "return")}
        assert len(found) >= 3
        for name in found:
            assert hasattr(cls, name), name
