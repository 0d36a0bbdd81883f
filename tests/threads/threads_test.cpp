// SPDX-License-Identifier: BSD-3-Clause
// What is promised to threads, for the thread sanitizer (preset thread) to look at: a problem is
// shared and constant, everything else belongs to a run.
#include <thread>

#include <catalogue/catalogue.hpp>
#include <daedalus/modelica.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/trajectory_file.hpp>

#include "tool/tool.hpp"

namespace daedalus::cli::threads_test {
namespace {

constexpr int thread_count = 8;

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int k = 0; k < thread_count; ++k) threads.emplace_back([&work, k] { work(k); });
  for (std::thread& thread : threads) thread.join();
}

// Bit for bit what one thread computes, for methods of all families.
TEST(Threads, ShareOneConstantProblem) {
  for (const auto& [name, method] :
       std::vector<std::pair<const char*, const char*>>{{"pendulum", "auto"},
                                                        {"pendulum", "bdf"},
                                                        {"pendulum", "hedop5"},
                                                        {"pendulum", "radau5"},
                                                        {"kvaerno-a", "rodas4"},
                                                        {"heavy-top-r3xso3", "auto"}}) {
    const problems::Entry* entry = problems::find_problem(name);
    ASSERT_NE(entry, nullptr) << name;
    const Problem problem = entry->problem();
    Options options;
    options.method = method;
    options.output = Output::end;
    entry->apply(options);
    const Interval interval{entry->t0, entry->t0 + 0.05 * (entry->t_end - entry->t0)};
    const Eigen::VectorXd alone = solve(problem, interval, options).end().y();
    std::vector<Eigen::VectorXd> found(thread_count);
    in_threads([&](int k) {
      found[static_cast<std::size_t>(k)] = solve(problem, interval, options).end().y();
    });
    for (const Eigen::VectorXd& y : found)
      EXPECT_EQ(std::memcmp(y.data(), alone.data(), sizeof(double) * alone.size()), 0) << name;
  }
}

TEST(Threads, SweepTogether) {
  const ScratchFolder folder;
  const auto sweep = [&](const char* threads, const std::string& out) {
    return call({"sweep", "pendulum", "--set", "length=0.5:2:16", "--t-end", "0.2", "--threads",
                 threads, "--quiet", "--journal", out + ".jsonl", "--out", out});
  };
  EXPECT_EQ(sweep("8", folder / "eight.csv").code, 0);
  EXPECT_EQ(sweep("1", folder / "one.csv").code, 0);
  EXPECT_EQ(contents(folder / "eight.csv"), contents(folder / "one.csv"));
}

// Values of the past are in the run.
TEST(Threads, TakeThePastOfTheirOwnRun) {
  const ModelicaFile file = read_modelica_text(
      "model Lag Real x(start = 1, fixed = true); equation der(x) = -1.2*delay(x, 1); end Lag;",
      "lag.mo");
  const Problem problem = file.entry.problem();
  Options options;
  file.entry.apply(options);
  options.output = Output::end;
  const auto end = [&] { return solve(problem, {0.0, 4.0}, options).end().y()[0]; };
  const double alone = end();
  std::vector<double> found(thread_count);
  in_threads([&](int k) { found[static_cast<std::size_t>(k)] = end(); });
  for (const double x : found) EXPECT_EQ(x, alone);
}

// Files of all formats and pages, each thread its own.
TEST(Threads, WriteAndReadFiles) {
  const ScratchFolder folder;
  const problems::Entry* entry = problems::find_problem("pendulum");
  ASSERT_NE(entry, nullptr);
  const Problem problem = entry->problem();
  std::vector<int> good(thread_count, 0);
  in_threads([&](int k) {
    const char* const endings[] = {".csv", ".json", ".npz"};
    const std::string path = folder / ("run" + std::to_string(k) + endings[k % 3]);
    Options options;
    LongRun run;
    TrajectoryFile file(path);
    file.attach(options, run);
    const Solution s = solve(problem, {0.0, 4.0}, options, run);
    file.commit(R"({"a":1})");
    good[static_cast<std::size_t>(k)] = s.ok() && read_trajectory(path).t.size() > 10 ? 1 : 0;
  });
  EXPECT_EQ(std::count(good.begin(), good.end(), 1), thread_count);
}

// A command is a process: here one after the other, with the threads of the sweep before it gone.
TEST(Threads, LeaveNothingToTheNextCommand) {
  const ScratchFolder folder;
  const std::string run = folder / "run.json";
  EXPECT_EQ(call({"sweep", "pendulum", "--set", "length=0.5:2:8", "--t-end", "0.1", "--threads",
                  "8", "--quiet"})
                .code,
            0);
  EXPECT_EQ(call({"solve", "pendulum", "--t-end", "0.2", "--quiet", "--out", run}).code, 0);
  EXPECT_EQ(call({"report", run}).code, 0);
}

}  // namespace
}  // namespace daedalus::cli::threads_test
