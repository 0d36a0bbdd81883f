// SPDX-License-Identifier: BSD-3-Clause
// Output: none, end, steps, times, dense; and what a solution answers.
#include <gtest/gtest.h>

#include <cmath>

#include "loop/support.hpp"

namespace daedalus::loop_test::output_test {
namespace {

Options with(Output output) {
  return {.method = "rodas4", .rtol = 1e-9, .atol = 1e-9, .output = output};
}
constexpr Interval interval{0.0, 3.0};

TEST(OutputNone, KeepsTheEndOnly) {
  const Solution s = solve(oscillator(), interval, with(Output::none));
  EXPECT_TRUE(s.times().empty());
  EXPECT_EQ(s.end_time(), 3.0);
  EXPECT_NEAR(s.end()["sine"], std::sin(3.0), 1e-7);
  EXPECT_EQ(s.start()["cosine"], 1.0);
  EXPECT_THROW(s.state(0), InvalidArgument);
}

TEST(OutputEnd, ReportsOneState) {
  const Solution s = solve(oscillator(), interval, with(Output::end));
  ASSERT_EQ(s.times().size(), 1u);
  EXPECT_EQ(s.times()[0], 3.0);
  EXPECT_EQ(s.state(0).y(), s.end().y());
}

TEST(OutputSteps, ReportsTheStartAndEveryStep) {
  const Solution s = solve(oscillator(), interval, with(Output::steps));
  ASSERT_EQ(s.times().size(), static_cast<std::size_t>(s.statistics().accepted) + 1);
  EXPECT_EQ(s.times().front(), 0.0);
  EXPECT_EQ(s.times().back(), 3.0);
  for (std::size_t i = 0; i < s.times().size(); ++i)
    EXPECT_NEAR(s.state(i)["sine"], std::sin(s.times()[i]), 1e-7);
  EXPECT_EQ(s.at(s.times()[2]).y(), s.state(2).y());
  EXPECT_THROW(s.at(0.5 * (s.times()[2] + s.times()[3])), InvalidArgument);
}

TEST(OutputTimes, ReportsWhatIsAskedForAndNothingElse) {
  Options o = with(Output::times);
  o.output_times = {0.0, 0.5, 0.5000001, 1.25, 3.0};
  const Solution s = solve(oscillator(), interval, o);
  EXPECT_EQ(s.times(), o.output_times);
  for (std::size_t i = 0; i < s.times().size(); ++i)
    EXPECT_NEAR(s.state(i)["sine"], std::sin(s.times()[i]), 1e-6);
}

TEST(OutputTimes, DoNotDisturbTheSteps) {
  Options o = with(Output::times);
  for (int i = 1; i < 300; ++i) o.output_times.push_back(0.01 * i);
  const Solution many = solve(oscillator(), interval, o);
  const Solution none = solve(oscillator(), interval, with(Output::none));
  EXPECT_EQ(many.times().size(), 299u);
  EXPECT_EQ(many.statistics().accepted, none.statistics().accepted);
  EXPECT_EQ(many.end().y(), none.end().y());
}

TEST(OutputTimes, RunBackwardToo) {
  Options o = with(Output::times);
  o.output_times = {-0.5, -1.0, -2.0};
  const Solution s = solve(oscillator(), {0.0, -2.0}, o);
  EXPECT_EQ(s.times(), o.output_times);
  EXPECT_NEAR(s.state(1)["sine"], std::sin(-1.0), 1e-6);
}

TEST(OutputDense, AnswersAnywhereInside) {
  for (const double end : {3.0, -3.0}) {
    const Solution s = solve(oscillator(), {0.0, end}, with(Output::dense));
    for (int i = 0; i <= 1000; ++i) {
      const double t = end * i / 1000.0;
      EXPECT_NEAR(s.at(t)["sine"], std::sin(t), 1e-6);
      EXPECT_EQ(s.at(t).t(), t);
    }
    EXPECT_THROW(s.at(1.001 * end), InvalidArgument);
    EXPECT_THROW(s.at(-0.001 * end), InvalidArgument);
  }
}

TEST(OutputDense, IsContinuousAcrossSteps) {
  const Solution s = solve(oscillator(), interval, with(Output::dense));
  for (std::size_t i = 1; i + 1 < s.times().size(); ++i) {
    const double t = s.times()[i];
    EXPECT_NEAR(s.at(std::nextafter(t, 0.0))["sine"], s.state(i)["sine"], 1e-14);
    EXPECT_NEAR(s.at(std::nextafter(t, 9.0))["sine"], s.state(i)["sine"], 1e-14);
  }
}

TEST(Sink, ReceivesEveryReportedState) {
  Options o = with(Output::steps);
  std::vector<double> times, sines;
  o.sink = [&](const StateView& s) {
    times.push_back(s.t());
    sines.push_back(s["sine"]);
  };
  const Solution s = solve(oscillator(), interval, o);
  EXPECT_EQ(times, s.times());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(sines[i], s.state(i)["sine"]);
}

TEST(SolutionAfterFailure, IsCompleteUpToTheLastGoodPoint) {
  const Problem p = MassMatrixProblem{.name = "wall",
                                      .rhs = autodiff([](const auto& t, const auto& y, auto& f) {
                                        f[0] = y[0];
                                        return t > 1.0 ? Eval::reject : Eval::ok;
                                      }),
                                      .y0 = vector({1.0}),
                                      .index = 0};
  const Solution s = solve(p, interval, with(Output::dense));
  EXPECT_FALSE(s.ok());
  EXPECT_GT(s.end_time(), 0.99);
  EXPECT_LE(s.end_time(), 1.0);
  EXPECT_EQ(s.times().back(), s.end_time());
  EXPECT_NEAR(s.at(0.5).y()[0], std::exp(0.5), 1e-6);
  EXPECT_NE(s.message().find("rhs"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace daedalus::loop_test::output_test
