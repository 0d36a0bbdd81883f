// SPDX-License-Identifier: BSD-3-Clause
#include "tool/order_study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <daedalus/solve.hpp>

#include "tool/names.hpp"
#include "tool/numbers.hpp"

namespace daedalus::cli {
namespace {

// Below this, round-off hides the order.
constexpr double error_floor = 1e-13;

// The 2-norm over each class of the components' largest errors over all steps. Components without
// a known value are left out.
std::map<std::string, double> errors_over_all_steps(const Solution& solution,
                                                    const testing::ExactState& exact) {
  const Variables& variables = solution.variables();
  Eigen::VectorXd largest = Eigen::VectorXd::Constant(variables.size(), -1.0);
  Eigen::VectorXd known(variables.size());
  for (std::size_t k = 0; k < solution.times().size(); ++k) {
    const ModelState state = solution.state(k);
    if (!exact(state.t(), variables, Out(known.data(), known.size()))) continue;
    for (int i = 0; i < variables.size(); ++i)
      if (!std::isnan(known[i]))
        largest[i] = std::max(largest[i], std::abs(state.y()[i] - known[i]));
  }
  std::map<std::string, double> norms;
  for (int i = 0; i < variables.size(); ++i)
    if (largest[i] >= 0.0) {
      double& norm = norms[class_of(variables, i)];
      norm = std::hypot(norm, largest[i]);
    }
  return norms;
}

testing::OrderStudy study_over_all_steps(const PreparedRun& run, const std::vector<double>& steps,
                                         const testing::ExactState& exact) {
  testing::OrderStudy study;
  Options options = run.options;
  options.output = Output::steps;
  for (const double h : steps) {
    options.fixed_step = h;
    const Solution solution = solve(run.problem, run.interval, options);
    if (!solution.ok()) {
      study.failure = fmt::format("h = {}: {}", brief(h), solution.message());
      break;
    }
    study.steps.push_back(h);
    for (const auto& [cls, error] : errors_over_all_steps(solution, exact))
      study.errors[cls].push_back(error);
  }
  for (const auto& [cls, errors] : study.errors)
    study.orders[cls] = testing::observed_order(study.steps, errors, error_floor);
  return study;
}

}  // namespace

testing::ExactState exact_state(const PreparedRun& run) {
  if (!run.entry.exact && !target_at(run.entry, run.parameters, run.interval.to))
    throw InvalidArgument(fmt::format(
        "problem {} has no exact solution and no reference at t = {} with these parameters, so "
        "its errors are not known",
        run.entry.name, brief(run.interval.to)));
  return [&run](double t, const Variables& variables, Out y) {
    std::optional<Target> target;
    if (run.entry.exact)
      target = Target{run.entry.exact(t, run.parameters.all), {}, 0, {}};
    else
      target = target_at(run.entry, run.parameters, t);
    if (!target) return false;
    y.setConstant(std::numeric_limits<double>::quiet_NaN());
    for (const auto& [name, value] : target->values)
      if (const int i = variables.find(name); i >= 0) y[i] = value;
    return true;
  };
}

testing::OrderStudy study_order(const PreparedRun& run, const std::vector<double>& steps,
                                const std::string& norm) {
  const testing::ExactState exact = exact_state(run);
  const auto at_the_end = [&](testing::OrderNorm measure) {
    return testing::measure_order(run.problem, run.interval, run.options, steps, exact, measure);
  };
  if (norm == "maximum") return at_the_end(testing::OrderNorm::absolute);
  if (norm == "relative") return at_the_end(testing::OrderNorm::relative);
  if (norm == "err1") return at_the_end(testing::OrderNorm::euclidean);
  if (norm != "err2")
    throw InvalidArgument(unknown_name("norm", norm, {"maximum", "relative", "err1", "err2"},
                                       "daedalus order --help"));
  if (!run.entry.exact)
    throw InvalidArgument(fmt::format(
        "--norm err2 compares at every step, but problem {} has no exact solution; err1, maximum "
        "and relative compare at the end time only",
        run.entry.name));
  return study_over_all_steps(run, steps, exact);
}

std::string norm_text(const std::string& norm) {
  if (norm == "relative") return "largest relative error of a component at the end time";
  if (norm == "err1") return "2-norm of the errors at the end time";
  if (norm == "err2") return "2-norm of the largest errors of the components over all steps";
  return "largest error of a component at the end time";
}

}  // namespace daedalus::cli
