// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "linalg/solver_kinds.hpp"
#include "linalg/unpivoted_lu.hpp"

namespace daedalus {
namespace {

// The power of two that brings `size` into [1, 2): scaling by it rounds nothing. A row of zeros
// stays one, whatever its factor.
double scale_for(double size) {
  // Bits 52 to 62 are the exponent; 2046 is the largest of finite numbers.
  constexpr std::uint64_t exponent_field = 0x7ffull << 52, largest = 2045ull << 52;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(size) & exponent_field;
  return std::bit_cast<double>((2046ull << 52) - std::min(exponent, largest));
}

// Rows are brought to one size first. Partial pivoting compares entries of different equations, and
// without common units it would choose the equation with the largest unit.
class DenseSolver final : public LinearSolver {
 public:
  DenseSolver(const SparsePattern& p, std::unique_ptr<UnpivotedLu> sparse)
      : lu_(p.rows),
        sparse_(std::move(sparse)),
        row_(p.row),
        position_(p.row.size()),
        scale_(p.rows) {
    for (int c = 0; c < p.cols; ++c)
      for (int k = p.start[c]; k < p.start[c + 1]; ++k) position_[k] = c * p.rows + p.row[k];
  }

  bool factorise(std::span<const double> values) override {
    assert(values.size() == position_.size());
    singular_column_ = -1;
    unpivoted_ = false;
    if (!all_finite(values)) {
      lu_.discard();
      return false;
    }
    std::fill(scale_.begin(), scale_.end(), 0.0);
    for (std::size_t k = 0; k < values.size(); ++k)
      scale_[row_[k]] = std::max(scale_[row_[k]], std::fabs(values[k]));
    for (double& size : scale_) size = scale_for(size);

    if (sparse_ && factorise_sparse(values)) return true;

    double* a = lu_.data();
    std::fill_n(a, lu_.size() * lu_.size(), 0.0);
    for (std::size_t k = 0; k < values.size(); ++k) a[position_[k]] = values[k] * scale_[row_[k]];
    if (lu_.factorise()) return true;
    singular_column_ = lu_.singular_column();
    return false;
  }

  void solve(double* x) override {
    const int n = lu_.size();
    for (int i = 0; i < n; ++i) x[i] *= scale_[i];
    if (unpivoted_)
      sparse_->solve(x);
    else
      lu_.solve(x);
  }

  void solve_columns(double* x, int n, int count) override {
    int k = 0;
    for (; !unpivoted_ && k + DenseLu::group <= count; k += DenseLu::group) {
      double* first = x + static_cast<std::ptrdiff_t>(k) * n;
      for (int j = 0; j < DenseLu::group * n; ++j) first[j] *= scale_[j % n];
      lu_.solve_group(first);
    }
    for (; k < count; ++k) solve(x + static_cast<std::ptrdiff_t>(k) * n);
  }

  double reciprocal_condition() const override {
    return unpivoted_ ? sparse_->reciprocal_condition() : lu_.reciprocal_condition();
  }
  std::string_view name() const override { return "dense"; }

 private:
  bool factorise_sparse(std::span<const double> values) {
    lu_.discard();
    std::vector<double>& v = sparse_->data();
    std::fill(v.begin(), v.end(), 0.0);
    const int* const position = sparse_->position().data();
    for (std::size_t k = 0; k < values.size(); ++k) v[position[k]] = values[k] * scale_[row_[k]];
    return unpivoted_ = sparse_->factorise();
  }

  DenseLu lu_;
  std::unique_ptr<UnpivotedLu> sparse_;  // tried first, where the structure suits
  bool unpivoted_ = false;               // it holds the factors
  std::vector<int> row_;                 // of each entry
  std::vector<int> position_;            // of each entry in the column-major buffer
  std::vector<double> scale_;            // of each row
};

}  // namespace

std::unique_ptr<LinearSolver> make_dense_solver(const SparsePattern& pattern) {
  return std::make_unique<DenseSolver>(pattern, nullptr);
}
std::unique_ptr<LinearSolver> make_small_solver(const SparsePattern& pattern) {
  return std::make_unique<DenseSolver>(pattern, UnpivotedLu::make(pattern));
}

}  // namespace daedalus
