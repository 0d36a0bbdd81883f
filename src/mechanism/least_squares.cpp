// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism/least_squares.hpp"

#include <Eigen/Dense>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>

namespace daedalus::mechanism {
namespace {

// From so many rows on full matrices cost more than sparse factors.
constexpr int min_sparse_rows = 300;

template <class Ordering>
using SparseFactors = Eigen::SparseQR<SparseMatrix, Ordering>;

// B^T with at least as many rows as columns, as the factorisation wants it.
SparseMatrix standing(const SparseMatrix& B) {
  SparseMatrix T = B.transpose();
  if (T.rows() < T.cols()) T.conservativeResize(T.cols(), T.cols());
  T.makeCompressed();
  return T;
}

Eigen::VectorXd smallest_sparse(const SparseMatrix& B, const Eigen::VectorXd& r, double threshold) {
  SparseFactors<Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(threshold);
  const SparseMatrix T = standing(B);
  qr.compute(T);
  const auto rank = qr.rank();
  // T P = Q R: x = Q y, R_1^T y_1 = (P^T r)_1.
  const Eigen::VectorXd permuted = qr.colsPermutation().transpose() * r;
  const SparseMatrix upper = qr.matrixR().topLeftCorner(rank, rank);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(T.rows());
  y.head(rank) = SparseMatrix(upper.transpose())
                     .triangularView<Eigen::Lower>()
                     .solve(Eigen::VectorXd(permuted.head(rank)));
  const Eigen::VectorXd x = qr.matrixQ() * y;
  return x.head(B.cols());
}

// Which earlier rows make up a column of R, in terms of kept rows.
DependentRow made_of(int row, const Eigen::VectorXd& factors, const std::vector<int>& kept) {
  constexpr double negligible = 1e-6;
  DependentRow d;
  d.row = row;
  for (Eigen::Index k = 0; k < factors.size(); ++k)
    if (std::abs(factors[k]) > negligible)
      d.of.emplace_back(kept[static_cast<std::size_t>(k)], factors[k]);
  return d;
}

// One row after another: what is left of it beside those before, twice orthogonalised.
RowRank rank_dense(const Eigen::MatrixXd& T, double threshold) {
  const auto n = T.cols();
  Eigen::MatrixXd Q(T.rows(), n), R = Eigen::MatrixXd::Zero(n, n);
  RowRank result;
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index r = result.rank;
    Eigen::VectorXd v = T.col(j), along = Eigen::VectorXd::Zero(r);
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd part = Q.leftCols(r).transpose() * v;
      v -= Q.leftCols(r) * part;
      along += part;
    }
    const double left = v.norm();
    const bool dependent = left < threshold || r == T.rows();
    if (dependent || left < result.smallest_pivot) {
      const Eigen::VectorXd factors =
          R.topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(along);
      DependentRow row = made_of(static_cast<int>(j), factors, result.kept);
      if (dependent) {
        result.dependent.push_back(std::move(row));
        continue;
      }
      result.smallest_pivot = left;
      result.weakest = std::move(row);
    }
    Q.col(r) = v / left;
    R.col(r).head(r) = along;
    R(r, r) = left;
    result.kept.push_back(static_cast<int>(j));
    ++result.rank;
  }
  return result;
}

template <class Ordering>
RowRank rank_sparse(const SparseMatrix& B, double threshold) {
  SparseFactors<Ordering> qr;
  qr.setPivotThreshold(threshold);
  qr.compute(standing(B));
  RowRank result;
  result.rank = static_cast<int>(qr.rank());
  const auto& order = qr.colsPermutation().indices();
  const SparseMatrix R = qr.matrixR();
  for (int k = 0; k < result.rank; ++k) {
    result.kept.push_back(order[k]);
    const double pivot = std::abs(R.coeff(k, k));
    if (pivot < result.smallest_pivot) result.smallest_pivot = pivot, result.weakest.row = order[k];
  }
  const SparseMatrix upper = R.topLeftCorner(result.rank, result.rank);
  for (int k = result.rank; k < B.rows(); ++k) {
    const Eigen::VectorXd column = R.col(k).head(result.rank);
    const Eigen::VectorXd factors = upper.triangularView<Eigen::Upper>().solve(column);
    result.dependent.push_back(made_of(order[k], factors, result.kept));
  }
  std::sort(result.kept.begin(), result.kept.end());
  std::sort(result.dependent.begin(), result.dependent.end(),
            [](const DependentRow& a, const DependentRow& b) { return a.row < b.row; });
  return result;
}

}  // namespace

SparseMatrix with_unit_rows(const SparseMatrix& B, Eigen::VectorXd& norms) {
  norms.setZero(B.rows());
  for (int c = 0; c < B.outerSize(); ++c)
    for (SparseMatrix::InnerIterator it(B, c); it; ++it) norms[it.row()] += it.value() * it.value();
  norms = norms.cwiseSqrt();
  SparseMatrix scaled = B;
  for (int c = 0; c < scaled.outerSize(); ++c)
    for (SparseMatrix::InnerIterator it(scaled, c); it; ++it)
      if (norms[it.row()] > 0.0) it.valueRef() /= norms[it.row()];
  return scaled;
}

Eigen::VectorXd smallest_solution(const SparseMatrix& B, const Eigen::VectorXd& r,
                                  double threshold) {
  if (B.rows() >= min_sparse_rows) return smallest_sparse(B, r, threshold);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(threshold);
  cod.compute(Eigen::MatrixXd(B));
  return cod.solve(r);
}

RowRank rank_in_order(const SparseMatrix& B, double threshold) {
  if (B.rows() < min_sparse_rows) return rank_dense(Eigen::MatrixXd(B.transpose()), threshold);
  // The order of the rows matters only where some of them are dependent.
  const RowRank any = rank_sparse<Eigen::COLAMDOrdering<int>>(B, threshold);
  if (any.dependent.empty()) return any;
  return rank_sparse<Eigen::NaturalOrdering<int>>(B, threshold);
}

}  // namespace daedalus::mechanism
