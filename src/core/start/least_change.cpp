// SPDX-License-Identifier: BSD-3-Clause
#include "start/least_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "start/row_equations.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {
// Matrices by differences are good to eight digits: shorter parts of a correction are noise.
constexpr double min_damping = 1e-4;
constexpr int max_change_iterations = 30;
// Step of central differences: the cube root of the machine precision.
constexpr double difference_step = 6e-6;
}  // namespace

Outcome row_jacobian(System& system, const State& at, const StartRows& rows, int row_count,
                     const std::vector<int>& columns, Eigen::MatrixXd& J) {
  const Layout& l = system.layout;
  Eigen::VectorXd size(l.tangents()), step = Eigen::VectorXd::Zero(l.tangents());
  Eigen::VectorXd plus(row_count), minus(row_count);
  l.magnitude(at.x.data(), size.data());
  J.setZero(row_count, static_cast<Eigen::Index>(columns.size()));
  State moved = at;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int column = columns[k];
    const double eps = difference_step * std::max(size[column], 1e-3);
    for (const double sign : {1.0, -1.0}) {
      step[column] = sign * eps;
      l.plus(at.x.data(), step.data(), moved.x.data());
      if (const Outcome o = rows(moved, sign > 0.0 ? plus : minus); o != Outcome::ok) return o;
    }
    step[column] = 0.0;
    J.col(static_cast<Eigen::Index>(k)) = (plus - minus) / (2.0 * eps);
  }
  return Outcome::ok;
}

Outcome row_round_off(System& system, const State& at, const StartRows& rows, int row_count,
                      const std::vector<int>& columns, Eigen::VectorXd& limit) {
  Eigen::VectorXd size(system.layout.tangents());
  Eigen::MatrixXd J;
  system.layout.magnitude(at.x.data(), size.data());
  if (const Outcome o = row_jacobian(system, at, rows, row_count, columns, J); o != Outcome::ok)
    return o;
  limit.setConstant(row_count, 1.0);
  for (std::size_t k = 0; k < columns.size(); ++k)
    limit += J.col(static_cast<Eigen::Index>(k)).cwiseAbs() * size[columns[k]];
  limit *= 1e-12;
  return Outcome::ok;
}

std::vector<int> free_columns(const Layout& l, const std::vector<int>& fixed,
                              std::vector<int> columns) {
  // Model variables and tangent coordinates agree up to the first block on a group.
  for (int variable : fixed)
    for (const LayoutBlock& b : l.blocks())
      if (variable >= b.point && variable < b.point + b.space.points() && b.space.is_euclidean())
        std::erase(columns, b.tangent + variable - b.point);
  return columns;
}

Outcome min_change(System& system, State& s, const StartRequest& request, const StartRows& rows,
                   int row_count, std::vector<int> columns, const ChangeScale& norm) {
  Eigen::VectorXd round_off;
  if (const Outcome o = row_round_off(system, s, rows, row_count, columns, round_off);
      o != Outcome::ok)
    return o;
  columns = free_columns(system.layout, request.fixed, std::move(columns));
  if (columns.empty()) {
    Eigen::VectorXd r(row_count);
    const Outcome o = rows(s, r);
    return o != Outcome::ok || (r.cwiseAbs().array() <= round_off.array()).all()
               ? o
               : Outcome::newton_failed;
  }
  const auto n = static_cast<Eigen::Index>(columns.size());
  Eigen::VectorXd w(n);
  for (Eigen::Index k = 0; k < n; ++k) w[k] = request.weight[columns[static_cast<std::size_t>(k)]];
  Eigen::MatrixXd scale;
  if (!norm || !norm(s, columns, scale)) scale = w.asDiagonal();
  RowEquations equations(system, s, rows, row_count, std::move(columns), w, std::move(scale));
  // A row that none of these coordinates moves must already hold, up to round-off.
  equations.set_floor(round_off);
  const DampedResult found = damped_newton(
      equations,
      {.max_iterations = max_change_iterations, .min_damping = min_damping, .max_stuck = 0.0});
  if (found.outcome != Outcome::ok) return found.outcome;
  // Contradictory rows converge too, but not to zero.
  const bool met =
      (equations.rows().array().abs() <= (equations.effect() + round_off).array()).all();
  return met ? Outcome::ok : Outcome::newton_failed;
}

Outcome report_extra(System& system, const State& s, const StartRequest& request,
                     const std::vector<int>& columns, StartReport& report) {
  if (request.extra_count == 0) return Outcome::ok;
  const StartRows rows = [&](const State& at, Eigen::VectorXd& out) {
    return request.extra(at, out.data());
  };
  Eigen::VectorXd r(request.extra_count);
  if (const Outcome o = rows(s, r); o != Outcome::ok) return o;
  Eigen::MatrixXd J;
  if (const Outcome o = row_jacobian(system, s, rows, request.extra_count, columns, J);
      o != Outcome::ok)
    return o;
  for (int i = 0; i < request.extra_count; ++i) {
    double scale = 1e-14;
    for (std::size_t k = 0; k < columns.size(); ++k)
      scale += std::abs(J(i, static_cast<Eigen::Index>(k))) * request.weight[columns[k]];
    report.rows.push_back(
        {fmt::format("initial equation {}", i + 1), r[i], std::abs(r[i]) / scale});
  }
  sort_rows(report);
  return Outcome::ok;
}

}  // namespace daedalus
