// SPDX-License-Identifier: BSD-3-Clause
// Step-size control by hand-computed decisions, and the behaviour of each controller in a run.
#include "control/policy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

struct Situation {
  ControlParameters parameters{};
  ControlHistory history{};
  std::vector<ErrorTest> tests{};
  Outcome outcome = Outcome::ok;
  Advice advice{};
  double h = 1.0;
  long number = 0;
  int order = 3;
  Decision decide(Control control) const {
    return control(parameters, history, {outcome, number, h, order, tests, advice});
  }
};

Situation with_error(double value, double power = 4.0) {
  Situation s;
  s.tests = {{3, value, power, 0}};
  return s;
}

TEST(Elementary, ScalesTheStepByTheError) {
  // 0.9 (1/16)^(-1/4) = 1.8
  const Decision d = with_error(1.0 / 16.0).decide(elementary_control);
  EXPECT_EQ(d.verdict, Verdict::accept);
  EXPECT_NEAR(d.h, 1.8, 1e-14);
  EXPECT_EQ(d.order, 3);
}

TEST(Elementary, RetriesWhenATestFails) {
  // 0.9 16^(-1/4) = 0.45
  const Decision d = with_error(16.0).decide(elementary_control);
  EXPECT_EQ(d.verdict, Verdict::retry);
  EXPECT_NEAR(d.h, 0.45, 1e-14);
}

TEST(Elementary, AcceptsAtExactlyOneAndRetriesWithALittleMore) {
  EXPECT_EQ(with_error(1.0).decide(elementary_control).verdict, Verdict::accept);
  Situation s = with_error(1.0001);
  s.parameters.safety = 0.99;
  const Decision d = s.decide(elementary_control);
  EXPECT_EQ(d.verdict, Verdict::retry);
  EXPECT_DOUBLE_EQ(d.h, 0.95);  // a retry is always visibly smaller
}

TEST(Elementary, NotANumberFails) {
  EXPECT_EQ(with_error(std::nan("")).decide(elementary_control).verdict, Verdict::retry);
}

TEST(Elementary, KeepsTheLimitsOfTheRatio) {
  EXPECT_DOUBLE_EQ(with_error(0.0).decide(elementary_control).h, 6.0);
  EXPECT_DOUBLE_EQ(with_error(1e12).decide(elementary_control).h, 0.2);
}

TEST(Elementary, TheWorstOfSeveralTestsDecides) {
  Situation s = with_error(1.0 / 16.0);
  s.tests.push_back({3, 1.0 / 4.0, 2.0, 1});  // 0.9 * 2, the same ratio by another power
  EXPECT_NEAR(s.decide(elementary_control).h, 1.8, 1e-14);
  s.tests.push_back({3, 1.0 / 1.44, 2.0, 2});  // 0.9 * 1.2
  EXPECT_NEAR(s.decide(elementary_control).h, 1.08, 1e-14);
}

TEST(Elementary, DoesNotGrowRightAfterARejection) {
  Situation s = with_error(1.0 / 16.0);
  s.history.rejections = 1;
  EXPECT_DOUBLE_EQ(s.decide(elementary_control).h, 1.0);
}

TEST(Elementary, FollowsTheAdviceOfTheMethod) {
  Situation s = with_error(1.0 / 1.44, 2.0);  // ratio 1.08
  s.advice.keep_up_to = 1.1;
  EXPECT_DOUBLE_EQ(s.decide(elementary_control).h, 1.0);
  s = with_error(1.0 / 16.0);
  s.advice.max_ratio = 1.25;
  EXPECT_DOUBLE_EQ(s.decide(elementary_control).h, 1.25);
  s.advice.hold_steps = 5;
  s.history.since_change = 4;
  EXPECT_DOUBLE_EQ(s.decide(elementary_control).h, 1.0);
  s.outcome = Outcome::newton_failed;
  s.advice.after_failure = 0.3;
  const Decision d = s.decide(elementary_control);
  EXPECT_EQ(d.verdict, Verdict::retry);
  EXPECT_DOUBLE_EQ(d.h, 0.3);
}

// Steinebach (1988), section 7.1: no step is less than half of the one before, also when an
// evaluation failed; the usual limits leave the method's advice alone.
TEST(Elementary, ShrinksWithinItsLimitsAfterAFailure) {
  Situation s;
  s.outcome = Outcome::not_finite;
  s.advice.after_failure = 0.25;
  EXPECT_DOUBLE_EQ(s.decide(elementary_control).h, 0.25);
  s.parameters.shrink = find_control("steinebach")->shrink;
  EXPECT_DOUBLE_EQ(s.decide(elementary_control).h, 0.5);
}

TEST(Elementary, KeepsTheSignOfTheStep) {
  Situation s = with_error(1.0 / 16.0);
  s.h = -2.0;
  EXPECT_NEAR(s.decide(elementary_control).h, -3.6, 1e-14);
}

TEST(Elementary, ChoosesTheOrderWithTheLargestStep) {
  Situation s = with_error(1.0 / 16.0);         // 1.8 at order 3
  s.tests.push_back({4, 1.0 / 243.0, 5.0, 0});  // 2.7 at order 4
  EXPECT_EQ(s.decide(elementary_control).order, 3);
  s.parameters.variable_order = true;
  EXPECT_EQ(s.decide(elementary_control).order, 4);
  EXPECT_NEAR(s.decide(elementary_control).h, 2.7, 1e-14);
}

TEST(Pi, PredictsFromTheErrorBefore) {
  Situation s = with_error(0.25, 2.0);  // plain ratio 0.9 * 2 = 1.8
  EXPECT_NEAR(s.decide(pi_control).h, 1.8, 1e-14) << "first step: nothing to predict from";
  s.history = {.h_last = 1.0, .error_last = 0.5, .accepted = 1};
  // 0.9 (0.5 / 0.25^2)^(1/2) = 2.55: the smaller one counts
  EXPECT_NEAR(s.decide(pi_control).h, 1.8, 1e-14);
  s.history.error_last = 0.04;
  // 0.9 (0.04 / 0.0625)^(1/2) = 0.72
  EXPECT_NEAR(s.decide(pi_control).h, 0.72, 1e-14);
  s.history.h_last = 0.5;  // the error grew because the step did: twice as much is predicted
  EXPECT_NEAR(s.decide(pi_control).h, 1.44, 1e-14);
}

TEST(Stabilised, IsThePublishedFormula) {
  Situation s = with_error(1.0 / 16.0);
  s.history.accepted = 1;
  s.history.error_last = 0.25;
  // 0.9 (1/16)^-(1/4 - 0.03) 0.25^0.04
  EXPECT_NEAR(s.decide(stabilised_control).h, 0.9 * std::pow(16.0, 0.22) * std::pow(0.25, 0.04),
              1e-14);
  // beta = 0 is the elementary control.
  s.parameters.stabilisation = 0.0;
  EXPECT_NEAR(s.decide(stabilised_control).h, s.decide(elementary_control).h, 1e-14);
  // A rejection knows nothing of the last error.
  Situation failed = with_error(16.0);
  failed.history.accepted = 1;
  EXPECT_EQ(failed.decide(stabilised_control).h, failed.decide(elementary_control).h);
}

TEST(Filter, IsThePublishedFormula) {
  Situation s = with_error(0.5, 2.0);
  s.history = {.h_last = 1.0, .error_last = 0.5, .accepted = 1};
  // b = 4, goal 0.9^2: (0.81/0.5)^(1/8) (0.81/0.5)^(1/8) = 1.62^(1/4), limited by 1 + atan(r - 1)
  const double ratio = std::pow(1.62, 0.25);
  EXPECT_NEAR(s.decide(filter_control).h, 1.0 + std::atan(ratio - 1.0), 1e-14);
  s.history.h_last = 0.5;  // the last ratio 2 enters with the power -1/4
  const double damped = ratio * std::pow(2.0, -0.25);
  EXPECT_NEAR(s.decide(filter_control).h, 1.0 + std::atan(damped - 1.0), 1e-14);
}

TEST(Prescribed, TakesTheListAndGivesUpAtAFailure) {
  const std::vector<double> list{0.1, 0.2, 0.4};
  Situation s;
  s.parameters.prescribed = &list;
  s.number = 0;
  EXPECT_DOUBLE_EQ(s.decide(prescribed_control).h, 0.2);
  s.number = 2;
  EXPECT_DOUBLE_EQ(s.decide(prescribed_control).h, 1.0) << "after the list the last step goes on";
  s.outcome = Outcome::newton_failed;
  EXPECT_EQ(s.decide(prescribed_control).verdict, Verdict::give_up);
}

TEST(Controls, AreFoundByName) {
  const std::vector<std::string> names{
      "elementary", "pi",      "stabilised", "filter",          "steinebach",
      "multistep",  "dae2sol", "dae2sol-a",  "dae2sol-printed", "dae2sol-fitted"};
  EXPECT_EQ(all_controls().size(), names.size());
  for (const std::string& name : names) EXPECT_NE(find_control(name), nullptr) << name;
  EXPECT_EQ(find_control("nonsense"), nullptr);
  EXPECT_DOUBLE_EQ(find_control("steinebach")->shrink, 0.5);
  EXPECT_DOUBLE_EQ(find_control("steinebach")->grow, 1.5);
  EXPECT_THROW(solve(decay(), {0.0, 1.0}, {.control = "nonsense"}), InvalidArgument);
}

class Controller : public ::testing::TestWithParam<std::string> {};

TEST_P(Controller, SolvesToTheTolerance) {
  const Options o{.method = "rodas4", .rtol = 1e-7, .atol = 1e-7, .control = GetParam()};
  const Solution s = solve(oscillator(), {0.0, 20.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end()["sine"], std::sin(20.0), 1e-5);
  const Solution stiff = solve(relaxation(), {0.0, 60.0}, o);
  ASSERT_TRUE(stiff.ok()) << stiff.message();
  EXPECT_GT(stiff.statistics().h_max, 50.0 * stiff.statistics().h_min);
}

// Consecutive accepted steps; ratios over a rejection are not the controller's growth limit.
TEST_P(Controller, KeepsItsLimits) {
  const ControlPolicy& control = *find_control(GetParam());
  double last = 0.0, smallest = 1.0, largest = 1.0, end = 60.0;
  Options o{.method = "rodas4", .rtol = 1e-6, .atol = 1e-6, .control = GetParam()};
  o.trace = [&](const StepRecord& r) {
    if (r.outcome != "accepted") {
      last = 0.0;
      return;
    }
    const bool cut = r.t + 2.0 * r.h >= end;  // the end rule shortens these
    if (last > 0.0 && !cut) {
      smallest = std::min(smallest, r.h / last);
      largest = std::max(largest, r.h / last);
    }
    last = r.h;
  };
  ASSERT_TRUE(solve(relaxation(), {0.0, end}, o).ok());
  EXPECT_GE(smallest, control.shrink * (1.0 - 1e-12));
  EXPECT_LE(largest, control.grow * (1.0 + 1e-12));
  EXPECT_GT(largest, 1.01) << "the steps never grew: nothing was measured";
}

INSTANTIATE_TEST_SUITE_P(All, Controller,
                         ::testing::Values("elementary", "pi", "stabilised", "filter",
                                           "steinebach"));

}  // namespace
}  // namespace daedalus::loop_test
