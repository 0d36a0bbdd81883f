// Whole runs of the Radau family: counts and digits against public figures of Fortran codes on the
// same problems, the stopping factor, orders in use, problem forms, failures by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>
#include <problems/catalogue.hpp>

namespace daedalus::radau_runs_test {
namespace {

struct Result {
  Solution solution;
  double mescd = 0.0, scd = 0.0;
  long steps() const { return solution.statistics().steps(); }
  long factorisations() const { return solution.statistics().in(Phase::step).factorisations; }
};

Result run(const std::string& name, double tol, Options o) {
  const problems::Entry& e = *problems::find_problem(name);
  const Problem problem = e.problem();
  o.rtol = tol;
  o.atol = tol;
  o.output = Output::end;
  const Solution probe = solve(problem, {e.t0, e.t0}, o);
  Eigen::VectorXd atol = Eigen::VectorXd::Constant(probe.variables().size(), tol);
  for (const auto& [variable, factor] : e.atol_scale)
    atol[probe.variables().find(variable)] *= factor;
  o.atol = atol;
  Result r{solve(problem, {e.t0, e.t_end}, o)};
  double mixed = 1e-99, relative = 1e-99;
  for (const auto& [variable, value] : e.reference->values) {
    const auto& counted = e.reference->counted;
    if (!counted.empty() && std::count(counted.begin(), counted.end(), variable) == 0) continue;
    const int i = r.solution.variables().find(variable);
    if (i < 0) continue;
    const double error = std::abs(r.solution.end().y()[i] - value);
    mixed = std::max(mixed, error / (o.atol[i] / o.rtol + std::abs(value)));
    if (value != 0.0) relative = std::max(relative, error / std::abs(value));
  }
  r.mescd = -std::log10(mixed);
  r.scd = -std::log10(relative);
  return r;
}

}  // namespace
}  // namespace daedalus::radau_runs_test
