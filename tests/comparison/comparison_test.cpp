// SPDX-License-Identifier: BSD-3-Clause
// One problem, many methods: what fits takes part, digits are the caller's, and the regret counts
// only competitors that are accurate enough.
#include <gmock/gmock.h>

#include <cmath>

#include <daedalus/autodiff.hpp>
#include <daedalus/comparison.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::comparison_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y' = -z, 0 = z - y with y(0) = 1: y = exp(-t).
Problem decay() {
  return SemiExplicitProblem{
      .name = "decay",
      .f = autodiff([](auto, const auto&, const auto& z, auto& f) { f[0] = -z[0]; }),
      .g = autodiff([](auto, const auto& y, const auto& z, auto& g) { g[0] = z[0] - y[0]; }),
      .y0 = Eigen::VectorXd::Ones(1),
      .z0 = Eigen::VectorXd::Ones(1)};
}

double digits(const Solution& s) {
  const double e = std::abs(s.end().y()[0] - std::exp(-s.end_time()));
  return s.ok() ? -std::log10(e) : std::nan("");
}

const Options tight{.rtol = 1e-8, .atol = 1e-8};

TEST(Comparison, RunsWhatFitsAndMeasuresIt) {
  ComparisonSettings settings{.methods = {"radau", "hem4", "rodas4"}, .formulations = {"auto"}};
  settings.digits = digits;
  int begun = 0, finished = 0;
  settings.begin = [&](Options& o) { begun += o.rtol == tight.rtol; };
  settings.finished = [&](const MeasuredRun&) { ++finished; };
  const auto runs = compare_methods(decay(), {0.0, 1.0}, tight, settings);
  std::vector<std::string> names;
  for (const MeasuredRun& run : runs) {
    names.push_back(run.method);
    EXPECT_TRUE(run.ok) << run.message;
    EXPECT_GT(run.digits, 6.0);
    EXPECT_GT(run.seconds, 0.0);
    EXPECT_GT(run.statistics.steps(), 0);
  }
  // hem4 is for multibody systems.
  EXPECT_THAT(names, ElementsAre("radau", "rodas4"));
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(finished, 2);
}

TEST(Comparison, NamesWhatThereIsNot) {
  ComparisonSettings settings{.methods = {"radau55"}};
  try {
    compare_methods(decay(), {0.0, 1.0}, tight, settings);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("radau55"));
  }
  settings = {.methods = {"radau"}, .formulations = {"index9"}};
  EXPECT_THROW(compare_methods(decay(), {0.0, 1.0}, tight, settings), InvalidArgument);
}

TEST(Comparison, KeepsFinishedRunsWhenItIsCancelled) {
  ComparisonSettings settings{.methods = {"radau", "rodas4", "bdf"}, .formulations = {"auto"}};
  bool stop = false;
  settings.finished = [&](const MeasuredRun&) { stop = true; };
  settings.cancel = [&] { return stop; };
  EXPECT_EQ(compare_methods(decay(), {0.0, 1.0}, tight, settings).size(), 1u);
}

TEST(Comparison, SaysWhyARunWasRefused) {
  Options options = tight;
  options.method = "radau";
  options.rtol = -1.0;
  const MeasuredRun run = measure_run(decay(), {0.0, 1.0}, options);
  EXPECT_FALSE(run.ok);
  EXPECT_EQ(run.status, "invalid_argument");
  EXPECT_THAT(run.message, HasSubstr("rtol"));
  EXPECT_TRUE(std::isnan(run.digits));
}

Regret row(double chosen, double best, bool failed = false) {
  Regret r;
  r.chosen = {.method = "auto", .ok = !failed, .seconds = chosen};
  if (best > 0.0) r.best = {.method = "b", .ok = true, .seconds = best};
  r.competitors = best > 0.0;
  return r;
}

TEST(RegretSummary, IsMedianWorstAndFailures) {
  // 2, 1 and 4; a row without competitor and a failure have no ratio.
  const RegretSummary s =
      summarise({row(2.0, 1.0), row(1.0, 1.0), row(4.0, 1.0), row(1.0, 0.0), row(0.0, 1.0, true)});
  EXPECT_EQ(s.rows, 3);
  EXPECT_EQ(s.median, 2.0);
  EXPECT_EQ(s.worst, 4.0);
  EXPECT_EQ(s.worst_row, 2);
  EXPECT_EQ(s.failures, 1);
  EXPECT_EQ(summarise({row(2.0, 1.0), row(1.0, 1.0)}).median, 1.5);
  EXPECT_TRUE(std::isnan(summarise({}).median));
}

TEST(RegretMeasurement, CountsOnlyCompetitorsWithEnoughDigits) {
  const RegretSettings settings{.enough = 6.0,
                                .repetitions = 2,
                                .methods = {"rodas4", "rodas5p", "implicit-euler"},
                                .formulations = {"auto"}};
  // implicit-euler keeps 1e-8 per step and has fewer digits at the end, within its steps or not.
  const Regret regret = measure_regret(decay(), {0.0, 1.0}, tight, digits, settings);
  EXPECT_TRUE(regret.chosen.ok);
  EXPECT_EQ(regret.chosen.method, "auto");
  EXPECT_FALSE(regret.chosen.solver.empty());
  EXPECT_EQ(regret.competitors, 2);
  EXPECT_GE(regret.best.digits, 6.0);
  EXPECT_GT(regret.ratio(), 0.0);
  const Regret nobody = measure_regret(decay(), {0.0, 1.0}, tight, digits,
                                       {.enough = 40.0, .repetitions = 1, .methods = {"rodas4"}});
  EXPECT_EQ(nobody.competitors, 0);
  EXPECT_TRUE(std::isnan(nobody.ratio()));
}

}  // namespace
}  // namespace daedalus::comparison_test
