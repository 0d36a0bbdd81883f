// SPDX-License-Identifier: BSD-3-Clause
// Start values of problems of index two and higher, where not all constraints stand among the
// equations: the derivative array gives the hidden ones (jet.hpp). Of all values that satisfy them
// and keep the fixed variables, the nearest in the error scale.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "start/jet.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

// "d/dt equation 2" for the most differentiated equations of a constraint.
std::string name_of_row(const IndexReduction::Constraint& c,
                        const std::vector<std::string>& equations) {
  const Eigen::VectorXd share = c.origin.col(c.round).cwiseAbs();
  std::string text;
  int named = 0;
  for (int i = 0; i < share.size() && named < 3; ++i)
    if (share[i] > 1e-8 * share.maxCoeff())
      text += (named++ ? " + " : "") + equations[static_cast<std::size_t>(i)];
  if (c.round == 0) return text;
  return (c.round == 1 ? std::string("d/dt ") : fmt::format("d^{0}/dt^{0} ", c.round)) + text;
}

std::string fixed_text(const System& system, const StartRequest& request) {
  std::string list;
  for (const int i : request.fixed)
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ",
                        system.variables->names[static_cast<std::size_t>(i)]);
  return list;
}

}  // namespace

std::optional<StartReport> start_array(System& system, State& s, const StartRequest& request) {
  constexpr int max_system = 60;  // dense matrices, as many as derivatives
  const int n = system.layout.tangents();
  if (!system.along_curves || n > max_system || !system.layout.euclidean()) return std::nullopt;
  // What is differentiated there is d(t, x), and the start needs d'.
  if (const ResidualView* view = system.residual_view(); view && view->states_leading_term())
    return std::nullopt;
  const std::unique_ptr<EquationSeries> equations = system.along_curves();
  if (!equations || equations->size() != n) return std::nullopt;
  JetSettings settings;
  settings.weight = request.weight.head(n);
  settings.fixed.assign(static_cast<std::size_t>(n), 0);
  for (const int i : request.fixed) settings.fixed[static_cast<std::size_t>(i)] = 1;
  settings.extra_count = request.extra_count;
  if (request.extra_count > 0)
    settings.extra = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& rate, double* rows) {
      return request.extra(State{s.t, x, rate}, rows);
    };
  const Jet jet = solve_jet(*equations, s.t, s.x, s.xd, settings);
  const IndexReduction& r = jet.reduction;
  const auto name_of = [&](int k) {
    const auto count = static_cast<int>(r.constraints.size());
    return k < count
               ? name_of_row(r.constraints[static_cast<std::size_t>(k)], equations->equations())
               : fmt::format("initial equation {}", k - count + 1);
  };
  StartReport report;
  if (r.singular) {
    report.status = Status::singular_matrix;
    std::string list;
    for (const Eigen::VectorXd& combination : r.dependence)
      for (int k = 0; k < combination.size(); ++k)
        if (std::abs(combination[k]) > 1e-6 * combination.cwiseAbs().maxCoeff())
          list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name_of(k));
    report.message = fmt::format(
        "At the start (t = {:g}) the equations do not determine all variables: {} depend on each "
        "other. Remove redundant equations, or complete the model.",
        s.t, list);
    return report;
  }
  if (!jet.converged && !jet.conflict.empty()) {
    for (const int k : jet.conflict) {
      const double value = k < static_cast<int>(r.constraints.size())
                               ? r.constraints[static_cast<std::size_t>(k)].value
                               : 0.0;
      report.rows.push_back({name_of(k), value, 2.0});
    }
    const std::string fixed = fixed_text(system, request);
    give_up(report, s.t,
            fixed.empty() ? std::string("These equations may contradict each other.")
                          : fmt::format("With {} fixed the other start values cannot meet them: "
                                        "correct these values or fix fewer.",
                                        fixed));
    return report;
  }
  if (!jet.converged) return std::nullopt;
  report.changed = ((jet.x.col(0) - s.x).cwiseAbs().array() > request.weight.head(n).array()).any();
  for (std::size_t k = 0; k < r.constraints.size(); ++k)
    report.rows.push_back(
        {name_of(static_cast<int>(k)), r.constraints[k].value,
         std::abs(r.constraints[k].value) /
             (r.constraints[k].gradient.cwiseAbs().dot(settings.weight) + 1e-300)});
  sort_rows(report);
  s.x = jet.x.col(0);
  s.xd = jet.x.col(1);
  return report;
}

}  // namespace daedalus
