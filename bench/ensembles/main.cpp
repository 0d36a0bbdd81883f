// SPDX-License-Identifier: BSD-3-Clause
// daedalus_bench_ensembles [PROBLEM or FILE ...] [--runs N] [--all]: trajectories per second of CPU
// time, one thread, in the library's loop and in lanes, in turns within one run of the program; the
// parameters are the same, and so are the tolerances (1e-6). Errors are differences of the end
// values in tolerances.
#include <ctime>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/ensemble.hpp>
#include <daedalus/problem_file.hpp>

namespace {

using namespace daedalus;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// splitmix64: the same numbers everywhere.
double uniform(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

// All parameters between 0.9 and 1.1 of their standard, independently; sizes, and gains that must
// stay below 1, as they are.
Values values_of(const Entry& entry, std::size_t run) {
  Values values;
  std::uint64_t k = run * 64;
  for (const Parameter& p : entry.parameters) {
    const bool kept = p.name == "alpha" || p.name == "n" || p.name == "N";
    values[p.name] = kept ? p.value : p.value * (0.9 + 0.2 * uniform(k++));
  }
  return values;
}

struct Measured {
  EnsembleResult result;
  double seconds = 0.0;
};

EnsembleTask task_of(const Entry& entry, std::size_t run, const Tolerance& atol) {
  const Values values = values_of(entry, run);
  EnsembleTask task{entry.problem(values), {entry.t0, entry.t_end}, {}};
  task.options.atol = atol;
  entry.apply(task.options, values);
  return task;
}

// Scaled as the tool does it, by variable.
Tolerance tolerance_of(const Entry& entry) {
  if (entry.atol_scale.empty()) return 1e-6;
  std::vector<std::string> names;
  const Problem problem = entry.problem();
  if (const auto* p = std::get_if<SemiExplicitProblem>(&problem)) {
    names = p->y_names;
    names.insert(names.end(), p->z_names.begin(), p->z_names.end());
  } else if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) {
    names = m->variables;
  }
  Eigen::VectorXd atol = Eigen::VectorXd::Constant(static_cast<int>(names.size()), 1e-6);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto found = entry.atol_scale.find(names[i]); found != entry.atol_scale.end())
      atol[static_cast<int>(i)] *= found->second;
  return names.empty() ? Tolerance(1e-6) : Tolerance(atol);
}

// whole: of which these runs are a part, for the choice of the engine; 0: all there are.
Measured measure(const Entry& entry, const Tolerance& atol, std::size_t runs, Engine engine,
                 std::size_t whole = 0) {
  EnsembleSettings settings;
  settings.threads = 1;
  settings.engine = engine;
  settings.whole = whole;
  const double begin = cpu_seconds();
  Measured m{solve_ensemble(
                 runs, [&](std::size_t k) { return task_of(entry, k, atol); }, settings),
             0.0};
  m.seconds = cpu_seconds() - begin;
  return m;
}

double largest_difference(const std::vector<EnsembleRun>& a, const std::vector<EnsembleRun>& b,
                          const Tolerance& atol) {
  double largest = 0.0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const EnsembleRun &x = a[k], &y = b[k];
    if (!x.ok || !y.ok) continue;
    for (std::size_t i = 0; i < x.y.size(); ++i)
      largest = std::max(largest, std::abs(x.y[i] - y.y[i]) /
                                      (atol[static_cast<int>(i)] + 1e-6 * std::abs(x.y[i])));
  }
  return largest;
}

// The first runs again with a small part of the tolerance: which of two results is further off.
std::vector<EnsembleRun> exact_runs(const Entry& entry, const Tolerance& atol) {
  constexpr std::size_t checked = 100;
  constexpr double part = 1e-4;
  return solve_ensemble(checked,
                        [&](std::size_t k) {
                          EnsembleTask task = task_of(entry, k, atol);
                          task.options.rtol *= part;
                          task.options.atol = Eigen::VectorXd(part * task.options.atol.values());
                          return task;
                        },
                        {.threads = 1, .engine = Engine::threads})
      .runs;
}

// The ratio, or 0 where lanes do not take it.
double compare(const Entry& entry, std::size_t runs) {
  const Tolerance atol = tolerance_of(entry);
  try {
    // The library's loop on fewer runs: it is the slow one.
    const std::size_t few = std::max<std::size_t>(runs / 10, 64);
    const Measured making = measure(entry, atol, 64, Engine::automatic, runs);
    if (making.result.engine != Engine::lanes) {
      fmt::print("{:<24} {}\n", entry.name, making.result.reason);
      return 0.0;
    }
    const Measured loop = measure(entry, atol, few, Engine::threads);
    const Measured lanes = measure(entry, atol, runs, Engine::automatic);
    const double a = static_cast<double>(few) / loop.seconds,
                 b = static_cast<double>(runs) / lanes.seconds;
    const std::vector<EnsembleRun> exact = exact_runs(entry, atol);
    const auto off = [&](const Measured& m) {
      return largest_difference(exact, m.result.runs, atol);
    };
    fmt::print(
        "{:<24} loop {:>9.0f}/s  lanes {:>9.0f}/s  ratio {:>6.2f}  difference {:>7.3g} tol, off by "
        "{:.3g} and {:.3g}  handed over {} failed {}/{}  {}\n",
        entry.name, a, b, b / a, largest_difference(loop.result.runs, lanes.result.runs, atol),
        off(loop), off(lanes), lanes.result.handed_over, loop.result.failed, lanes.result.failed,
        lanes.result.reason);
    std::fflush(stdout);
    return b / a;
  } catch (const std::exception& error) {
    fmt::print("{:<24} {}\n", entry.name, error.what());
    return 0.0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names;
  std::size_t runs = 0;
  bool all = false;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
      runs = std::stoul(argv[++i]);
    else if (std::strcmp(argv[i], "--all") == 0)
      all = true;
    else
      names.emplace_back(argv[i]);
  if (names.empty() && !all) names = {"robertson", "hires", "transistor-amplifier", "pendulum"};
  double logs = 0.0;
  int count = 0;
  const auto add = [&](const Entry& entry) {
    const std::size_t standard = entry.name == "transistor-amplifier" ? 1000 : 10000;
    const double ratio = compare(entry, runs > 0 ? runs : standard);
    if (ratio > 0.0) logs += std::log(ratio), ++count;
  };
  if (all)
    for (const Entry* e : problems::all_problems())
      if (e->in_suite("core")) add(*e);
  for (const std::string& name : names)
    if (const Entry* e = problems::find_problem(name))
      add(*e);
    else
      add(read_problem_file(name).entry);
  if (count > 0) fmt::print("geometric mean of {} ratios: {:.2f}\n", count, std::exp(logs / count));
}
