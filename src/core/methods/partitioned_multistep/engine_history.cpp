// SPDX-License-Identifier: BSD-3-Clause
#include "methods/partitioned_multistep/engine_history.hpp"

#include <algorithm>

namespace daedalus::partitioned_multistep {

History::History(const Layout& layout, int differential)
    : layout_(layout), differential_(differential) {
  for (int j = 0; j < capacity; ++j) ring_[at(j)] = j;
  points_.setZero(layout.points(), capacity);
  rates_.setZero(differential, capacity);
  relative_.setZero(differential, capacity);
  chart_rates_.setZero(differential, capacity);
}

void History::push(double t, const double* x, const double* rate) {
  std::rotate(ring_.begin(), ring_.end() - 1, ring_.end());
  std::rotate(times_.begin(), times_.end() - 1, times_.end());
  count_ = std::min(count_ + 1, capacity);
  lay_behind(0, t, x, rate);
}

void History::lay_behind(int back, double t, const double* x, const double* rate) {
  const int column = ring_[at(back)];
  times_[at(back)] = t;
  points_.col(column) = Eigen::Map<const Eigen::VectorXd>(x, points_.rows());
  rates_.col(column) = Eigen::Map<const Eigen::VectorXd>(rate, rates_.rows());
}

void History::increment_to(const double* x, double* w) const {
  const double* base = points_.col(ring_[0]).data();
  for (const LayoutBlock& b : layout_.blocks())
    if (b.tangent < differential_) b.space.minus(base + b.point, x + b.point, w + b.tangent);
}

void History::enter_chart(int values) {
  relative_.col(0).setZero();
  chart_rates_.col(0) = rate(0);
  for (int j = 1; j < values; ++j) {
    increment_to(point(j).data(), relative_.col(j).data());
    chart_rates_.col(j) = rate(j);
    if (layout_.euclidean()) continue;
    for (const LayoutBlock& b : layout_.blocks())
      if (b.tangent < differential_ && !b.space.is_euclidean())
        b.space.tangent_inverse(relative_.col(j).data() + b.tangent,
                                rates_.col(ring_[at(j)]).data() + b.tangent,
                                chart_rates_.col(j).data() + b.tangent);
  }
}

}  // namespace daedalus::partitioned_multistep
