// SPDX-License-Identifier: BSD-3-Clause
// Projection to invariants of first-order problems: the smallest change dx in the error scale W
// with I(x + dx) = I_0 that keeps the equations without rates, 0 = g. With A = (I_x; g_x) W,
//   dx = -W A^T (A A^T)^-1 (I - I_0; 0)
// (Hairer, Lubich, Wanner 2006, section IV.4). Variables without rates follow through g.
#include <cmath>

#include "formulation/first_order_system.hpp"
#include "system/invariants.hpp"

namespace daedalus {

void FirstOrderSystem::find_kept_rows(const State& at) {
  const int n = layout.tangents(), ni = invariants->count();
  kept_.jacobian = std::make_unique<JacobianEvaluator>(
      *map_, layout, JacobianEvaluator::Wanted{.x = true, .xd = !linear_, .t = false},
      options_.differences, options_.difference_increment);
  kept_.found_at = at;
  if (at.xd.size() != n) kept_.found_at.xd.setZero(n);
  kept_.jacobian->prepare(kept_.found_at);
  const SparsePattern& rates = linear_ ? mass_values_.pattern : kept_.jacobian->dxd.pattern;
  std::vector<char> has_rates(static_cast<std::size_t>(rows_), 0);
  for (const int row : rates.row) has_rates[static_cast<std::size_t>(row)] = 1;
  for (int row = 0; row < rows_; ++row) {
    const bool algebraic = has_rates[static_cast<std::size_t>(row)] == 0;
    kept_.place.push_back(algebraic ? static_cast<int>(kept_.rows.size()) : -1);
    if (algebraic) kept_.rows.push_back(row);
  }
  const auto count = static_cast<Eigen::Index>(kept_.rows.size()) + ni;
  kept_.move.setZero(n);
  kept_.rhs.setZero(count);
  kept_.by_x.setZero(count, n);
  kept_.normal.setZero(count, count);
}

// Derivatives of the rows without rates, below those of the invariants.
Outcome FirstOrderSystem::algebraic_rows(const State& at) {
  const int n = layout.tangents(), ni = invariants->count();
  if (!kept_.jacobian) find_kept_rows(at);
  if (kept_.rows.empty()) return Outcome::ok;
  const double* rates = linear_ ? nullptr : at.xd.data();
  if (const Outcome o = kept_.jacobian->evaluate(at.t, at.x.data(), rates, counter, failure);
      o != Outcome::ok)
    return o;
  const SparseValues& dx = kept_.jacobian->dx;
  for (int c = 0; c < n; ++c)
    for (int e = dx.pattern.start[static_cast<std::size_t>(c)];
         e < dx.pattern.start[static_cast<std::size_t>(c) + 1]; ++e) {
      const int place =
          kept_.place[static_cast<std::size_t>(dx.pattern.row[static_cast<std::size_t>(e)])];
      if (place >= 0) kept_.by_x(ni + place, c) = dx.values[static_cast<std::size_t>(e)];
    }
  return Outcome::ok;
}

ProjectionResult FirstOrderSystem::project(State& trial, const Eigen::VectorXd& weight,
                                           double threshold) {
  if (!invariants) return {};
  const int ni = invariants->count();
  for (int iteration = 0; iteration < 8; ++iteration) {
    if (const Outcome o = invariants->evaluate(trial, counter, failure); o != Outcome::ok)
      return {o, false};
    if (const Outcome o = algebraic_rows(trial); o != Outcome::ok) return {o, false};
    kept_.by_x.topRows(ni) = invariants->gradient();
    kept_.by_x *= weight.asDiagonal();
    kept_.normal.noalias() = kept_.by_x * kept_.by_x.transpose();
    counter.now().factorisations += 1;
    kept_.factors.compute(kept_.normal);
    // Where the derivatives of the invariants vanish no small move changes them.
    if (kept_.factors.info() != Eigen::Success) return {Outcome::ok, iteration > 0};
    kept_.rhs.setZero();
    kept_.rhs.head(ni) = invariants->defect();
    counter.now().solves += 1;
    kept_.factors.solveInPlace(kept_.rhs);
    kept_.move.noalias() = -kept_.by_x.transpose() * kept_.rhs;
    if (!kept_.move.allFinite()) return {Outcome::ok, iteration > 0};
    const double distance =
        kept_.move.norm() / std::sqrt(static_cast<double>(std::max(1, layout.tangents())));
    if (iteration == 0 && distance <= threshold) return {};
    kept_.move = kept_.move.cwiseProduct(weight);
    moved_ = trial.x;
    layout.plus(moved_.data(), kept_.move.data(), trial.x.data());
    const double size = 1e-14 * (1.0 + trial.x.cwiseAbs().maxCoeff());
    if (distance < 1e-3 || kept_.move.cwiseAbs().maxCoeff() <= size) return {Outcome::ok, true};
  }
  return {Outcome::projection_failed, false};
}

}  // namespace daedalus
