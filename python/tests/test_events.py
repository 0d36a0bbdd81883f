# SPDX-License-Identifier: BSD-3-Clause
"""Events in scipy's style and in the library's own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import daedalus as dd
from test_dae import P0, PP0, pendulum

TIGHT = {"rtol": 1e-8, "atol": 1e-10}


def circle(t, y, yp):
    return np.array([yp[0] - y[1], yp[1] + y[0]])


START = ([0.0, 1.0], [1.0, 0.0])  # y = (sin t, cos t)


def event(function, **attributes):
    for name, value in attributes.items():
        setattr(function, name, value)
    return function


def run(events, span=(0, 10), **options):
    return dd.solve_dae(circle, span, *START, events=events, trace=False, **TIGHT, **options)


def test_all_crossings():
    r = run(lambda t, y, yp: y[0])
    assert r.status == 0
    assert_allclose(r.t_events[0], np.pi * np.arange(1, 4), atol=1e-5)
    assert r.y_events[0].shape == (3, 2) and r.yp_events[0].shape == (3, 2)
    assert_allclose(r.y_events[0][:, 0], 0, atol=1e-6)
    assert_allclose(r.yp_events[0][:, 0], [-1, 1, -1], atol=1e-4)


@pytest.mark.parametrize("direction, expected", [(1, [2]), (-1, [1, 3]), (0, [1, 2, 3]),
                                                 (0.5, [2]), (-7, [1, 3])])
def test_direction(direction, expected):
    r = run(event(lambda t, y, yp: y[0], direction=direction))
    assert_allclose(r.t_events[0], np.pi * np.array(expected), atol=1e-5)


@pytest.mark.parametrize("terminal, count", [(True, 1), (1, 1), (2, 2), (3, 3), (4, 3), (False, 3),
                                             (None, 3), (0, 3)])
def test_terminal(terminal, count):
    r = run(event(lambda t, y, yp: y[0], terminal=terminal))
    assert len(r.t_events[0]) == count
    ended = terminal not in (False, None, 0) and terminal <= count
    assert r.status == (1 if ended else 0) and r.success
    if ended:
        assert_allclose(r.t[-1], np.pi * count, atol=1e-5)
        assert_allclose(r.y[0, -1], 0, atol=1e-6)
    else:
        assert r.t[-1] == 10


@pytest.mark.parametrize("terminal", [-1, 1.5, "yes"])
def test_wrong_terminal(terminal):
    with pytest.raises((ValueError, TypeError)):
        run(event(lambda t, y, yp: y[0], terminal=terminal))


@pytest.mark.parametrize("word, expected", [("rising", [2]), ("falling", [1, 3]), ("any", [1, 2, 3])])
def test_directions_by_their_words(word, expected):
    r = run(event(lambda t, y, yp: y[0], direction=word))
    assert_allclose(r.t_events[0], np.pi * np.array(expected), atol=1e-5)


@pytest.mark.parametrize("given, text", [
    (event(lambda t, y, yp: y[0], direction="up"), "events: direction of entry 0 is 'up'; allowed are -1, 0 and 1"),
    (lambda t, y, yp: None, "events: entry 0 returned None, expected a number"),
    (lambda t, y, yp: 1j * y[0], "events: entry 0 returned .*expected a real number"),
    (lambda t, y, yp: "soon", "events: entry 0 returned 'soon', expected a number"),
    (dd.Event(lambda s: s.y[0]), "events: a daedalus.Event, which daedalus.solve takes, is given"),
    ([lambda t, y, yp: y[0], dd.Event(lambda s: s.y[0])], "events: entry 1 is a daedalus.Event"),
])
def test_what_is_no_event_is_named(given, text):
    with pytest.raises((ValueError, TypeError), match=text):
        run(given)


def test_the_first_of_several_ends_the_run():
    early = event(lambda t, y, yp: y[1], terminal=True)
    late = event(lambda t, y, yp: y[0], terminal=True)
    r = run([late, early])
    assert_allclose(r.t[-1], np.pi / 2, atol=1e-5)
    assert len(r.t_events[0]) == 0 and len(r.t_events[1]) == 1


def test_t_eval_ends_at_the_event():
    r = run(event(lambda t, y, yp: y[0], terminal=True), t_eval=np.linspace(0, 10, 101))
    assert r.t[-1] <= np.pi < r.t[-1] + 0.1


def test_dense_output_ends_at_the_event():
    r = run(event(lambda t, y, yp: y[0], terminal=True), dense_output=True)
    assert_allclose(r.sol.t_max, np.pi, atol=1e-5)
    assert_allclose(r.sol(1.0)[0][0], np.sin(1.0), atol=1e-5)


def test_events_of_rates():
    r = run(event(lambda t, y, yp: yp[0] - 0.5, direction=-1, terminal=True))
    assert_allclose(r.t[-1], np.pi / 3, atol=1e-3)


def test_backwards():
    r = run(lambda t, y, yp: y[0], span=(0, -7))
    assert_allclose(r.t_events[0], [-np.pi, -2 * np.pi], atol=1e-5)


def test_args_reach_events():
    r = dd.solve_dae(lambda t, y, yp, w: np.array([yp[0] - w]), (0, 1), [0.0], [2.0], args=(2.0,),
                     events=lambda t, y, yp, w: y[0] - 0.5 * w, trace=False)
    assert_allclose(r.t_events[0], [0.5], atol=1e-6)


def test_wrong_results_are_named():
    with pytest.raises(ValueError, match="events: entry 0 returned shape"):
        run(lambda t, y, yp: y)


def test_exceptions_carry_the_partial_solution():
    def bad(t, y, yp):
        if t > 1.0:
            raise KeyError("here")
        return 1.0

    with pytest.raises(KeyError, match="here") as caught:
        run(bad)
    assert caught.value.solution.t[-1] > 1.0 - 1e-9
    assert "bad" in [entry.name for entry in caught.traceback]


@pytest.mark.parametrize("trace", [False, "auto"])
@pytest.mark.parametrize("depth", [0.99, 0.999, 0.9999])
def test_what_lies_inside_of_a_step_is_seen(trace, depth):
    """Methods of high order take steps of 0.2 s; the rod is that low for 0.06, 0.02 and 0.006 s."""
    def low(t, y, yp):
        return y[1] + depth

    low.direction = -1
    r = dd.solve_dae(pendulum, (0, 5), P0, PP0, method="radau", events=low, rtol=1e-6, atol=1e-6, trace=trace)
    assert np.max(np.diff(r.t)) > 0.15  # otherwise this test tells nothing
    assert len(r.t_events[0]) == 4
    assert_allclose(np.diff(r.t_events[0]), 1.183921, atol=1e-4)  # half the period, from theory
    assert_allclose(r.y_events[0][:, 1], -depth, atol=1e-5)
    low.direction = 0
    r = dd.solve_dae(pendulum, (0, 5), P0, PP0, method="radau", events=low, rtol=1e-6, atol=1e-6, trace=trace)
    assert len(r.t_events[0]) == 8


def test_a_terminal_event_inside_of_a_step_ends_the_run():
    def low(t, y, yp):
        return y[1] + 0.999

    low.terminal = 2
    r = dd.solve_dae(pendulum, (0, 5), P0, PP0, method="radau", events=low, rtol=1e-6, atol=1e-6)
    assert r.status == 1 and len(r.t_events[0]) == 2 and r.t[-1] == r.t_events[0][1] < 0.7


def test_complex_events():
    r = dd.solve_dae(lambda t, y, yp: yp - 1j * y, (0, 4), [1 + 0j], [1j], trace=False,
                     events=lambda t, y, yp: y[0].real, **TIGHT)
    assert_allclose(r.t_events[0], [np.pi / 2], atol=1e-5)


def test_solve_ivp_events():
    r = dd.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 10), [0.0, 1.0], events=lambda t, y: y[0],
                     trace=False, **TIGHT)
    assert_allclose(r.t_events[0], np.pi * np.arange(1, 4), atol=1e-5)
    assert "yp_events" not in r


class TestOwnEvents:
    problem = dd.MassMatrixProblem(rhs=lambda t, y: [y[1], -9.81], y0=[1.0, 0.0], index=0,
                                   variables=["h", "v"])

    def test_handler(self):
        def bounce(context):
            context["h"] = 0.0
            context["v"] *= -0.5

        hit = dd.Event(lambda s: s["h"], name="hit", direction="falling", action="handle",
                       handler=bounce)
        sol = dd.solve(self.problem, (0, 1), events=[hit], **TIGHT)
        first = np.sqrt(2 / 9.81)
        times = [e.t for e in sol.events]
        assert_allclose(times[:2], [first, 2 * first], atol=1e-6)
        assert sol.statistics.restarts == len(times)
        assert sol.events[0].name == "hit" and sol.events[0].y.shape == (2,)

    def test_stop(self):
        sol = dd.solve(self.problem, (0, 1), events=[dd.Event(lambda s: s.y[0], action="stop")])
        assert sol.status == "stopped_by_event" and sol.success

    def test_scipy_style_functions(self):
        def ground(t, y):
            return y[0]

        ground.terminal, ground.direction = True, -1
        sol = dd.solve(self.problem, (0, 1), events=ground)
        assert sol.status == "stopped_by_event" and sol.events[0].name == "ground"

    def test_modes_change_equations(self):
        p = dd.MassMatrixProblem(rhs=lambda x: [x.modes[0]], y0=[0.0], modes=[1.0], index=0)

        def turn(context):
            context.modes[0] = -1.0

        sol = dd.solve(p, (0, 1), events=[dd.Event(lambda s: s.y[0] - 0.25, action="handle",
                                                   handler=turn)])
        assert_allclose(sol.end.y[0], 0.25 - 0.75, atol=1e-6)

    def test_rest(self):
        p = dd.MassMatrixProblem(rhs=lambda x: [x.y[1], -9.81 * x.modes[0]], y0=[1.0, 0.0],
                                 modes=[1.0], index=0)

        def bounce(c):
            c.y[0], c.y[1] = 0.0, -0.3 * c.y[1]

        def rest(c):
            c.y[:] = 0.0
            c.modes[0] = 0.0

        hit = dd.Event(lambda s: s.y[0], direction=-1, action="handle", handler=bounce, rest=rest)
        sol = dd.solve(p, (0, 3), events=[hit])
        assert sol.success, sol.message
        assert_allclose(sol.end.y, [0, 0], atol=1e-9)

    def test_misuse(self):
        with pytest.raises(ValueError, match="needs a handler"):
            dd.solve(self.problem, (0, 1), events=[dd.Event(lambda s: 1.0, action="handle")])
        with pytest.raises(ValueError, match="direction 'up'"):
            dd.solve(self.problem, (0, 1), events=[dd.Event(lambda s: 1.0, direction="up")])
        with pytest.raises(TypeError, match="events: entry 0"):
            dd.solve(self.problem, (0, 1), events=[1])
        with pytest.raises(KeyError, match="no variable 'hh'"):
            dd.solve(self.problem, (0, 1), events=[dd.Event(lambda s: s["hh"])])
