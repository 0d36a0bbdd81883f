# SPDX-License-Identifier: BSD-3-Clause
"""Problems of all forms from Python functions; parameters, points, shapes, the four ways to call."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd

TIGHT = {"rtol": 1e-8, "atol": 1e-10}


def force(t, q, v):
    return np.array([0.0, -9.81])


def rod(t, q):
    return np.array([0.5 * (q @ q - 1.0)])


def pendulum(**more):
    fields = dict(
        mass_matrix=np.eye(2), force=force, constraint=rod, constraint_count=1, q0=[1.0, 0.0],
        v0=[0.0, 0.0], name="pendulum")
    return dd.MultibodyProblem(**{**fields, **more})


class TestForms:
    def test_multibody(self):
        sol = dd.solve(pendulum(), (0, 1), rtol=1e-6, atol=1e-6)
        assert sol.success, sol.message
        reference = dd.solve(dd.catalogue["pendulum"].with_parameters(gravity=9.81), (0, 1), **TIGHT)
        assert_allclose(sol.end.q, reference.end.q, atol=1e-4)
        assert sol.choice.formulation

    def test_semi_explicit(self):
        p = dd.SemiExplicitProblem(f=lambda t, y, z: [-z[0]], g=lambda t, y, z: [z[0] - y[0]],
                                   y0=[1.0], z0=[1.0], y_names=["a"], z_names=["b"])
        sol = dd.solve(p, (0, 1), **TIGHT)
        assert sol.names == ["a", "b"]
        assert_allclose(sol["a"][-1], np.exp(-1), atol=1e-6)

    def test_mass_matrix_callable(self):
        p = dd.MassMatrixProblem(mass=lambda t, y: [[2.0]], rhs=lambda t, y: -y, y0=[1.0], index=0)
        assert_allclose(dd.solve(p, (0, 1), **TIGHT).end.y[0], np.exp(-0.5), atol=1e-6)

    def test_implicit(self):
        p = dd.ImplicitProblem(residual=lambda t, y, yp: yp + y, y0=[1.0], yp0=[-1.0], index=0)
        assert_allclose(dd.solve(p, (0, 1), **TIGHT).end.y[0], np.exp(-1), atol=1e-6)

    def test_rotation_group(self):
        inertia = np.diag([1.0, 2.0, 3.0])
        p = dd.MultibodyProblem(
            space=dd.spaces.so3(), mass_matrix=inertia, q0=np.eye(3).ravel(), v0=[0.1, 1.0, 0.1],
            force=lambda t, q, v: np.cross(inertia @ v, v))
        sol = dd.solve(p, (0, 1), **TIGHT)
        assert sol.success, sol.message
        rotation = sol.end.q.reshape(3, 3)
        assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-10)
        energy = 0.5 * sol.end.v @ inertia @ sol.end.v
        assert_allclose(energy, 0.5 * np.array([0.1, 1, 0.1]) @ inertia @ [0.1, 1, 0.1], rtol=1e-6)

    def test_constant_mass_matrices(self):
        sparse = pytest.importorskip("scipy.sparse")
        for matrix in (np.eye(2), sparse.eye(2), sparse.eye(2).tocsc(), [[1, 0], [0, 1]]):
            assert dd.solve(pendulum(mass_matrix=matrix), (0, 0.1)).success

    def test_invariants(self):
        p = pendulum(invariants={"energy": lambda t, q, v: 0.5 * v @ v + 9.81 * q[1]})
        sol = dd.solve(p, (0, 1), project_invariants=["energy"], projection="every_step")
        assert sol.success, sol.message
        energy = 0.5 * sol.end.v @ sol.end.v + 9.81 * sol.end.q[1]
        assert abs(energy) < 1e-6

    def test_initial_equations(self):
        p = dd.SemiExplicitProblem(
            f=lambda t, y, z: [z[0]], g=lambda t, y, z: [z[0] + y[0]], y0=[3.0], z0=[0.0],
            initial_equation_count=1, initial_equations=lambda t, y, z: [y[0] - 2.0])
        sol = dd.solve(p, (0, 1), start="solve")
        assert_allclose(sol.start.y, [2.0, -2.0], atol=1e-6)


class TestParameters:
    def test_p(self):
        p = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], parameters={"k": 2.0},
                                 index=0, trace=False)
        assert_allclose(dd.solve(p, (0, 1), **TIGHT).end.y[0], np.exp(-2), atol=1e-6)
        assert_allclose(dd.solve(p.with_parameters(k=3.0), (0, 1), **TIGHT).end.y[0], np.exp(-3),
                        atol=1e-6)
        assert p.parameters == {"k": 2.0}

    def test_point(self):
        p = dd.MassMatrixProblem(rhs=lambda x: -x.p["k"] * x.y + 0 * x.t, y0=[1.0],
                                 parameters={"k": 2.0}, index=0, trace=False)
        assert_allclose(dd.solve(p, (0, 1), **TIGHT).end.y[0], np.exp(-2), atol=1e-6)

    def test_unknown_names(self):
        p = dd.MassMatrixProblem(rhs=lambda t, y, p: -p.kk * y, y0=[1.0], parameters={"k": 2.0},
                                 trace=False)
        with pytest.raises(AttributeError, match="did you mean k"):
            dd.solve(p, (0, 1))
        with pytest.raises(TypeError, match="did you mean k"):
            p.with_parameters(kk=1.0)

    def test_p_without_parameters(self):
        with pytest.raises(TypeError, match="has no parameters"):
            dd.MassMatrixProblem(rhs=lambda t, y, p: -y, y0=[1.0])

    def test_friction_forms(self):
        def dry(t, q, v, lam):
            return np.array([-0.1 * lam[0] * v[0], -9.81])

        sol = dd.solve(pendulum(force=dry), (0, 0.2))
        assert sol.success, sol.message


class TestMisuse:
    @pytest.mark.parametrize(
        "fields, error, text",
        [
            (dict(rhs=lambda t: 1.0, y0=[1.0], name=3, q=1), TypeError, "unexpected keyword"),
            (dict(rhs=3, y0=[1.0]), TypeError, "rhs: a int is given"),
            (dict(rhs=lambda t, y, z, w: y, y0=[1.0]), TypeError, r"rhs: the function takes"),
            (dict(rhs=lambda t, y: y, y0=[np.nan]), ValueError, "y0: entry 0 is not finite"),
            (dict(rhs=lambda t, y: y, y0=[[1.0]]), ValueError, "y0: shape"),
            (dict(rhs=lambda t, y: y, y0="abc"), ValueError, "y0"),
            (dict(rhs=lambda t, y: y, y0=[1.0], mass_matrix=[1.0]), ValueError, "mass_matrix"),
        ],
    )
    def test_fields(self, fields, error, text):
        with pytest.raises(error, match=text):
            dd.MassMatrixProblem(**fields)

    def test_validation_names_the_field(self):
        p = dd.MassMatrixProblem(rhs=lambda t, y: y, y0=[1.0], mass_matrix=np.eye(2))
        with pytest.raises(ValueError, match="mass"):
            dd.solve(p, (0, 1))

    def test_solve_needs_a_problem(self):
        with pytest.raises(TypeError, match="problem: a str is given"):
            dd.solve("pendulum", (0, 1))
        with pytest.raises(TypeError, match="t_span"):
            dd.solve(pendulum())


def picklable(t, y, p):
    return -p.k * y


class TestCopies:
    def test_problems(self):
        p = dd.MassMatrixProblem(rhs=picklable, y0=[1.0], parameters={"k": 2.0}, index=0)
        for other in (pickle.loads(pickle.dumps(p)), copy.copy(p), copy.deepcopy(p)):
            assert_allclose(dd.solve(other, (0, 1)).end.y, dd.solve(p, (0, 1)).end.y, rtol=0)

    def test_catalogue(self):
        p = pickle.loads(pickle.dumps(dd.catalogue["andrews"]))
        assert p.name == "andrews"

    def test_lambdas_say_so(self):
        p = dd.MassMatrixProblem(rhs=lambda t, y: -y, y0=[1.0])
        with pytest.raises((pickle.PicklingError, AttributeError)):
            pickle.dumps(p)

    def test_spaces(self):
        space = dd.spaces.euclidean(3) * dd.spaces.so3(2)
        assert pickle.loads(pickle.dumps(space)) == space
        assert space.points == 21 and space.tangents == 9


def test_spaces_are_groups():
    for space in (dd.spaces.so3(), dd.spaces.se3(), dd.spaces.s3(), dd.spaces.s3_semidirect()):
        w = 0.3 * np.arange(1, space.tangents + 1) / space.tangents
        x = space.exp(w)
        assert_allclose(space.log(x), w, atol=1e-12)
        assert_allclose(space.compose(x, space.inverse(x)), space.identity(), atol=1e-12)
        assert_allclose(space.minus(x, space.plus(x, w)), w, atol=1e-12)
        assert space.defect(x) < 1e-14
        with pytest.raises(ValueError, match="numbers, expected"):
            space.exp([1.0])


@pytest.mark.parametrize("value", [[1.0, 2.0], None, "fast", {"a": 1.0}])
def test_a_parameter_is_one_number(value):
    with pytest.raises(TypeError, match=r"parameters\['k'\]: .* expected one number"):
        dd.MassMatrixProblem(rhs=lambda t, y, p: -p.k * y, y0=[1.0], parameters={"k": value})


def test_sizes_are_shown():
    assert repr(dd.MassMatrixProblem(rhs=lambda t, y: -y, y0=[1.0, 2.0])).endswith("n = 2>")
    p = dd.SemiExplicitProblem(f=lambda t, y, z: -z, g=lambda t, y, z: z - y, y0=[1.0], z0=[1.0])
    assert repr(p).endswith("n = 2>")
    with pytest.raises(ValueError, match="^mass_matrix: is 3 x 3, expected 2 x 2"):
        dd.solve(dd.MassMatrixProblem(rhs=lambda t, y: -y, y0=[1.0, 2.0], mass_matrix=np.eye(3)), (0, 1))


def test_values_between_the_steps_need_dense_output():
    sol = dd.solve(dd.MassMatrixProblem(rhs=lambda t, y: -y, y0=[1.0]), (0, 1))
    with pytest.raises(ValueError, match="ask for the output 'dense'"):
        sol(0.123)
