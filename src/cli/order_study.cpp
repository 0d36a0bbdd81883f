#include "cli/order_study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <daedalus/solve.hpp>

#include "cli/describe.hpp"
#include "cli/names.hpp"
#include "cli/numbers.hpp"

namespace daedalus::cli {
namespace {

// Below this, round-off hides the order.
constexpr double error_floor = 1e-13;

using ClassErrors = std::map<std::string, double>;

// Largest error of every component over the states given, then the 2-norm over each class.
// Components without a known value are left out.
ClassErrors class_errors(const Solution& solution, const testing::ExactState& exact,
                         bool all_steps) {
  const Variables& variables = solution.variables();
  Eigen::VectorXd largest = Eigen::VectorXd::Constant(variables.size(), -1.0);
  Eigen::VectorXd known(variables.size());
  const auto compare = [&](const ModelState& state) {
    if (!exact(state.t(), variables, Out(known.data(), known.size()))) return;
    for (int i = 0; i < variables.size(); ++i)
      if (!std::isnan(known[i]))
        largest[i] = std::max(largest[i], std::abs(state.y()[i] - known[i]));
  };
  if (all_steps)
    for (std::size_t i = 0; i < solution.times().size(); ++i) compare(solution.state(i));
  compare(solution.end());
  ClassErrors squares;
  for (int i = 0; i < variables.size(); ++i)
    if (largest[i] >= 0.0) squares[class_of(variables, i)] += largest[i] * largest[i];
  for (auto& [cls, value] : squares) value = std::sqrt(value);
  return squares;
}

testing::OrderStudy euclidean_study(const PreparedRun& run, const std::vector<double>& steps,
                                    const testing::ExactState& exact, bool all_steps) {
  testing::OrderStudy study;
  Options options = run.options;
  options.output = all_steps ? Output::steps : Output::end;
  Variables names;
  for (const VariableFacts& variable : model_variables(run.problem))
    names.names.push_back(variable.name);
  if (run.entry.exact) options.known = [&](double t, Out y) { return exact(t, names, y); };
  for (const double h : steps) {
    options.fixed_step = h;
    const Solution solution = solve(run.problem, run.interval, options);
    if (!solution.ok()) {
      study.failure =
          fmt::format("h = {}: {} at t = {}: {}", brief(h), to_string(solution.status()),
                      brief(solution.end_time()), solution.message());
      break;
    }
    study.steps.push_back(h);
    for (const auto& [cls, error] : class_errors(solution, exact, all_steps))
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
  if (norm == "maximum" || norm == "relative")
    return testing::measure_order(
        run.problem, run.interval, run.options, steps, exact,
        norm == "relative" ? testing::OrderNorm::relative : testing::OrderNorm::absolute);
  if (norm == "err1") return euclidean_study(run, steps, exact, false);
  if (norm != "err2")
    throw InvalidArgument(unknown_name("norm", norm, {"maximum", "relative", "err1", "err2"},
                                       "daedalus order --help"));
  if (!run.entry.exact)
    throw InvalidArgument(fmt::format(
        "--norm err2 compares at every step, but problem {} has no exact solution; err1, maximum "
        "and relative compare at the end time only",
        run.entry.name));
  return euclidean_study(run, steps, exact, true);
}

std::string norm_text(const std::string& norm) {
  if (norm == "relative") return "largest relative error of a component at the end time";
  if (norm == "err1") return "2-norm of the errors at the end time";
  if (norm == "err2") return "2-norm of the largest errors of the components over all steps";
  return "largest error of a component at the end time";
}

}  // namespace daedalus::cli
