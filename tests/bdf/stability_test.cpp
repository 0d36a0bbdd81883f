// SPDX-License-Identifier: BSD-3-Clause
// Orders 3 to 5 are unstable for oscillations that the steps do not resolve: where these limit the
// step, order 2 takes over; where nothing does, the watch costs little.
#include <gtest/gtest.h>

#include "bdf/support.hpp"
#include "methods/bdf/engine_stability.hpp"

namespace daedalus::bdf_test {
namespace {

Solution line(double watched) {
  const problems::Entry& e = *problems::find_problem("transmission-line");
  Options o;
  o.method = "bdf";
  o.rtol = 1e-4;
  o.atol = 1e-4;
  o.output = Output::end;
  o.method_options["watch_stability"] = watched;
  return solve(e.problem({{"n", 300.0}}), {0.0, 2.0}, o);
}

TEST(BdfStability, OrderTwoReplacesOrdersThatOscillationsHoldBack) {
  const Solution watched = line(1.0), unwatched = line(0.0);
  ASSERT_TRUE(watched.ok() && unwatched.ok());
  EXPECT_GT(unwatched.statistics().accepted, 800);
  EXPECT_LT(watched.statistics().accepted, unwatched.statistics().accepted / 4);
  // Both are within the tolerance of each other, times what steps add up to.
  const Eigen::VectorXd a = watched.end().y(), b = unwatched.end().y();
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 100 * 1e-4);
}

TEST(BdfStability, CostsLittleOnSmoothSolutions) {
  for (const char* name : {"hires", "van-der-pol"}) {
    Options o;
    o.method_options["watch_stability"] = 0.0;
    const Result without = run(name, 1e-6, o), with = run(name, 1e-6);
    ASSERT_TRUE(with.solution.ok());
    // A trial that was not needed costs its 15 first steps.
    EXPECT_LE(with.steps(), without.steps() + without.steps() / 10) << name;
    EXPECT_GT(with.mescd, without.mescd - 0.5) << name;
  }
}

// Corrections that turn by a right angle from step to step.
void turn(bdf::StabilityWatch& w, int steps, double h, int order) {
  Eigen::VectorXd c(2);
  const Eigen::VectorXd weight = Eigen::VectorXd::Ones(2);
  for (int i = 0; i < steps; ++i) {
    c << (i % 2 ? 0.0 : 1.0), (i % 2 ? 1.0 : 0.0);
    w.observe(order, h, c, weight);
    w.accepted();
  }
}

TEST(BdfStability, ATrialWithoutLongerStepsEnds) {
  bdf::StabilityWatch w(2, true);
  w.start();
  turn(w, 16, 1.0, 5);
  EXPECT_EQ(w.limit(5), 2);
  turn(w, 60, 1.0, 2);  // no longer than before
  EXPECT_EQ(w.limit(5), 5);
  turn(w, 100, 1.0, 5);  // left alone for a while
  EXPECT_EQ(w.limit(5), 5);
}

TEST(BdfStability, ATrialWithLongerStepsStaysAndOneWithShorterStepsEndsEarly) {
  bdf::StabilityWatch longer(2, true), shorter(2, true);
  for (bdf::StabilityWatch* w : {&longer, &shorter}) {
    w->start();
    turn(*w, 16, 1.0, 5);
    ASSERT_EQ(w->limit(5), 2);
  }
  turn(longer, 80, 2.0, 2);
  EXPECT_EQ(longer.limit(5), 2);
  turn(shorter, 5, 0.3, 2);
  EXPECT_EQ(shorter.limit(5), 2);
  turn(shorter, 15, 0.3, 2);
  EXPECT_EQ(shorter.limit(5), 5);
}

TEST(BdfStability, CorrectionsThatTurnSlowlyAreLeftAlone) {
  bdf::StabilityWatch w(2, true);
  w.start();
  Eigen::VectorXd c(2);
  for (int i = 0; i < 200; ++i) {
    c << std::cos(0.8 * i), std::sin(0.8 * i);  // 46 degrees per step
    w.observe(5, 1.0, c, Eigen::VectorXd::Ones(2));
    w.accepted();
  }
  EXPECT_EQ(w.limit(5), 5);
}

}  // namespace
}  // namespace daedalus::bdf_test
