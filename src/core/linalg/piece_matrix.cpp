// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/piece_matrix.hpp"

#include <numeric>

namespace daedalus {

PieceMatrix PieceMatrix::dense(int rows, int cols) {
  PieceMatrix m;
  m.rows_ = rows;
  m.cols_ = cols;
  m.values_.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), 0.0);
  return m;
}

PieceMatrix PieceMatrix::blocks(std::vector<int> sizes) {
  PieceMatrix m;
  m.kind_ = Kind::blocks;
  m.rows_ = m.cols_ = std::accumulate(sizes.begin(), sizes.end(), 0);
  std::size_t count = 0;
  for (const int size : sizes)
    count += static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  m.values_.assign(count, 0.0);
  m.block_sizes_ = std::move(sizes);
  return m;
}

PieceMatrix PieceMatrix::sparse(std::shared_ptr<const SparsePattern> pattern) {
  PieceMatrix m;
  m.kind_ = Kind::sparse;
  m.rows_ = pattern->rows;
  m.cols_ = pattern->cols;
  m.values_.assign(pattern->row.size(), 0.0);
  m.pattern_ = std::move(pattern);
  return m;
}

void PieceMatrix::copy_to(Eigen::MatrixXd& out) const {
  if (kind_ == Kind::dense) {
    out = matrix();
    return;
  }
  out.setZero();
  for_each([&](int r, int c, double value) { out(r, c) = value; });
}

bool PieceMatrix::same_structure(const PieceMatrix& other) const {
  if (kind_ != other.kind_ || rows_ != other.rows_ || cols_ != other.cols_) return false;
  if (kind_ == Kind::blocks) return block_sizes_ == other.block_sizes_;
  return kind_ == Kind::dense || pattern_ == other.pattern_ ||
         (pattern_->start == other.pattern_->start && pattern_->row == other.pattern_->row);
}

void PieceMatrix::add_times(double factor, const double* x, double* y) const {
  if (kind_ == Kind::dense) {
    Eigen::Map<Eigen::VectorXd>(y, rows_).noalias() +=
        factor * (matrix() * Eigen::Map<const Eigen::VectorXd>(x, cols_));
    return;
  }
  for_each([&](int r, int c, double value) { y[r] += factor * value * x[c]; });
}

void PieceMatrix::add_transposed_times(double factor, const double* x, double* y) const {
  if (kind_ == Kind::dense) {
    Eigen::Map<Eigen::VectorXd>(y, cols_).noalias() +=
        factor * (matrix().transpose() * Eigen::Map<const Eigen::VectorXd>(x, rows_));
    return;
  }
  for_each([&](int r, int c, double value) { y[c] += factor * value * x[r]; });
}

}  // namespace daedalus
