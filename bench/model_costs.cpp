// SPDX-License-Identifier: BSD-3-Clause
#include "model_costs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>

#include <catalogue/catalogue.hpp>
#include <daedalus/model_file.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::bench {
namespace {

// What whole solves may cost, C++ being 1.
constexpr double max_interpreter = 1.25, max_mean = 1.05, max_worst = 1.10;
// Reading, analysing and starting, CPU seconds for 10^3 and 10^5 equations; resident megabytes.
constexpr double max_start_small = 0.05, max_start_large = 3.0, max_memory = 200.0;
constexpr double least_round = 0.02;  // seconds of one variant within a round
// Rounding alone changes the steps of one run by some per cent: a row is a sum over runs at these
// multiples of its tolerance.
constexpr std::array<double, 5> spread{0.5, 0.7, 1.0, 1.4, 2.0};

// The transmission line of the catalogue with n cells, 4 n equations.
std::string transmission_line(int n) {
  return fmt::format(R"({{
  "daedalus": "model",
  "name": "transmission-line",
  "stiff": true,
  "interval": [0, 2],
  "parameters": {{
    "n": {0}, "L": 1, "C": 1, "R": 0.1, "G": 0.1, "G3": 1, "leak": 1, "r_source": 0.5, "r_load": 2,
    "d": "1/n"
  }},
  "variables": {{"a": {{"size": {0}}}, "u": {{"size": {0}}}, "b": {{"size": {0}}}, "w": {{"size": {0}}}}},
  "equations": [
    "0.5*L*d*der(a[1]) = sin(pi*t)^2 - r_source*a[1] - 0.5*R*d*a[1] - u[1]",
    {{"for": {{"k": [2, {0}]}}, "equation": "0.5*L*d*der(a[k]) = w[k - 1] - 0.5*R*d*a[k] - u[k]"}},
    {{"for": {{"k": [1, {0}]}}, "equation": "C*d*der(u[k]) = a[k] - b[k] - d*(G + G3*u[k]*u[k])*u[k]"}},
    {{"for": {{"k": [1, {0}]}}, "equation": "0.5*L*d*der(b[k]) = u[k] - 0.5*R*d*b[k] - w[k]"}},
    {{"for": {{"k": [1, {1}]}}, "equation": "0 = b[k] - a[k + 1] - leak*d*w[k]"}},
    "0 = b[{0}] - w[{0}]/r_load"
  ]
}}
)",
                     n, n - 1);
}

std::filesystem::path write_line(const std::filesystem::path& folder, int cells) {
  const std::filesystem::path file = folder / fmt::format("transmission-line-{}.json", cells);
  std::ofstream(file) << transmission_line(cells);
  return file;
}

struct Case {
  const char* problem;
  double tolerance;
  std::vector<const char*> methods;
  int cells = 0;  // of the line
};

// Tolerances at which a run takes some milliseconds at least.
const std::vector<Case> cases{
    {"transistor-amplifier", 1e-6, {"radau", "bdf", "rodas5p"}},
    {"pollution", 1e-7, {"radau", "bdf", "rodas5p"}},
    {"andrews", 1e-6, {"radau", "bdf", "rodas5p"}},
    {"ring-modulator", 1e-5, {"radau", "bdf", "rodas5p"}},
    {"transmission-line", 1e-4, {"radau", "bdf", "rodas5p"}, 2500},
};

enum Variant { cpp, interpreter, machine_code, variants };

struct Contest {
  const problems::Entry* entry = nullptr;
  std::array<Problem, variants> problem;
  std::array<Options, variants> options;
  double tolerance = 0.0;
  std::array<Run, variants> last{};

  // Of the run at the middle tolerance `last` tells; steps are those of all.
  double seconds(int variant, int batch) {
    const auto v = static_cast<std::size_t>(variant);
    double sum = 0.0;
    for (int i = 0; i < batch; ++i) {
      long steps = 0;
      for (const double factor : spread) {
        const Run run = run_ours(*entry, problem[v], options[v], factor * tolerance);
        if (!run.ok) return std::nan("");
        sum += run.seconds;
        steps += run.accepted;
        if (factor == 1.0) last[v] = run;
      }
      last[v].accepted = steps;
    }
    return sum / batch;
  }
};

Contest contest(const Case& c, const std::filesystem::path& file) {
  Contest it;
  it.entry = problems::find_problem(c.problem);
  if (!it.entry) throw InvalidArgument(fmt::format("'{}' is not in the catalogue", c.problem));
  it.tolerance = c.tolerance;
  Values values;
  if (c.cells > 0) values["n"] = c.cells;
  it.problem[cpp] = it.entry->problem(values);
  it.entry->apply(it.options[cpp], values);
  for (const Variant v : {interpreter, machine_code}) {
    const ModelFile read =
        read_model_file(file.string(), {.model = {.machine_code = v == machine_code}});
    it.problem[v] = read.entry.problem();
    read.entry.apply(it.options[v]);
  }
  return it;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const std::size_t n = v.size();
  return n % 2 == 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

// Medians over rounds: seconds of C++, and both ratios within a round.
std::array<double, variants> measure(Contest& it, int rounds) {
  const double first = it.seconds(cpp, 1);
  const int batch = std::max(1, static_cast<int>(std::ceil(least_round / first)));
  std::array<std::vector<double>, variants> found;
  for (int r = 0; r < rounds; ++r) {
    const double base = it.seconds(cpp, batch);
    found[cpp].push_back(base);
    for (const Variant v : {interpreter, machine_code})
      found[v].push_back(it.seconds(v, batch) / base);
  }
  return {median(found[cpp]), median(found[interpreter]), median(found[machine_code])};
}

void whole_solves(const std::filesystem::path& folder, const std::filesystem::path& models,
                  const Provenance& from, int rounds, const std::string& only) {
  Csv csv(folder / "models.csv",
          "problem,method,seconds_cpp,interpreter,machine_code,steps_cpp,steps_interpreter,"
          "steps_machine_code,digits_cpp,digits_machine_code",
          from);
  fmt::print("\n{:<34} {:>9} {:>8} {:>8}   {}\n", "whole solves of .json models", "C++ ms",
             "interp.", "machine", "steps: C++, interp., machine");
  double log_sum = 0.0, worst = 0.0, worst_interpreter = 0.0;
  int count = 0;
  for (const Case& c : cases) {
    const auto file =
        c.cells > 0 ? write_line(folder, c.cells) : models / fmt::format("{}.json", c.problem);
    Contest it = contest(c, file);
    for (const char* method : c.methods) {
      if (!only.empty() && fmt::format("{} {}", c.problem, method).find(only) == std::string::npos)
        continue;
      for (Options& o : it.options) {
        o.method = method;
        o.method_options.clear();
        // Undamped oscillations of the line, which higher orders do not take.
        if (c.cells > 0 && std::string(method) == "bdf") o.method_options["max_order"] = 2;
      }
      const auto found = measure(it, rounds);
      fmt::print("{:<34} {:>9.2f} {:>8.3f} {:>8.3f}   {}, {}, {}\n",
                 fmt::format("{}: {}", c.problem, method), 1e3 * found[cpp], found[interpreter],
                 found[machine_code], it.last[cpp].accepted, it.last[interpreter].accepted,
                 it.last[machine_code].accepted);
      csv.row(fmt::format("{},{},{:.4g},{:.4f},{:.4f},{},{},{},{:.2f},{:.2f}", c.problem, method,
                          found[cpp], found[interpreter], found[machine_code],
                          it.last[cpp].accepted, it.last[interpreter].accepted,
                          it.last[machine_code].accepted, it.last[cpp].mescd,
                          it.last[machine_code].mescd));
      ++count;
      log_sum += std::log(found[machine_code]);
      // A NaN has to stay visible, so no std::max.
      if (!(found[machine_code] <= worst)) worst = found[machine_code];
      if (!(found[interpreter] <= worst_interpreter)) worst_interpreter = found[interpreter];
    }
  }
  if (count == 0) return;
  const double mean = std::exp(log_sum / count);
  const auto verdict = [](bool good) { return good ? "met" : "missed"; };
  fmt::print(
      "machine code, geometric mean at most {}: {} ({:.3f}); worst at most {}: {} ({:.3f})\n",
      max_mean, verdict(mean <= max_mean), mean, max_worst, verdict(worst <= max_worst), worst);
  fmt::print("interpreter, each at most {}: {} ({:.3f})\n", max_interpreter,
             verdict(worst_interpreter <= max_interpreter), worst_interpreter);
}

// CPU seconds and resident megabytes of a process that does something.
struct Cost {
  double seconds = 0.0, megabytes = 0.0;
  bool good = false;
};

Cost in_child(const std::function<bool()>& act) {
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    try {
      _exit(act() ? 0 : 1);
    } catch (...) {
      _exit(1);
    }
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child) return {};
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {of(used.ru_utime) + of(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024.0,
          WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

// Start values and the first steps, by a method whose own memory is small.
bool first_steps(const Problem& problem, Options o, double t0, double t_end) {
  o.method = "bdf";
  o.output = Output::end;  // memory of the equations and the solver, not of a trajectory
  return solve(problem, {t0, t0 + 1e-6 * (t_end - t0)}, o).ok();
}

Cost start_of(const std::filesystem::path& file, bool steps) {
  return in_child([&] {
    const ModelFile read = read_model_file(file.string());
    Options o;
    read.entry.apply(o);
    const Problem problem = read.entry.problem();
    return !steps || first_steps(problem, o, read.entry.t0, read.entry.t_end);
  });
}

Cost start_of_cpp(int cells) {
  return in_child([&] {
    const problems::Entry& entry = *problems::find_problem("transmission-line");
    return first_steps(entry.problem({{"n", cells}}), {}, entry.t0, entry.t_end);
  });
}

void large_models(const std::filesystem::path& folder, int rounds) {
  fmt::print("\n{:<34} {:>9} {:>9} {:>9} {:>9}\n", "reading and starting .json models", "CPU s",
             "read MB", "start MB", "C++ MB");
  const std::array<int, 3> equations{1000, 10000, 100000};
  std::array<Cost, 3> starts, models;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const auto file = write_line(folder, equations[k] / 4);
    models[k] = start_of(file, false);
    const Cost cpp_start = start_of_cpp(equations[k] / 4);
    for (int r = 0; r < rounds; ++r) {
      const Cost s = start_of(file, true);
      if (r == 0 || !s.good || s.seconds < starts[k].seconds) starts[k] = s;
      if (!s.good) break;
    }
    fmt::print("{:<34} {:>9.3f} {:>9.0f} {:>9.0f} {:>9.0f}{}\n",
               fmt::format("{} equations", equations[k]), starts[k].seconds, models[k].megabytes,
               starts[k].megabytes, cpp_start.megabytes,
               starts[k].good && models[k].good && cpp_start.good ? "" : "  failed");
  }
  const bool all = std::all_of(starts.begin(), starts.end(), [](const Cost& s) { return s.good; });
  const bool fast =
      all && starts[0].seconds <= max_start_small && starts[2].seconds <= max_start_large;
  fmt::print("at most {} s and {} s: {}; growth from 10^4 to 10^5 n^{:.2f}\n", max_start_small,
             max_start_large, fast ? "met" : "missed",
             std::log10(starts[2].seconds / starts[1].seconds));
  fmt::print("at most {} MB: model {}, with the solver {}\n", max_memory,
             models[2].good && models[2].megabytes <= max_memory ? "met" : "missed",
             all && starts[2].megabytes <= max_memory ? "met" : "missed");
}

}  // namespace

void model_costs(const std::filesystem::path& folder, const std::filesystem::path& models,
                 const Provenance& from, int rounds, const std::string& only) {
  // First: a child begins with the memory of this process.
  if (only.empty() || only == "start") large_models(folder, std::min(rounds, 5));
  if (only != "start") whole_solves(folder, models, from, rounds, only);
}

}  // namespace daedalus::bench
