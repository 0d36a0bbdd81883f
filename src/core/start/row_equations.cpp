// SPDX-License-Identifier: BSD-3-Clause
#include "start/row_equations.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {
// Tolerances near round-off ask for no more than round-off, that of the values found: a guess may
// be zero.
constexpr double round_off_of_values = 1e-14;
}  // namespace

RowEquations::RowEquations(System& system, State& s, const StartRows& rows, int row_count,
                           std::vector<int> columns, const Eigen::VectorXd& weight,
                           Eigen::MatrixXd scale)
    : system_(system),
      s_(s),
      rows_(rows),
      columns_(std::move(columns)),
      weight_(weight),
      scale_(std::move(scale)),
      r_(Eigen::VectorXd::Zero(row_count)),
      floor_(Eigen::VectorXd::Zero(row_count)),
      change_(Eigen::VectorXd::Zero(weight.size())),
      step_(Eigen::VectorXd::Zero(system.layout.tangents())) {}

Outcome RowEquations::linearise() {
  if (const Outcome o = evaluate(); o != Outcome::ok) return o;
  const int count = static_cast<int>(r_.size());
  if (const Outcome o = row_jacobian(system_, s_, rows_, count, columns_, J_); o != Outcome::ok)
    return o;
  before_ = s_.x;
  effect_ = (J_ * weight_.asDiagonal()).cwiseAbs().rowwise().sum();
  if (!given_units_) unit_ = effect_ + floor_;
  change_ = given_units_ ? scale_ * least_squares(unit_.cwiseInverse().asDiagonal() * J_ * scale_,
                                                  -r_.cwiseQuotient(unit_))
                         : scale_ * least_squares(J_ * scale_, -r_);
  return Outcome::ok;
}

Outcome RowEquations::move(double damping) {
  step_.setZero();
  for (std::size_t k = 0; k < columns_.size(); ++k)
    step_[columns_[k]] = damping * change_[static_cast<Eigen::Index>(k)];
  system_.layout.plus(before_.data(), step_.data(), s_.x.data());
  return evaluate();
}

bool RowEquations::negligible() const {
  Eigen::VectorXd size(system_.layout.tangents());
  system_.layout.magnitude(before_.data(), size.data());
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (!(std::abs(change_[static_cast<Eigen::Index>(k)]) <=
          round_off_of_values * std::max(1.0, size[columns_[k]])))
      return false;
  return true;
}

}  // namespace daedalus
