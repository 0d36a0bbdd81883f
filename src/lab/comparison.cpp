// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/comparison.hpp>

#include <time.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <daedalus/formulation.hpp>
#include <daedalus/method.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool takes(const Problem& problem, const Options& options) {
  try {
    recommend(problem, options);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

MeasuredRun measure_run(const Problem& problem, Interval interval, const Options& options,
                        const Digits& digits) {
  MeasuredRun run{options.method, options.formulation};
  run.digits = not_known;
  const double begin = thread_seconds();
  try {
    const Solution solution = solve(problem, interval, options);
    run.seconds = thread_seconds() - begin;
    run.ok = solution.ok();
    run.status = to_string(solution.status());
    run.message = solution.message();
    run.solver = solution.choice().method;
    run.solver_formulation = solution.choice().formulation;
    run.statistics = solution.statistics();
    if (digits) run.digits = digits(solution);
  } catch (const InvalidArgument& error) {
    run.seconds = thread_seconds() - begin;
    run.status = "invalid_argument";
    run.message = error.what();
  }
  return run;
}

std::vector<std::string> comparable_formulations(const Problem& problem) {
  std::vector<std::string> names;
  if (!std::holds_alternative<MultibodyProblem>(problem)) names.push_back("auto");
  for (const Formulation& f : all_formulations())
    if (f.name != "regularised") names.push_back(f.name);
  return names;
}

namespace {

std::vector<std::string> all_method_names() {
  std::vector<std::string> names;
  for (const Method* m : all_methods()) names.push_back(m->name);
  return names;
}

// Names that do not exist are misuse; those that do not fit the problem are left out later.
void require_names(const ComparisonSettings& settings) {
  for (const std::string& name : settings.methods)
    if (!find_method(name))
      throw InvalidArgument(fmt::format("compare_methods: there is no method '{}'", name));
  for (const std::string& name : settings.formulations) {
    const auto& all = all_formulations();
    const auto same = [&](const Formulation& f) { return f.name == name; };
    if (name != "auto" && std::none_of(all.begin(), all.end(), same))
      throw InvalidArgument(fmt::format("compare_methods: there is no formulation '{}'", name));
  }
}

}  // namespace

std::vector<MeasuredRun> compare_methods(const Problem& problem, Interval interval,
                                         const Options& options,
                                         const ComparisonSettings& settings) {
  require_names(settings);
  const auto methods = settings.methods.empty() ? all_method_names() : settings.methods;
  const auto formulations =
      settings.formulations.empty() ? comparable_formulations(problem) : settings.formulations;
  const auto cancelled = [&settings] { return settings.cancel && settings.cancel(); };
  std::vector<MeasuredRun> runs;
  for (const std::string& formulation : formulations)
    for (const std::string& method : methods) {
      if (cancelled()) return runs;
      Options o = options;
      o.formulation = formulation;
      o.method = method;
      if (!takes(problem, o)) continue;
      if (settings.cancel) o.cancel = settings.cancel;
      if (settings.begin) settings.begin(o);
      MeasuredRun run = measure_run(problem, interval, o, settings.digits);
      if (cancelled()) return runs;  // it did not end by itself
      if (settings.finished) settings.finished(run);
      runs.push_back(std::move(run));
    }
  return runs;
}

}  // namespace daedalus
