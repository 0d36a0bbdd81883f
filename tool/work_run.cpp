// SPDX-License-Identifier: BSD-3-Clause
#include "tool/work_run.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

#include "system/model_size.hpp"

namespace daedalus::bench {
namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

Tolerance absolute_tolerance(const problems::Entry& entry, const std::vector<std::string>& names,
                             double tol) {
  if (entry.atol_scale.empty()) return tol;
  Eigen::VectorXd each = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(names.size()), tol);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto scale = entry.atol_scale.find(names[i]); scale != entry.atol_scale.end())
      each[static_cast<Eigen::Index>(i)] *= scale->second;
  return each;
}

double mixed_digits(const problems::Entry& entry, const std::vector<std::string>& names,
                    const double* end, double rtol, const Tolerance& atol) {
  if (!entry.reference && !entry.exact) return std::numeric_limits<double>::quiet_NaN();
  problems::Reference r;
  if (entry.reference) {
    r = *entry.reference;
  } else {
    problems::Values parameters;
    for (const Parameter& p : entry.parameters) parameters[p.name] = p.value;
    r.values = entry.exact(entry.t_end, parameters);
  }
  double largest = std::numeric_limits<double>::epsilon();
  for (const auto& [name, value] : r.values) {
    if (!r.counted.empty() &&
        std::find(r.counted.begin(), r.counted.end(), name) == r.counted.end())
      continue;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) continue;
    const auto i = static_cast<int>(found - names.begin());
    const double error = std::abs(end[i] - value) / (atol[i] / rtol + std::abs(value));
    // A NaN has to stay visible, so no std::max.
    if (!(error <= largest)) largest = error;
  }
  return -std::log10(largest);
}

Run run_ours(const problems::Entry& entry, const Problem& problem, const std::string& method,
             double tol, long max_steps, const std::string& formulation) {
  Options o;
  o.method = method;
  o.formulation = formulation;
  o.max_steps = max_steps;
  return run_ours(entry, problem, o, tol);
}

Run run_ours(const problems::Entry& entry, const Problem& problem, Options o, double tol) {
  o.rtol = tol;
  o.atol = tol;
  entry.apply(o);
  if (!entry.atol_scale.empty()) {
    // The names of the model variables, in order, come with any solution, those of the formulation
    // behind them.
    const Solution empty = solve(problem, {entry.t0, entry.t0}, o);
    std::vector<std::string> names = empty.variables().names;
    names.resize(static_cast<std::size_t>(model_size(empty.variables())));
    o.atol = absolute_tolerance(entry, names, tol);
  }
  o.output = Output::end;
  const double begin = cpu_seconds();
  const Solution s = solve(problem, {entry.t0, entry.t_end}, o);
  Run run;
  run.seconds = cpu_seconds() - begin;
  run.ok = s.ok();
  run.status = to_string(s.status());
  run.message = s.message();
  run.asked = o.method;
  run.solver = s.choice().method;
  run.formulation = s.choice().formulation;
  run.tol = tol;
  const Statistics& statistics = s.statistics();
  const Counts counts = statistics.total();
  run.accepted = statistics.accepted;
  run.rejected = statistics.rejected;
  run.evaluations = counts.function_evaluations + counts.residual_evaluations;
  run.jacobians = counts.jacobian_evaluations;
  run.factorisations = counts.factorisations;
  const Counts& steps = statistics.in(Phase::step);
  run.work = steps.function_evaluations + steps.residual_evaluations + steps.jacobian_columns;
  const ModelState end = s.end();
  run.mescd = mixed_digits(entry, s.variables().names, end.y().data(), tol, o.atol);
  return run;
}

bool fits(const Problem& problem, const std::string& method, const std::string& formulation) {
  Options o;
  o.method = method;
  o.formulation = formulation;
  try {
    recommend(problem, o);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

std::vector<Run> line(const Line& settings, const std::function<Run(double)>& run) {
  std::vector<Run> points;
  for (const double tol : settings.tolerances) {
    Run best = run(tol);
    for (int i = 1; best.ok && i < settings.repetitions && best.seconds < settings.longest_seconds;
         ++i)
      best.seconds = std::min(best.seconds, run(tol).seconds);
    points.push_back(best);
    if (!best.ok || best.seconds > settings.longest_seconds) break;
  }
  return points;
}

}  // namespace daedalus::bench
