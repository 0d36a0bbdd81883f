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
  for (const int size : sizes) count += static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
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
