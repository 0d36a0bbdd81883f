// SPDX-License-Identifier: BSD-3-Clause
// First step, end rule, fixed steps, given sequences, limits of the step size.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

struct Traced {
  std::vector<double> accepted;  // step sizes
  std::vector<StepRecord> all;
  Solution solution;
};

Traced traced(const Problem& p, Interval interval, Options o) {
  std::vector<double> accepted;
  std::vector<StepRecord> all;
  o.trace = [&](const StepRecord& r) {
    all.push_back(r);
    if (r.outcome == "accepted") accepted.push_back(r.h);
  };
  Solution s = solve(p, interval, o);
  return {std::move(accepted), std::move(all), std::move(s)};
}

// The end is met exactly, and neither the last step nor the one before is tiny.
TEST(EndRule, MeetsTheEndWithoutATinyStep) {
  for (int k = 0; k < 40; ++k) {
    const double end = 3.0 + 0.0837 * k;
    const Traced t = traced(oscillator(), {0.0, end}, {.method = "rodas4"});
    ASSERT_TRUE(t.solution.ok());
    EXPECT_EQ(t.solution.end_time(), end);
    const std::size_t n = t.accepted.size();
    ASSERT_GE(n, 4u);
    // Half of what is left when two steps would do, so at least half of the step in use.
    EXPECT_GT(t.accepted[n - 1], 0.45 * t.accepted[n - 3]) << end;
    EXPECT_GT(t.accepted[n - 2], 0.45 * t.accepted[n - 3]) << end;
  }
}

TEST(EndRule, ALittleStretchSavesAStep) {
  // 10 steps of 0.1 sum up to 0.99999... or 1.00000...: still ten.
  const Solution s = solve(decay(), {0.0, 1.0}, {.method = "rodas4", .fixed_step = 0.1});
  EXPECT_EQ(s.statistics().accepted, 10);
  EXPECT_EQ(s.end_time(), 1.0);
}

TEST(FixedSteps, ThatDoNotDivideTheIntervalEndWithAShorterOne) {
  const Traced t = traced(decay(), {0.0, 1.0}, {.method = "rodas4", .fixed_step = 0.3});
  ASSERT_EQ(t.accepted.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(t.accepted[i], 0.3, 1e-15);
  EXPECT_NEAR(t.accepted[3], 0.1, 1e-15);
  EXPECT_EQ(t.solution.end_time(), 1.0);
}

TEST(FixedSteps, DoNotDriftFromTheGrid) {
  const double h = 0.001;
  const Solution s = solve(decay(), {0.0, 10.0}, {.method = "rodas4", .fixed_step = h});
  ASSERT_EQ(s.times().size(), 10001u);
  for (std::size_t i = 0; i < s.times().size(); ++i)
    ASSERT_NEAR(s.times()[i], static_cast<double>(i) * h, 4e-15 * s.times()[i]);
}

TEST(FixedSteps, AreNotTested) {
  const Traced t = traced(relaxation(), {0.0, 0.5}, {.method = "rodas4", .fixed_step = 0.01});
  EXPECT_EQ(t.solution.statistics().rejected, 0);
  for (const StepRecord& r : t.all) EXPECT_EQ(r.error, 0.0);
}

TEST(FixedSteps, Backward) {
  const Solution s = solve(decay(), {1.0, 0.0}, {.method = "rodas4", .fixed_step = 0.05});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.end_time(), 0.0);
  EXPECT_EQ(s.statistics().accepted, 20);
  EXPECT_NEAR(s.end()["y"], std::exp(1.0), 1e-5);
}

TEST(StepSequence, IsTakenAsGiven) {
  const std::vector<double> given{0.1, 0.3, 0.05, 0.55};
  const Traced t = traced(decay(), {0.0, 1.0}, {.method = "rodas4", .step_sequence = given});
  ASSERT_TRUE(t.solution.ok());
  ASSERT_EQ(t.accepted.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(t.accepted[i], given[i], 1e-15);
  EXPECT_EQ(t.solution.end_time(), 1.0);
}

TEST(StepSequence, GoesOnWithItsLastStepAndIsCutAtTheEnd) {
  const Traced t = traced(decay(), {0.0, 1.0}, {.method = "rodas4", .step_sequence = {0.1, 0.4}});
  ASSERT_EQ(t.accepted.size(), 4u);
  EXPECT_NEAR(t.accepted[2], 0.4, 1e-15);
  EXPECT_NEAR(t.accepted[3], 0.1, 1e-15);
  EXPECT_THROW(solve(decay(), {0.0, 1.0}, {.step_sequence = {0.1, 0.0}}), InvalidArgument);
}

TEST(FirstStep, IsTheGivenOne) {
  const Traced t = traced(decay(), {0.0, 1.0}, {.method = "rodas4", .initial_step = 1e-3});
  EXPECT_DOUBLE_EQ(t.all.front().h, 1e-3);
}

// On its own: no rejection where the solution is smooth, at most a tenth of the interval, smaller
// for a tighter tolerance, and small where the solution starts fast.
TEST(FirstStep, IsChosenFromScaleAndDerivative) {
  const auto first = [](const Problem& p, double tolerance) {
    const Traced t =
        traced(p, {0.0, 5.0}, {.method = "rodas4", .rtol = tolerance, .atol = tolerance});
    EXPECT_EQ(t.all.front().outcome, "accepted") << tolerance;
    return t.all.front().h;
  };
  double last = 1.0;
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    const double h = first(decay(), tolerance);
    EXPECT_GT(h, 0.0);
    EXPECT_LE(h, 0.5);
    EXPECT_LE(h, last);
    last = h;
  }
  const Problem fast = MassMatrixProblem{
      .name = "fast",
      .rhs = autodiff([](const auto&, const auto& y, auto& f) { f[0] = -1e6 * (y[0] - 1.0); }),
      .y0 = vector({2.0}),
      .index = 0};
  const Traced t = traced(fast, {0.0, 5.0}, {.method = "rodas4"});
  EXPECT_LT(t.all.front().h, 1e-5);
}

TEST(Limits, LargestStep) {
  const Traced t = traced(ramp(), {0.0, 1.0}, {.method = "rodas4", .max_step = 0.03});
  for (const double h : t.accepted) EXPECT_LE(h, 0.03 * (1.0 + 1e-12));
  EXPECT_GE(t.accepted.size(), 34u);
}

TEST(Limits, NumberOfSteps) {
  const Solution s = solve(oscillator(), {0.0, 100.0}, {.method = "rodas4", .max_steps = 7});
  EXPECT_EQ(s.status(), Status::too_many_steps);
  EXPECT_EQ(s.statistics().steps(), 7);
  EXPECT_NE(s.message().find("7 steps"), std::string::npos) << s.message();
  EXPECT_GT(s.end_time(), 0.0);
}

TEST(Limits, SmallestStep) {
  const Solution s =
      solve(relaxation(), {0.0, 60.0},
            {.method = "rodas4", .rtol = 1e-8, .atol = 1e-8, .initial_step = 1.0, .min_step = 0.5});
  EXPECT_EQ(s.status(), Status::step_too_small) << s.message();
}

TEST(Interval, OfLengthZeroIsASuccessWithoutSteps) {
  const Solution s = solve(decay(), {0.5, 0.5}, {.method = "rodas4"});
  EXPECT_EQ(s.status(), Status::success);
  EXPECT_EQ(s.statistics().steps(), 0);
  EXPECT_EQ(s.end()["y"], 1.0);
  EXPECT_EQ(s.end_time(), 0.5);
}

TEST(Interval, BackwardIsAsAccurateAsForward) {
  const Solution s =
      solve(oscillator(), {0.0, -5.0}, {.method = "rodas4", .rtol = 1e-9, .atol = 1e-9});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.end_time(), -5.0);
  EXPECT_NEAR(s.end()["sine"], std::sin(-5.0), 1e-7);
  EXPECT_NEAR(s.end()["cosine"], std::cos(-5.0), 1e-7);
}

}  // namespace
}  // namespace daedalus::loop_test
