// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/arnold_support.hpp"

#include <cmath>
#include <limits>

namespace daedalus::experiments::arnold {

Errors errors_at_end(const Solution& s, const problems::Entry& entry) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (!s.ok() || !entry.reference) return {nan, nan};
  double sum[2] = {0.0, 0.0};
  int count[2] = {0, 0};
  const ModelState end = s.end();
  for (const auto& [name, value] : entry.reference->values) {
    const int i = s.variables().find(name);
    if (i < 0) continue;
    bool algebraic = false;
    for (const Variables::Range& r : s.variables().ranges)
      if (i >= r.first && i < r.first + r.count)
        algebraic = r.cls == VariableClass::lambda || r.cls == VariableClass::z;
    const double e = (end.y()[i] - value) / (1e-8 + std::abs(value));
    sum[algebraic ? 1 : 0] += e * e;
    ++count[algebraic ? 1 : 0];
  }
  return {count[0] > 0 ? std::sqrt(sum[0] / count[0]) : nan,
          count[1] > 0 ? std::sqrt(sum[1] / count[1]) : nan};
}

namespace {

Run finished(const Solution& s, const problems::Entry& e) {
  Run r;
  r.ok = s.ok();
  r.error = errors_at_end(s, e);
  r.statistics = s.statistics();
  r.steps = s.statistics().in(Phase::step);
  r.message = s.message();
  return r;
}

}  // namespace

Run constant_steps(const std::string& problem, const std::string& method, int steps,
                   const std::map<std::string, double>& settings) {
  const problems::Entry& e = entry(problem);
  Options o;
  o.method = method;
  if (method != "mdop5") o.formulation = "index2";
  o.fixed_step = (e.t_end - e.t0) / steps;
  o.projection = ProjectionWhen::none;
  o.output = Output::end;
  o.method_options = settings;
  // The truck rests for t <= 0: exact values before the start.
  if (problem == "truck9") {
    const Problem model = e.problem();
    Options rest = o;
    rest.method = rest.formulation = "auto";
    rest.method_options.clear();
    rest.fixed_step = 0.0;
    const Eigen::VectorXd at_rest = solve(model, {e.t0, e.t0 + 1e-9}, rest).start().y();
    o.known = [at_rest](double t, Out y) {
      if (t > 0.0) return false;
      y = at_rest;
      return true;
    };
  }
  return finished(solve(e.problem(), {e.t0, e.t_end}, o), e);
}

Run variable_steps(const std::string& problem, const std::string& method, double rtol,
                   const Options& further) {
  const problems::Entry& e = entry(problem);
  Options o = further;
  o.method = method;
  o.rtol = rtol;
  o.atol = 0.1 * rtol;
  o.output = Output::end;
  return finished(solve(e.problem(), {e.t0, e.t_end}, o), e);
}

double calls_of_f(const Run& run) { return static_cast<double>(run.f()); }

double work_at(const std::vector<Run>& runs, double error, Work work) {
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const double a = runs[i].error.y, b = runs[i + 1].error.y;
    if (!(a >= error && b <= error)) continue;
    const double share = std::log(a / error) / std::log(a / b);
    return std::exp(std::log(work(runs[i])) * (1.0 - share) + std::log(work(runs[i + 1])) * share);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> rates(const std::vector<double>& errors) {
  std::vector<double> r;
  for (std::size_t i = 0; i + 1 < errors.size(); ++i)
    r.push_back(std::log2(errors[i] / errors[i + 1]));
  return r;
}

}  // namespace daedalus::experiments::arnold
