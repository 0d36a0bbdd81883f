// SPDX-License-Identifier: BSD-3-Clause
// Dense LU with partial pivoting in storage that is allocated once.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "kernel/lu.hpp"

namespace daedalus {

// Up to this size the plain kernel, above it panels of columns with Eigen's matrix product for the
// rest (Golub, Van Loan 2013, section 3.4.7). Eigen's own PartialPivLU is not used because it takes
// work space from the heap in every call for n >= 400.
// Full random matrices, x86-64, -O2 without further flags, factorise / solve in microseconds:
//   n      8           16          32         64         100        200       600
//   ours   0.12/0.023  0.74/0.13   3.5/0.30   22 /0.86   73 /1.9    462/6.8   13400/69
//   Eigen  0.26/0.096  0.80/0.21   4.4/0.49   22 /1.23   67 /2.4    412/7.2   13200/59
inline constexpr int max_kernel_size = 64;

class DenseLu {
 public:
  explicit DenseLu(int n);

  int size() const { return n_; }

  // Column-major n x n buffer to be filled before factorise, which overwrites it.
  double* data() { return a_.data(); }
  double& at(int r, int c) { return a_(r, c); }

  // False: singular_column() names the column whose pivot vanished or is not finite. An infinite
  // or undefined entry off the pivots is the caller's to exclude.
  bool factorise();
  void solve(double* x);
  // Four right-hand sides, one after another in memory, by one pass over the factors.
  static constexpr int group = 4;
  void solve_group(double* x);

  // Forgets the factors, so that reciprocal_condition() does not speak of earlier values.
  void discard() { regular_ = false; }

  int singular_column() const { return singular_column_; }
  double reciprocal_condition() const;  // smallest over largest |pivot|; NaN when not factorised

 private:
  int factorise_by_panels();

  int n_;
  int singular_column_ = -1;
  bool regular_ = false;
  Eigen::MatrixXd a_;
  std::vector<int> permutation_;
  std::vector<double> inverse_, work_;
  Eigen::Matrix<double, group, Eigen::Dynamic> group_;
  kernel::LuFunctions functions_;
};

}  // namespace daedalus
