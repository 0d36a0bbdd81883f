#include "linalg/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace daedalus {

namespace {

constexpr int panel_width = 32;

// The product below is cut into tiles whose packed operands (at most 64 kB each) fit into Eigen's
// limit for work space on the stack: larger ones would come from the heap.
constexpr int tile = 256;

using Block = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

}  // namespace

DenseLu::DenseLu(int n)
    : n_(n),
      a_(Eigen::MatrixXd::Zero(n, n)),
      permutation_(n),
      inverse_(n),
      work_(n),
      functions_(kernel::lu_functions(n)) {}

bool DenseLu::factorise() {
  singular_column_ =
      n_ > largest_kernel_size
          ? factorise_by_panels()
          : functions_.factorise(a_.data(), n_, permutation_.data(), inverse_.data());
  regular_ = singular_column_ < 0;
  return regular_;
}

int DenseLu::factorise_by_panels() {
  double* a = a_.data();
  const auto block = [&](int r, int c, int rows, int cols) {
    return Block(a + r + static_cast<std::ptrdiff_t>(c) * n_, rows, cols, Eigen::OuterStride<>(n_));
  };
  std::iota(permutation_.begin(), permutation_.end(), 0);
  for (int first = 0; first < n_; first += panel_width) {
    const int end = std::min(first + panel_width, n_);
    const int bad = kernel::lu_panel(a, n_, first, end, permutation_.data(), inverse_.data());
    if (bad >= 0) return bad;
    kernel::lu_panel_rows(a, n_, first, end);
    const int width = end - first;
    for (int c = end; c < n_; c += tile) {
      const int cols = std::min(tile, n_ - c);
      for (int r = end; r < n_; r += tile) {
        const int rows = std::min(tile, n_ - r);
        block(r, c, rows, cols).noalias() -=
            block(r, first, rows, width) * block(first, c, width, cols);
      }
    }
  }
  return -1;
}

void DenseLu::solve(double* x) {
  functions_.solve(a_.data(), n_, permutation_.data(), inverse_.data(), x, work_.data());
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
