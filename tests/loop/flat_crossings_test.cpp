// SPDX-License-Identifier: BSD-3-Clause
// Where events are that a simple bracketing method does not find: flat, double, touching and
// simultaneous roots. The bracketing itself on functions that defeat regula falsi.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/bracketing.hpp"
#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

constexpr double level = 0.37;

Event power(int p, EventAction action = EventAction::record) {
  return {.name = "power " + std::to_string(p),
          .when = [p](const StateView& s) { return std::pow(s.y()[0] - level, p); },
          .action = action};
}

Solution on_ramp(std::vector<Event> events, double fixed_step = 0.0) {
  Options o{.method = "rodas4", .events = std::move(events)};
  o.fixed_step = fixed_step;
  return solve(ramp(), {0.0, 1.0}, o);
}

TEST(FlatCrossings, AreWhereTheFunctionChangesItsSign) {
  for (const int p : {1, 3, 5, 9, 15})
    for (const EventAction action : {EventAction::record, EventAction::stop}) {
      const Solution s = on_ramp({power(p, action)});
      ASSERT_EQ(s.events().size(), 1u) << p;
      // y = t but for round-off; beyond |f| = 1e-308 the sign of a power is lost: 1e-20 for p = 15.
      EXPECT_NEAR(s.events()[0].t, level, 1e-13) << p;
      if (action == EventAction::stop) {
        EXPECT_NEAR(s.end_time(), level, 1e-13) << p;
      }
    }
}

TEST(FlatCrossings, BackwardToo) {
  Options o{.method = "rodas4", .events = {power(5)}};
  Problem p = ramp();
  std::get<MassMatrixProblem>(p).y0[0] = 1.0;
  const Solution s = solve(p, {1.0, 0.0}, o);
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_NEAR(s.events()[0].t, level, 1e-13);
}

// The function stays at zero: the event is where it gets there, not at a sample behind it.
TEST(FlatCrossings, ThatStayAtZeroAreWhereTheyGetThere) {
  const Event rise{.name = "rise",
                   .when = [](const StateView& s) { return std::min(0.0, s.y()[0] - 0.5); }};
  const Event fall{.name = "fall",
                   .when = [](const StateView& s) { return std::max(0.0, 0.43 - s.y()[0]); },
                   .action = EventAction::stop};
  for (const double step : {0.0, 1.0, 0.3}) {
    const Solution s = on_ramp({rise}, step);
    ASSERT_EQ(s.events().size(), 1u) << step;
    EXPECT_NEAR(s.events()[0].t, 0.5, 1e-13) << step;
    EXPECT_NEAR(on_ramp({fall}, step).end_time(), 0.43, 1e-13) << step;
  }
}

// Without a change of sign there is no event, whether samples meet the zero or not.
TEST(FlatCrossings, TouchingIsNoEvent) {
  EXPECT_TRUE(on_ramp({power(2)}).events().empty());
  EXPECT_TRUE(on_ramp({power(4)}).events().empty());
  Event touch{.name = "touch", .when = [](const StateView& s) { return std::pow(s.t() - 0.5, 2); }};
  EXPECT_TRUE(on_ramp({touch}, 1.0).events().empty()) << "zero at the second of four samples";
}

TEST(FlatCrossings, AZeroAtASampleCountsOnce) {
  Event cross{.name = "cross", .when = [](const StateView& s) { return s.t() - 0.5; }};
  const Solution s = on_ramp({cross}, 1.0);
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_EQ(s.events()[0].t, 0.5);
}

TEST(FlatCrossings, TwoSimpleRootsNearADoubleOneAreFoundWhereSamplesSeparateThem) {
  Event pair{.name = "pair",
             .when = [](const StateView& s) { return (s.t() - 0.4) * (s.t() - 0.6); }};
  const Solution s = on_ramp({pair}, 1.0);  // samples at 1/4, 1/2, 3/4
  ASSERT_EQ(s.events().size(), 2u);
  EXPECT_NEAR(s.events()[0].t, 0.4, 1e-13);
  EXPECT_NEAR(s.events()[1].t, 0.6, 1e-13);
}

// Both roots lie between two samples: |f| dips there, in the middle of a step and at its ends.
TEST(FlatCrossings, TwoRootsBetweenSamplesAreFoundInADip) {
  for (const double root : {0.05, 0.3, 0.55, 0.9}) {
    Event pair{.name = "pair", .when = [root](const StateView& s) {
                 return std::pow(s.t() - root, 3) * (s.t() - root - 0.05);
               }};
    const Solution s = on_ramp({pair}, 1.0);
    ASSERT_EQ(s.events().size(), 2u) << root;
    EXPECT_NEAR(s.events()[0].t, root, 1e-8);
    EXPECT_NEAR(s.events()[1].t, root + 0.05, 1e-8);
  }
}

TEST(FlatCrossings, SimultaneousOnesOfDifferentOrdersActTogether) {
  int handled = 0;
  std::vector<Event> events{power(1, EventAction::handle), power(3, EventAction::handle),
                            power(5, EventAction::handle)};
  for (Event& e : events) e.handler = [&](EventContext&) { ++handled; };
  const Solution s = on_ramp(events);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(handled, 3);
  ASSERT_EQ(s.events().size(), 3u);
  for (const EventRecord& e : s.events()) EXPECT_NEAR(e.t, level, 1e-12) << e.name;
}

// Start values after an event move an algebraic variable back by what the interpolant had wrong,
// and a restarted bdf makes steps so short that a flat function hardly moves: the same crossing
// follows.
TEST(FlatCrossings, ThatActedAreNotFoundAgain) {
  SemiExplicitProblem p{.f = autodiff([](const auto& x, auto& f) { f[0] = x.z[0] - x.y[0]; }),
                        .g = autodiff([](const auto& x, auto& g) {
                          using std::sin;
                          g[0] = x.z[0] + 0.1 * x.z[0] * x.z[0] * x.z[0] - sin(2.3 * x.t + 0.4) -
                                 0.2 * x.y[0];
                        }),
                        .y0 = Eigen::VectorXd::Zero(1),
                        .z0 = Eigen::VectorXd::Constant(1, 0.3)};
  const auto found = [&](const char* method, double tolerance, int power) {
    Options o{.method = method, .rtol = tolerance, .atol = tolerance};
    o.start = StartStrategy::solve;
    o.events = {{.name = "level",
                 .when = [power](const StateView& s) { return std::pow(s.y()[1] - 0.2, power); },
                 .action = EventAction::handle,
                 .handler = [](EventContext&) {}}};
    const Solution s = solve(p, {0.0, 20.0}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    return s.events().size();
  };
  const std::size_t all = found("rodas5p", 1e-9, 1);
  EXPECT_GT(all, 10u);
  for (const char* method : {"rodas4", "ros34pw2", "tsit5da", "bdf", "radau5"})
    for (const double tolerance : {1e-3, 1e-7})
      for (const int power : {1, 3, 5})
        EXPECT_EQ(found(method, tolerance, power), all)
            << method << " " << tolerance << " " << power;
}

// Regula falsi and the Illinois rule keep one end here for hundreds of evaluations.
TEST(Bracketing, ShrinksOnFlatAndLopsidedFunctions) {
  const auto count = [](auto f, double a, double b, double tolerance, double root) {
    int evaluations = 0;
    const auto counted = [&](double x) { return ++evaluations, f(x); };
    const double x = bracketed_root(std::ref(counted), {a, f(a), b, f(b)}, tolerance);
    EXPECT_NEAR(x, root, tolerance);
    return evaluations;
  };
  EXPECT_LT(count([](double x) { return std::pow(x - 0.37, 5); }, 0.0, 1.0, 1e-14, 0.37), 150);
  EXPECT_LT(count([](double x) { return std::exp(50.0 * x) - 1e10; }, 0.0, 10.0, 1e-14,
                  std::log(1e10) / 50.0),
            60);
  EXPECT_LT(count([](double x) { return x < 0.123 ? -1e-9 : 1e9; }, 0.0, 1.0, 1e-14, 0.123), 150);
  // A simple root costs what a superlinear method may.
  EXPECT_LT(count([](double x) { return std::sin(x); }, 3.0, 3.3, 1e-14, std::acos(-1.0)), 12);
  EXPECT_LT(count([](double x) { return std::sin(x); }, 3.3, 3.0, 1e-14, std::acos(-1.0)), 12);
}

TEST(Bracketing, ReturnsTheBetterEnd) {
  // The smaller |f| is on the left of a jump.
  const auto jump = [](double x) { return x < 0.5 ? -1e-3 : 1.0; };
  EXPECT_LT(bracketed_root(jump, {0.0, -1e-3, 1.0, 1.0}, 1e-12), 0.5);
  const auto mirrored = [](double x) { return x < 0.5 ? -1.0 : 1e-3; };
  EXPECT_GE(bracketed_root(mirrored, {0.0, -1.0, 1.0, 1e-3}, 1e-12), 0.5);
}

}  // namespace
}  // namespace daedalus::loop_test
