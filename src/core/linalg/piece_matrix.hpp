// SPDX-License-Identifier: BSD-3-Clause
// A matrix piece of a multibody system (M, G) in the structure that the problem has: dense, blocks
// on the diagonal, or sparse with a pattern that stays. Whoever makes one fixes the structure; the
// numbers change from point to point.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "linalg/sparse_pattern.hpp"

namespace daedalus {

class PieceMatrix {
 public:
  enum class Kind { dense, blocks, sparse };

  PieceMatrix() = default;
  static PieceMatrix dense(int rows, int cols);
  static PieceMatrix blocks(std::vector<int> sizes);  // square blocks on the diagonal
  static PieceMatrix sparse(std::shared_ptr<const SparsePattern> pattern);

  Kind kind() const { return kind_; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }

  // Stored numbers: dense column by column; blocks one after another, each column by column; sparse
  // in the order of the pattern.
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }
  Eigen::Map<Eigen::MatrixXd> matrix() { return {values_.data(), rows_, cols_}; }  // dense only
  Eigen::Map<const Eigen::MatrixXd> matrix() const { return {values_.data(), rows_, cols_}; }
  const std::vector<int>& block_sizes() const { return block_sizes_; }
  const SparsePattern& pattern() const { return *pattern_; }
  bool same_values(const PieceMatrix& other) const { return values_ == other.values_; }

  void add_times(double factor, const double* x, double* y) const;             // y += factor A x
  void add_transposed_times(double factor, const double* x, double* y) const;  // y += factor A^T x

  // Dense copy into a matrix of the right size.
  void copy_to(Eigen::MatrixXd& out) const;
  // Equal kind, sizes, blocks or pattern.
  bool same_structure(const PieceMatrix& other) const;

  // Calls visit(row, column, position) for every stored entry, positions ascending.
  template <class Visit>
  void for_each_position(Visit&& visit) const;
  // Calls visit(row, column, value) for every stored entry.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_position([&](int r, int c, std::size_t k) { visit(r, c, values_[k]); });
  }

 private:
  Kind kind_ = Kind::dense;
  int rows_ = 0, cols_ = 0;
  std::vector<double> values_;
  std::vector<int> block_sizes_;
  std::shared_ptr<const SparsePattern> pattern_;
};

template <class Visit>
void PieceMatrix::for_each_position(Visit&& visit) const {
  std::size_t k = 0;
  switch (kind_) {
    case Kind::dense:
      for (int c = 0; c < cols_; ++c)
        for (int r = 0; r < rows_; ++r) visit(r, c, k++);
      return;
    case Kind::blocks: {
      int first = 0;
      for (const int size : block_sizes_) {
        for (int c = 0; c < size; ++c)
          for (int r = 0; r < size; ++r) visit(first + r, first + c, k++);
        first += size;
      }
      return;
    }
    case Kind::sparse:
      for (int c = 0; c < cols_; ++c)
        for (; k < static_cast<std::size_t>(pattern_->start[static_cast<std::size_t>(c) + 1]); ++k)
          visit(pattern_->row[k], c, k);
      return;
  }
}

}  // namespace daedalus
