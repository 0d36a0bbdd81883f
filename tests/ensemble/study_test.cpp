// SPDX-License-Identifier: BSD-3-Clause
// What many runs say together: quantiles, bands against the exact ones, and refinement that finds a
// jump and leaves smooth parts alone.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/autodiff.hpp>
#include <daedalus/ensemble_study.hpp>

namespace daedalus::study_test {
namespace {

Problem decay() {
  MassMatrixProblem p;
  p.name = "decay";
  p.y0 = Eigen::VectorXd::Ones(1);
  p.parameters = {{"rate", 1.0}};
  p.rhs = autodiff([](const auto& x, auto& f) { f[0] = -x.p[0] * x.y[0]; });
  return p;
}

TEST(Quantiles, AreThoseOfTypeSeven) {
  const std::vector<double> p{0.0, 0.25, 0.5, 0.9, 1.0};
  EXPECT_EQ(quantiles({4.0, 1.0, 3.0, 2.0}, p), (std::vector<double>{1.0, 1.75, 2.5, 3.7, 4.0}));
  EXPECT_EQ(quantiles({5.0, std::nan("")}, p), std::vector<double>(5, 5.0));
  EXPECT_TRUE(std::isnan(quantiles({}, p)[2]));
  EXPECT_THROW(quantiles({1.0}, std::vector{1.5}), InvalidArgument);
}

// y = exp(-rate t) falls with the rate: its quantiles are those of the rate, turned round.
TEST(Bands, AreTheExactOnesOfADecay) {
  const ValueLaw law = value_law("lognormal(1, 0.2)");
  const ParameterPlan plan =
      sample({{"rate", law}}, {.samples = 4000, .sampling = Sampling::latin_hypercube});
  const std::vector<double> times{0.0, 0.5, 1.0};
  const Problem problem = decay();
  const auto task = [&](std::size_t run) {
    MassMatrixProblem made = std::get<MassMatrixProblem>(problem);
    made.parameters[0].value = plan.point(run)[0];
    return EnsembleTask{made, {0.0, 1.0}, {.rtol = 1e-8, .atol = 1e-8}, times};
  };
  const EnsembleResult result = solve_ensemble(plan.size(), task);
  ASSERT_EQ(result.failed, 0u);
  const std::vector<double> p{0.05, 0.5, 0.95};
  const EnsembleBands bands = quantile_bands(result.runs, times, 1, p);
  EXPECT_EQ(bands.counts, std::vector<std::size_t>(3, 4000));
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t k = 0; k < p.size(); ++k)
      EXPECT_NEAR(bands.value(i, 0, k), std::exp(-law.quantile(1.0 - p[k]) * times[i]), 5e-4);
  EXPECT_EQ(status_counts(result.runs), (std::map<std::string, std::size_t>{{"success", 4000}}));
}

TEST(Bands, FailedRunsCountAsFarAsTheyCame) {
  EnsembleRun whole, broken;
  whole.done = broken.done = true;
  whole.series = {1.0, 2.0, 3.0};
  broken.series = {5.0};
  broken.status = "step_size_too_small";
  const EnsembleBands bands = quantile_bands({whole, broken}, {0.0, 1.0, 2.0}, 1, {1.0});
  EXPECT_EQ(bands.counts, (std::vector<std::size_t>{2, 1, 1}));
  EXPECT_EQ(bands.values, (std::vector<double>{5.0, 2.0, 3.0}));
}

// A step at 0.3 over [0, 1] x {0, 1}: runs as they would be.
EnsembleRun step_at(std::span<const double> point) {
  EnsembleRun run;
  run.done = run.ok = true;
  run.y = {std::tanh((point[0] - 0.3) / 0.001), 0.01 * point[1]};
  return run;
}

std::vector<EnsembleRun> results(const ParameterPlan& plan) {
  std::vector<EnsembleRun> runs;
  for (std::size_t k = 0; k < plan.size(); ++k) runs.push_back(step_at(plan.point(k)));
  return runs;
}

TEST(Refinement, GoesWhereResultsChangeAndNowhereElse) {
  const ParameterGrid grid{{"x", equidistant(0.0, 1.0, 11)}, {"b", {0.0}}};
  GridRefinement refinement(grid, {.change = 0.2, .max_runs = 100, .levels = 10});
  ParameterPlan plan(grid);
  std::vector<double> added;
  for (std::size_t n = 1; n > 0;) {
    const std::size_t before = plan.size();
    n = refinement.refine(plan, results(plan));
    for (std::size_t k = before; k < plan.size(); ++k) added.push_back(plan.point(k)[0]);
  }
  EXPECT_FALSE(refinement.exhausted());
  ASSERT_GT(added.size(), 8u);
  EXPECT_LT(added.size(), 40u);
  for (const double x : added) EXPECT_NEAR(x, 0.3, 0.1001);
  std::sort(added.begin(), added.end());
  // Neighbours differ by at most a fifth of the range now.
  std::vector<double> all = equidistant(0.0, 1.0, 11);
  all.insert(all.end(), added.begin(), added.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_LE(std::tanh((all[i] - 0.3) / 0.001) - std::tanh((all[i - 1] - 0.3) / 0.001), 0.4);
}

TEST(Refinement, KeepsItsLimits) {
  const ParameterGrid grid{{"x", {0.0, 1.0}}, {"b", {0.0, 1.0}}};
  GridRefinement few(grid, {.change = 0.01, .max_runs = 3, .levels = 10});
  ParameterPlan plan(grid);
  std::size_t total = 0;
  for (std::size_t n = 1; n > 0; total += n) n = few.refine(plan, results(plan));
  EXPECT_EQ(total, 3u);
  EXPECT_TRUE(few.exhausted());
  GridRefinement flat(grid, {.change = 0.01, .max_runs = 1000, .levels = 2});
  plan = ParameterPlan(grid);
  for (std::size_t n = 1; n > 0;) n = flat.refine(plan, results(plan));
  EXPECT_TRUE(flat.exhausted());
  for (std::size_t k = 0; k < plan.size(); ++k)
    EXPECT_EQ(std::fmod(plan.point(k)[0], 0.25), 0.0) << "two levels are quarters";
  EXPECT_THROW(GridRefinement(grid, {.change = 0.0}), InvalidArgument);
  EXPECT_THROW(GridRefinement(ParameterGrid{{"x", {1.0}}}, {}), InvalidArgument);
}

TEST(Refinement, AFailedNeighbourIsAChangeAndLogarithmicAxesStaySo) {
  const ParameterGrid grid{{"x", logarithmic(1e-4, 1.0, 3)}};
  ParameterPlan plan(grid);
  std::vector<EnsembleRun> runs(3);
  for (EnsembleRun& run : runs) run.done = true;
  runs[1].ok = runs[2].ok = true;
  runs[1].y = runs[2].y = {1.0};
  GridRefinement refinement(grid, {});
  ASSERT_EQ(refinement.refine(plan, runs), 1u);
  EXPECT_NEAR(plan.point(3)[0], 1e-3, 1e-17);
}

}  // namespace
}  // namespace daedalus::study_test
