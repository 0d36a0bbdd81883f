// SPDX-License-Identifier: BSD-3-Clause
#include "heavy_top.hpp"

#include <algorithm>

namespace daedalus::lie_testing {
namespace {
using problems::HeavyTop;

double norm_of(const Variables& variables, VariableClass cls, const Eigen::VectorXd& e) {
  const Variables::Range* r = variables.range_of(cls);
  return r ? e.segment(r->first, r->count).norm() : 0.0;
}
Errors classes(const Variables& variables, const Eigen::VectorXd& e) {
  return {norm_of(variables, VariableClass::q, e), norm_of(variables, VariableClass::v, e),
          norm_of(variables, VariableClass::lambda, e)};
}
}  // namespace

Problem heavy_top_problem(HeavyTop form) { return problems::heavy_top::entry(form).problem(); }

Options exact_start(HeavyTop form, std::string method) {
  Options o;
  o.method = std::move(method);
  o.rtol = 1e-12;
  o.atol = 1e-12;
  o.known = [form](double t, Out y) { return problems::heavy_top_exact(form, t, y); };
  return o;
}

HeavyTopRun run_heavy_top(HeavyTop form, const Options& options, double t_end) {
  const Solution s = solve(heavy_top_problem(form), {0.0, t_end}, options);
  HeavyTopRun out;
  out.status = s.status();
  out.message = s.message();
  out.accepted = s.statistics().accepted;
  out.rejected = s.statistics().rejected;
  out.position_residual = s.statistics().position_residual;
  out.velocity_residual = s.statistics().velocity_residual;
  const int n = problems::heavy_top::size_of(form);
  Eigen::VectorXd exact(n), difference = Eigen::VectorXd::Zero(n), largest = difference;
  for (std::size_t i = 0; i < s.times().size(); ++i) {
    problems::heavy_top_exact(form, s.times()[i], Out(exact.data(), n));
    const ModelState state = s.state(i);
    difference = (state.y().head(n) - exact).cwiseAbs();
    largest = largest.cwiseMax(difference);
  }
  out.end = classes(s.variables(), difference);
  out.largest = classes(s.variables(), largest);
  return out;
}

}  // namespace daedalus::lie_testing
