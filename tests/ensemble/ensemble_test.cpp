// SPDX-License-Identifier: BSD-3-Clause
// Many runs at once: the numbers of each are those of the run alone, failures are kept, what is
// known is not made again, and cancelling and exceptions end it.
#include <daedalus/ensemble.hpp>

#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::ensemble_test {
namespace {

using ::testing::HasSubstr;

// y' = -rate y + bias, y(0) = 1.
Problem decay() {
  MassMatrixProblem p;
  p.name = "decay";
  p.y0 = Eigen::VectorXd::Ones(1);
  p.parameters = {{"rate", 1.0}, {"bias", 0.0}};
  p.rhs = autodiff([](const auto& x, auto& f) { f[0] = x.p[1] - x.p[0] * x.y[0]; });
  return p;
}

Options method() {
  Options options;
  options.method = "radau5";
  options.rtol = 1e-8;
  options.atol = 1e-8;
  return options;
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParameterGrid, GivesAllCombinationsWithTheLastAxisFastest) {
  const ParameterGrid grid{{"a", equidistant(1.0, 3.0, 3)}, {"b", logarithmic(0.1, 10.0, 3)}};
  ASSERT_EQ(grid.size(), 9u);
  EXPECT_EQ(grid.point(0), (std::vector<double>{1.0, 0.1}));
  EXPECT_NEAR(grid.point(1)[1], 1.0, 1e-15);
  EXPECT_EQ(grid.point(5), (std::vector<double>{2.0, 10.0}));
  EXPECT_EQ(grid.parameters(8)[0].name, "a");
  EXPECT_EQ(grid.parameters(8)[1].value, 10.0);
  EXPECT_EQ(ParameterGrid().size(), 1u);
  EXPECT_EQ(equidistant(0.0, 0.3, 4).back(), 0.3);
}

TEST(ParameterGrid, RefusesWhatHasNoMeaning) {
  ParameterGrid grid{{"a", {1.0}}};
  EXPECT_THAT(message_of([&] { grid.add({"a", {2.0}}); }), HasSubstr("'a'"));
  EXPECT_THAT(message_of([&] { grid.add({"b", {}}); }), HasSubstr("'b'"));
  grid.add({"c", std::vector<double>(10'000, 1.0)});
  EXPECT_THAT(message_of([&] {
                grid.add({"d", std::vector<double>(10'000, 1.0)});
              }),
              HasSubstr(std::to_string(ParameterGrid::max_runs)));
  EXPECT_EQ(grid.size(), 10'000u);
  EXPECT_THROW(equidistant(0.0, 1.0, 1), InvalidArgument);
  EXPECT_THROW(logarithmic(-1.0, 1.0, 3), InvalidArgument);
}

TEST(Ensemble, RunsAreThoseOfSolveWithAnyNumberOfThreads) {
  const ParameterGrid grid{{"rate", equidistant(0.5, 5.0, 7)}, {"bias", {0.0, 1.0}}};
  std::vector<std::vector<double>> alone;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    Problem p = decay();
    std::get<MassMatrixProblem>(p).parameters = grid.parameters(k);
    const Eigen::VectorXd y = solve(p, {0.0, 2.0}, method()).end().y();
    alone.emplace_back(y.data(), y.data() + y.size());
  }
  for (const int threads : {1, 3, 50}) {
    const EnsembleResult r =
        solve_ensemble(decay(), {0.0, 2.0}, method(), grid, {.threads = threads});
    ASSERT_EQ(r.runs.size(), 14u);
    EXPECT_EQ(r.done, 14u);
    EXPECT_EQ(r.failed, 0u);
    EXPECT_EQ(r.threads, threads);
    for (std::size_t k = 0; k < r.runs.size(); ++k) {
      EXPECT_TRUE(r.runs[k].ok) << r.runs[k].message;
      EXPECT_EQ(r.runs[k].t, 2.0);
      EXPECT_EQ(r.runs[k].y, alone[k]) << "run " << k << ", " << threads << " threads";
    }
  }
}

TEST(Ensemble, UsesTheThreadsAtTheSameTime) {
  // Each of the first three waits until all three are there: fewer threads would never end.
  std::atomic<int> there = 0;
  const auto task = [&](std::size_t k) {
    if (k < 3) {
      ++there;
      while (there < 3) std::this_thread::yield();
    }
    return EnsembleTask{decay(), {0.0, 0.1}, method()};
  };
  EXPECT_EQ(solve_ensemble(6, task, {.threads = 3}).done, 6u);
}

TEST(Ensemble, KeepsFailures) {
  const auto task = [](std::size_t k) {
    if (k == 1) throw InvalidArgument("mass is -1");
    if (k == 2) throw std::runtime_error("no file");
    EnsembleTask made{decay(), {0.0, 1.0}, method()};
    if (k == 3) made.options.max_steps = 1;
    return made;
  };
  const EnsembleResult r = solve_ensemble(5, task, {.threads = 2});
  EXPECT_EQ(r.done, 5u);
  EXPECT_EQ(r.failed, 3u);
  EXPECT_EQ(r.runs[1].status, "invalid_argument");
  EXPECT_THAT(r.runs[1].message, HasSubstr("mass is -1"));
  EXPECT_EQ(r.runs[2].status, to_string(Status::callback_failed));
  EXPECT_THAT(r.runs[2].message, HasSubstr("no file"));
  EXPECT_FALSE(r.runs[3].ok);
  EXPECT_LT(r.runs[3].t, 1.0);
  EXPECT_TRUE(r.runs[4].ok);
  EXPECT_THAT(message_of([] {
                solve_ensemble(decay(), {0.0, 1.0}, method(), {{"ratte", {1.0}}});
              }),
              HasSubstr("'ratte'"));
}

// In a callable, and where the task is made: one name for both.
TEST(Ensemble, WantOfMemoryHasAName) {
  const auto task = [](std::size_t run) {
    if (run == 1) throw std::bad_alloc();
    MassMatrixProblem p;
    p.y0 = Eigen::VectorXd::Ones(1);
    p.rhs = [run](double t, Eigen::Ref<const Eigen::VectorXd> y, Eigen::Ref<Eigen::VectorXd> f) {
      if (run == 2 && t > 0.5) throw std::bad_alloc();
      f[0] = -y[0];
    };
    return EnsembleTask{p, {0.0, 1.0}, method()};
  };
  const EnsembleResult result = solve_ensemble(4, task);
  EXPECT_EQ(result.done, 4u);
  EXPECT_EQ(result.failed, 2u);
  for (const std::size_t k : {1u, 2u}) {
    EXPECT_EQ(result.runs[k].status, out_of_memory) << k;
    EXPECT_TRUE(result.runs[k].y.empty()) << k;
  }
  EXPECT_TRUE(result.runs[0].ok && result.runs[3].ok);
}

TEST(Ensemble, KnownRunsAreNotMadeAgain) {
  EnsembleSettings settings{.threads = 2};
  settings.known.resize(4);
  settings.known[1] = {.done = true, .ok = true, .t = 7.0, .y = {42.0}};
  settings.known[2] = {.done = true, .ok = false, .status = "step_too_small"};
  std::set<std::size_t> made, told;
  std::mutex mutex;
  settings.finished = [&](std::size_t k, const EnsembleRun&) { told.insert(k); };
  const EnsembleResult r = solve_ensemble(
      4,
      [&](std::size_t k) {
        const std::lock_guard lock(mutex);
        made.insert(k);
        return EnsembleTask{decay(), {0.0, 1.0}, method()};
      },
      settings);
  EXPECT_EQ(made, (std::set<std::size_t>{0, 3}));
  EXPECT_EQ(told, made);
  EXPECT_EQ(r.runs[1].y, (std::vector<double>{42.0}));
  EXPECT_EQ(r.done, 4u);
  EXPECT_EQ(r.failed, 1u);
  settings.known.resize(3);
  EXPECT_THROW(solve_ensemble(decay(), {0.0, 1.0}, method(), {}, settings), InvalidArgument);
  EXPECT_THROW(solve_ensemble(decay(), {0.0, 1.0}, method(), {}, {.threads = -1}), InvalidArgument);
}

TEST(Ensemble, EndsWhenCancelled) {
  std::atomic<int> finished = 0;
  EnsembleSettings settings{.threads = 2};
  settings.cancel = [&] { return finished >= 5; };
  settings.finished = [&](std::size_t, const EnsembleRun&) { ++finished; };
  const ParameterGrid grid{{"rate", equidistant(1.0, 2.0, 1000)}};
  const EnsembleResult r = solve_ensemble(decay(), {0.0, 1.0}, method(), grid, settings);
  EXPECT_GE(r.done, 5u);
  EXPECT_LE(r.done, 7u);  // those that were at their end on the two threads
  EXPECT_FALSE(r.runs.back().done);
}

TEST(Ensemble, WhatACallbackThrowsReachesTheCaller) {
  EnsembleSettings settings{.threads = 3};
  std::atomic<int> made = 0;
  settings.finished = [](std::size_t, const EnsembleRun&) {
    throw std::runtime_error("disk full");
  };
  const auto task = [&](std::size_t) {
    ++made;
    return EnsembleTask{decay(), {0.0, 1.0}, method()};
  };
  EXPECT_THROW(solve_ensemble(500, task, settings), std::runtime_error);
  EXPECT_LE(made, 6);
}

}  // namespace
}  // namespace daedalus::ensemble_test
