// SPDX-License-Identifier: BSD-3-Clause
// What corrections of an iteration are compared with, decided here once for all methods.
//
// A defect theta left in the equations of index-1 variables enters index-2 variables as theta / h
// (Arnold 1998, section 2.2): with index 2 the iteration has to resolve the former to h times the
// tolerance, down to round-off. With index 3 that would be below round-off for ordinary steps, so
// there the demand on index-k variables is relaxed by h^(k-1) instead. Iterations on groups scale
// their columns with h themselves and compare variables of index 3 as they are: they take the error
// scale.
#pragma once

#include <Eigen/Core>
#include <vector>

#include <daedalus/stepper/layout.hpp>

namespace daedalus {

class IterationWeights {
 public:
  explicit IterationWeights(const Layout& layout);
  // Index per tangent coordinate, as the structure tells it where the layout does not.
  void set_index(std::vector<int> index);
  const std::vector<int>& index() const { return index_; }
  int max_index() const { return max_index_; }
  // weight: the error scale at the beginning of a step of size h, becomes that of its iteration.
  void apply(double h, const Eigen::VectorXd& magnitude, Eigen::VectorXd& weight) const;

 private:
  enum class Role { auxiliary, lambda, other };
  std::vector<int> index_;
  std::vector<Role> role_;
  int max_index_ = 1;
};

}  // namespace daedalus
