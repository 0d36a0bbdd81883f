// SPDX-License-Identifier: BSD-3-Clause
// Break times: steps end there, nothing is evaluated across, methods start again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <daedalus/integrator.hpp>
#include <daedalus/method.hpp>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

using ::testing::HasSubstr;

// y' = 1 before t = 1 and -3 after it; `right_closed` tells what holds at t = 1 itself.
Problem sawtooth(bool right_closed, double at = 1.0) {
  return MassMatrixProblem{
      .name = "sawtooth",
      .rhs = autodiff([right_closed, at](const auto& t, const auto& y, auto& f) {
        const bool before = right_closed ? t <= at : t < at;
        f[0] = (before ? 1.0 : -3.0) + 0.0 * y[0];
      }),
      .y0 = vector({0.0}),
      .index = 0,
      .variables = {"y"}};
}

Options with(const std::string& method, std::vector<double> breaks) {
  Options o{.method = method, .rtol = 1e-8, .atol = 1e-8};
  o.break_times = std::move(breaks);
  return o;
}

TEST(BreakTimes, EveryMethodIsExactOnBothSides) {
  int checked = 0;
  for (const Method* m : all_methods()) {
    if (m->view == View::mechanical || m->view == View::partitioned || m->stabilised_only ||
        m->multibody_only || m->error_order == 0 || m->fixed_step_only)
      continue;
    for (const bool right_closed : {false, true}) {
      const Solution s = solve(sawtooth(right_closed), {0.0, 2.0}, with(m->name, {1.0}));
      ASSERT_TRUE(s.ok()) << m->name << ": " << s.message();
      // Newton's method may leave a hundredth of the tolerance.
      EXPECT_NEAR(s.end()["y"], -2.0, 1e-10) << m->name;
      EXPECT_EQ(s.statistics().rejected, 0) << m->name << ": a step saw the other side";
      EXPECT_EQ(s.statistics().restarts, 1) << m->name;
      EXPECT_EQ(std::count(s.times().begin(), s.times().end(), 1.0), 1) << m->name;
      EXPECT_TRUE(s.events().empty());
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

// The test of the test: without break times the jump costs rejections and accuracy.
TEST(BreakTimes, WithoutThemTheJumpIsSeen) {
  const Solution s = solve(sawtooth(false), {0.0, 2.0}, with("rodas4", {}));
  EXPECT_GT(s.statistics().rejected, 0);
}

TEST(BreakTimes, OfTheProblemAndOfTheRunAreOneListInAnyOrder) {
  Problem p = MassMatrixProblem{.name = "staircase",
                                .rhs = autodiff([](const auto& t, const auto& y, auto& f) {
                                  f[0] = (t < 1.0 ? 1.0 : t < 2.0 ? 10.0 : 100.0) + 0.0 * y[0];
                                }),
                                .y0 = vector({0.0}),
                                .index = 0,
                                .break_times = {2.0, 77.0}};
  const Solution s = solve(p, {0.0, 3.0}, with("bdf", {1.0, -5.0, 2.0}));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end().y()[0], 111.0, 1e-9);
  EXPECT_EQ(s.statistics().restarts, 2);
}

TEST(BreakTimes, BackwardAndAtZero) {
  for (const bool right_closed : {false, true})
    for (const char* method : {"rodas4", "radau5", "bdf"}) {
      const Solution s = solve(sawtooth(right_closed, 0.0), {1.0, -1.0}, with(method, {0.0}));
      ASSERT_TRUE(s.ok()) << s.message();
      // Steps of bdf that double magnify rounding errors, to less than a tenth of the tolerance.
      const double bound = std::string_view(method) == "bdf" ? 1e-9 : 1e-11;
      EXPECT_NEAR(s.end()["y"], 3.0 - 1.0, bound) << method;
      EXPECT_EQ(s.statistics().rejected, 0) << method;
      EXPECT_EQ(s.statistics().restarts, 1) << method;
    }
}

TEST(BreakTimes, AtTheEndOfTheRunAndOnFromThere) {
  Integrator run(sawtooth(false), with("rodas4", {1.0}));
  ASSERT_EQ(run.initialize(0.0, 2.0), Status::success);
  ASSERT_EQ(run.run(1.0), Status::success);
  EXPECT_EQ(run.t(), 1.0);
  EXPECT_NEAR(run.state()["y"], 1.0, 1e-12);
  EXPECT_EQ(run.statistics().restarts, 0);
  ASSERT_EQ(run.run(2.0), Status::success);
  EXPECT_NEAR(run.state()["y"], -2.0, 1e-12);
  EXPECT_EQ(run.statistics().restarts, 1);
}

// Algebraic variables jump, differential ones do not; both sides are reported.
TEST(BreakTimes, AlgebraicVariablesFollowTheirEquations) {
  const Problem p = SemiExplicitProblem{
      .name = "switched",
      .f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = z[0]; }),
      .g = autodiff([](const auto& t, const auto&, const auto& z, auto& g) {
        g[0] = z[0] - (t < 1.0 ? 1.0 : -3.0);
      }),
      .y0 = vector({0.0}),
      .z0 = vector({1.0}),
      .break_times = {1.0}};
  for (const char* method : {"auto", "radau5", "bdf", "rodas4", "tsit5da"}) {
    Options o = with(method, {});
    o.output = Output::dense;
    const Solution s = solve(p, {0.0, 2.0}, o);
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    EXPECT_NEAR(s.end().y()[0], -2.0, 1e-10) << method;
    EXPECT_NEAR(s.at(0.999).z()[0], 1.0, 1e-8) << method;
    EXPECT_NEAR(s.at(1.001).z()[0], -3.0, 1e-8) << method;
    EXPECT_EQ(std::count(s.times().begin(), s.times().end(), 1.0), 2) << method;
    EXPECT_TRUE(s.warnings().empty()) << method << ": " << s.warnings().front();
  }
}

TEST(BreakTimes, ManyAndFixedSteps) {
  Problem p = MassMatrixProblem{.name = "comb",
                                .rhs = autodiff([](const auto& t, const auto& y, auto& f) {
                                  f[0] =
                                      (std::fmod(value_of(t), 0.2) < 0.1 ? 1.0 : -1.0) + 0.0 * y[0];
                                }),
                                .y0 = vector({0.0}),
                                .index = 0};
  Options o = with("rodas4", {});
  for (int k = 1; k < 100; ++k) o.break_times.push_back(0.1 * k);
  const Solution s = solve(p, {0.0, 10.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end().y()[0], 0.0, 1e-11);
  Options fixed{.method = "rodas4", .fixed_step = 0.3};
  fixed.break_times = {1.0};
  const Solution f = solve(sawtooth(true), {0.0, 2.0}, fixed);
  ASSERT_TRUE(f.ok()) << f.message();
  EXPECT_NEAR(f.end()["y"], -2.0, 1e-12);
  EXPECT_EQ(std::count(f.times().begin(), f.times().end(), 1.0), 1);
}

// At every step a checkpoint: what follows is the same to the last bit, the break time, pending or
// passed, included, and a ball that comes to rest.
TEST(BreakTimes, ResumedRunsAreTheSame) {
  const Problem p = MassMatrixProblem{.name = "pushed ball",
                                      .rhs = autodiff([](const auto& x, auto& f) {
                                        f[0] = x.y[1];
                                        f[1] = x.modes[0] * (x.t < 0.3 ? -9.81 : -5.0);
                                      }),
                                      .y0 = vector({1.0, 0.0}),
                                      .index = 0,
                                      .modes = {1.0},
                                      .break_times = {0.3, 1.0}};
  Options o{.method = "bdf", .rtol = 1e-5, .atol = 1e-5};
  o.events = {{.name = "impact",
               .when = [](const StateView& s) { return s.y()[0]; },
               .direction = Crossing::falling,
               .action = EventAction::handle,
               .handler = [](EventContext& c) { c.y[1] *= -0.3; },
               .rest =
                   [](EventContext& c) {
                     c.y.setZero();
                     c.modes[0] = 0.0;
                   }}};
  Integrator whole(p, o);
  ASSERT_EQ(whole.initialize(0.0, 3.0), Status::success);
  ASSERT_EQ(whole.run(3.0), Status::success) << whole.solution().message();
  const Solution expected = whole.solution();
  EXPECT_EQ(expected.end().y()[0], 0.0);
  bool ended = false;
  for (long steps = 1; !ended; steps += 7) {
    Integrator first(p, o);
    ASSERT_EQ(first.initialize(0.0, 3.0), Status::success);
    for (long k = 0; k < steps && first.t() < 3.0; ++k) first.step(3.0);
    ended = first.t() == 3.0;
    Integrator second(p, o);
    second.resume(first.checkpoint());
    ASSERT_EQ(second.run(3.0), Status::success);
    const Solution got = second.solution();
    ASSERT_EQ(got.times(), expected.times()) << steps;
    EXPECT_EQ(got.end().y(), expected.end().y()) << steps;
    EXPECT_EQ(got.events().size(), expected.events().size()) << steps;
    EXPECT_EQ(got.statistics().restarts, expected.statistics().restarts) << steps;
  }
}

TEST(BreakTimes, EventsAreFoundOnBothSides) {
  Event half{.name = "half", .when = [](const StateView& s) { return s.y()[0] - 0.5; }};
  Options o = with("rodas4", {1.0});
  o.events = {half};
  const Solution s = solve(sawtooth(false), {0.0, 2.0}, o);
  ASSERT_EQ(s.events().size(), 2u);
  EXPECT_NEAR(s.events()[0].t, 0.5, 1e-12);
  EXPECT_NEAR(s.events()[1].t, 1.0 + 0.5 / 3.0, 1e-12);
}

TEST(BreakTimes, AreChecked) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(solve(decay(), {0.0, 1.0}, with("rodas4", {nan})), InvalidArgument);
  EXPECT_THROW(
      solve(decay(), {0.0, 1.0}, with("rodas4", {std::numeric_limits<double>::infinity()})),
      InvalidArgument);
  Options o = with("rodas4", {0.5});
  o.step_sequence = {0.3, 0.3, 0.4};
  EXPECT_THROW(solve(decay(), {0.0, 1.0}, o), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::loop_test
