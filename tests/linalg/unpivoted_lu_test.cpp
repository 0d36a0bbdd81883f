// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/unpivoted_lu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "linalg/solver_kinds.hpp"
#include "random_systems.hpp"

namespace daedalus::unpivoted_lu_test {
namespace {

using testing::backward_error;
using testing::from_matrix;

constexpr double eps = std::numeric_limits<double>::epsilon();

// An arrow with a band: eliminated from its head it fills in, from its tail it does not.
Eigen::MatrixXd arrow(int n) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    a(i, i) = 1.5;
    a(i, 0) = a(0, i) = 0.5;
    if (i + 1 < n) a(i, i + 1) = -0.25;
  }
  a(0, 0) = 1.75;
  return a;
}

bool factorise(UnpivotedLu& lu, const testing::RandomSystem& s) {
  std::fill(lu.data().begin(), lu.data().end(), 0.0);
  for (std::size_t k = 0; k < s.values.size(); ++k)
    lu.data()[static_cast<std::size_t>(lu.position()[k])] = s.values[k];
  return lu.factorise();
}

TEST(UnpivotedLu, SolvesWhatNeedsNoExchanges) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> change(0.8, 1.2);
  for (const int n : {12, 20, 33, 64}) {
    testing::RandomSystem s = from_matrix(arrow(n));
    const auto lu = UnpivotedLu::make(s.pattern);
    ASSERT_TRUE(lu) << n;
    for (int update = 0; update < 5; ++update) {
      for (double& v : s.values) v *= change(generator);
      ASSERT_TRUE(factorise(*lu, s)) << n;
      const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
      Eigen::VectorXd x = b;
      lu->solve(x.data());
      EXPECT_LE(backward_error(s.matrix(), x, b), n * eps);
    }
  }
}

TEST(UnpivotedLu, OrdersSoThatLittleFillsIn) {
  const testing::RandomSystem s = from_matrix(arrow(40));
  const auto lu = UnpivotedLu::make(s.pattern);
  ASSERT_TRUE(lu);
  // In the given order the first row and column would fill all 1600 places.
  EXPECT_LE(lu->data().size(), s.values.size() + 40);
}

TEST(UnpivotedLu, RefusesStructuresThatDoNotSuit) {
  Eigen::MatrixXd missing = arrow(20);
  missing(7, 7) = 0.0;
  EXPECT_FALSE(UnpivotedLu::make(from_matrix(missing).pattern));
  EXPECT_FALSE(UnpivotedLu::make(from_matrix(arrow(8)).pattern));   // the unrolled kernels' size
  EXPECT_FALSE(UnpivotedLu::make(from_matrix(arrow(65)).pattern));  // more than a word
  EXPECT_FALSE(UnpivotedLu::make(SparsePattern::dense(20, 20)));
}

TEST(UnpivotedLu, SaysWhereExchangesAreNeeded) {
  for (const double pivot : {0.0, 1e-12, 0.004, std::numeric_limits<double>::quiet_NaN()}) {
    testing::RandomSystem s = from_matrix(arrow(20));
    const auto lu = UnpivotedLu::make(s.pattern);
    // Column 5 has its diagonal and the first row: their product with row 5 is the growth.
    for (int k = s.pattern.start[5]; k < s.pattern.start[6]; ++k)
      if (s.pattern.row[static_cast<std::size_t>(k)] == 5)
        s.values[static_cast<std::size_t>(k)] = pivot;
    EXPECT_FALSE(factorise(*lu, s)) << pivot;
  }
}

// The solver scales rows, tries without exchanges, and takes them where they are needed.
TEST(SmallSolver, LosesNoDigitsWhateverTheDiagonal) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> exponent(-12.0, 2.0), unit(-8.0, 8.0);
  for (int trial = 0; trial < 200; ++trial) {
    Eigen::MatrixXd a = arrow(20);
    for (int i = 0; i < 20; ++i)
      if (generator() % 4 == 0) a(i, i) = std::pow(10.0, exponent(generator));
    for (int i = 0; i < 20; ++i) a.row(i) *= std::pow(10.0, unit(generator));
    const testing::RandomSystem s = from_matrix(a);
    const auto solver = make_small_solver(s.pattern);
    ASSERT_TRUE(solver->factorise(s.values));
    const Eigen::VectorXd b = a * Eigen::VectorXd::Random(20);
    Eigen::VectorXd x = b;
    solver->solve(x.data());
    // By rows, whose units differ.
    const Eigen::VectorXd size = a.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
    EXPECT_LE(((a * x - b).cwiseAbs().cwiseQuotient(size)).maxCoeff(), 1e3 * eps) << trial;
  }
}

}  // namespace
}  // namespace daedalus::unpivoted_lu_test
