// SPDX-License-Identifier: BSD-3-Clause
// The past that delay() takes belongs to a run: runs of one problem do not see each other, in one
// thread or in many; long runs forget what no step asks for; checkpoints keep it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/integrator.hpp>
#include <daedalus/modelica.hpp>
#include <daedalus/solve.hpp>

#include "kernel/run_memory.hpp"
#include "modelica/past.hpp"

namespace daedalus {
namespace {

using testing::HasSubstr;

// x' = -k x(t - 1): with k = 1.2 oscillations that die away, in which errors of the past would
// stay.
constexpr const char* lag = R"(model Lag
  parameter Real k = 1.2;
  Real x(start = 1, fixed = true);
  Real echo;
equation
  der(x) = -k*delay(x, 1);
  echo = delay(sin(time), 0.5);
end Lag;)";

class Delay : public testing::Test {
 protected:
  Delay() : file_(read_modelica_text(lag, "lag.mo")), problem_(file_.entry.problem()) {
    file_.entry.apply(options_);
    options_.rtol = 1e-6;
    options_.atol = 1e-6;
    options_.output = Output::end;
  }
  Eigen::VectorXd end(double t = 12.0) const {
    return solve(problem_, {0.0, t}, options_).end().y();
  }

  ModelicaFile file_;
  Problem problem_;
  Options options_;
};

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

// By the method of steps: 1 - k t up to t = 1, then 1 - k t + k^2 (t - 1)^2 / 2.
TEST_F(Delay, FollowsTheMethodOfSteps) {
  const double k = 1.2, t = 1.75;
  const Solution s = solve(problem_, {0.0, t}, options_);
  EXPECT_NEAR(s.end()["x"], 1.0 - k * t + k * k * (t - 1.0) * (t - 1.0) / 2.0, 1e-5);
}

TEST_F(Delay, RunsOneAfterAnotherAreEqual) {
  const Eigen::VectorXd first = end();
  EXPECT_TRUE(same_bits(end(), first));
  (void)end(3.0);
  EXPECT_TRUE(same_bits(end(), first));
}

TEST_F(Delay, RunsSideBySideDoNotSeeEachOther) {
  const Eigen::VectorXd alone = end();
  Options loose = options_;
  loose.rtol = 1e-3;
  loose.atol = 1e-3;
  Integrator a(problem_, options_), b(problem_, loose), c(problem_, options_);
  for (Integrator* i : {&a, &b, &c}) ASSERT_EQ(i->initialize(0.0, 12.0), Status::success);
  // Their times differ all the way.
  for (bool more = true; more;) {
    more = false;
    for (Integrator* i : {&a, &b, &c})
      if (i->t() < 12.0) more = i->step(12.0).status == Status::success || more;
  }
  EXPECT_TRUE(same_bits(a.state().y(), alone));
  EXPECT_TRUE(same_bits(c.state().y(), alone));
}

TEST_F(Delay, ThreadsSolveOneProblem) {
  const Eigen::VectorXd alone = end();
  std::vector<Eigen::VectorXd> found(8);
  std::vector<std::thread> threads;
  for (Eigen::VectorXd& y : found)
    threads.emplace_back([this, &y] {
      for (int k = 0; k < 5; ++k) y = end();
    });
  for (std::thread& thread : threads) thread.join();
  for (const Eigen::VectorXd& y : found) EXPECT_TRUE(same_bits(y, alone));
}

// A callable of one run that makes another one.
TEST_F(Delay, ARunInsideARunHasItsOwnPast) {
  const Eigen::VectorXd alone = end();
  Eigen::VectorXd inside;
  Options o = options_;
  o.sink = [&](const StateView&) { inside = end(); };
  o.output_times = {3.0, 7.0};
  const Eigen::VectorXd outside = solve(problem_, {0.0, 12.0}, o).end().y();
  EXPECT_TRUE(same_bits(inside, alone));
  EXPECT_LT((outside - alone).norm(), 1e-4);
}

TEST_F(Delay, ResumedRunsHaveTheSameBits) {
  const Eigen::VectorXd alone = end();
  for (const double stop : {0.4, 3.3, 8.0}) {
    Integrator before(problem_, options_);
    ASSERT_EQ(before.initialize(0.0, 12.0), Status::success);
    while (before.t() < stop) ASSERT_EQ(before.step(12.0).status, Status::success);
    const Checkpoint checkpoint = before.checkpoint();
    ASSERT_EQ(before.run(12.0), Status::success);
    EXPECT_TRUE(same_bits(before.state().y(), alone)) << stop;
    Integrator after(problem_, options_);
    after.resume(checkpoint);
    ASSERT_EQ(after.run(12.0), Status::success);
    EXPECT_TRUE(same_bits(after.state().y(), alone)) << stop;
  }
}

// What a run keeps at its end is no more than what it kept early.
TEST_F(Delay, LongRunsForget) {
  std::vector<std::size_t> kept;
  Options o = options_;
  o.sink = [&](const StateView&) {
    kept.push_back(RunMemory::current()->list(1).size() + RunMemory::current()->list(2).size());
  };
  o.output = Output::times;
  for (int k = 1; k <= 300; ++k) o.output_times.push_back(k);
  ASSERT_TRUE(solve(problem_, {0.0, 300.0}, o).ok());
  ASSERT_EQ(kept.size(), 300u);
  EXPECT_LE(*std::max_element(kept.begin() + 30, kept.end()),
            2 * *std::max_element(kept.begin(), kept.begin() + 30));
}

// What is written for each time, and the values that a step may ask for.
TEST(History, KeepsTwoDelays) {
  const double delay = 0.5;
  const auto write = modelica::write_history(1, delay), read = modelica::read_history(1, delay);
  RunMemory memory;
  const RunMemory::Scope scope(memory);
  double worst = 0.0;
  std::size_t most = 0;
  for (int k = 0; k <= 100'000; ++k) {
    const double t = 1e-3 * k;
    const double x[] = {1.0, t, std::sin(t)};
    EXPECT_EQ(write->value(x), 1.0);
    most = std::max(most, memory.list(1).size());
    for (const double back : {0.0, 0.3, delay})
      if (t - back > delay) {
        const double asked[] = {1.0, t - back, 0.0};
        worst = std::max(worst, std::abs(read->value(asked) - std::sin(t - back - delay)));
      }
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(most, 4u * 1000u * 2u);  // at most twice two delays, of two numbers each
}

// Steps that are repeated from an earlier time put other values in the place of the old ones.
TEST(History, ForgetsWhatWasLater) {
  const auto write = modelica::write_history(2, 1.0), read = modelica::read_history(2, 1.0);
  RunMemory memory;
  const RunMemory::Scope scope(memory);
  const auto run = [&](double from, double to, double value) {
    for (double t = from; t <= to; t += 0.125) {
      const double x[] = {2.0, t, value};
      (void)write->value(x);
    }
  };
  run(0.0, 2.0, 5.0);
  run(1.0, 2.0, 7.0);
  const double early[] = {2.0, 1.75, 0.0}, late[] = {2.0, 2.5, 0.0};
  EXPECT_DOUBLE_EQ(read->value(early), 5.0);
  EXPECT_DOUBLE_EQ(read->value(late), 7.0);
}

TEST_F(Delay, DerivativesAreRefused) {
  Options o = options_;
  o.sensitivities.parameters = {"k"};
  try {
    (void)solve(problem_, {0.0, 3.0}, o);
    FAIL() << "it was computed";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("values of the past (delay)"));
  }
}

}  // namespace
}  // namespace daedalus
