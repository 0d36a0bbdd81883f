// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/tiled_product.hpp"

namespace daedalus {

DenseLu::DenseLu(int n)
    : n_(n),
      a_(Eigen::MatrixXd::Zero(n, n)),
      permutation_(n),
      inverse_(n),
      work_(n),
      functions_(kernel::lu_functions(n)) {}

bool DenseLu::factorise() {
  singular_column_ = n_ > max_kernel_size ? factorise_by_panels()
                                          : functions_.factorise(a_.data(), n_, permutation_.data(),
                                                                 inverse_.data());
  regular_ = singular_column_ < 0;
  return regular_;
}

int DenseLu::factorise_by_panels() {
  double* a = a_.data();
  const auto block = [&](int r, int c, int rows, int cols) {
    return MatrixBlock(a + r + static_cast<std::ptrdiff_t>(c) * n_, rows, cols,
                       Eigen::OuterStride<>(n_));
  };
  std::iota(permutation_.begin(), permutation_.end(), 0);
  for (int first = 0; first < n_; first += product_depth) {
    const int end = std::min(first + product_depth, n_);
    const int bad = kernel::lu_panel(a, n_, first, end, permutation_.data(), inverse_.data());
    if (bad >= 0) return bad;
    kernel::lu_panel_rows(a, n_, first, end);
    const int width = end - first, rest = n_ - end;
    add_product(block(end, end, rest, rest), -1.0, block(end, first, rest, width),
                block(first, end, width, rest));
  }
  return -1;
}

void DenseLu::solve(double* x) {
  functions_.solve(a_.data(), n_, permutation_.data(), inverse_.data(), x, work_.data());
}

void DenseLu::solve_group(double* x) {
  using Row = Eigen::Matrix<double, group, 1>;
  const std::ptrdiff_t n = n_;
  group_.resize(group, n);
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < group; ++k)
      group_(k, i) = x[k * n + permutation_[static_cast<std::size_t>(i)]];
  for (int k = 0; k < n_; ++k) {
    const Row row = group_.col(k);
    const double* column = a_.data() + k * n;
    for (int i = k + 1; i < n_; ++i) group_.col(i) -= column[i] * row;
  }
  for (int k = n_ - 1; k >= 0; --k) {
    const Row row = group_.col(k) * inverse_[static_cast<std::size_t>(k)];
    group_.col(k) = row;
    const double* column = a_.data() + k * n;
    for (int i = 0; i < k; ++i) group_.col(i) -= column[i] * row;
  }
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < group; ++k) x[k * n + i] = group_(k, i);
}

double DenseLu::reciprocal_condition() const {
  if (!regular_ || n_ == 0) return std::numeric_limits<double>::quiet_NaN();
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (const double value : inverse_) {
    smallest = std::min(smallest, std::fabs(value));
    largest = std::max(largest, std::fabs(value));
  }
  return smallest / largest;
}

}  // namespace daedalus
