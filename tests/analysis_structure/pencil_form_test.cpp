// SPDX-License-Identifier: BSD-3-Clause
// Weierstrass form of pencils that are built from it: index 0 to 5, scrambled by regular matrices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <daedalus/analysis.hpp>

namespace daedalus::pencil_form_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Made {
  MatrixXd A, B;
};

MatrixXd scramble(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  MatrixXd M = 2.0 * MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M(i, j) += uniform(random) / std::sqrt(n);
  return M;
}

// P^-1 diag(I, N) Q^-1 and P^-1 diag(C, I) Q^-1 with Jordan blocks of the given sizes.
Made made(const MatrixXd& C, const std::vector<int>& blocks, unsigned seed) {
  int n = static_cast<int>(C.rows());
  for (const int b : blocks) n += b;
  MatrixXd A = MatrixXd::Zero(n, n), B = MatrixXd::Identity(n, n);
  const int f = static_cast<int>(C.rows());
  A.topLeftCorner(f, f).setIdentity();
  B.topLeftCorner(f, f) = C;
  int at = f;
  for (const int b : blocks) {
    for (int k = 0; k + 1 < b; ++k) A(at + k, at + k + 1) = 1.0;
    at += b;
  }
  const MatrixXd L = scramble(n, seed), R = scramble(n, seed + 1);
  return {L * A * R, L * B * R};
}

MatrixXd differential() {
  MatrixXd C(3, 3);
  C << 1.0, 2.0, 0.0, -2.0, 1.0, 0.0, 0.0, 0.0, 3.0;  // eigenvalues -1 +- 2i, -3
  return C;
}

void expect_form(const Made& m, const WeierstrassForm& w) {
  const int n = static_cast<int>(m.A.rows()), f = w.finite;
  MatrixXd A = MatrixXd::Zero(n, n), B = MatrixXd::Identity(n, n);
  A.topLeftCorner(f, f).setIdentity();
  A.bottomRightCorner(n - f, n - f) = w.N;
  B.topLeftCorner(f, f) = w.C;
  EXPECT_LT((w.left * m.A * w.right - A).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((w.left * m.B * w.right - B).cwiseAbs().maxCoeff(), 1e-11);
}

class Index : public ::testing::TestWithParam<int> {};

TEST_P(Index, IsFoundWithItsFormAndEigenvalues) {
  const int index = GetParam();
  std::vector<int> blocks;
  if (index > 0) blocks = {index, 1};
  if (index > 2) blocks.insert(blocks.begin() + 1, 2);
  const Made m = made(differential(), blocks, 11u + static_cast<unsigned>(index));
  const WeierstrassForm w = weierstrass_form(m.A, m.B);
  ASSERT_TRUE(w.regular);
  EXPECT_EQ(w.index, index);
  EXPECT_EQ(w.finite, 3);
  EXPECT_EQ(w.nilpotent_blocks, blocks);
  EXPECT_GT(w.gap, 1e6);
  EXPECT_TRUE(w.warnings.empty());
  expect_form(m, w);
  MatrixXd power = MatrixXd::Identity(w.N.rows(), w.N.rows());
  for (int k = 0; k + 1 < index; ++k) power = (power * w.N).eval();
  if (index > 0) {
    EXPECT_GT(power.cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_EQ((power * w.N).cwiseAbs().maxCoeff(), 0.0);
  }
  const auto s = w.eigenvalues();
  ASSERT_EQ(s.size(), 3u);
  EXPECT_NEAR(std::abs(s[0] - std::complex<double>(-1.0, 2.0)), 0.0, 1e-10);
  EXPECT_NEAR(std::abs(s[1] - std::complex<double>(-1.0, -2.0)), 0.0, 1e-10);
  EXPECT_NEAR(std::abs(s[2] + 3.0), 0.0, 1e-10);
}

// A x' + B x = q at three times, x' by differences of the closed solution; and a value that is not
// consistent comes back on the same solution.
TEST_P(Index, HasAClosedSolution) {
  const int index = GetParam();
  const Made m = made(differential(), index > 0 ? std::vector<int>{index} : std::vector<int>{}, 5u);
  const WeierstrassForm w = weierstrass_form(m.A, m.B);
  const int n = static_cast<int>(m.A.rows());
  MatrixXd q(n, 4);  // 1, t, t^2, t^3
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) q(i, k) = std::sin(1.0 + i + 2.0 * k);
  const VectorXd x0 = w.consistent(VectorXd::Ones(n), q, 0.5);
  EXPECT_LT((w.consistent(x0, q, 0.5) - x0).norm(), 1e-11);
  EXPECT_LT((w.solution(x0, 0.5, q, 0.5) - x0).norm(), 1e-11);
  for (const double t : {0.5, 0.9, 2.0}) {
    const double h = 1e-3;
    const auto x = [&](double s) { return w.solution(x0, 0.5, q, s); };
    const VectorXd rate =
        (8.0 * (x(t + h) - x(t - h)) - (x(t + 2 * h) - x(t - 2 * h))) / (12.0 * h);
    VectorXd rhs = VectorXd::Zero(n);
    for (int k = 3; k >= 0; --k) rhs = t * rhs + q.col(k);
    EXPECT_LT((m.A * rate + m.B * x(t) - rhs).norm() / rhs.norm(), 1e-9) << t;
    EXPECT_GT((m.A * rate + m.B * x(t) - 1.01 * rhs).norm() / rhs.norm(), 1e-3) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Pencil, Index, ::testing::Range(0, 6));

TEST(Pencil, UnitsDoNotDecide) {
  Made m = made(differential(), {3}, 3u);
  const VectorXd rows = (VectorXd(6) << 1e-6, 1e3, 1.0, 1e5, 1e-9, 1e2).finished();
  const VectorXd columns = (VectorXd(6) << 1e4, 1.0, 1e-7, 1e2, 1e6, 1e-3).finished();
  m.A = 1e-9 * (rows.asDiagonal() * m.A * columns.asDiagonal());  // time in nanoseconds
  m.B = (rows.asDiagonal() * m.B * columns.asDiagonal()).eval();
  const WeierstrassForm w = weierstrass_form(m.A, m.B);
  EXPECT_EQ(w.index, 3);
  const auto s = w.eigenvalues();
  ASSERT_EQ(s.size(), 3u);
  EXPECT_NEAR(s[2].real() * 1e-9, -3.0, 1e-8);
}

TEST(Pencil, SingularOnesAreReported) {
  // x1' + x2 = q1, 2 x1' + 2 x2 = q2, x3 = q3: rows 1 and 2.
  MatrixXd A = MatrixXd::Zero(3, 3), B = MatrixXd::Zero(3, 3);
  A(0, 0) = 1.0;
  A(1, 0) = 2.0;
  B(0, 1) = 1.0;
  B(1, 1) = 2.0;
  B(2, 2) = 1.0;
  const WeierstrassForm w = weierstrass_form(A, B);
  EXPECT_FALSE(w.regular);
  EXPECT_EQ(w.index, -1);
  ASSERT_FALSE(w.warnings.empty());
  EXPECT_THAT(w.warnings.back(), ::testing::HasSubstr("rows 1, 2 take part"));
  EXPECT_THROW(w.consistent(VectorXd::Zero(3), MatrixXd::Zero(3, 1)), InvalidArgument);
  EXPECT_THROW(weierstrass_form(A, MatrixXd::Zero(2, 2)), InvalidArgument);
  B(1, 1) = 3.0;  // x2 = q2 - 2 q1, and x1' = q1 - x2: regular, index 1
  EXPECT_EQ(weierstrass_form(A, B).index, 1);
}

// Singular values of 1 and about 1e-10: kept by a tolerance of 1e-11, but only just.
TEST(Pencil, DoubtfulRanksCarryAWarning) {
  MatrixXd A = MatrixXd::Identity(2, 2), B(2, 2);
  A(1, 1) = 0.0;
  A(1, 0) = 1e-9;
  B << 1.0, 2.0, 3.0, 4.0;
  A(0, 1) = 1.0;
  const WeierstrassForm w = weierstrass_form(A, B);
  EXPECT_LT(w.gap, 1e3);
  EXPECT_EQ(w.index, 0);
  EXPECT_FALSE(w.warnings.empty());
  A(1, 0) = 1.0;
  EXPECT_TRUE(weierstrass_form(A, B).warnings.empty());
}

}  // namespace
}  // namespace daedalus::pencil_form_test
