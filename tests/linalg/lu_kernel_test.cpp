// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <limits>
#include <random>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "random_systems.hpp"

namespace daedalus::lu_kernel_test {
namespace {

using testing::backward_error;

constexpr double eps = std::numeric_limits<double>::epsilon();

struct Factors {
  Eigen::MatrixXd a;
  std::vector<int> permutation;
  std::vector<double> inverse, work;
  int bad = -1;
};

Factors factors_of(const Eigen::MatrixXd& a) {
  const int n = static_cast<int>(a.rows());
  Factors f{a, std::vector<int>(n), std::vector<double>(n), std::vector<double>(n), -1};
  f.bad = kernel::lu_functions(n).factorise(f.a.data(), n, f.permutation.data(), f.inverse.data());
  return f;
}

Eigen::VectorXd solve(Factors& f, Eigen::VectorXd b) {
  const int n = static_cast<int>(f.a.rows());
  kernel::lu_functions(n).solve(f.a.data(), n, f.permutation.data(), f.inverse.data(), b.data(),
                                f.work.data());
  return b;
}

class LuKernel : public ::testing::TestWithParam<int> {};

// P A = L U entry by entry, and a backward error of a few units per unknown.
TEST_P(LuKernel, FactorsMultiplyToThePermutedMatrix) {
  const int n = GetParam();
  std::mt19937 generator(17);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::MatrixXd a = trial % 2 ? testing::random_system(n, 2.0, generator).matrix()
                                        : Eigen::MatrixXd::Random(n, n);
    Factors f = factors_of(a);
    ASSERT_EQ(f.bad, -1);
    const Eigen::MatrixXd lower = Eigen::MatrixXd(f.a.triangularView<Eigen::StrictlyLower>()) +
                                  Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd upper = f.a.triangularView<Eigen::Upper>();
    Eigen::MatrixXd permuted(n, n);
    for (int i = 0; i < n; ++i) permuted.row(i) = a.row(f.permutation[i]);
    EXPECT_LE((lower * upper - permuted).cwiseAbs().maxCoeff(), 4 * n * eps);
    EXPECT_LE(lower.cwiseAbs().maxCoeff(), 1.0);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    const Eigen::VectorXd x = solve(f, b);
    EXPECT_LE(backward_error(a, x, b), 4 * n * eps);
    // The control: one changed multiplier or a forgotten permutation must be seen.
    Eigen::VectorXd wrong = x;
    wrong[0] += 1e-6 * x.lpNorm<Eigen::Infinity>();
    EXPECT_GT(backward_error(a, wrong, b), 1e-9);
  }
}

TEST_P(LuKernel, FixedAndRunTimeSizesAgree) {
  const int n = GetParam();
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(n, n);
  Factors fixed = factors_of(a), general = factors_of(a);
  general.a = a;
  ASSERT_EQ(
      kernel::lu_factorise(general.a.data(), n, general.permutation.data(), general.inverse.data()),
      -1);
  EXPECT_EQ(fixed.permutation, general.permutation);
  EXPECT_EQ(fixed.a, general.a);  // same operations in the same order, hence the same bits
}

TEST_P(LuKernel, NamesTheColumnThatDependsOnItsPredecessors) {
  const int n = GetParam();
  for (int column = 0; column < n; ++column) {
    // Unit lower triangular with one column moved to the left of itself: exact in binary.
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
    for (int r = 1; r < n; ++r) a(r, 0) = 0.5;
    a.col(column) = column == 0 ? Eigen::VectorXd(Eigen::VectorXd::Zero(n))
                                : Eigen::VectorXd(2.0 * a.col(column - 1));
    EXPECT_EQ(factors_of(a).bad, column) << "n = " << n;
  }
}

TEST_P(LuKernel, RefusesNonFinitePivots) {
  const int n = GetParam();
  for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
    a(n - 1, n - 1) = poison;
    EXPECT_EQ(factors_of(a).bad, n - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LuKernel, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 33));

// Without row exchanges (1e-20, 1; 1, 1) gives x = (0, 1) instead of (1, 1).
TEST(LuKernelPivoting, ExchangesRows) {
  Eigen::MatrixXd a(2, 2);
  a << 1e-20, 1, 1, 1;
  Factors f = factors_of(a);
  const Eigen::VectorXd x = solve(f, Eigen::Vector2d(1, 2));
  EXPECT_NEAR(x[0], 1.0, 4 * eps);
  EXPECT_NEAR(x[1], 1.0, 4 * eps);
}

// Rows and columns scaled by up to 1e+-120: regular, whatever the size of the pivots.
TEST(LuKernelScaling, AcceptsTinyHonestPivots) {
  Eigen::MatrixXd a(3, 3);
  a << 2, 1, 0, 1, 3, 1, 0, 1, 4;
  const Eigen::Vector3d rows(1e-120, 1, 1e100), columns(1e-90, 1e60, 1);
  const Eigen::MatrixXd scaled = rows.asDiagonal() * a * columns.asDiagonal();
  Factors f = factors_of(scaled);
  ASSERT_EQ(f.bad, -1);
  const Eigen::Vector3d expected(1, -2, 3);
  const Eigen::Vector3d b = rows.asDiagonal() * (a * expected);
  const Eigen::Vector3d x = columns.asDiagonal() * solve(f, b);
  EXPECT_LE((x - expected).lpNorm<Eigen::Infinity>(), 50 * eps);  // condition of a is below 5
}

class DenseLuSizes : public ::testing::TestWithParam<int> {};

// Panel boundaries at 32, tiles at 256: sizes on both sides of each.
TEST_P(DenseLuSizes, SolvesAndNamesTheColumn) {
  const int n = GetParam();
  std::mt19937 generator(5);
  const Eigen::MatrixXd a = testing::random_system(n, 0.3 * n, generator).matrix();
  DenseLu lu(n);
  std::copy_n(a.data(), a.size(), lu.data());
  ASSERT_TRUE(lu.factorise());
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  Eigen::VectorXd x = b;
  lu.solve(x.data());
  EXPECT_LE(backward_error(a, x, b), 4 * n * eps);
  EXPECT_GT(lu.reciprocal_condition(), 1e-6);

  Eigen::MatrixXd singular = Eigen::MatrixXd::Identity(n, n);
  singular.col(n - 2) = singular.col(1);
  std::copy_n(singular.data(), singular.size(), lu.data());
  EXPECT_FALSE(lu.factorise());
  EXPECT_EQ(lu.singular_column(), n - 2);
  EXPECT_TRUE(std::isnan(lu.reciprocal_condition()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, DenseLuSizes, ::testing::Values(63, 64, 65, 95, 96, 97, 300, 321));

}  // namespace
}  // namespace daedalus::lu_kernel_test
