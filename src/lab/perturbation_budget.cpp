// SPDX-License-Identifier: BSD-3-Clause
// The judged run: how large are the residuals that its solver leaves, and how large may they be?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/parameters.hpp"
#include "lab/perturbation_parts.hpp"

namespace daedalus::perturbation {
namespace {

double algebraic_residual(const SemiExplicitProblem& p, const Solution& s) {
  const auto ny = static_cast<int>(p.y0.size()), nz = static_cast<int>(p.z0.size());
  if (nz == 0) return nan_value;
  const ParameterSet parameters(p.parameters, std::make_shared<const std::vector<double>>(p.modes));
  Eigen::VectorXd g(nz);
  double largest = 0.0;
  for (std::size_t i = 1; i < s.times().size(); ++i) {
    const ModelState x = s.state(i);
    const double* y = x.y().data();
    const auto a = state_arguments<double>(parameters, x.t(), y, ny, y + ny, nz);
    if (p.g(a, g.data(), nz) == Eval::ok) largest = std::max(largest, g.cwiseAbs().maxCoeff());
  }
  return largest;
}

// Residual of the constraints that the formulation solves in every step.
double held_residual(const PerturbationStudy& study, const std::string& formulation,
                     const Solution& s) {
  if (const auto* p = std::get_if<SemiExplicitProblem>(&study.problem))
    return formulation.empty() || formulation == "linearised" ? algebraic_residual(*p, s)
                                                              : nan_value;
  if (!std::holds_alternative<MultibodyProblem>(study.problem)) return nan_value;
  const double position = s.statistics().position_residual;
  const double velocity = s.statistics().velocity_residual;
  if (formulation == "index3") return position;
  if (formulation == "index2") return velocity;
  if (formulation == "index1" || formulation == "baumgarte" || formulation == "regularised" ||
      formulation == "state-space")
    return nan_value;  // rows that are solved are not those whose residuals are known
  return std::max(position, velocity);
}

double limit_of(const PerturbationBound& b, double tolerance, double h) {
  double limit = b.smallest ? 0.0 : std::numeric_limits<double>::infinity();
  for (const PerturbationTerm& t : b.terms) {
    const double theta =
        std::pow(tolerance * std::pow(h, -t.h_exponent) / t.factor, 1.0 / t.theta_exponent);
    limit = b.smallest ? std::max(limit, theta) : std::min(limit, theta);
  }
  return limit;
}

std::string verdict_of(const ConstraintBudget& b) {
  const std::string demand = fmt::format(
      "with h = {:.1e} and tolerance {:.1e} the constraints have to be solved to {:.1e} "
      "times the tolerance for all components, {:.1e} for differential ones",
      b.h, b.tolerance, b.kappa, b.kappa_differential);
  if (!std::isfinite(b.theta)) return demand + "; the residuals of the run are not known";
  if (b.too_loose <= 1.0) return demand + fmt::format("; the run left {:.1e}: sufficient", b.theta);
  if (b.too_loose_differential <= 1.0)
    return demand + fmt::format(
                        "; the run left {:.1e}: sufficient for differential components, too "
                        "loose by a factor of {:.2g} for algebraic ones",
                        b.theta, b.too_loose);
  return demand + fmt::format("; the run left {:.1e}: too loose by a factor of {:.2g}", b.theta,
                              b.too_loose);
}

}  // namespace

ConstraintBudget judge_run(const PerturbationStudy& study, const Options& options,
                           const std::string& formulation, const std::vector<std::string>& names,
                           const std::vector<PerturbationBound>& bounds) {
  ConstraintBudget b;
  b.tolerance = options.rtol;
  Options run = options;
  run.fixed_step = 0.0;
  run.max_steps = Options{}.max_steps;
  const Method* method = find_method(run.method);
  if (method && (method->fixed_step_only || method->error_order == 0))
    run.fixed_step = *std::min_element(study.steps.begin(), study.steps.end());
  run.output = Output::steps;
  std::vector<double> taken;
  run.trace = [&taken](const StepRecord& step) {
    if (step.outcome == "accepted") taken.push_back(std::abs(step.h));
  };
  const Solution s = solve(study.problem, study.interval, run);
  if (!s.ok() || taken.empty()) {
    b.kappa = b.kappa_differential = b.theta = b.too_loose = b.too_loose_differential = nan_value;
    b.verdict = "the run with the tolerance to be judged did not succeed: " + s.message();
    return b;
  }
  std::nth_element(taken.begin(), taken.begin() + static_cast<long>(taken.size() / 2), taken.end());
  b.h = taken[taken.size() / 2];
  double all = std::numeric_limits<double>::infinity(), differential = all;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].terms.empty()) continue;
    const double limit = limit_of(bounds[i], b.tolerance, b.h);
    b.limits.push_back({names[i], limit});
    all = std::min(all, limit);
    if (bounds[i].differential) differential = std::min(differential, limit);
  }
  b.kappa = all / b.tolerance;
  b.kappa_differential = differential / b.tolerance;
  b.theta = held_residual(study, formulation, s);
  b.too_loose = b.theta / all;
  b.too_loose_differential = b.theta / differential;
  b.verdict = b.limits.empty() ? "no bound is known for this form and formulation" : verdict_of(b);
  return b;
}

}  // namespace daedalus::perturbation
