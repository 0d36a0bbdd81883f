// SPDX-License-Identifier: BSD-3-Clause
// Intervals cover the true values as often as they say: 400 seeded repetitions of an experiment.
#include <cmath>
#include <iostream>
#include <numbers>
#include <random>

#include <daedalus/autodiff.hpp>
#include <daedalus/fit.hpp>

namespace daedalus::fit_test {
namespace {

class SlowFitCoverage : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_fit()) GTEST_SKIP() << "built without Ceres";
  }
};

constexpr double true_k1 = 0.7, true_k2 = 0.2, sigma = 0.02;
constexpr int repetitions = 400;

Problem reactions() {
  return MassMatrixProblem{.name = "reactions",
                           .rhs = autodiff([](const auto& x, auto& f) {
                             f[0] = -x.p[0] * x.y[0];
                             f[1] = x.p[0] * x.y[0] - x.p[1] * x.y[1];
                           }),
                           .y0 = Eigen::Vector2d(1.0, 0.0),
                           .index = 0,
                           .variables = {"A", "B"},
                           .parameters = {{"k1", true_k1}, {"k2", true_k2}}};
}

// The exact solution with normal errors (Box and Muller; distributions of libraries differ).
Experiment measured(std::mt19937_64& random, bool with_sigma) {
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const auto normal = [&] {
    return std::sqrt(-2.0 * std::log(uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
  };
  Experiment e{.name = "run", .outputs = {{.name = "A"}, {.name = "B"}}};
  for (int k = 1; k <= 10; ++k) {
    const double t = k, a = std::exp(-true_k1 * t);
    const double b = true_k1 / (true_k1 - true_k2) * (std::exp(-true_k2 * t) - a);
    e.t.push_back(t);
    e.outputs[0].value.push_back(a + sigma * normal());
    e.outputs[1].value.push_back(b + sigma * normal());
  }
  if (with_sigma)
    for (Measurement& m : e.outputs) m.sigma = {sigma};
  return e;
}

// Both ways to get sigma; k1 by its logarithm.
TEST_F(SlowFitCoverage, IntervalsCoverTheTruthInNinetyFivePercent) {
  for (const bool with_sigma : {true, false}) {
    std::mt19937_64 random(20240601);
    int covered[2] = {0, 0}, narrow = 0;
    Fit fit{.model = fit_model(reactions(), {0.0, 10.0})};
    fit.free = {parse_free("k1=0.01..10@0.5"), parse_free("k2=0.01..0.9@0.3")};
    fit.options.rtol = 1e-8;
    fit.options.atol = 1e-8;
    for (int k = 0; k < repetitions; ++k) {
      fit.experiments = {measured(random, with_sigma)};
      const FitResult r = daedalus::fit(fit);
      ASSERT_TRUE(r.ok()) << r.message;
      const double truth[2] = {true_k1, true_k2};
      for (int i = 0; i < 2; ++i) {
        const ParameterEstimate& e = r.estimates[static_cast<std::size_t>(i)];
        covered[i] += e.interval[0] <= truth[i] && truth[i] <= e.interval[1] ? 1 : 0;
      }
      // The control: intervals of half the width cover far less.
      narrow += std::abs(r.estimates[1].value - true_k2) <=
                        0.25 * (r.estimates[1].interval[1] - r.estimates[1].interval[0])
                    ? 1
                    : 0;
    }
    for (const int count : covered) {
      const double share = 100.0 * count / repetitions;
      RecordProperty(with_sigma ? "known" : "estimated", std::to_string(share));
      std::cout << (with_sigma ? "sigma known: " : "sigma estimated: ") << share << " %\n";
      EXPECT_NEAR(share, 95.0, 3.0);
    }
    EXPECT_LT(100.0 * narrow / repetitions, 80.0);
  }
}

}  // namespace
}  // namespace daedalus::fit_test
