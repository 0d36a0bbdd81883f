// SPDX-License-Identifier: BSD-3-Clause
// One problem, many methods: a table of all that fit, and what the automatic choice costs beside
// the cheapest of them.
//
//   ComparisonSettings settings;
//   settings.methods = {"radau", "bdf", "rodas5p"};
//   settings.digits = [&](const Solution& s) { return digits_against(exact, s); };
//   for (const MeasuredRun& run : compare_methods(problem, {0.0, 1.0}, options, settings))
//     fmt::print("{} {}: {} s, {} digits\n", run.method, run.formulation, run.seconds, run.digits);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

// How many digits of a solution are right, in a measure of the caller's; NaN: not known. It is
// called after the clock has stopped, also for runs that failed.
using Digits = std::function<double(const Solution&)>;

// One call of `solve`: what was asked for, what ran, its cost and its accuracy.
struct MeasuredRun {
  std::string method{}, formulation{};         // as asked for: "auto" stays auto
  std::string solver{}, solver_formulation{};  // as run
  bool ok = false;
  std::string status{}, message{};  // "invalid_argument": refused before its first step
  Statistics statistics{};
  double seconds = 0.0;  // CPU time of the calling thread in `solve`
  double digits = 0.0;   // NaN: not known
};

// CPU time of the calling thread in seconds, from some moment on.
double thread_seconds();

// Whether the method and the formulation that the options name take the problem.
bool takes(const Problem& problem, const Options& options);

MeasuredRun measure_run(const Problem& problem, Interval interval, const Options& options,
                        const Digits& digits = {});

// Formulations that a comparison tries: all but `regularised`, which is another problem; of
// problems that are not multibody also "auto", the problem as it is.
std::vector<std::string> comparable_formulations(const Problem& problem);

struct ComparisonSettings {
  std::vector<std::string> methods{};       // empty: all
  std::vector<std::string> formulations{};  // empty: `comparable_formulations`
  Digits digits{};
  // Before a run, whose options may be completed (a progress function), and after it.
  std::function<void(Options&)> begin{};
  std::function<void(const MeasuredRun&)> finished{};
  std::function<bool()> cancel{};  // asked between and, by `solve`, within runs
};

// Formulations outside, methods inside. What does not fit is left out; throws InvalidArgument for
// a name that does not exist. A run that was cancelled is not in the result.
std::vector<MeasuredRun> compare_methods(const Problem& problem, Interval interval,
                                         const Options& options,
                                         const ComparisonSettings& settings = {});

// What the automatic choice costs: its CPU time over that of the cheapest competitor, any method in
// any formulation that fits, succeeds and has `enough` digits.
struct Regret {
  MeasuredRun chosen{};  // method "auto"; its fields solver and solver_formulation say what ran
  MeasuredRun best{};    // method empty: there is no competitor
  int competitors = 0;
  bool failed() const { return !chosen.ok && competitors > 0; }
  double ratio() const;  // NaN: no competitor, or the choice failed
};

struct RegretSettings {
  double enough = 0.0;                      // digits that count as success
  int repetitions = 7;                      // interleaved; the least time of each counts
  std::vector<std::string> methods{};       // competitors; empty: all
  std::vector<std::string> formulations{};  // empty: `comparable_formulations`
  std::function<bool()> cancel{};
};

// Options name tolerances and limits; method and formulation are set here. Every competitor runs
// once, and those that took more than three times as long as the fastest are not repeated.
Regret measure_regret(const Problem& problem, Interval interval, const Options& options,
                      const Digits& digits, const RegretSettings& settings);

struct RegretSummary {
  int rows = 0, failures = 0;
  double median = 0.0, worst = 0.0;  // of the ratios there are; NaN: none
  int worst_row = -1;
};
RegretSummary summarise(const std::vector<Regret>& rows);

}  // namespace daedalus
