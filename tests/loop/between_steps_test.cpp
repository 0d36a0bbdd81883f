// Values between steps: output times, dense output and events see what the equations say there.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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
                      Setting{"bdf", 30.0, 1e-6}, Setting{"tsit5da", 30.0, 1e-6}));

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

// x' = y, 0 = y - sin t and x' = sin t: the estimate of rodas5 vanishes on both.
TEST(BetweenSteps, ABlindEstimateIsNotBelieved) {
  ASSERT_TRUE(find_method("rodas5")->blind_to_quadrature);
  ASSERT_FALSE(find_method("rodas5p")->blind_to_quadrature);
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    SemiExplicitProblem p{.name = "quadrature"};
    p.f = autodiff([](auto, const auto&, const auto& z, auto& f) { f[0] = z[0]; });
    p.g = autodiff([](auto t, const auto&, const auto& z, auto& g) {
      using std::sin;
      g[0] = z[0] - sin(t);
    });
    p.y0 = p.z0 = Eigen::VectorXd::Zero(1);
    Options o{.method = "rodas5", .rtol = tolerance, .atol = tolerance, .output = Output::end};
    const Solution run = solve(p, {0.0, 10.0}, o);
    ASSERT_TRUE(run.ok()) << run.message();
    EXPECT_LT(std::abs(run.end().y()[0] - (1.0 - std::cos(10.0))), 100.0 * tolerance);
    MassMatrixProblem alone{.name = "alone"};
    alone.rhs = autodiff([](auto t, const auto&, auto& f) {
      using std::sin;
      f[0] = sin(t);
    });
    alone.y0 = Eigen::VectorXd::Zero(1);
    alone.index = 0;
    const Solution second = solve(alone, {0.0, 10.0}, o);
    EXPECT_LT(std::abs(second.end().y()[0] - (1.0 - std::cos(10.0))), 100.0 * tolerance);
  }
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

TEST(BetweenSteps, AJumpOfAnAlgebraicVariableIsNoFailure) {
  SemiExplicitProblem p = fast_signal(1.0);
  p.g = autodiff(
      [](auto t, const auto&, const auto& z, auto& g) { g[0] = z[0] - (t < 0.5 ? 0.0 : 1.0); });
  const Solution run = solve(p, {0.0, 1.0}, {.rtol = 1e-6, .atol = 1e-6, .output = Output::dense});
  ASSERT_TRUE(run.ok()) << run.message();
  EXPECT_NEAR(run.at(0.499).z()[0], 0.0, 1e-4);
  EXPECT_NEAR(run.at(0.501).z()[0], 1.0, 1e-4);
}

}  // namespace
}  // namespace daedalus
