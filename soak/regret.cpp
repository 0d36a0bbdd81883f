// SPDX-License-Identifier: BSD-3-Clause
#include "soak/regret.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "soak/judge.hpp"

namespace daedalus::soak {
namespace {

constexpr double accurate = 10.0;  // tolerances at the end: one digit may be lost
constexpr int repetitions = 5;

RegretRow measure(const Case& c, double tolerance) {
  // Errors of index-k variables count with the step at their time, so that the steps are traced.
  StepSizes steps;
  Options options{.rtol = tolerance, .atol = tolerance};
  options.trace = [&steps](const StepRecord& r) {
    if (r.outcome == "accepted") steps.add(r.t, r.h);
  };
  const Digits digits = [&](const Solution& s) {
    Judgement judgement;
    const ModelState start = s.start(), end = s.end();
    judge_state(c, end.view(), tolerance, steps, judgement);
    judge_conserved(c, start.view(), end.view(), tolerance, judgement);
    steps = {};
    return -std::log10(judgement.error);
  };
  const RegretSettings settings{.enough = -std::log10(accurate),
                                .repetitions = repetitions,
                                .methods = methods_for(c),
                                .formulations = {"auto"}};
  RegretRow row;
  row.description = c.description;
  row.tolerance = tolerance;
  row.regret = daedalus::measure_regret(c.problem, {c.t0, c.t1}, options, digits, settings);
  return row;
}

std::string shown(const MeasuredRun& run) {
  if (run.method.empty()) return "no competitor";
  return fmt::format("{} {:.2e} s {} steps error {:.1e}", run.solver, run.seconds,
                     run.statistics.steps(), std::pow(10.0, -run.digits));
}

}  // namespace

std::vector<RegretRow> measure_regret(const SoakSettings& settings, int problems) {
  std::vector<RegretRow> rows;
  const auto classes = static_cast<int>(settings.classes.size());
  for (int i = 0; i < problems; ++i) {
    const ProblemClass& p = *settings.classes[static_cast<std::size_t>(i % classes)];
    const std::uint64_t seed = settings.seed + static_cast<std::uint64_t>(i / classes);
    Random random(seed, p.name);
    const Case c = draw(p, random);
    for (const double tolerance : {1e-4, 1e-7}) {
      rows.push_back(measure(c, tolerance));
      rows.back().problem_class = p.name;
      rows.back().seed = seed;
    }
  }
  return rows;
}

void print_regret(std::ostream& out, const std::vector<RegretRow>& rows) {
  std::vector<Regret> regrets;
  for (const RegretRow& r : rows) {
    regrets.push_back(r.regret);
    out << fmt::format("{:<14} {:>5} {:.0e} {:>6.2f}  {}; {}; {}\n", r.problem_class, r.seed,
                       r.tolerance, r.regret.ratio(), shown(r.regret.chosen), shown(r.regret.best),
                       r.description);
  }
  const RegretSummary s = summarise(regrets);
  if (s.rows > 0)
    out << fmt::format("{} rows: median {:.2f}, worst {:.2f}; {} failures where another succeeds\n",
                       s.rows, s.median, s.worst, s.failures);
}

}  // namespace daedalus::soak
