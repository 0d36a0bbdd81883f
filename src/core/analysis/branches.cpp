// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/branches.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <set>

#include "analysis/index_names.hpp"
#include "formulation/first_order_system.hpp"
#include "formulation/recorded_equations.hpp"

namespace daedalus {
namespace {

// Points that are looked at: those of the first comparisons and of what lies behind them.
constexpr std::size_t max_points = 200;
// Plain callables of larger systems would take too many evaluations.
constexpr int max_plain_size = 200;
constexpr std::size_t max_named = 4;  // of the variables in a message

using Places = std::set<std::pair<int, int>>;

struct NewPlace {
  std::string equation, variable;
  double t;
};

void note_new(const Places& known, const Places& here, double t, const char* of,
              const std::vector<std::string>& equations, const std::vector<std::string>& variables,
              std::vector<NewPlace>& found) {
  for (const auto& [equation, variable] : here)
    if (!known.contains({equation, variable})) {
      const auto v = static_cast<std::size_t>(variable);
      found.push_back({equations[static_cast<std::size_t>(equation)],
                       of + (v < variables.size() ? variables[v] : std::to_string(v + 1)), t});
    }
}

std::vector<NewPlace> in_recorded(EquationSeries& equations, const State& start) {
  const int n = equations.size();
  EquationSeries::Point first{start.t, Eigen::VectorXd::Zero(n),
                              Eigen::VectorXd::Zero(equations.rates())};
  const auto common = std::min<Eigen::Index>(n, start.x.size());
  first.x.head(common) = start.x.head(common);
  const auto rates = std::min<Eigen::Index>(first.rate.size(), start.xd.size());
  first.rate.head(rates) = start.xd.head(rates);
  std::vector<NewPlace> found;
  EquationSeries::Dependences known;
  if (equations.dependences(first, known) != Outcome::ok) return found;
  std::deque<EquationSeries::Point> waiting(known.other_sides.begin(), known.other_sides.end());
  for (std::size_t count = 0; !waiting.empty() && count < max_points; ++count) {
    EquationSeries::Dependences here;
    const EquationSeries::Point at = waiting.front();
    waiting.pop_front();
    if (equations.dependences(at, here) != Outcome::ok) continue;
    const std::size_t before = found.size();
    note_new(known.of_x, here.of_x, at.t, "", equations.equations(), equations.variables(), found);
    note_new(known.of_rate, here.of_rate, at.t, "derivative of ", equations.equations(),
             equations.variables(), found);
    known.of_x.merge(here.of_x);
    known.of_rate.merge(here.of_rate);
    // Only a branch that was not known leads to further ones.
    if (found.size() > before)
      waiting.insert(waiting.end(), here.other_sides.begin(), here.other_sides.end());
  }
  return found;
}

std::vector<NewPlace> in_plain(FirstOrderSystem& system, const State& start) {
  std::vector<NewPlace> found;
  const int n = system.layout.tangents();
  if (n > max_plain_size) return found;
  JacobianEvaluator evaluator(system.map(), system.layout, {}, false);
  const auto places = [&](const State& at) {
    const SparsePattern p = evaluator.structure_at(at);
    Places all;
    for (int c = 0; c < p.cols; ++c)
      for (int k = p.start[static_cast<std::size_t>(c)];
           k < p.start[static_cast<std::size_t>(c) + 1]; ++k)
        all.insert({p.row[static_cast<std::size_t>(k)], c});
    return all;
  };
  Places known = places(start);
  Eigen::VectorXd size(n), move(n);
  system.layout.magnitude(start.x.data(), size.data());
  // Shares of the sizes of variables, all up, all down, and in turn.
  for (const double share : {0.1, -0.1, 1.0, -1.0, 3.0, -3.0})
    for (const bool in_turn : {false, true}) {
      State at = start;
      for (int j = 0; j < n; ++j)
        move[j] = share * std::max(size[j], 1.0) * (in_turn && j % 2 == 1 ? -1.0 : 1.0);
      system.layout.plus(start.x.data(), move.data(), at.x.data());
      at.t += share;
      Places here = places(at);
      note_new(known, here, at.t, "", system.equations, system.layout.names(), found);
      known.merge(here);
    }
  return found;
}

}  // namespace

void warn_of_branches(const std::shared_ptr<const Problem>& problem, System& system,
                      const State& start, std::vector<std::string>& warnings) {
  std::vector<NewPlace> found;
  if (const auto equations = recorded_equations(problem, system.modes))
    found = in_recorded(*equations, start);
  else if (auto* first_order = dynamic_cast<FirstOrderSystem*>(&system);
           first_order && !std::holds_alternative<MultibodyProblem>(*problem))
    found = in_plain(*first_order, start);
  if (found.empty()) return;
  std::vector<std::string> names;
  for (const NewPlace& p : found)
    names.push_back(fmt::format("'{}' on '{}' (at t = {:.4g})", p.equation, p.variable, p.t));
  warnings.push_back(fmt::format(
      "Other branches of the callables bring in variables that the start values do not show: {}. "
      "Runs find them when they get there; terms of value zero (+ 0.0 * y) show them from the "
      "start.",
      short_list(names, max_named)));
}

}  // namespace daedalus
