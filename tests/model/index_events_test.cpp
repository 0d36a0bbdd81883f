// SPDX-License-Identifier: BSD-3-Clause
// Events of models with an index above 1, whose algebraic variables jump there, and relations that
// determine each other in a circle.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

constexpr double pi = std::numbers::pi;

Solution run(const ModelBuilder& m, double to) {
  const auto model = m.model();
  Options o;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  o.output = Output::steps;
  model->apply(o);
  return solve(model->problem(), {0.0, to}, o);
}

// Root of f between a and b, where it changes its sign.
template <class F>
double root(F f, double a, double b) {
  for (int i = 0; i < 100; ++i) {
    const double c = 0.5 * (a + b);
    ((f(a) < 0.0) == (f(c) < 0.0) ? a : b) = c;
  }
  return a;
}

// Two coils in series have one current (index 2); the diode makes of sin t the current 1 - cos t
// over both inductances, which touches zero at 2 pi and does not reverse.
TEST(EventsOfHigherIndex, DiodeBehindACutsetOfCoils) {
  ModelBuilder m("halfwave");
  const Expr i1 = m.variable("i1", {.start = 0.0, .fixed = true}), i2 = m.variable("i2");
  const Expr u1 = m.variable("u1"), u2 = m.variable("u2"), s = m.variable("s");
  const Expr off = s < 0.0;
  m.equation(2.0 * der(i1), u1);
  m.equation(3.0 * der(i2), u2);
  m.equation(i1, i2);
  m.equation(u1 + u2 + s * select(off, 1.0, 1e-9), sin(m.time()));
  m.equation(i1, s * select(off, 1e-9, 1.0));
  const Solution s1 = run(m, pi);
  ASSERT_TRUE(s1.ok()) << s1.message();
  EXPECT_NEAR(s1.end()["i1"], 2.0 / 5.0, 1e-7);
  const Solution s2 = run(m, 3.0 * pi);
  ASSERT_TRUE(s2.ok()) << s2.message();
  EXPECT_NEAR(s2.end()["i2"], 2.0 / 5.0, 1e-6);
}

// Masses coupled without slack (index 3) on a rough floor: they stick until the force 3 sin t
// passes 2, slide with 3 v' = 3 sin t - 1.5 until v = 0, and stick again until it passes -2.
TEST(EventsOfHigherIndex, CoupledMassesStickAndSlip) {
  ModelBuilder m("friction");
  const Expr s1 = m.variable("s1", {.start = 0.0, .fixed = true});
  const Expr v1 = m.variable("v1", {.start = 0.0, .fixed = true});
  const Expr s2 = m.variable("s2"), v2 = m.variable("v2"), coupling = m.variable("coupling");
  const Expr a = m.variable("a"), path = m.variable("path"), friction = m.variable("friction");
  const Expr forward = m.discrete("forward"), backward = m.discrete("backward");
  const Expr went = pre(forward) != 0.0, came = pre(backward) != 0.0;
  m.equation(der(s1), v1);
  m.equation(der(s2), v2);
  m.equation(s1, s2);
  m.equation(der(v1), a);
  m.equation(a, 3.0 * sin(m.time()) - friction - coupling);
  m.equation(2.0 * der(v2), coupling);
  m.discrete_equation(forward, (went && v1 > 0.0) || (!went && !came && path > 2.0));
  m.discrete_equation(backward, (came && v1 < 0.0) || (!went && !came && path < -2.0));
  const Expr slides = forward != 0.0, returns = backward != 0.0;
  m.equation(a, select(slides, path - 1.5, select(returns, path + 1.5, 0.0)));
  m.equation(friction, select(slides, 1.5, select(returns, -1.5, path)));
  const double begins = std::asin(2.0 / 3.0), turns = pi + begins;
  const auto speed = [&](double t) { return std::cos(begins) - std::cos(t) - 0.5 * (t - begins); };
  const Solution slide = run(m, 2.0);
  ASSERT_TRUE(slide.ok()) << slide.message();
  EXPECT_NEAR(slide.end()["v1"], speed(2.0), 1e-6);
  EXPECT_NEAR(slide.end()["coupling"], 2.0 * (std::sin(2.0) - 0.5), 1e-5);
  const double rests = root(speed, 2.0, turns);
  const Solution stuck = run(m, 0.5 * (rests + turns));
  ASSERT_TRUE(stuck.ok()) << stuck.message();
  EXPECT_NEAR(stuck.end()["friction"], 3.0 * std::sin(stuck.end_time()), 1e-5);
  const Solution turned = run(m, turns + 0.5);
  ASSERT_TRUE(turned.ok()) << turned.message();
  EXPECT_NEAR(turned.end()["v2"], std::cos(turns) - std::cos(turns + 0.5) + 0.25, 1e-6);
  EXPECT_NEAR(turned.end()["friction"], -1.5, 1e-12);
}

// An amplifier of gain 100 with limits and positive feedback has two states that hold and one that
// does not: at the threshold it jumps to the other limit.
TEST(RelationsInACircle, AmplifierWithPositiveFeedback) {
  ModelBuilder m("trigger");
  const Expr u = m.variable("u", {.start = 0.0, .fixed = true});
  const Expr out = m.variable("out", {.start = -1.0});
  m.equation(der(u), cos(m.time()));
  const Expr inner = 100.0 * (u + 0.1 * out);
  m.equation(out, select(inner >= 1.0, 1.0, select(inner <= -1.0, -1.0, inner)));
  // u = sin t passes 0.09 upwards and later -0.09 downwards.
  const Solution s = run(m, 2.0 * pi);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end()["out"], -1.0, 1e-9);
  double rises = 0.0, falls = 0.0;
  for (std::size_t k = 1; k < s.times().size(); ++k) {
    const double before = s.state(k - 1)["out"], after = s.state(k)["out"];
    if (before < 0.0 && after > 0.0) rises = s.times()[k];
    if (before > 0.0 && after < 0.0) falls = s.times()[k];
  }
  EXPECT_NEAR(rises, std::asin(0.09), 1e-7);
  EXPECT_NEAR(falls, pi + std::asin(0.09), 1e-7);
}

}  // namespace
}  // namespace daedalus
