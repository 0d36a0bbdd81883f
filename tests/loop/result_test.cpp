// SPDX-License-Identifier: BSD-3-Clause
// Solutions asked for in the middle of a run: complete, their own, and not copied without need.
#include <gtest/gtest.h>

#include <daedalus/integrator.hpp>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

TEST(MidRun, ASolutionStaysAsItWasWhenTheRunGoesOn) {
  Integrator run(oscillator(), {.method = "rodas4", .output = Output::dense});
  ASSERT_EQ(run.initialize(0.0, 2.0), Status::success);
  run.run(1.0);
  const Solution half = run.solution();
  const std::size_t reported = half.times().size();
  const long accepted = half.statistics().accepted;
  const Eigen::VectorXd inside = half.at(0.5).y();
  run.run(2.0);
  const Solution whole = run.solution();
  EXPECT_EQ(half.times().size(), reported);
  EXPECT_EQ(half.statistics().accepted, accepted);
  EXPECT_EQ(half.end_time(), 1.0);
  EXPECT_EQ(half.message(), "Reached t = 1.");
  EXPECT_THROW(half.at(1.5), InvalidArgument);
  EXPECT_GT(whole.times().size(), reported);
  EXPECT_EQ(whole.end_time(), 2.0);
  EXPECT_EQ(whole.message(), "Reached t = 2.");
  EXPECT_EQ(whole.at(0.5).y(), inside);
  EXPECT_NEAR(whole.at(1.5)["sine"], std::sin(1.5), 1e-4);
}

TEST(MidRun, AskingTwiceCopiesNothing) {
  Integrator run(oscillator(), {.method = "rodas4"});
  ASSERT_EQ(run.initialize(0.0, 2.0), Status::success);
  run.run(1.0);
  const Solution a = run.solution(), b = run.solution();
  EXPECT_EQ(a.times().data(), b.times().data());
  run.step(2.0);
  EXPECT_NE(run.solution().times().data(), a.times().data()) << "the run writes where a reads";
}

TEST(MidRun, StatisticsKeepTheirPlace) {
  Integrator run(oscillator(), {.method = "rodas4"});
  ASSERT_EQ(run.initialize(0.0, 2.0), Status::success);
  const Statistics& s = run.statistics();
  const Solution held = run.solution();
  run.run(2.0);
  EXPECT_EQ(&run.statistics(), &s);
  EXPECT_GT(s.accepted, 0);
}

}  // namespace
}  // namespace daedalus::loop_test
