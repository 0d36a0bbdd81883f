// SPDX-License-Identifier: BSD-3-Clause
// Values between steps: output times, dense output and events see what the equations say there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <daedalus/integrator.hpp>
#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

constexpr double turn = 2.0 * std::numbers::pi;

// x' = -x, 0 = z - sin(w t): nothing in x asks for short steps.
SemiExplicitProblem fast_signal(double w) {
  SemiExplicitProblem p{.name = "fast signal"};
  p.f = autodiff([](auto, const auto& y, const auto&, auto& f) { f[0] = -y[0]; });
  p.g = autodiff([w](auto t, const auto&, const auto& z, auto& g) {
    using std::sin;
    g[0] = z[0] - sin(w * t);
  });
  p.y0 = Eigen::VectorXd::Ones(1);
  p.z0 = Eigen::VectorXd::Zero(1);
  return p;
}

std::vector<double> sample_times(double t_end) {
  std::vector<double> times;
  for (int i = 1; i <= 200; ++i) times.push_back(t_end * (i - 0.37) / 200.0);
  return times;
}

struct Setting {
  const char* method;
  double ratio;  // of the signal's frequency to that of the state
  double tolerance;
};

class FastSignal : public ::testing::TestWithParam<Setting> {};

TEST_P(FastSignal, MeetsTheToleranceAtOutputTimesAndInDenseOutput) {
  const Setting s = GetParam();
  const double w = turn * s.ratio, t_end = std::min(1.0, 40.0 / s.ratio);
  for (const Output output : {Output::times, Output::dense}) {
    Options o{.method = s.method, .rtol = s.tolerance, .atol = s.tolerance, .output = output};
    if (output == Output::times) o.output_times = sample_times(t_end);
    const Solution run = solve(fast_signal(w), {0.0, t_end}, o);
    ASSERT_TRUE(run.ok()) << run.message();
    double worst = 0.0;
    for (const double t : sample_times(t_end))
      worst = std::max(worst, std::abs(run.at(t).z()[0] - std::sin(w * t)) / s.tolerance);
    EXPECT_LT(worst, 100.0) << s.method << ", ratio " << s.ratio << ", " << s.tolerance;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, FastSignal,
    ::testing::Values(Setting{"auto", 1000.0, 1e-4}, Setting{"auto", 1000.0, 1e-7},
                      Setting{"auto", 3.0, 1e-4}, Setting{"auto", 3.0, 1e-9},
                      Setting{"radau", 30.0, 1e-6}, Setting{"rodas4", 30.0, 1e-6},
                      Setting{"bdf", 30.0, 1e-6}, Setting{"tsit5da", 30.0, 1e-6},
                      Setting{"dae4s", 10.0, 1e-5}, Setting{"dae4sf", 10.0, 1e-5},
                      Setting{"dae4sf-1988", 10.0, 1e-5}, Setting{"dae34ns", 10.0, 1e-5},
                      Setting{"dae33ns", 10.0, 1e-5}, Setting{"dae3ns", 10.0, 1e-5},
                      Setting{"rodas3", 10.0, 1e-5}, Setting{"dae2sol", 10.0, 1e-5}));

// An integrator is asked for values inside its last step: from then on steps are tested inside, and
// before that a warning tells what is off.
TEST(BetweenSteps, AnIntegratorInterpolatesWithinTheTolerance) {
  const double w = turn * 30.0, tolerance = 1e-6;
  bool told = false;
  for (const char* method : {"auto", "radau", "rodas4", "bdf", "tsit5da"}) {
    Integrator run(fast_signal(w), {.method = method, .rtol = tolerance, .atol = tolerance});
    ASSERT_EQ(run.initialize(0.0, 1.0), Status::success);
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(run.step(1.0).status, Status::success);
    const double asked = 0.3 * run.t() + 0.7 * (run.t() - run.statistics().last_step);
    const double first = std::abs(run.interpolate(asked).z()[0] - std::sin(w * asked));
    EXPECT_TRUE(first < 100.0 * tolerance || !run.solution().warnings().empty()) << method;
    told = told || !run.solution().warnings().empty();
    while (run.t() < 1.0) {
      const double from = run.t();
      ASSERT_EQ(run.step(1.0).status, Status::success) << run.solution().message();
      for (const double share : {0.21, 0.5, 0.83}) {
        const double t = from + share * (run.t() - from);
        worst = std::max(worst, std::abs(run.interpolate(t).z()[0] - std::sin(w * t)));
      }
    }
    EXPECT_LT(worst, 100.0 * tolerance) << method;
  }
  EXPECT_TRUE(told);
}

TEST(BetweenSteps, EventsOfAFastSignalAreAllFound) {
  const double w = turn * 50.0;
  Options o{.rtol = 1e-6, .atol = 1e-6, .output = Output::end};
  Event e;
  e.name = "zero";
  e.when = [](const StateView& s) { return s.z()[0]; };
  e.direction = Crossing::falling;
  o.events = {e};
  const Solution run = solve(fast_signal(w), {0.0, 1.001}, o);
  ASSERT_TRUE(run.ok()) << run.message();
  ASSERT_EQ(run.events().size(), 50U);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_NEAR(run.events()[i].t, (static_cast<double>(i) + 0.5) / 50.0, 100.0 * 1e-6 / w);
}

// x' = y, 0 = y - sin t and x' = sin t: the estimates of rodas5 and dae3ns vanish on both.
void expect_true_quadratures(const std::string& method, double tolerance) {
  SemiExplicitProblem p{.name = "quadrature"};
  p.f = autodiff([](auto, const auto&, const auto& z, auto& f) { f[0] = z[0]; });
  p.g = autodiff([](auto t, const auto&, const auto& z, auto& g) {
    using std::sin;
    g[0] = z[0] - sin(t);
  });
  p.y0 = p.z0 = Eigen::VectorXd::Zero(1);
  Options o{.method = method, .rtol = tolerance, .atol = tolerance, .output = Output::end};
  const Solution run = solve(p, {0.0, 10.0}, o);
  ASSERT_TRUE(run.ok()) << run.message();
  const double exact = 1.0 - std::cos(10.0);
  EXPECT_LT(std::abs(run.end().y()[0] - exact), 100.0 * tolerance) << method << " " << tolerance;
  SemiExplicitProblem alone{.name = "alone"};
  alone.f = autodiff([](auto t, const auto&, const auto&, auto& f) {
    using std::sin;
    f[0] = sin(t);
  });
  alone.y0 = Eigen::VectorXd::Zero(1);
  const Solution second = solve(alone, {0.0, 10.0}, o);
  EXPECT_LT(std::abs(second.end().y()[0] - exact), 100.0 * tolerance) << method << " " << tolerance;
}

TEST(BetweenSteps, ABlindEstimateIsNotBelieved) {
  std::vector<std::string> blind;
  for (const Method* m : all_methods())
    if (m->blind_to_quadrature) blind.push_back(m->name);
  EXPECT_THAT(blind, ::testing::UnorderedElementsAre("rodas5", "dae3ns"));
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
    expect_true_quadratures("rodas5", tolerance);
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) expect_true_quadratures("dae3ns", tolerance);
}

// Stiff and smooth, as most problems are: y' = -1000 (y - cos t) - sin t.
TEST(BetweenSteps, CostATenthAtMost) {
  MassMatrixProblem p{.name = "smooth"};
  p.rhs = autodiff([](auto t, const auto& y, auto& f) {
    using std::cos, std::sin;
    f[0] = -1000.0 * (y[0] - cos(t)) - sin(t);
    f[1] = -y[1] + y[0];
    f[2] = y[1] - 2.0 * y[2] + 0.1 * sin(y[0] * y[1]);
  });
  p.y0 = Eigen::Vector3d(1.0, 0.0, 0.5);
  p.index = 0;
  const auto work = [](const Counts& c) {
    // Evaluations, columns of Jacobians, solves and factorisations count alike in small systems.
    return static_cast<double>(c.function_evaluations + c.residual_evaluations +
                               c.jacobian_columns + c.solves + c.factorisations);
  };
  for (const char* method : {"rodas4", "rodas5p", "radau", "bdf"}) {
    Options o{.method = method, .rtol = 1e-6, .atol = 1e-6, .output = Output::dense};
    const Solution dense = solve(p, {0.0, 20.0}, o);
    o.output = Output::end;
    const Solution end = solve(p, {0.0, 20.0}, o);
    EXPECT_LT(work(dense.statistics().in(Phase::output)), 0.1 * work(dense.statistics().total()))
        << method;
    // And what the bound on the error inside asks for besides.
    EXPECT_LT(work(dense.statistics().total()), 1.6 * work(end.statistics().total())) << method;
    EXPECT_GT(work(dense.statistics().in(Phase::output)), 0.0) << method;
  }
}

// Shorter steps do not help where an algebraic variable jumps: what is delivered elsewhere is right
// all the same.
TEST(BetweenSteps, AJumpOfAnAlgebraicVariableIsNoFailure) {
  SemiExplicitProblem p = fast_signal(1.0);
  p.g = autodiff(
      [](auto t, const auto&, const auto& z, auto& g) { g[0] = z[0] - (t < 0.5 ? 0.0 : 1.0); });
  for (const char* method :
       {"auto", "rodas4", "rodas5p", "radau", "radau5", "bdf", "implicit-euler"}) {
    const Solution run = solve(
        p, {0.0, 1.0}, {.method = method, .rtol = 1e-6, .atol = 1e-6, .output = Output::dense});
    ASSERT_TRUE(run.ok()) << method << ": " << run.message();
    EXPECT_NEAR(run.end().y()[0], std::exp(-1.0), 1e-3) << method;
    for (const double t : {0.1, 0.4, 0.49, 0.499, 0.501, 0.51, 0.6, 0.9})
      EXPECT_NEAR(run.at(t).z()[0], t < 0.5 ? 0.0 : 1.0, 1e-4) << method << " at " << t;
  }
}

// The interpolant over a jump swings; the level is crossed once (rodas4 found three at 1e-4).
TEST(BetweenSteps, AJumpOfAnAlgebraicVariableCrossesALevelOnce) {
  SemiExplicitProblem p = fast_signal(1.0);
  p.g = autodiff([](auto t, const auto& y, const auto& z, auto& g) {
    g[0] = z[0] - (t < 0.5 ? -1.0 : 1.0) - 0.1 * y[0];
  });
  p.z0 = Eigen::VectorXd::Constant(1, -1.0 + 0.1 * p.y0[0]);
  const Event level{.name = "level", .when = [](const StateView& s) { return s.z()[0]; }};
  for (const char* method : {"auto", "rodas4", "rodas5p", "radau", "bdf"})
    for (const double tol : {1e-3, 1e-4, 1e-5, 1e-6}) {
      const Solution run =
          solve(p, {0.0, 1.0}, {.method = method, .rtol = tol, .atol = tol, .events = {level}});
      ASSERT_TRUE(run.ok()) << method << ": " << run.message();
      ASSERT_EQ(run.events().size(), 1U) << method << ' ' << tol;
      EXPECT_NEAR(run.events()[0].t, 0.5, 1e-6) << method << ' ' << tol;
    }
}

}  // namespace
}  // namespace daedalus
