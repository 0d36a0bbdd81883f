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

// Dense matrices, as many as derivatives: beyond this size a start would cost more than a run.
constexpr int max_array_size = 60;
// Shares of a combination below this are rounding errors of its largest.
constexpr double negligible_share = 1e-6;

// A constraint by its number in the reduction; initial equations follow.
std::string row_name(const IndexReduction& r, const std::vector<std::string>& equations, int k) {
  const auto count = static_cast<int>(r.constraints.size());
  return k < count ? name_of_row(r.constraints[static_cast<std::size_t>(k)], equations)
                   : fmt::format("initial equation {}", k - count + 1);
}

StartReport undetermined(const IndexReduction& r, const std::vector<std::string>& equations,
                         double t) {
  StartReport report;
  report.status = Status::singular_matrix;
  std::string list;
  for (const Eigen::VectorXd& combination : r.dependence)
    for (int k = 0; k < combination.size(); ++k)
      if (std::abs(combination[k]) > negligible_share * combination.cwiseAbs().maxCoeff())
        list += fmt::format("{}'{}'", list.empty() ? "" : ", ", row_name(r, equations, k));
  report.message = fmt::format(
      "At the start (t = {:g}) the equations do not determine all variables: {} depend on each "
      "other. Remove redundant equations, or complete the model.",
      t, list);
  return report;
}

StartReport contradiction(const Jet& jet, const std::vector<std::string>& equations,
                          const System& system, const StartRequest& request, double t) {
  StartReport report;
  const IndexReduction& r = jet.reduction;
  for (const int k : jet.conflict) {
    const bool constraint = k < static_cast<int>(r.constraints.size());
    report.rows.push_back({row_name(r, equations, k),
                           constraint ? r.constraints[static_cast<std::size_t>(k)].value : 0.0,
                           2.0});
  }
  const std::string fixed = fixed_text(system, request);
  give_up(report, t,
          fixed.empty() ? std::string("These equations may contradict each other.")
                        : fmt::format("With {} fixed the other start values cannot meet them: "
                                      "correct these values or fix fewer.",
                                      fixed));
  return report;
}

JetSettings jet_settings(const State& s, const StartRequest& request, int n) {
  JetSettings settings;
  settings.weight = request.weight.head(n);
  settings.fixed.assign(static_cast<std::size_t>(n), 0);
  for (const int i : request.fixed) settings.fixed[static_cast<std::size_t>(i)] = 1;
  settings.extra_count = request.extra_count;
  if (request.extra_count > 0)
    settings.extra = [&request, t = s.t](const Eigen::VectorXd& x, const Eigen::VectorXd& rate,
                                         double* rows) {
      return request.extra(State{t, x, rate}, rows);
    };
  return settings;
}

}  // namespace

std::optional<StartReport> start_array(System& system, State& s, const StartRequest& request) {
  const int n = system.layout.tangents();
  if (!system.along_curves || n > max_array_size || !system.layout.euclidean()) return std::nullopt;
  // What is differentiated there is d(t, x), and the start needs d'.
  if (const ResidualView* view = system.residual_view(); view && view->states_leading_term())
    return std::nullopt;
  const std::unique_ptr<EquationSeries> equations = system.along_curves();
  if (!equations || equations->size() != n) return std::nullopt;
  const JetSettings settings = jet_settings(s, request, n);
  const Jet jet = solve_jet(*equations, s.t, s.x, s.xd, settings);
  const IndexReduction& r = jet.reduction;
  if (r.singular) return undetermined(r, equations->equations(), s.t);
  if (!jet.converged && !jet.conflict.empty())
    return contradiction(jet, equations->equations(), system, request, s.t);
  if (!jet.converged) return std::nullopt;
  StartReport report;
  report.changed = ((jet.x.col(0) - s.x).cwiseAbs().array() > request.weight.head(n).array()).any();
  for (std::size_t k = 0; k < r.constraints.size(); ++k)
    report.rows.push_back(
        {row_name(r, equations->equations(), static_cast<int>(k)), r.constraints[k].value,
         std::abs(r.constraints[k].value) /
             (r.constraints[k].gradient.cwiseAbs().dot(settings.weight) + 1e-300)});
  sort_rows(report);
  s.x = jet.x.col(0);
  s.xd = jet.x.col(1);
  return report;
}

}  // namespace daedalus
