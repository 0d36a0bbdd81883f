// SPDX-License-Identifier: BSD-3-Clause
// Factors of sparse matrices, mostly of one structure, by the library's solvers: Eigen 3.4's
// SparseLU does not look whether its memory was there.
#pragma once

#include <memory>

#include <daedalus/types.hpp>

#include "linalg/linear_solver.hpp"

namespace daedalus {

class SparseFactors {
 public:
  // False: singular or not finite.
  bool compute(const SparseMatrix& J) {
    if (J.size() == 0) return true;
    SparsePattern pattern{static_cast<int>(J.rows()),
                          static_cast<int>(J.cols()),
                          {J.outerIndexPtr(), J.outerIndexPtr() + J.outerSize() + 1},
                          {J.innerIndexPtr(), J.innerIndexPtr() + J.nonZeros()}};
    if (!solver_ || pattern.start != pattern_.start || pattern.row != pattern_.row) {
      solver_ = make_linear_solver(pattern);
      pattern_ = std::move(pattern);
    }
    return solver_->factorise({J.valuePtr(), static_cast<std::size_t>(J.nonZeros())});
  }

  Eigen::VectorXd solve(Eigen::VectorXd b) {
    if (b.size() > 0) solver_->solve(b.data());
    return b;
  }

 private:
  SparsePattern pattern_;
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace daedalus
