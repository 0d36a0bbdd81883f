// SPDX-License-Identifier: BSD-3-Clause
// Infinitely many events in a finite time: a status of its own, or a resting phase that is
// declared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/integrator.hpp>

#include "integrate/accumulation.hpp"
#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

using ::testing::HasSubstr;

constexpr double gravity = 9.81;

// Falls from the height 1; modes[0] = 0: the floor carries it.
Problem falling() {
  return MassMatrixProblem{.name = "falling",
                           .rhs = autodiff([](const auto& x, auto& f) {
                             f[0] = x.y[1];
                             f[1] = -gravity * x.modes[0];
                           }),
                           .y0 = vector({1.0, 0.0}),
                           .index = 0,
                           .variables = {"height", "velocity"},
                           .modes = {1.0}};
}

Event impact(double restitution, bool rests = false) {
  Event e{.name = "impact",
          .when = [](const StateView& s) { return s.y()[0]; },
          .direction = Crossing::falling,
          .action = EventAction::handle,
          .handler = [restitution](EventContext& c) { c.y[1] *= -restitution; }};
  if (rests)
    e.rest = [](EventContext& c) {
      c.y.setZero();
      c.modes[0] = 0.0;
    };
  return e;
}

double limit_of(double restitution) {
  return std::sqrt(2.0 / gravity) * (1.0 + restitution) / (1.0 - restitution);
}

TEST(Accumulation, ABallDoesNotFallThroughTheFloor) {
  for (const char* method : {"auto", "rodas4", "radau5", "bdf"})
    for (const double e : {0.0, 1e-9, 1e-3, 0.1, 0.5, 0.9}) {
      const Solution s =
          solve(falling(), {0.0, 20.0},
                {.method = method, .rtol = 1e-8, .atol = 1e-8, .events = {impact(e)}});
      EXPECT_EQ(s.status(), Status::events_accumulate) << method << " " << e << s.message();
      EXPECT_FALSE(s.ok());
      EXPECT_THAT(s.message(), HasSubstr("'impact'"));
      // bdf starts every flight with order 1.
      EXPECT_NEAR(s.end_time(), limit_of(e), 1e-3 * limit_of(e)) << method << " " << e;
      EXPECT_GT(s.end()["height"], -1e-6) << method << " " << e;
    }
}

// The last impacts are below the tolerance: their flights are as short as the errors of the steps
// to them, and odassl and dae2sol lost the ball there in random falls of the soak.
TEST(Accumulation, NeitherWhereImpactsAreBelowTheTolerance) {
  MultibodyProblem p{.name = "body"};
  p.space = euclidean(1);
  p.mass_matrix = Eigen::MatrixXd::Identity(1, 1).sparseView();
  p.force = autodiff([](auto, const auto&, const auto&, auto& f) { f[0] = -gravity; });
  p.q0 = vector({1.0});
  p.v0 = vector({0.0});
  for (const char* method : {"odassl", "dae2sol", "bdf"})
    for (double e = 0.3; e < 0.75; e += 0.01)
      for (const double tol : {1e-8, 1e-9}) {
        Event ground = impact(e);
        ground.when = [](const StateView& s) { return s.y()[0]; };
        const Problem body = method == std::string("odassl") ? Problem(p) : falling();
        const Solution s = solve(body, {0.0, 20.0},
                                 {.method = method, .rtol = tol, .atol = tol, .events = {ground}});
        EXPECT_EQ(s.status(), Status::events_accumulate) << method << ' ' << e << ' ' << tol;
      }
}

TEST(Accumulation, NamesTheLimit) {
  const Solution s =
      solve(falling(), {0.0, 5.0},
            {.method = "rodas4", .rtol = 1e-8, .atol = 1e-8, .events = {impact(0.5)}});
  ASSERT_EQ(s.status(), Status::events_accumulate);
  const std::string text = s.message();
  const std::size_t at = text.find("limit is t = ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(at + 13)), limit_of(0.5), 1e-6) << text;
  EXPECT_EQ(to_string(s.status()), "events_accumulate");
}

TEST(Accumulation, GoesOnInTheRestingPhase) {
  for (const double e : {0.0, 1e-9, 0.5, 0.9}) {
    const Solution s =
        solve(falling(), {0.0, 20.0}, {.method = "rodas4", .events = {impact(e, true)}});
    ASSERT_EQ(s.status(), Status::success) << s.message();
    EXPECT_NEAR(s.end()["height"], 0.0, 1e-12);
    EXPECT_EQ(s.end()["velocity"], 0.0);
    EXPECT_EQ(s.end_time(), 20.0);
  }
}

// The floor opens: another event ends the rest, and the first is watched again.
TEST(Accumulation, AnotherHandlerEndsTheRest) {
  Event kick{.name = "kick",
             .when = [](const StateView& s) { return s.t() - 3.0; },
             .action = EventAction::handle,
             .handler =
                 [](EventContext& c) {
                   c.y[1] = gravity;  // up for one unit of time
                   c.modes[0] = 1.0;
                 }};
  const Solution s =
      solve(falling(), {0.0, 4.5}, {.method = "rodas4", .events = {impact(0.5, true), kick}});
  ASSERT_EQ(s.status(), Status::success) << s.message();
  EXPECT_NEAR(s.end()["height"], 0.5 * gravity * (1.5 * 2.0 - 1.5 * 1.5), 1e-6);
  const Solution later =
      solve(falling(), {0.0, 20.0}, {.method = "rodas4", .events = {impact(0.5, true), kick}});
  ASSERT_EQ(later.status(), Status::success) << later.message();
  EXPECT_NEAR(later.end()["height"], 0.0, 1e-12) << "at rest for the second time";
}

TEST(Accumulation, BackwardToo) {
  const Solution s = solve(falling(), {0.0, -20.0}, {.method = "rodas4", .events = {impact(0.5)}});
  EXPECT_EQ(s.status(), Status::events_accumulate) << s.message();
  EXPECT_NEAR(s.end_time(), -limit_of(0.5), 1e-4);
}

// What is no accumulation: intervals that shrink without limit, and a handler that lets the state
// pass.
TEST(Accumulation, IsNotSeenWhereThereIsNone) {
  int count = 0;
  Event chirp{.name = "chirp",
              .when = [](const StateView& s) { return std::sin(std::exp(s.t())); },
              .action = EventAction::handle,
              .handler = [&](EventContext&) { ++count; }};
  const Solution s =
      solve(ramp(), {0.0, 5.0}, {.method = "rodas4", .events = {chirp}, .max_step = 0.02});
  ASSERT_EQ(s.status(), Status::success) << s.message();
  EXPECT_EQ(count, static_cast<int>(std::exp(5.0) / std::acos(-1.0)));
  Event pass{.name = "pass",
             .when = [](const StateView& x) { return 0.5 - x.y()[0]; },
             .direction = Crossing::falling,
             .action = EventAction::handle,
             .handler = [](EventContext& c) { c.modes[0] = 1e-3; }};
  const Solution slow = solve(ramp(), {0.0, 1.0}, {.method = "rodas4", .events = {pass}});
  EXPECT_EQ(slow.status(), Status::success) << slow.message();
  EXPECT_EQ(slow.events().size(), 1u);
}

TEST(Accumulation, IsASeriesOrAStandstill) {
  AccumulationWatch series(2, 1e-6);
  double t = 0.0, interval = 1.0;
  int events = 0;
  for (; !series.add(0, t += interval); interval *= 0.25) ASSERT_LT(++events, 30);
  EXPECT_NEAR(series.limit(), 1.0 / 0.75, 1e-6);
  EXPECT_NEAR(series.ratio(), 0.25, 1e-6);
  EXPECT_GT(events, 5);
  AccumulationWatch still(1, 1e-6);
  for (int k = 0; k < 8; ++k) EXPECT_FALSE(still.add(0, 3.0)) << k;
  EXPECT_TRUE(still.add(0, 3.0));
  EXPECT_EQ(still.limit(), 3.0);
  AccumulationWatch steady(1, 1e-6);
  for (int k = 0; k < 1000; ++k) EXPECT_FALSE(steady.add(0, 0.1 * k)) << k;
}

// A step may end round-off before an event: no step of length zero is tried.
TEST(Accumulation, OneOfTwoBallsIsNamed) {
  MassMatrixProblem p{.name = "balls"};
  p.rhs = autodiff([](auto, const auto& y, auto& f) {
    f[0] = y[1], f[1] = -9.81;
    f[2] = y[3], f[3] = -9.81;
  });
  p.y0 = Eigen::Vector4d(1.0, 0.0, 2.0, 0.0);
  p.index = 0;
  const auto ground = [](const char* name, int k, double e) {
    Event event{.name = name, .when = [k](const StateView& s) { return s.y()[k]; }};
    event.direction = Crossing::falling;
    event.action = EventAction::handle;
    event.handler = [k, e](EventContext& c) { c.y[k + 1] *= -e; };
    return event;
  };
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    Options o{.rtol = tolerance, .atol = tolerance};
    o.events = {ground("first", 0, 0.5), ground("second", 2, 0.8)};
    const Solution s = solve(p, {0.0, 20.0}, o);
    EXPECT_EQ(s.status(), Status::events_accumulate) << s.message();
    EXPECT_NE(s.message().find("'first'"), std::string::npos) << s.message();
  }
}

TEST(Accumulation, ResumesFromACheckpointInTheMiddle) {
  const auto solve_in_two = [](double at) {
    Integrator run(falling(), {.method = "rodas4", .events = {impact(0.5, true)}});
    run.initialize(0.0, 5.0);
    run.run(at);
    run.run(5.0);
    return run.solution();
  };
  EXPECT_NEAR(solve_in_two(1.3).end()["height"], 0.0, 1e-12);
}

// A pendulum with a wall at x = 0.3; restitution 0.5. Impacts accumulate at 2.5506.
Problem pendulum() {
  MultibodyProblem p{.name = "pendulum"};
  p.space = euclidean(2);
  p.mass_matrix = Eigen::MatrixXd::Identity(2, 2).sparseView();
  p.constraint_count = 1;
  p.force = autodiff([](auto, const auto&, const auto&, auto& f) { f[0] = 0.0, f[1] = -gravity; });
  p.constraint = autodiff(
      [](auto, const auto& q, auto& g) { g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); });
  p.q0 = Eigen::Vector2d(1.0, 0.0);
  p.v0 = Eigen::Vector2d::Zero();
  return p;
}

Event wall_of_pendulum(Crossing direction) {
  Event wall{.name = "wall", .when = [](const StateView& s) { return s.q()[0] - 0.3; }};
  wall.direction = direction;
  wall.action = EventAction::handle;
  wall.handler = [](EventContext& c) { c.of(VariableClass::v) *= -0.5; };
  return wall;
}

// Its last flights are shorter than the rounding errors of a position, and than what projections
// move it by. It used to be seen behind the wall.
TEST(Accumulation, OfABodyWithConstraintsAtTightTolerances) {
  for (const char* method : {"auto", "phem56", "hem5", "rodas5p", "radau", "bdf"})
    for (const double tolerance : {3e-4, 1e-6, 1e-9}) {
      const Solution s = solve(pendulum(), {0.0, 5.0},
                               {.method = method,
                                .rtol = tolerance,
                                .atol = tolerance,
                                .events = {wall_of_pendulum(Crossing::falling)}});
      EXPECT_EQ(s.status(), Status::events_accumulate) << method << ' ' << tolerance;
      EXPECT_NE(s.message().find("'wall'"), std::string::npos) << s.message();
      EXPECT_NEAR(s.end_time(), 2.5506, 5e-3) << method << ' ' << tolerance;
      EXPECT_GT(s.end().q()[0], 0.3 - 100.0 * tolerance) << method << ' ' << tolerance;
    }
}

// A step may end behind the wall by its error: the body comes back within that step or later, and
// that is no impact. The third one was taken for the limit.
TEST(Accumulation, IsNotWhatAStepLeavesBehindAnEvent) {
  for (const char* method : {"auto", "phem56", "hedop5", "mdop5", "mdop8", "hem5", "herk2"})
    for (const double tolerance : {1e-2, 3e-3, 1e-3})
      for (const Crossing direction : {Crossing::falling, Crossing::any}) {
        const Solution s = solve(pendulum(), {0.0, 5.0},
                                 {.method = method,
                                  .rtol = tolerance,
                                  .atol = tolerance,
                                  .events = {wall_of_pendulum(direction)}});
        EXPECT_EQ(s.status(), Status::events_accumulate) << method << ' ' << tolerance;
        EXPECT_NEAR(s.end_time(), 2.5506, 0.03) << method << ' ' << tolerance;
        EXPECT_GE(s.events().size(), 12u) << method << ' ' << tolerance;
        // 0.777 from the first impact to the second one.
        ASSERT_GE(s.events().size(), 2u);
        EXPECT_NEAR(s.events()[1].t - s.events()[0].t, 0.777, 0.03) << method << ' ' << tolerance;
      }
}

}  // namespace
}  // namespace daedalus::loop_test
