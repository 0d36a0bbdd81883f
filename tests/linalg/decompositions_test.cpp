// SPDX-License-Identifier: BSD-3-Clause
// The plain functions around Eigen's decompositions: each against the identity that defines it.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double round_off = 1e-13;

// 4 x 3 of rank 2: the third column is the sum of the first two.
MatrixXd rank_two() {
  MatrixXd A(4, 3);
  A << 1, 2, 3, 4, -1, 3, 0, 5, 5, 2, 2, 4;
  return A;
}

TEST(Decompositions, PivotedQrHasTheRankAndTheLeftKernel) {
  const MatrixXd A = rank_two();
  const PivotedQr qr = pivoted_qr(A);
  EXPECT_EQ(qr.rank, 2);
  EXPECT_LT((qr.q.transpose() * qr.q - MatrixXd::Identity(4, 4)).norm(), round_off);
  EXPECT_LT((qr.q.rightCols(2).transpose() * A).norm(), round_off);
  // The first pivot is the norm of the longest column.
  EXPECT_EQ(qr.columns[0], 2);
  EXPECT_NEAR(qr.pivots[0], A.col(2).norm(), round_off);
  EXPECT_LT(qr.pivots[2], round_off);
}

TEST(Decompositions, LeastSquaresIsTheShortestSolution) {
  const MatrixXd A = rank_two();
  const VectorXd b = VectorXd::LinSpaced(4, 1.0, 4.0);
  const VectorXd x = least_squares(A, b);
  EXPECT_LT((A.transpose() * (A * x - b)).norm(), 1e-12);
  const VectorXd kernel = (VectorXd(3) << 1, 1, -1).finished();
  EXPECT_LT((A * kernel).norm(), round_off);
  EXPECT_NEAR(x.dot(kernel), 0.0, round_off);
}

TEST(Decompositions, SingularValuesFallAndGiveTheMatrixBack) {
  const MatrixXd A = rank_two();
  const SingularValues svd = singular_value_decomposition(A);
  ASSERT_EQ(svd.u.cols(), 4);
  ASSERT_EQ(svd.v.cols(), 3);
  EXPECT_LT((svd.u.leftCols(3) * svd.values.asDiagonal() * svd.v.transpose() - A).norm(), 1e-12);
  EXPECT_GT(svd.values[0], svd.values[1]);
  EXPECT_LT(svd.values[2], round_off);
  EXPECT_LT((singular_values(A) - svd.values).norm(), round_off);
}

// Square, tall, wide, without rows or columns, and of all sizes.
TEST(Decompositions, SingularValuesOfAnyShape) {
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{
           {5, 5}, {9, 4}, {4, 9}, {7, 1}, {1, 7}, {3, 0}, {0, 3}, {0, 0}}) {
    MatrixXd A(rows, cols);
    for (int i = 0; i < A.size(); ++i) A.data()[i] = std::pow(10.0, i % 5 - 2) * std::sin(1.0 + i);
    const SingularValues svd = singular_value_decomposition(A);
    const int n = std::min(rows, cols);
    ASSERT_EQ(svd.values.size(), n);
    ASSERT_EQ(svd.u.rows(), rows);
    ASSERT_EQ(svd.v.rows(), cols);
    const double size = 1.0 + A.norm();
    EXPECT_LE((svd.u.transpose() * svd.u - MatrixXd::Identity(rows, rows)).norm(), round_off);
    EXPECT_LE((svd.v.transpose() * svd.v - MatrixXd::Identity(cols, cols)).norm(), round_off);
    EXPECT_LE(
        (svd.u.leftCols(n) * svd.values.asDiagonal() * svd.v.leftCols(n).transpose() - A).norm(),
        round_off * size);
    for (int i = 1; i < n; ++i) EXPECT_LE(svd.values[i], svd.values[i - 1]);
    EXPECT_LE((singular_values(A) - svd.values).norm(), round_off * size);
  }
}

TEST(Decompositions, PivotedLuSolvesAndNamesItsRows) {
  MatrixXd A(2, 2);
  A << 1, 2, 4, 3;
  const PivotedLu lu(A);
  const VectorXd x = lu.solve(VectorXd::Ones(2));
  EXPECT_LT((A * x - VectorXd::Ones(2)).norm(), round_off);
  EXPECT_LT((A * lu.solve_columns(A) - A).norm(), round_off);
  // Row 1 has the larger pivot 4 and moves to place 0; 2 - 3 / 4 is left for row 0.
  EXPECT_EQ(lu.permutation()[1], 0);
  EXPECT_DOUBLE_EQ(lu.factors()(0, 0), 4.0);
  EXPECT_DOUBLE_EQ(lu.factors()(1, 1), 1.25);
}

// x'' = -4 x - 2 x' has -1 +- i sqrt(3), of size 2; B doubles one equation and has a zero row.
TEST(Decompositions, PencilEigenvaluesAreRealComplexOrInfinite) {
  MatrixXd A = MatrixXd::Zero(4, 4), B = MatrixXd::Zero(4, 4);
  A.topLeftCorner(2, 2) << 0, 1, -8, -4;
  B.topLeftCorner(2, 2) << 1, 0, 0, 2;
  A(2, 2) = -30.0, B(2, 2) = 3.0;
  A(3, 3) = 1.0;
  const PencilEigenvalues found = pencil_eigenvalues(A, B);
  int complex = 0, real = 0, infinite = 0;
  for (int i = 0; i < 4; ++i) {
    if (std::abs(found.beta[i]) < round_off) {
      ++infinite;
      continue;
    }
    const std::complex<double> value = found.alpha[i] / found.beta[i];
    if (std::abs(value.imag()) > 0.0) {
      ++complex;
      EXPECT_NEAR(value.real(), -1.0, round_off);
      EXPECT_NEAR(std::abs(value.imag()), std::sqrt(3.0), round_off);
    } else {
      ++real;
      EXPECT_NEAR(value.real(), -10.0, 1e-12);
    }
  }
  EXPECT_EQ(complex, 2);
  EXPECT_EQ(real, 1);
  EXPECT_EQ(infinite, 1);
}

}  // namespace
}  // namespace daedalus
