// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"
#include "methods/bdf/engine.hpp"
#include "system/communicator.hpp"

namespace daedalus::bdf {

void BdfStepper::add_estimate(int order, const Eigen::VectorXd& value) {
  const auto as_span = [](const Eigen::VectorXd& v) {
    return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
  };
  Eigen::VectorXd& carried = carried_[at(estimate_count_)];
  if (carried_error_.needed()) carried_error_.find(value, carried);
  estimates_[at(estimate_count_++)] = {order, ClassOrders::all(order + 1), as_span(value), false,
                                       as_span(carried)};
}

// e_{k+1} = x_{n+1} minus the prediction of degree k; e_k = e_{k+1} + phi_k, e_{k+2} = e_{k+1} -
// phi_{k+1} are those of the neighbouring degrees.
void BdfStepper::estimate(const Formula& f, int k) {
  const auto constant = [&](int order) {
    return (configuration_.estimate_defect ? f.defect_constant(order) : f.error_constant(order)) /
           configuration_.error_share;
  };
  estimate_count_ = 0;
  error_ = constant(k) * change_;
  add_estimate(k, error_);
  if (configuration_.order > 0) return;
  if (k > 1) {
    error_below_ = constant(k - 1) * (change_ + phi_.col(k));
    add_estimate(k - 1, error_below_);
  }
  if (k < stability_.limit(configuration_.max_order) && f.count >= k + 2) {
    error_above_ = constant(k + 1) * (change_ - phi_.col(k + 1));
    add_estimate(k + 1, error_above_);
  }
}

// The discrete equations may have a second solution with z = O(1/h) far from the first (Arnold
// 1998, Remark 8). Condition (2.34): the change of y is O(h), that of z O(h) near a consistent
// state. It fails by orders of magnitude there: y moves by more than it is large, which no growth
// from small values does, and h times the change of z is of the size of y.
bool BdfStepper::on_wrong_branch(const Eigen::VectorXd& from, const Eigen::VectorXd& to, double h,
                                 Culprit& culprit) const {
  if (max_index_ < 2) return false;
  double moved = 0.0, size = 0.0, jump = 0.0;
  int worst = -1;
  for (const LayoutBlock& b : system_.layout.blocks()) {
    if (!b.space.is_euclidean()) continue;
    for (int i = 0; i < b.space.tangents(); ++i) {
      const double before = from[b.point + i], after = to[b.point + i];
      if (b.index == 1) {
        size = std::max({size, std::abs(before), std::abs(after)});
        moved = std::max(moved, std::abs(after - before));
      } else if (b.index == max_index_) {
        const double change = std::pow(std::abs(h), b.index - 1) * std::abs(after - before);
        if (change > jump) jump = change, worst = b.tangent + i;
      }
    }
  }
  double maxima[] = {moved, size, jump};
  system_.layout.communicator().reduce({}, maxima);
  if (maxima[0] <= 1.2 * maxima[1] || maxima[2] < 0.25 * maxima[1]) return false;
  culprit = {Culprit::Kind::variable, worst};
  return true;
}

}  // namespace daedalus::bdf
