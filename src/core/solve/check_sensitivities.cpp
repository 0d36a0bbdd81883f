// SPDX-License-Identifier: BSD-3-Clause
// Columns beside central differences of whole runs: slow, and by another way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <daedalus/sensitivity.hpp>
#include <daedalus/solve.hpp>

#include "integrate/solution_data.hpp"

namespace daedalus {
namespace {

// The problem and its events for another value of one parameter.
Solution run_with(const Problem& problem, Interval interval, Options options,
                  const SensitivityColumn& column, double value) {
  const auto family = options.sensitivities.family;
  options.sensitivities = {};
  options.output = Output::end;
  Problem changed = problem;
  if (family) {
    std::vector<double> values;
    bool known = false;
    for (const Parameter& p : family->parameters) {
      known = known || p.name == column.name;
      values.push_back(p.name == column.name ? value : p.value);
    }
    if (known) {
      changed = family->problem(values);
      if (family->events)
        for (Event& near : family->events(values))
          for (Event& own : options.events)
            if (own.name == near.name) own = near;
      return solve(changed, interval, options);
    }
  }
  set_parameter(changed, column.name, value);
  return solve(changed, interval, options);
}

}  // namespace

SensitivityCheck check_sensitivities(const Problem& problem, Interval interval,
                                     const Options& options) {
  Options with = options, fine = options;
  with.output = Output::end;
  with.sensitivities.start_values.clear();
  with.sensitivities.directions.resize(0, 0);
  constexpr double finer = 0.01;  // the differences of the runs divide their errors
  fine.rtol *= finer;
  fine.atol = Tolerance(Eigen::VectorXd(finer * options.atol.values()));
  const Solution run = solve(problem, interval, with);
  SensitivityCheck check;
  if (!run.ok()) {
    check.message = "The run failed: " + run.message();
    return check;
  }
  const Sensitivity d = run.sensitivity(interval.to);
  check.columns = d.matrix();
  check.variables = d.variables();
  check.differences = Eigen::MatrixXd::Constant(check.columns.rows(), check.columns.cols(),
                                                std::numeric_limits<double>::quiet_NaN());
  // Errors rtol / d of the quotient and d^2 of its truncation balance.
  const double relative = std::clamp(std::cbrt(fine.rtol), 1e-5, 1e-2);
  const Layout& layout = run.data().layout;
  for (int j = 0; j < check.columns.cols(); ++j) {
    const SensitivityColumn& c = d.columns()[static_cast<std::size_t>(j)];
    check.names.push_back(c.name);
    const double step = relative * std::max(std::abs(c.value), c.typical);
    const Solution up = run_with(problem, interval, fine, c, c.value + step);
    const Solution down = run_with(problem, interval, fine, c, c.value - step);
    if (!up.ok() || !down.ok()) continue;
    Eigen::VectorXd w(layout.tangents());
    const Eigen::VectorXd from = down.end().y(), to = up.end().y();
    layout.minus(from.data(), to.data(), w.data());
    check.differences.col(j) = w.head(check.columns.rows()) / (2.0 * step);
    const double size = check.columns.col(j).cwiseAbs().maxCoeff();
    for (int i = 0; i < check.columns.rows(); ++i) {
      const double s = check.columns(i, j), e = std::abs(s - check.differences(i, j));
      const double relative_error = e == 0.0 ? 0.0 : e / (std::abs(s) + size);
      if (relative_error < check.worst) continue;
      check.worst = relative_error;
      check.variable = i;
      check.column = j;
    }
  }
  if (check.variable >= 0)
    check.message = fmt::format(
        "Worst: d({})/d({}) is {:.10g}, and {:.10g} by differences of two runs (increment {:.1e} "
        "of the parameter).",
        check.variables[static_cast<std::size_t>(check.variable)],
        check.names[static_cast<std::size_t>(check.column)],
        check.columns(check.variable, check.column),
        check.differences(check.variable, check.column), relative);
  return check;
}

}  // namespace daedalus
