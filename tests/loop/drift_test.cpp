// SPDX-License-Identifier: BSD-3-Clause
// The drift monitor: residuals at three levels after every step, and the power of t with which they
// grow (Arnold 1998, section 3.1, Example 17: linear for index 2, quadratic for index 1).
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

#include "integrate/drift.hpp"

namespace daedalus::drift_test {
namespace {

Problem pendulum() { return problems::find_problem("pendulum")->problem({{"gravity", 1.0}}); }

Solution watched(const std::string& method, const std::string& formulation, double h, double t_end,
                 ProjectionWhen projection = ProjectionWhen::none) {
  Options o;
  o.method = method;
  o.formulation = formulation;
  o.projection = projection;
  o.fixed_step = h;
  o.output = Output::end;
  o.watch_drift = true;
  return solve(pendulum(), {0.0, t_end}, o);
}

double at(const Solution& s, double t) {
  for (const DriftSample& sample : s.drift())
    if (std::abs(sample.t - t) < 1e-6) return sample.position;
  return -1.0;
}

// |residual| = size t^power |cos t| sampled at `steps` equal steps of [0, 100].
std::vector<DriftSample> swinging(double size, double power, int steps = 2000) {
  std::vector<DriftSample> samples;
  for (int i = 1; i <= steps; ++i) {
    const double t = 100.0 * i / steps;
    samples.push_back({t, size * std::pow(t, power) * std::abs(std::cos(t)), 0.0, 0.0});
  }
  return samples;
}
double exponent(const std::vector<DriftSample>& samples, double round_off = 0.0) {
  return growth_exponent(samples, &DriftSample::position, 0.0, round_off);
}

TEST(Drift, ExponentIsThatOfTheEnvelope) {
  for (const double power : {0.5, 1.0, 1.5, 2.0, 3.0})
    EXPECT_NEAR(exponent(swinging(1e-9, power)), power, 0.1) << power;
  // A fit through the residuals themselves at these times would see where they swing: sin(12.5) and
  // sin(100) are -0.066 and -0.51.
  std::vector<DriftSample> shifted = swinging(1e-9, 2.0);
  for (DriftSample& s : shifted) s.position = 1e-9 * s.t * s.t * std::abs(std::sin(s.t));
  EXPECT_NEAR(exponent(shifted), 2.0, 0.2);
  const auto last = [&](double t) { return 1e-9 * t * t * std::abs(std::sin(t)); };
  EXPECT_GT(std::abs(std::log2(last(100.0) / last(12.5)) / 3.0 - 2.0), 0.5)
      << "a fit without the envelope would pass too, and the test shows nothing";
}

TEST(Drift, NothingThatGrowsHasNoExponent) {
  EXPECT_TRUE(std::isnan(exponent(swinging(1e-7, 0.0)))) << "a residual at the tolerance";
  EXPECT_TRUE(std::isnan(exponent(swinging(1e-7, 0.2)))) << "not doubled in three octaves";
  EXPECT_TRUE(std::isnan(exponent(swinging(0.0, 1.0)))) << "zero";
  EXPECT_TRUE(std::isnan(exponent(swinging(1e-16, 1.0), 2e-16))) << "round-off";
  EXPECT_NEAR(exponent(swinging(1e-14, 1.0), 2e-16), 1.0, 0.1) << "1e-12 is more than round-off";
  EXPECT_TRUE(std::isnan(exponent(swinging(1e-7, 2.0, 15)))) << "too few steps to tell";
  EXPECT_TRUE(std::isnan(exponent({})));
  std::vector<DriftSample> gap = swinging(1e-7, 2.0);
  gap[100].position = std::nan("");
  EXPECT_TRUE(std::isnan(exponent(gap)));
}

// |g| of the classical method on the index-1 form, h = 0.05.
TEST(Drift, QuadraticForIndex1) {
  const Solution s = watched("rk4", "index1", 0.05, 160.0);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.drift().size(), 3200u);
  const double known[][2] = {
      {10, 2.36e-5}, {20, 9.47e-5}, {40, 3.80e-4}, {80, 1.52e-3}, {160, 6.10e-3}};
  for (const auto& [t, g] : known) EXPECT_NEAR(at(s, t) / g, 1.0, 0.01) << t;
  EXPECT_NEAR(s.statistics().position_growth, 2.0, 0.1);
  EXPECT_NEAR(s.statistics().velocity_growth, 1.0, 0.2);
  // The method solves for lambda from the acceleration constraint.
  EXPECT_LT(s.statistics().acceleration_residual, 1e-13);
  EXPECT_TRUE(std::isnan(s.statistics().acceleration_growth));
}

TEST(Drift, LinearForIndex2) {
  const Solution s = watched("half-explicit-euler", "index2", 0.002, 160.0);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(at(s, 10.0), 9.8e-3, 0.3e-3);
  EXPECT_NEAR(at(s, 160.0), 1.8e-1, 0.1e-1);
  EXPECT_NEAR(s.statistics().position_growth, 1.0, 0.2);
  EXPECT_TRUE(std::isnan(s.statistics().velocity_growth)) << "held by the method, to round-off";
}

TEST(Drift, NoneWithProjection) {
  const Solution s = watched("rk4", "index1", 0.05, 40.0, ProjectionWhen::every_step);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_TRUE(std::isnan(s.statistics().position_growth));
  EXPECT_TRUE(std::isnan(s.statistics().velocity_growth));
  EXPECT_LT(s.statistics().position_residual, 1e-8);
}

// |G v' + v.v| with v' = (0, -1) - lambda q from the state that was reported.
TEST(Drift, AccelerationLevelByTheBalance) {
  Options o;
  o.method = "half-explicit-euler";
  o.formulation = "index2";
  o.projection = ProjectionWhen::none;
  o.fixed_step = 0.01;
  o.watch_drift = true;
  const Solution s = solve(pendulum(), {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.times().size(), s.drift().size() + 1);
  double largest = 0.0;
  for (std::size_t i = 0; i < s.drift().size(); ++i) {
    const ModelState y = s.state(i + 1);
    const Eigen::VectorXd q = y.q(), v = y.v();
    const double lambda = y.lambda()[0];
    const double expected = std::abs(-q[1] - lambda * q.squaredNorm() + v.squaredNorm());
    EXPECT_NEAR(s.drift()[i].acceleration, expected, 1e-13);
    EXPECT_NEAR(s.drift()[i].velocity, std::abs(q.dot(v)), 1e-14);
    EXPECT_NEAR(s.drift()[i].position, std::abs(0.5 * (q.squaredNorm() - 1.0)), 1e-14);
    largest = std::max(largest, expected);
  }
  EXPECT_GT(largest, 1e-3);  // lambda belongs to the beginning of the step
  EXPECT_NEAR(s.statistics().acceleration_residual, largest, 1e-13);
}

// r_B + 2 alpha r_G + beta r_L = 0 there: what is watched is r_B, without the damping terms.
TEST(Drift, DampingIsNotPartOfTheResidual) {
  Options o;
  o.method = "rk4";
  o.formulation = "baumgarte";
  o.formulation_options = {{"alpha", 3.0}, {"beta", 4.0}};
  o.fixed_step = 0.1;
  o.watch_drift = true;
  const Solution s = solve(pendulum(), {0.0, 5.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  for (std::size_t i = 0; i < s.drift().size(); ++i) {
    const ModelState y = s.state(i + 1);
    const Eigen::VectorXd q = y.q(), v = y.v();
    const double damping = 6.0 * q.dot(v) + 2.0 * (q.squaredNorm() - 1.0);
    EXPECT_NEAR(s.drift()[i].acceleration, std::abs(damping), 1e-12);
  }
  EXPECT_GT(s.statistics().acceleration_residual, 1e-6);
}

TEST(Drift, WatchingChangesNeitherStepsNorTheirCounts) {
  Options o;
  o.method = "rk4";
  o.rtol = 1e-6;
  const Solution plain = solve(pendulum(), {0.0, 5.0}, o);
  o.watch_drift = true;
  const Solution seen = solve(pendulum(), {0.0, 5.0}, o);
  EXPECT_EQ(plain.end().y(), seen.end().y());
  EXPECT_TRUE(plain.drift().empty());
  EXPECT_TRUE(std::isnan(plain.statistics().acceleration_residual));
  EXPECT_EQ(seen.drift().size(), static_cast<std::size_t>(seen.statistics().accepted));
  for (const Phase phase : {Phase::start, Phase::step, Phase::projection}) {
    const Counts &a = plain.statistics().in(phase), &b = seen.statistics().in(phase);
    EXPECT_EQ(a.factorisations, b.factorisations);
    EXPECT_EQ(a.function_evaluations, b.function_evaluations);
    EXPECT_EQ(a.constraint_evaluations, b.constraint_evaluations);
    EXPECT_EQ(a.curvature_evaluations, b.curvature_evaluations);
  }
  EXPECT_EQ(seen.statistics().in(Phase::output).factorisations, seen.statistics().accepted);
}

TEST(Drift, NothingToWatchWithoutConstraints) {
  const Problem decay =
      MassMatrixProblem{.name = "decay",
                        .rhs = autodiff([](const auto&, const auto& y, auto& f) { f[0] = -y[0]; }),
                        .y0 = Eigen::VectorXd::Ones(1),
                        .index = 0};
  Options o;
  o.method = "bdf";
  o.watch_drift = true;
  const Solution s = solve(decay, {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_TRUE(s.drift().empty());
  EXPECT_TRUE(std::isnan(s.statistics().position_growth));
}

}  // namespace
}  // namespace daedalus::drift_test
