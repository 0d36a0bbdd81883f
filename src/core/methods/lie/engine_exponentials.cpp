// SPDX-License-Identifier: BSD-3-Clause
#include "methods/lie/engine_exponentials.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::lie_methods {

Common Exponentials::needs(int order, Common common) {
  common.values = std::max(1, order - 1);
  common.kept = order + 1;
  common.interpolated = order;
  return common;
}

Exponentials::Exponentials(System& system, Kind kind, int order, Common common)
    : Engine(system, needs(order, common)),
      kind_(kind),
      formula_(
          (kind == Kind::crouch_grossman ? lie::crouch_grossman : lie::commutator_free)[order - 1]),
      relation_(nv_) {
  base_.setZero(positions_);
  factor_.setZero(nv_);
}

void Exponentials::sum(int block, double h, Eigen::VectorXd& out) const {
  out.setZero();
  for (int i = 1; i <= formula_.steps; ++i)
    out += (h * formula_.beta[block][i]) * past(i - 1).velocity;
}

// The coefficients hold for equal steps: a step that ends at an event or at the end of the run, and
// those after it, are start steps.
int Exponentials::values_usable(const StepRequest& r) const {
  int equal = 1;
  while (equal < count() &&
         std::abs(past(equal - 1).t - past(equal).t - r.h) <= 1e-9 * std::abs(r.h))
    ++equal;
  return equal;
}

Outcome Exponentials::step(const StepRequest& r, Attempt& a) {
  const int k = formula_.steps;
  base_ = past(0).x.head(positions_);
  for (int j = formula_.blocks - 1; j >= 0; --j) {
    if (kind_ == Kind::commutator_free) {
      if (j == 0) break;
      sum(j, r.h, factor_);
      space_.plus(base_.data(), factor_.data(), base_.data());
      continue;
    }
    for (int i = k; i >= 1; --i) {
      if (formula_.beta[j][i] == 0.0) continue;
      factor_ = (r.h * formula_.beta[j][i]) * past(i - 1).velocity;
      space_.plus(base_.data(), factor_.data(), base_.data());
    }
  }
  predict(r, std::max(1, k));
  const double share = r.h * formula_.beta[0][0];
  relation_.factor = 1.0 / share;
  relation_.known.setZero();
  increment_ = share * velocity_;
  if (kind_ == Kind::commutator_free) {
    sum(0, r.h, factor_);
    relation_.known = -factor_ / share;
    increment_ += factor_;
  }
  const double* beta = lie::adams_moulton[k];
  const double over = 1.0 / (r.h * beta[0]);
  known_rate_.head(nv_) = -over * past(0).velocity;
  known_rate_.tail(nr_ - nv_) = -over * dynamic(past(0).x);
  for (int i = 1; i <= k; ++i) known_rate_ -= (beta[i] / beta[0]) * past(i - 1).rate;
  const GroupNewton::Result result = solve(r, relation_, base_.data(), over);
  a.newton_iterations = result.iterations;
  a.newton_rate = result.rate;
  a.culprit = result.culprit;
  if (result.outcome == Outcome::ok)
    space_.minus(past(0).x.data(), trial_.x.data(), increment_.data());
  return result.outcome;
}

}  // namespace daedalus::lie_methods
