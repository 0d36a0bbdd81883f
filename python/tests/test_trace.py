# SPDX-License-Identifier: BSD-3-Clause
"""numpy models as formulas: what traces, what does not and why, the same numbers, no Python inside."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd
from daedalus import _daedalus

TIGHT = {"rtol": 1e-8, "atol": 1e-10}
MATRIX = np.array([[-2.0, 1.0, 0.0], [0.5, -1.0, 0.25], [0.0, 1.0, -3.0]])
TABLE = dd.interpolate([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 0.5, 2.0], kind="akima")

MODELS = {
    "matrix": lambda t, y: MATRIX @ y,
    "dot": lambda t, y: np.dot(MATRIX, y) + np.sin(t),
    "slices": lambda t, y: np.concatenate([y[1:], -y[:1]]),
    "stack": lambda t, y: np.array([y[1], -y[0], y[0] * y[1] - y[2]]),
    "list": lambda t, y: [y[1], -np.sin(y[0]), np.exp(-y[2]) - 1],
    "sum": lambda t, y: -y * np.sum(y**2),
    "zeros_like": lambda t, y: _fill(np.zeros_like(y), y),
    "elementary": lambda t, y: np.sqrt(1 + y**2) - np.arctan(y) - np.tanh(y) * np.log1p(y**2),
    "two arguments": lambda t, y: -np.hypot(y, 1.0) * np.arctan2(y, 2.0),
    "abs and powers": lambda t, y: -np.abs(y) ** 1.5 - np.power(np.abs(y) + 1, 0.3),
    "where": lambda t, y: dd.where(y > 0.5, -y, -2 * y),
    "np.where": lambda t, y: np.where(y > 0.5, -y, -2 * y),
    "maximum": lambda t, y: -dd.maximum(y, 0.1) + dd.minimum(y, 2.0) * 0.1,
    "np.maximum": lambda t, y: -np.maximum(y, 0.1),
    "clip": lambda t, y: -np.clip(y, -1.0, 1.0),
    "sign": lambda t, y: -np.sign(y) * y,
    "table": lambda t, y: -TABLE(y),
    "cross": lambda t, y: np.cross(y, np.array([0.1, 0.2, 0.3])),
    "norm": lambda t, y: -y * np.linalg.norm(y),
    "scalars": lambda t, y: [float(2) * y[0] * np.float64(-1.5), 1 - y[1], np.pi - y[2]],
    "loop": lambda t, y: [sum(-y[j] / (1 + j) for j in range(3)) for i in range(3)],
    "in place": lambda t, y: _in_place(y),
    "outer": lambda t, y: np.outer(y, y).sum(axis=1) * -0.1,
    "diff": lambda t, y: np.append(np.diff(y), -y[-1]),
    "roll": lambda t, y: np.roll(y, 1) - 2 * y + np.roll(y, -1),
    "time": lambda t, y: -y * (1 + np.cos(t)),
    "floor": lambda t, y: -y + np.floor(t + 0.5),
    "mean": lambda t, y: np.mean(y) - y,
    "cumsum": lambda t, y: -np.cumsum(y) * 0.1,
    "einsum": lambda t, y: np.einsum("ij,j->i", MATRIX, y) + np.einsum("i,i", y, y) * 0.01,
    "einsum of matrices": lambda t, y: np.einsum("ik,kj,j->i", MATRIX, MATRIX, y) * -0.1,
    "np.interp": lambda t, y: -np.interp(y, [0.0, 0.5, 2.0], [0.1, 0.3, 0.2]),
    "np.interp with ends": lambda t, y: -np.interp(y, [0.5, 0.8], [1.0, 2.0], left=0.1, right=0.2),
    "np.interp of time": lambda t, y: -np.interp(t, [0.0, 0.1, 1.0], [1.0, 2.0, 3.0]) * y,
    "heaviside": lambda t, y: -y * np.heaviside(y - 0.5, 0.5),
    "select": lambda t, y: np.select([y > 0.9, y > 0.5], [-y, -2 * y], default=-3.0),
    "piecewise": lambda t, y: np.piecewise(y, [y > 0.9, y > 0.5], [lambda v: -v, 0.2, lambda v: -2 * v]),
    "clip by words": lambda t, y: -np.clip(y, a_min=0.5, a_max=None) - y.clip(0.0, 0.6),
    "max": lambda t, y: -np.max(y) * y - y.min() * 0.1,
    "max along an axis": lambda t, y: -np.max(np.outer(y, [1.0, 2.0]), axis=1) - np.outer(y, y).min(axis=0, keepdims=True)[0],
    "norm of the largest": lambda t, y: -np.linalg.norm(y, np.inf) * y,
    "logical": lambda t, y: np.where(np.logical_and(y > 0.5, np.logical_not(y > 0.8)), -y, -2 * y),
    "logical of time": lambda t, y: np.where(np.logical_or(t > 0.1, y > 0.8), -y, -2 * y),
    "fmod": lambda t, y: -np.fmod(y, 0.6),
    "logaddexp": lambda t, y: -np.logaddexp(y, 0.3),
    "float_power": lambda t, y: -np.float_power(y, 1.5),
    "astype": lambda t, y: -y.copy().astype(float),
    "np.where of time": lambda t, y: np.where(t > 0.1, -1.0, -2.0) * y,
    "np.maximum of time": lambda t, y: -np.maximum(t, 0.1) * y - np.clip(t, 0.0, 0.2),
    "np.sign of time": lambda t, y: -np.sign(t - 0.1) * y,
    "time in an array": lambda t, y: np.where(np.array([1.0, 2.0, 3.0]) * t > 0.3, -y, -2 * y),
    "solve": lambda t, y: np.linalg.solve(MATRIX, y),
}


def _fill(out, y):
    out[0], out[1:] = -y[0], -2 * y[1:]
    return out


def _in_place(y):
    y = -y
    y[1] += 1.0
    y *= 0.5
    return y


def problem(f, trace="auto", **more):
    return dd.MassMatrixProblem(rhs=f, y0=[1.0, 0.7, 0.4], index=0, trace=trace, **more)


@pytest.mark.parametrize("name", MODELS)
def test_numpy_code_traces(name):
    p = problem(MODELS[name], trace=True)
    assert p.traced and p.model == "traced"
    traced = dd.solve(p, (0, 0.3), **TIGHT)
    plain = dd.solve(problem(MODELS[name], trace=False), (0, 0.3), **TIGHT)
    assert traced.success and plain.success, traced.message
    assert traced.model == "traced"
    assert_allclose(traced.end.y, plain.end.y, rtol=1e-5, atol=1e-8)


def test_no_python_runs_inside_a_step():
    calls = []

    def f(t, y):
        calls.append(type(t))
        return -y

    p = problem(f)
    before = len(calls)
    dd.solve(p, (0, 1), **TIGHT)
    assert len(calls) == before and _daedalus.Expr in calls


def branches(t, y):
    if y[0] > 0.5:
        return -y
    return -2 * y


def writes(t, y):
    out = np.zeros(3)
    out[0] = y[0]
    return out


def calls_out(t, y):
    import math

    return [math.sin(y[0]), 0.0, 0.0]


@pytest.mark.parametrize(
    "function, reason",
    [(branches, "a branch depends on a value.*if y\\[0\\] > 0.5"),
     (writes, "a number is needed.*out\\[0\\] = y\\[0\\]"),
     (calls_out, "a number is needed.*math.sin"),
     (lambda t, y: np.linalg.solve(np.diag(y), y), "rhs: "),
     (lambda t, y: np.sort(-y), "rhs: ")],
)
def test_what_cannot_be_traced(function, reason):
    p = problem(function)
    assert not p.traced
    sol = dd.solve(p, (0, 0.3))
    assert sol.success and sol.model.startswith("callback: rhs: ")
    with pytest.raises(dd.TraceError, match=reason) as caught:
        problem(function, trace=True)
    if function.__name__ != "<lambda>":
        assert "test_trace.py:" in str(caught.value)


def test_traces_are_checked():
    seen = []

    def changes(t, y):
        seen.append(t)
        return -y if len(seen) == 1 else -3.0 * y

    with pytest.warns(RuntimeWarning, match="traced and plain values differ in entry"):
        p = problem(changes)
    assert not p.traced
    with pytest.raises(dd.TraceError, match="differ"):
        seen.clear()
        problem(changes, trace=True)


def test_not_asked_for():
    p = problem(lambda t, y: -y, trace=False)
    assert not p.traced and "as asked for" in p.model


def test_parameters_stay_parameters():
    calls = []

    def f(t, y, p):
        calls.append(1)
        return -p.k * y

    p = problem(f, parameters={"k": 1.0}, trace=True)
    before = len(calls)
    for k in (0.5, 2.0):
        end = dd.solve(p.with_parameters(k=k), (0, 1), **TIGHT).end.y
        assert_allclose(end, np.array([1.0, 0.7, 0.4]) * np.exp(-k), atol=1e-7)
    assert len(calls) == before


def test_modes_and_points():
    p = dd.MassMatrixProblem(rhs=lambda x: [x.modes[0] * x.p.a], y0=[0.0], modes=[1.0], index=0,
                             parameters={"a": 2.0}, trace=True)

    def turn(context):
        context.modes[0] = -1.0

    sol = dd.solve(p, (0, 1), events=[dd.Event(lambda s: s.y[0] - 0.5, action="handle",
                                               handler=turn)])
    assert_allclose(sol.end.y[0], 0.5 - 1.5, atol=1e-6)


def test_derivatives_are_exact():
    def f(t, y, yp):
        return np.array([yp[0] - y[1], y[0] ** 3 + np.sin(y[1]) + yp[1], y[2] - y[0] * y[1]])

    p = dd.ImplicitProblem(residual=f, y0=[0.3, 0.2, 0.06], yp0=[0.2, 0, 0], trace=True)
    found = dd.check(p)
    assert found.jacobian_error < 1e-6
    assert dd.index_analysis(p).index == 1
    sol = dd.solve(p, (0, 1), start="solve")
    assert sol.success and sol.statistics.total.jacobian_columns == 0


def test_multibody():
    def chain(**more):
        return dd.MultibodyProblem(
            mass=lambda t, q, p: p.m * np.eye(4), force=lambda t, q, v, p: p.m * np.array([0, -p.g, 0, -p.g]),
            constraint=lambda t, q: [0.5 * (q[:2] @ q[:2] - 1), 0.5 * ((q[2:] - q[:2]) @ (q[2:] - q[:2]) - 1)],
            q0=[1.0, 0, 2.0, 0], v0=np.zeros(4), constraint_count=2, parameters={"m": 1.0, "g": 9.81},
            invariants={"energy": lambda t, q, v, p: 0.5 * p.m * (v @ v) + p.m * p.g * (q[1] + q[3])},
            **more)

    traced, plain = chain(trace=True), chain(trace=False)
    a = dd.solve(traced, (0, 0.5), rtol=1e-7, atol=1e-7)
    b = dd.solve(plain, (0, 0.5), rtol=1e-5, atol=1e-5)
    assert a.success and b.success, b.message
    assert_allclose(a.end.q, b.end.q, atol=1e-3)
    assert dd.check(traced).numerical_index == 3


def test_semi_explicit():
    p = dd.SemiExplicitProblem(f=lambda t, y, z: -z, g=lambda t, y, z: z - np.sin(y), y0=[1.0],
                               z0=[np.sin(1.0)], trace=True)
    sol = dd.solve(p, (0, 1), **TIGHT)
    exact = 2 * np.arctan(np.tan(0.5) * np.exp(-1))
    assert_allclose(sol.end.y[0], exact, atol=1e-6)


def test_rotation_group():
    inertia = np.diag([1.0, 2.0, 3.0])
    p = dd.MultibodyProblem(space=dd.spaces.so3(), mass_matrix=inertia, q0=np.eye(3).ravel(),
                            v0=[0.1, 1.0, 0.1], force=lambda t, q, v: np.cross(inertia @ v, v),
                            trace=True)
    assert dd.solve(p, (0, 1)).success


def test_complex_and_vectorized_functions_trace():
    r = dd.solve_ivp(lambda t, y: 1j * y, (0, 1), [1.0 + 0j], trace=True, **TIGHT)
    assert r.model == "traced"
    assert_allclose(r.y[0, -1], np.exp(1j), atol=1e-6)
    r = dd.solve_ivp(lambda t, y: -y, (0, 1), [1.0, 2.0], vectorized=True, trace=True)
    assert r.model == "traced"


def _complex_operations(t, y):
    return np.array([
        y.conj()[0] * y[1] / (2 + y[0]), np.abs(y[0]) ** 2 * 1j - y[1] ** 2 * np.exp(2j * t),
        y.real[2] * (1 + 2j) - 0.3 * np.real(y[0]) + y[1].imag, np.cos(y[3]) * (0.5 - 1j) + np.sum(y[:2]) - y[3] ** -1,
    ])


@pytest.mark.parametrize("function", [
    _complex_operations,
    lambda t, y: -1j * (np.array([[1, 2j, 0, 0], [-2j, 3, 0, 0], [0, 0, 1, 1], [0, 0, 1, -1]]) @ y),
    lambda t, y: np.sin(y) / (1.0 + 1j * t) - y * np.mean(y),
])
def test_complex_formulas_are_what_numpy_computes(function):
    start = np.array([0.5 + 0.2j, 0.1 - 0.3j, 0.2, 1j])
    ends = [dd.solve_ivp(function, (0, 1), start, trace=trace, **TIGHT) for trace in (True, False)]
    assert ends[0].model == "traced" and ends[0].y.dtype == complex
    assert_allclose(ends[0].y[:, -1], ends[1].y[:, -1], rtol=1e-6)


@pytest.mark.parametrize("trace", ["auto", False])
def test_a_row_is_no_vector(trace):
    """Traced and plain functions may return the same shapes."""
    with pytest.raises(ValueError, match=r"rhs: the function returned shape \(1, 2\)"):
        dd.solve_ivp(lambda t, y: (-y).reshape(1, 2), (0, 1), [1.0, 2.0], trace=trace)


def test_reasons_name_a_line_of_the_user():
    r = dd.solve_ivp(lambda t, y: (1.0 if t < 1 else 2.0) * y, (0, 1), [1.0])
    assert "test_trace.py" in r.model


def test_given_derivatives_of_formulas_are_not_traced():
    """A Jacobian that has no formula does not make its function a plain one."""
    def jac(t, y):
        return [[-1.0 if y[0] > 0 else 1.0]]

    r = dd.solve_ivp(lambda t, y: -y, (0, 1), [1.0], jac=jac)
    assert r.model == "traced"


def test_solve_dae_says_which_it_was():
    r = dd.solve_dae(lambda t, y, yp: yp + y, (0, 1), [1.0], [-1.0])
    assert r.model == "traced"
    r = dd.solve_dae(lambda t, y, yp: yp + y if y[0] > 0 else yp, (0, 1), [1.0], [-1.0])
    assert r.model.startswith("callback: residual: a branch depends on a value")


def test_stiff_relations():
    """A comparison inside the right-hand side is evaluated where it is asked for."""
    p = dd.MassMatrixProblem(rhs=lambda t, y: [dd.where(t < 0.5, 1.0, -1.0)], y0=[0.0], index=0,
                             break_times=[0.5], trace=True)
    assert_allclose(dd.solve(p, (0, 1)).end.y[0], 0.0, atol=1e-6)


class TestExpr:
    graph = _daedalus.TraceGraph("test")
    x, y = graph.vector(False, 0, ["x", "y"])

    def test_text(self):
        assert repr(self.x * self.y + 1) == "x*y + 1"
        assert repr(2 - self.x) == "2 - x"
        assert repr(np.sin(self.x)) == "sin(x)"
        assert repr(dd.where(self.x > 0, self.x, 0.0)) == "if x > 0 then x else 0"
        assert "frac" in (self.x / self.y)._repr_latex_()

    def test_sharing(self):
        assert (self.x * self.y).same(self.x * self.y)

    def test_numbers_fold(self):
        e = dd.Expr(2.0) * 3
        assert e.is_number and float(e) == 6.0 and bool(e)

    def test_refusals(self):
        with pytest.raises(dd.TraceError, match="branch"):
            bool(self.x > 0)
        with pytest.raises(dd.TraceError, match="number"):
            float(self.x)
        with pytest.raises(TypeError):
            self.x + "a"

    def test_graphs_do_not_mix(self):
        other = _daedalus.TraceGraph("other").vector(False, 0, ["z"])[0]
        with pytest.raises(ValueError):
            self.x + other

    def test_plain_numbers_stay_plain(self):
        assert dd.where(True, 1.0, 2.0) == 1.0
        assert_allclose(dd.maximum([1.0, 3.0], 2.0), [2.0, 3.0])
        assert_allclose(TABLE(np.array([0.0, 1.0])), [0.0, 1.0])
        assert pickle.loads(pickle.dumps(TABLE))(1.0) == 1.0
        with pytest.raises(ValueError, match="kind"):
            dd.interpolate([0, 1], [0, 1], kind="cubic")


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problem(MODELS["elementary"])


def test_traced_threads_run_at_once():
    """Runs of a traced model never take the interpreter's lock: a thread that holds it most of the
    time does not stop them."""
    import threading

    p = problem(MODELS["matrix"], trace=True)
    done = []
    worker = threading.Thread(target=lambda: done.append(dd.solve(p, (0, 50), rtol=1e-10, atol=1e-12)))
    worker.start()
    worker.join(timeout=30)
    assert done and done[0].success
