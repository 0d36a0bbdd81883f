// SPDX-License-Identifier: BSD-3-Clause
// Relations as modes, when-clauses, clocks, and what happens when nothing settles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

#include "model/models.hpp"

namespace daedalus {
namespace {

using ::testing::HasSubstr;

Options event_options(const Model& model, double rtol, const Values& values = {}) {
  Options o;
  o.rtol = rtol;
  o.atol = rtol;
  o.output = Output::steps;
  model.apply(o, values);
  return o;
}

TEST(ModelEvents, BallBouncesAtTheExactTimes) {
  const auto model = testing_models::bouncing_ball().model();
  const Values values{{"e", 0.9}};
  Options o = event_options(*model, 1e-10, values);
  double bounces = -1.0;
  std::vector<double> out(model->outputs().size());
  o.sink = [&](const StateView& s) {
    model->evaluate_outputs(values, s, Out(out.data(), static_cast<int>(out.size())));
    bounces = out[0];
  };
  const Solution s = solve(model->problem(values), {0.0, 3.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const double first = std::sqrt(2.0 / 9.81), speed = 9.81 * first;
  std::vector<double> times{first};
  for (double v = 0.9 * speed; times.back() + 2.0 * v / 9.81 < 3.0; v *= 0.9)
    times.push_back(times.back() + 2.0 * v / 9.81);
  ASSERT_EQ(s.events().size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(s.events()[i].t, times[i], 1e-7) << i;
    EXPECT_EQ(s.events()[i].name, "h < 0");
  }
  EXPECT_EQ(bounces, static_cast<double>(times.size()));
  for (std::size_t i = 0; i < s.times().size(); ++i) EXPECT_GE(s.state(i)["h"], -1e-7);
}

// Two events at one time are both handled, and neither takes the other for a wrong mode.
TEST(ModelEvents, TwoBallsBounceAtTheSameTime) {
  ModelBuilder m("balls");
  for (const char* name : {"a", "b"}) {
    const Expr h = m.variable(name, {.start = 1.0, .fixed = true});
    const Expr v = m.variable(std::string("v") + name, {.start = 0.0, .fixed = true});
    m.equation(der(h), v);
    m.equation(der(v), -9.81);
    m.when(h < 0.0).reinit(v, -0.5 * pre(v));
  }
  const auto model = m.model();
  const Solution s = solve(model->problem(), {0.0, 1.0}, event_options(*model, 1e-9));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.events().size(), 4u);
  // Bounces at t = T and 2 T; half the speed left after each.
  const double T = std::sqrt(2.0 / 9.81), rest = 1.0 - 2.0 * T, speed = 9.81 * T / 4.0;
  for (const char* name : {"a", "b"})
    EXPECT_NEAR(s.end()[name], speed * rest - 0.5 * 9.81 * rest * rest, 1e-7) << name;
}

// The same where the index is above 1.
TEST(ModelEvents, BothEndsOfARodMeetTheFloor) {
  ModelBuilder m("rod");
  const Coordinate a = m.coordinate("a", "u", {.start = 0.5}),
                   b = m.coordinate("b", "v", {.start = 0.5});
  for (const Coordinate& end : {a, b}) {
    m.mass(end, end, 1.0);
    m.force(end, -9.81);
  }
  m.constraint(a.q - b.q, "lambda");
  for (const Coordinate& end : {a, b}) m.when(end.q < 0.0).reinit(end.v, -0.5 * pre(end.v));
  const auto model = m.model();
  const Solution s = solve(model->problem(), {0.0, 0.5}, event_options(*model, 1e-9));
  ASSERT_TRUE(s.ok()) << s.message();
  const double T = std::sqrt(1.0 / 9.81), rest = 0.5 - T;
  EXPECT_NEAR(s.end()["a"], 0.5 * 9.81 * T * rest - 0.5 * 9.81 * rest * rest, 1e-7);
}

// Clocks that tick together are one event: pre() is what was before both of them.
TEST(ModelEvents, ClocksTickTogether) {
  ModelBuilder m("clocks");
  const Expr x = m.variable("x", {.start = 0.0, .fixed = true});
  const Expr fast = m.discrete("fast"), seen = m.discrete("seen");
  m.equation(der(x), 1.0);
  m.when(m.sample(0.1, 0.1)).set(fast, pre(fast) + 1.0);
  m.when(m.sample(0.25, 0.25)).set(seen, pre(fast));
  m.output("seen so far", seen);
  m.output("ticks", fast);
  const auto model = m.model();
  Options o = event_options(*model, 1e-8);
  std::vector<double> out(model->outputs().size());
  o.sink = [&](const StateView& s) {
    model->evaluate_outputs({}, s, Out(out.data(), static_cast<int>(out.size())));
  };
  const Solution s = solve(model->problem(), {0.0, 1.05}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(out.at(0), 9.0) << "at t = 1 the tenth tick is not before";
  EXPECT_EQ(out.at(1), 10.0);
}

// Without an event the comparison is made wherever the equations are evaluated: no bounce.
TEST(ModelEvents, WithoutEventsTheBallFalls) {
  ModelBuilder m("ball");
  const Expr h = m.variable("h", {.start = 1.0, .fixed = true});
  const Expr v = m.variable("v", {.start = 0.0, .fixed = true});
  m.equation(der(h), v);
  m.equation(der(v), no_event(select(h < 0.0, 0.0, -9.81)));
  const auto model = m.model();
  EXPECT_TRUE(model->events().empty());
}

TEST(ModelEvents, HysteresisSwitchesAtItsTwoThresholds) {
  ModelBuilder m("thermostat");
  const Expr T = m.variable("T", {.start = 15.0, .fixed = true});
  const Expr heats = m.discrete("heats", {.start = 1.0});
  m.equation(der(T), select(heats, 10.0, 0.0) - 0.2 * T);
  // On below 18, off above 22, in between as before.
  m.discrete_equation(heats, T < 18.0 || (pre(heats) && T < 22.0));
  const auto model = m.model();
  const Solution s = solve(model->problem(), {0.0, 20.0}, event_options(*model, 1e-9));
  ASSERT_TRUE(s.ok()) << s.message();
  // T' = 10 - T/5 up to 22, T' = -T/5 down to 18, T' = 10 - T/5 up again.
  const double up = 5.0 * std::log((50.0 - 15.0) / (50.0 - 22.0));
  const double down = 5.0 * std::log(22.0 / 18.0);
  const double again = 5.0 * std::log((50.0 - 18.0) / (50.0 - 22.0));
  std::vector<double> switches;
  for (const EventRecord& e : s.events())
    if (e.name == "T < 22" && std::abs(e.y[0] - 22.0) < 1e-6) switches.push_back(e.t);
  ASSERT_GE(switches.size(), 4u);
  EXPECT_NEAR(switches[0], up, 1e-6);
  for (std::size_t i = 0; i < s.times().size(); ++i) {
    EXPECT_LE(s.state(i)["T"], 22.0 + 1e-6);
    if (s.times()[i] > up) {
      EXPECT_GE(s.state(i)["T"], 18.0 - 1e-6);
    }
  }
  // Crossings of 22 going up come once per cycle.
  const double cycle = down + again;
  int rising = 0;
  for (double t = up; t < 20.0; t += cycle) ++rising;
  EXPECT_EQ(static_cast<int>(switches.size()), rising);
}

TEST(ModelEvents, SampledControllerActsAtItsTimes) {
  ModelBuilder m("controller");
  const Expr period = m.parameter("period", 0.1);
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true});
  const Expr u = m.discrete("u");
  m.equation(der(x), u);
  m.when(m.sample(0.0, period)).set(u, -2.0 * x);
  const auto model = m.model();
  for (const double T : {0.1, 0.25}) {
    const Values values{{"period", T}};
    const Solution s =
        solve(model->problem(values), {0.0, 1.0}, event_options(*model, 1e-9, values));
    ASSERT_TRUE(s.ok()) << s.message();
    // x_{k+1} = (1 - 2 T) x_k.
    const double steps = std::floor(1.0 / T + 1e-9);
    EXPECT_NEAR(s.end()["x"], std::pow(1.0 - 2.0 * T, steps), 1e-8) << T;
    for (const EventRecord& e : s.events())
      EXPECT_NEAR(std::remainder(e.t, T), 0.0, 1e-10) << "event at " << e.t;
  }
}

// An ideal diode before a capacitor: the current is (sin t - v)/R or nothing.
TEST(ModelEvents, RectifierWithAnIdealDiode) {
  ModelBuilder m("rectifier");
  const Expr v = m.variable("v", {.start = 0.0, .fixed = true}), i = m.variable("i");
  const Expr drop = m.variable("drop");
  const Expr s = sin(2.0 * 3.14159265358979323846 * m.time());
  m.equation(der(v), i - v);
  m.equation(drop, s - v);
  m.equation(i, select(drop > 0.0, 10.0 * drop, 0.0));
  const auto model = m.model();
  const Solution solution = solve(model->problem(), {0.0, 3.0}, event_options(*model, 1e-8));
  ASSERT_TRUE(solution.ok()) << solution.message();
  // It opens and closes once per period.
  EXPECT_GE(solution.events().size(), 5u);
  EXPECT_LE(solution.events().size(), 7u);
  for (std::size_t k = 0; k < solution.times().size(); ++k)
    EXPECT_GE(solution.state(k)["i"], -1e-6) << solution.times()[k];
  // The same with the comparison in the equations, with steps short enough not to care.
  ModelBuilder n("kinked");
  const Expr w = n.variable("v", {.start = 0.0, .fixed = true});
  const Expr q = sin(2.0 * 3.14159265358979323846 * n.time());
  n.equation(der(w), no_event(max(10.0 * (q - w), 0.0)) - w);
  Options fine;
  fine.rtol = 1e-9;
  fine.atol = 1e-9;
  fine.max_step = 1e-3;
  const Solution kinked = solve(n.problem(), {0.0, 3.0}, fine);
  EXPECT_NEAR(solution.end()["v"], kinked.end()["v"], 1e-5);
}

TEST(ModelEvents, StopEndsTheRun) {
  ModelBuilder m("fall");
  const Expr h = m.variable("h", {.start = 1.0, .fixed = true});
  m.equation(der(h), -0.5);
  m.when(h <= 0.25).stop("low");
  const auto model = m.model();
  const Solution s = solve(model->problem(), {0.0, 10.0}, event_options(*model, 1e-8));
  EXPECT_EQ(s.status(), Status::stopped_by_event) << s.message();
  EXPECT_NEAR(s.end_time(), 1.5, 1e-9);
}

TEST(ModelEvents, WhatDoesNotSettleIsNamed) {
  ModelBuilder m("circle");
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true});
  const Expr a = m.discrete("a");
  m.equation(der(x), -1.0);
  m.discrete_equation(a, select(x < 0.5, 1.0 - pre(a), 0.0));
  const auto model = m.model();
  const Solution s = solve(model->problem(), {0.0, 2.0}, event_options(*model, 1e-8));
  EXPECT_EQ(s.status(), Status::callback_failed);
  EXPECT_THAT(s.message(), HasSubstr("do not settle at t = 0.5"));
  EXPECT_THAT(s.message(), HasSubstr("a = if x < 0.5"));
}

// What an event assigns is computed there: its comparisons need no events of their own.
TEST(ModelEvents, ComparisonsInActionsMakeNoEvents) {
  ModelBuilder m("ball");
  const Expr h = m.variable("h", {.start = 1.0, .fixed = true});
  const Expr v = m.variable("v", {.start = 0.0, .fixed = true});
  const Expr moves = m.discrete("moves", {.start = 1.0});
  m.equation(der(h), v);
  m.equation(der(v), select(moves, -9.81, 0.0));
  // It comes to rest, so that a run is not the limit of infinitely many impacts.
  const Expr fast = abs(v) > 1.0;
  m.when(h < 0.0)
      .reinit(v, select(fast, -0.5 * pre(v), 0.0))
      .reinit(h, 0.0)
      .set(moves, select(fast, 1.0, 0.0));
  const auto model = m.model();
  EXPECT_EQ(model->events().size(), 1u);
  Options o;
  model->apply(o);
  const Solution s = solve(model->problem(), {0.0, 3.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.end()["h"], 0.0);
  EXPECT_EQ(s.end()["v"], 0.0);
  // Impacts at 4.43, 2.21, 1.11 and 0.55 m/s.
  EXPECT_EQ(s.events().size(), 4u);
}

}  // namespace
}  // namespace daedalus
