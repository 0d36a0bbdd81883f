// SPDX-License-Identifier: BSD-3-Clause
// The interpolant of a step: from the polynomial through the rates at the nodes 1, 0, theta_1, ...
#include <algorithm>

#include "kernel/at.hpp"
#include "methods/partitioned_multistep/engine.hpp"

namespace daedalus::partitioned_multistep {
namespace {
using Map = Eigen::Map<const Eigen::VectorXd>;
}  // namespace

const double* Engine::node_rate(int j) const {
  if (j == 0) return rate_.data();
  return kind_ == Kind::collocation ? inner_rates_.col(k_ - j).data()
                                    : history_.chart_rate(j - 1).data();
}
const double* Engine::node_point(int j) const {
  if (j == 0) return trial_.x.data();
  return kind_ == Kind::collocation ? inner_points_.col(k_ - j).data()
                                    : history_.point(j - 1).data();
}

// Integral of the polynomial of degree k of the rates for y, the polynomial of degree k for z and
// contact coordinates. What the last corrector, or a projection, leaves at the end of the step is
// spread with theta^2.
Outcome Engine::interpolant(Interpolant& out) {
  const Layout& l = system_.layout;
  const int n = k_ + 1, tail = l.tangents() - ny_;
  const double h = trial_.t - base_.t;
  const double* x = nodes_.theta.data();
  // power[p][j]: share of the value at node j in the coefficient of theta^p.
  std::array<plmsm::Row<double>, plmsm::max_nodes> power{};
  plmsm::Row<double> basis{};
  basis[0] = 1.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double divisor = 1.0;
      for (int m = 0; m <= i; ++m)
        if (m != j) divisor *= x[j] - x[m];
      for (int p = 0; p <= i; ++p) power[at(p)][at(j)] += basis[at(p)] / divisor;
    }
    for (int p = i + 1; p >= 0; --p)
      basis[at(p)] = (p > 0 ? basis[at(p - 1)] : 0.0) - x[i] * basis[at(p)];
  }
  out.t0 = base_.t;
  out.h = h;
  out.base = base_.x;
  out.degree = n;
  for (int p = 1; p <= n; ++p) {
    auto column = out.c.col(p);
    column.setZero();
    for (int j = 0; j < n; ++j) {
      column.head(ny_) += (h * power[at(p - 1)][at(j)] / p) * Map(node_rate(j), ny_);
      if (p < n && tail > 0)
        column.tail(tail) +=
            power[at(p)][at(j)] * (Map(node_point(j), l.points()).tail(tail) - base_.x.tail(tail));
    }
  }
  Eigen::VectorXd& left = scratch_.xd;
  l.minus(base_.x.data(), trial_.x.data(), left.data());
  for (int p = 1; p <= n; ++p) left -= out.c.col(p);
  out.c.col(std::min(2, n)) += left;
  return Outcome::ok;
}

}  // namespace daedalus::partitioned_multistep
