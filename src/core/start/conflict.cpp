// SPDX-License-Identifier: BSD-3-Clause
#include "start/conflict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "start/row_equations.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

// The iteration only looks for the equation to name; where it ends matters little.
constexpr int max_conflict_iterations = 50;
// Matrices by differences are good to eight digits: shorter parts of a correction are noise.
constexpr double min_conflict_damping = 1e-4;
// A sum of squares at rest does not resolve rows below about the root of epsilon.
constexpr double unresolved = 1e-6;
// Of a sum of squares near its smallest value, beyond rounding.
constexpr double min_decrease = 1e-14;

// The first rows only.
StartRows leading(const StartRows& rows, int row_count) {
  return [&rows, all = Eigen::VectorXd(row_count)](const State& at,
                                                   Eigen::VectorXd& out) mutable -> Outcome {
    const Outcome o = rows(at, all);
    out = all.head(out.size());
    return o;
  };
}

// Moves the free coordinates to the smallest sum of squares of the rows over their units, and
// leaves these rows in r.
Outcome min_rows(System& system, State& s, const StartRequest& request, const StartRows& rows,
                 const std::vector<int>& columns, const Eigen::VectorXd& unit, Eigen::VectorXd& r) {
  const auto n = static_cast<Eigen::Index>(columns.size());
  if (const Outcome o = rows(s, r); o != Outcome::ok || n == 0) return o;
  Eigen::VectorXd w(n);
  for (Eigen::Index k = 0; k < n; ++k) w[k] = request.weight[columns[static_cast<std::size_t>(k)]];
  RowEquations equations(system, s, rows, static_cast<int>(r.size()), columns, w, w.asDiagonal());
  equations.set_units(unit);
  // Any decrease will do, down to rest: at the smallest sum of squares nothing else is left.
  const DampedResult found = damped_newton(equations, {.max_iterations = max_conflict_iterations,
                                                       .min_damping = min_conflict_damping,
                                                       .descent = min_decrease,
                                                       .tolerance = 0.0});
  r = equations.rows();
  return found.outcome == Outcome::newton_failed ? Outcome::ok : found.outcome;
}

std::string fixed_names(const System& system, const StartRequest& request) {
  std::string list;
  for (const int i : request.fixed)
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ",
                        system.variables->names[static_cast<std::size_t>(i)]);
  return list;
}

}  // namespace

StartStage initial_equation_stage(const StartRequest& request, std::vector<int> columns) {
  StartStage stage{{}, std::move(columns)};
  for (int i = 0; i < request.extra_count; ++i)
    stage.names.push_back(fmt::format("initial equation {}", i + 1));
  return stage;
}

StartReport find_conflict(System& system, const State& given, const StartRequest& request,
                          const StartRows& all, int row_count,
                          const std::vector<StartStage>& stages) {
  State s = given;
  std::vector<std::string> names;
  const StartRows rows = leading(all, row_count);
  for (const StartStage& stage : stages) {
    names.insert(names.end(), stage.names.begin(), stage.names.end());
    const int count = static_cast<int>(names.size());
    if (stage.names.empty()) continue;
    Eigen::VectorXd r(count), unit;
    const auto units = [&] {
      Eigen::MatrixXd J;
      const Outcome o = row_jacobian(system, s, rows, count, stage.columns, J);
      unit.setConstant(count, 1e-100);
      for (std::size_t k = 0; k < stage.columns.size() && o == Outcome::ok; ++k)
        unit += J.col(static_cast<Eigen::Index>(k)).cwiseAbs() * request.weight[stage.columns[k]];
      return o;
    };
    if (units() != Outcome::ok) return {};
    const std::vector<int> free = free_columns(system.layout, request.fixed, stage.columns);
    if (min_rows(system, s, request, rows, free, unit, r) != Outcome::ok) return {};
    Eigen::VectorXd round_off;
    if (row_round_off(system, s, rows, count, stage.columns, round_off) != Outcome::ok) return {};
    // A sum of squares at rest does not resolve rows below the root of epsilon of its largest one.
    const double largest = r.cwiseQuotient(unit).cwiseAbs().maxCoeff();
    round_off = round_off.cwiseMax(unresolved * largest * unit);
    StartReport report;
    for (int i = 0; i < count; ++i)
      report.rows.push_back(
          {names[static_cast<std::size_t>(i)], r[i], std::abs(r[i]) / round_off[i]});
    sort_rows(report);
    if (!(report.rows.front().scaled > 1.0)) continue;
    const std::string fixed = fixed_names(system, request);
    give_up(report, given.t,
            fixed.empty() ? std::string("These equations may contradict each other.")
                          : fmt::format("With {} fixed the other start values cannot meet them: "
                                        "correct these values or fix fewer.",
                                        fixed));
    return report;
  }
  return {};
}

}  // namespace daedalus
