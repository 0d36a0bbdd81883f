// SPDX-License-Identifier: BSD-3-Clause
// Invariants of a problem (energy, mass) that a projection holds at the values they had at the
// start, or after the last event that changed the state.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "system/jacobian.hpp"

namespace daedalus {

class Invariants {
 public:
  // `values` of the variables of `layout`, which must outlive this.
  Invariants(std::unique_ptr<VectorMap> values, const Layout& layout, bool differences);
  int count() const { return map_->rows(); }
  Outcome mark(const State& at, Failure& failure);  // holds the values of this state
  // Fills defect() and gradient().
  Outcome evaluate(const State& at, Counter& counter, Failure& failure);
  const Eigen::VectorXd& defect() const { return defect_; }      // value less the one held
  const Eigen::MatrixXd& gradient() const { return gradient_; }  // count x tangent coordinates
  void archive(Archive& a) { a(held_), jacobian_.archive(a); }

 private:
  std::unique_ptr<VectorMap> map_;
  JacobianEvaluator jacobian_;
  Eigen::VectorXd held_, defect_;
  Eigen::MatrixXd gradient_;
};

}  // namespace daedalus
