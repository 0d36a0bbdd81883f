// SPDX-License-Identifier: BSD-3-Clause
#include "soak/regret.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include <daedalus/solve.hpp>

#include "soak/judge.hpp"

namespace daedalus::soak {
namespace {

constexpr double accurate = 10.0;  // tolerances at the end: one digit may be lost
constexpr double hopeless = 10.0;  // times the fastest so far: the run is broken off
constexpr int repetitions = 5;
constexpr double unlimited = std::numeric_limits<double>::infinity();

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Contender {
  std::string method, solver{};
  double seconds = unlimited, error = unlimited;
  long steps = 0;
  bool good() const { return error <= accurate; }
};

void run(const Case& c, double tolerance, double limit, Contender& contender) {
  StepSizes steps;
  Options o{
      .method = contender.method, .rtol = tolerance, .atol = tolerance, .output = Output::end};
  const double begin = cpu_now();
  if (std::isfinite(limit)) o.cancel = [&] { return cpu_now() - begin > limit; };
  o.trace = [&steps](const StepRecord& r) {
    if (r.outcome == "accepted") steps.add(r.t, r.h);
  };
  const Solution s = solve(c.problem, {c.t0, c.t1}, o);
  contender.seconds = std::min(contender.seconds, cpu_now() - begin);
  contender.solver = s.choice().method;
  contender.steps = s.statistics().steps();
  Judgement judgement;
  const ModelState start = s.start(), end = s.end();
  judge_state(c, end.view(), tolerance, steps, judgement);
  judge_conserved(c, start.view(), end.view(), tolerance, judgement);
  contender.error = s.ok() ? judgement.error : unlimited;
}

RegretRow measure(const Case& c, double tolerance) {
  Contender chosen{"auto"};
  run(c, tolerance, unlimited, chosen);
  double fastest = chosen.good() ? chosen.seconds : unlimited;
  std::vector<Contender> field;
  for (const std::string& name : methods_for(c)) {
    Contender other{name};
    run(c, tolerance, hopeless * fastest, other);
    if (!other.good()) continue;
    fastest = std::min(fastest, other.seconds);
    field.push_back(other);
  }
  std::erase_if(field, [&](const Contender& x) { return x.seconds > 3.0 * fastest; });
  for (int k = 0; k < repetitions; ++k) {
    run(c, tolerance, unlimited, chosen);
    for (Contender& x : field) run(c, tolerance, unlimited, x);
  }
  RegretRow row;
  row.description = c.description;
  row.tolerance = tolerance;
  row.chosen = chosen.solver;
  row.chosen_seconds = chosen.seconds;
  row.chosen_steps = chosen.steps;
  row.chosen_error = chosen.error;
  const auto best = std::min_element(
      field.begin(), field.end(),
      [](const Contender& a, const Contender& b) { return a.seconds < b.seconds; });
  if (best == field.end()) return row;
  row.best = best->solver;
  row.best_seconds = best->seconds;
  row.best_steps = best->steps;
  row.best_error = best->error;
  row.failed = !std::isfinite(chosen.error);
  return row;
}

}  // namespace

double RegretRow::ratio() const {
  return best.empty() || failed ? std::numeric_limits<double>::quiet_NaN()
                                : chosen_seconds / best_seconds;
}

std::vector<RegretRow> measure_regret(const SoakSettings& settings, int problems) {
  std::vector<RegretRow> rows;
  const auto classes = static_cast<int>(settings.classes.size());
  for (int i = 0; i < problems; ++i) {
    const ProblemClass& p = *settings.classes[static_cast<std::size_t>(i % classes)];
    const std::uint64_t seed = settings.seed + static_cast<std::uint64_t>(i / classes);
    Random random(seed, p.name);
    const Case c = p.make(random);
    for (const double tolerance : {1e-4, 1e-7}) {
      rows.push_back(measure(c, tolerance));
      rows.back().problem_class = p.name;
      rows.back().seed = seed;
    }
  }
  return rows;
}

void print_regret(std::ostream& out, const std::vector<RegretRow>& rows) {
  std::vector<double> ratios;
  int failures = 0;
  for (const RegretRow& r : rows) {
    failures += r.failed;
    out << fmt::format(
        "{:<14} {:>5} {:.0e} {:>6.2f}  {} {:.2e} s {} steps error {:.1e}; {} {:.2e} s "
        "{} steps error {:.1e}; {}\n",
        r.problem_class, r.seed, r.tolerance, r.ratio(), r.chosen, r.chosen_seconds, r.chosen_steps,
        r.chosen_error, r.best, r.best_seconds, r.best_steps, r.best_error, r.description);
    if (std::isfinite(r.ratio())) ratios.push_back(r.ratio());
  }
  std::sort(ratios.begin(), ratios.end());
  const std::size_t n = ratios.size();
  if (n > 0)
    out << fmt::format("{} rows: median {:.2f}, worst {:.2f}; {} failures where another succeeds\n",
                       n, 0.5 * (ratios[(n - 1) / 2] + ratios[n / 2]), ratios.back(), failures);
}

}  // namespace daedalus::soak
