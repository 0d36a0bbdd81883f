// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/linear_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <future>
#include <limits>
#include <random>

#include "daedalus/types.hpp"
#include "linalg/multifrontal.hpp"
#include "linalg/pivots.hpp"
#include "linalg/solver_kinds.hpp"
#include "random_systems.hpp"

namespace daedalus {
namespace {

using testing::backward_error;
using testing::from_matrix;
using testing::random_system;

constexpr double eps = std::numeric_limits<double>::epsilon();

// The multifrontal kind is chosen by size, not by name; small matrices serve to test it as well.
struct Kind {
  const char* title;
  std::string_view name;
  std::unique_ptr<LinearSolver> (*make)(const SparsePattern&);
};
const Kind kinds[] = {{"dense", "dense", make_dense_solver},
                      {"small", "dense", make_small_solver},
                      {"sparse", "sparse", make_sparse_solver},
                      {"multifrontal", "sparse", make_multifrontal_solver}};

class EverySolver : public ::testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<LinearSolver> make(const SparsePattern& p) { return GetParam().make(p); }
  static Eigen::VectorXd solve(LinearSolver& s, Eigen::VectorXd b) {
    s.solve(b.data());
    return b;
  }
};

TEST_P(EverySolver, AgreeWithTheMatrixOverManyValues) {
  std::mt19937 generator(23);
  std::uniform_real_distribution<double> change(0.5, 1.5);
  for (const int n : {1, 2, 5, 8, 9, 30, 70, 120}) {
    auto system = random_system(n, 2.0, generator);
    auto solver = make(system.pattern);
    EXPECT_EQ(solver->name(), GetParam().name);
    for (int update = 0; update < 10; ++update) {
      for (double& v : system.values) v *= change(generator);
      ASSERT_TRUE(solver->factorise(system.values));
      const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
      EXPECT_LE(backward_error(system.matrix(), solve(*solver, b), b), 10 * n * eps);
    }
  }
}

// The pivots chosen for the first values are tiny or zero in the second: kept, 1e-14 would lose all
// digits but two. The control shows that elimination in the old order does.
TEST_P(EverySolver, StayAccurateWhenTheOldPivotsTurnBad) {
  const int n = 60;
  std::mt19937 generator(29);
  for (const double small : {1e-10, 1e-14, 1e-18, 0.0}) {
    Eigen::MatrixXd first = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      first(i, i) = 4.0;
      if (i > 0) first(i, i - 1) = first(i - 1, i) = 1.0;
    }
    auto system = from_matrix(first);
    auto solver = make(system.pattern);
    ASSERT_TRUE(solver->factorise(system.values));
    // Even rows lose their diagonal: 2 x 2 blocks (small, 1; 1, 4) need exchanged rows.
    for (int i = 0; i < n; i += 2) system.values[system.pattern.find(i, i)] = small;
    for (int i = 2; i < n; i += 2) {
      system.values[system.pattern.find(i, i - 1)] = 0.01;
      system.values[system.pattern.find(i - 1, i)] = 0.01;
    }
    ASSERT_TRUE(solver->factorise(system.values));
    const Eigen::MatrixXd second = system.matrix();
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    EXPECT_LE(backward_error(second, solve(*solver, b), b), 10 * n * eps) << small;
    // Back to the first values, with the pivots of the second.
    ASSERT_TRUE(solver->factorise(from_matrix(first).values));
    EXPECT_LE(backward_error(first, solve(*solver, b), b), 10 * n * eps) << small;
    if (small != 1e-14) continue;
    Eigen::MatrixXd factors = second;  // elimination without exchanges
    Eigen::VectorXd x = b;
    for (int k = 0; k < n; ++k)
      for (int i = k + 1; i < n; ++i) {
        const double l = factors(i, k) / factors(k, k);
        factors.row(i) -= l * factors.row(k);
        x[i] -= l * x[k];
      }
    factors.triangularView<Eigen::Upper>().solveInPlace(x);
    EXPECT_GT(backward_error(second, x, b), 1e-6);
  }
}

// Backward error after factorising the second matrix with what the first one left behind. The
// solution is of size one: a huge one would hide the error.
double error_after(LinearSolver& solver, const Eigen::MatrixXd& first,
                   const Eigen::MatrixXd& second) {
  EXPECT_TRUE(solver.factorise(from_matrix(first).values));
  EXPECT_TRUE(solver.factorise(from_matrix(second).values));
  const Eigen::VectorXd b = second * Eigen::VectorXd::LinSpaced(first.rows(), 1.0, 2.0);
  Eigen::VectorXd x = b;
  solver.solve(x.data());
  return backward_error(second, x, b);
}

// Old pivots 1e-5 give an upper factor of size 1e5. A nearly dependent pair of columns has already
// spoilt the ratio of pivots, so that only the growth tells.
TEST_P(EverySolver, NoticeGrowthOfTheUpperFactor) {
  Eigen::MatrixXd first = Eigen::MatrixXd::Zero(4, 4), second;
  first.topLeftCorner(2, 2) << 4, 1, 1, 4;
  first.bottomRightCorner(2, 2) << 1, 1, 1, 1 + 1e-9;
  second = first;
  second(0, 0) = second(1, 1) = 1e-5;
  auto solver = make(from_matrix(first).pattern);
  EXPECT_LE(error_after(*solver, first, second), 10 * eps);
}

// (d, 0, 1; 0, d, 1; 1, -1, 0.3) in this order has multipliers 1 / d and -1 / d whose products
// cancel: the upper factor (d, 0, 1; d, 1; 1) shows no growth, its last entry has lost all digits
// of 1.
TEST_P(EverySolver, NoticeLargeMultipliersThatCancel) {
  Eigen::MatrixXd first(3, 3), second;
  first << 2, 0, 1, 0, 2, 1, 1, -1, 0.3;
  second = first;
  second(0, 0) = second(1, 1) = 1e-9;
  auto solver = make(from_matrix(first).pattern);
  EXPECT_LE(error_after(*solver, first, second), 10 * eps);
}

// A step size sweep over ten decades: I / h - J with a stiff J.
TEST_P(EverySolver, SurviveShrinkingSteps) {
  const int n = 50;
  std::mt19937 generator(31);
  auto jacobian = random_system(n, 2.0, generator);
  std::vector<int> of_identity, of_jacobian;
  const SparsePattern p =
      unite(SparsePattern::identity(n), jacobian.pattern, &of_identity, &of_jacobian);
  auto solver = make(p);
  for (int decade = 0; decade <= 10; ++decade) {
    std::vector<double> values(p.nonzeros(), 0.0);
    for (int i = 0; i < n; ++i) values[of_identity[i]] += std::pow(10.0, decade);
    for (std::size_t k = 0; k < of_jacobian.size(); ++k)
      values[of_jacobian[k]] -= 1e4 * jacobian.values[k];
    ASSERT_TRUE(solver->factorise(values));
    const Eigen::MatrixXd a = testing::RandomSystem{p, values}.matrix();
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    EXPECT_LE(backward_error(a, solve(*solver, b), b), 10 * n * eps);
  }
}

// Partial pivoting on the rows as they are would take 10 for the pivot and lose x[0] altogether.
TEST_P(EverySolver, UnitsOfTheEquationsDoNotDecideThePivots) {
  Eigen::MatrixXd a(2, 2);
  a << 10, 1e20, 1, 1;
  auto system = from_matrix(a);
  auto solver = make(system.pattern);
  ASSERT_TRUE(solver->factorise(system.values));
  const Eigen::VectorXd x = solve(*solver, Eigen::Vector2d(1e20, 3));  // x = (2, 1) but for 1e-19
  EXPECT_NEAR(x[0], 2.0, 8 * eps);
  EXPECT_NEAR(x[1], 1.0, 8 * eps);
}

// The ends of the range of doubles: subnormal numbers in one row, the largest ones in another.
TEST_P(EverySolver, RowsAtTheEndsOfTheRange) {
  Eigen::MatrixXd a(3, 3);
  a << 4e-308, 1e-308, 0, 0, 1, 1, 0, 4e307, -1.5e308;
  auto system = from_matrix(a);
  auto solver = make(system.pattern);
  ASSERT_TRUE(solver->factorise(system.values));
  const Eigen::VectorXd x = solve(*solver, Eigen::Vector3d(5e-308, 2, -1.1e308));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(x[i], 1.0, 16 * eps) << i;
}

// Equations in other units (powers of two from 1e-24 to 1e24): the same solution to the last bit.
TEST_P(EverySolver, ScaledRowsGiveTheSameBits) {
  const int n = 20;
  std::mt19937 generator(37);
  const auto plain = random_system(n, 2.0, generator);
  auto scaled = plain;
  Eigen::VectorXd b = Eigen::VectorXd::Random(n), scaled_b = b;
  for (int i = 0; i < n; ++i) {
    const double unit = std::ldexp(1.0, static_cast<int>(generator() % 160) - 80);
    for (std::size_t k = 0; k < scaled.values.size(); ++k)
      if (scaled.pattern.row[k] == i) scaled.values[k] *= unit;
    scaled_b[i] *= unit;
  }
  auto first = make(plain.pattern), second = make(scaled.pattern);
  ASSERT_TRUE(first->factorise(plain.values));
  ASSERT_TRUE(second->factorise(scaled.values));
  EXPECT_EQ(solve(*first, b), solve(*second, scaled_b));
}

// Variables in other units as well, as multipliers beside positions: the matrix has a condition of
// 1e20 and more, is not singular, and is solved with a small backward error.
TEST_P(EverySolver, BadScalingIsNotSingular) {
  const int n = 20;
  std::mt19937 generator(37);
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::MatrixXd a = random_system(n, 2.0, generator).matrix();
    for (int i = 0; i < n; ++i) {
      a.row(i) *= std::pow(10.0, static_cast<int>(generator() % 24) - 12);
      a.col(i) *= std::pow(10.0, static_cast<int>(generator() % 24) - 12);
    }
    auto system = from_matrix(a);
    auto solver = make(system.pattern);
    ASSERT_TRUE(solver->factorise(system.values));
    EXPECT_LT(solver->reciprocal_condition(), 1e-6);  // enough for a caller to warn
    const Eigen::VectorXd size = a.cwiseAbs().rowwise().maxCoeff();
    const Eigen::VectorXd b = size.cwiseProduct(Eigen::VectorXd::Random(n));
    const Eigen::VectorXd x = solve(*solver, b);
    const Eigen::MatrixXd even = size.cwiseInverse().asDiagonal() * a;
    EXPECT_LE(backward_error(even, x, b.cwiseQuotient(size)), 10 * n * eps);
  }
}

TEST_P(EverySolver, NameTheSingularColumnAndRecover) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(6, 6);
  for (int i = 0; i < 6; ++i) a(i, i) = i + 1;
  a(0, 3) = a(5, 2) = 1;
  auto system = from_matrix(a);
  auto solver = make(system.pattern);
  EXPECT_TRUE(solver->factorise(system.values));
  EXPECT_EQ(solver->singular_column(), -1);
  auto broken = system.values;
  broken[system.pattern.find(4, 4)] = 0.0;  // column 4 is empty now, every other one has a pivot
  EXPECT_FALSE(solver->factorise(broken));
  EXPECT_EQ(solver->singular_column(), 4);
  EXPECT_TRUE(std::isnan(solver->reciprocal_condition()));
  ASSERT_TRUE(solver->factorise(system.values));
  EXPECT_EQ(solver->singular_column(), -1);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(6);
  EXPECT_LE(backward_error(a, solve(*solver, b), b), 4 * eps);
}

TEST_P(EverySolver, StructurallySingularFromTheStart) {
  const SparsePattern p{3, 3, {0, 1, 1, 2}, {0, 2}};  // column 1 has no entry
  auto solver = make(p);
  EXPECT_FALSE(solver->factorise(std::vector<double>{1.0, 1.0}));
  EXPECT_EQ(solver->singular_column(), 1);
}

TEST_P(EverySolver, NotFiniteIsRefused) {
  std::mt19937 generator(41);
  auto system = random_system(50, 2.0, generator);
  auto solver = make(system.pattern);
  for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()})
    for (const std::size_t k :
         {std::size_t{0}, system.values.size() / 2, system.values.size() - 1}) {
      auto values = system.values;
      values[k] = poison;
      EXPECT_FALSE(solver->factorise(values));
      EXPECT_EQ(solver->singular_column(), -1);  // no pivot vanished
      EXPECT_TRUE(solver->factorise(system.values));
    }
}

TEST_P(EverySolver, ConditionEstimateFollowsThePivots) {
  auto solver = make(SparsePattern::identity(50));
  EXPECT_TRUE(std::isnan(solver->reciprocal_condition()));
  std::vector<double> values(50, 2.0);
  ASSERT_TRUE(solver->factorise(values));
  EXPECT_DOUBLE_EQ(solver->reciprocal_condition(), 1.0);
  // Nearly dependent columns in a 2 x 2 block: pivots 1 and 1e-9, whatever the row scaling does.
  Eigen::MatrixXd a(2, 2);
  a << 1, 1, 1, 1 + 1e-9;
  auto system = from_matrix(a);
  auto close = make(system.pattern);
  ASSERT_TRUE(close->factorise(system.values));
  EXPECT_NEAR(close->reciprocal_condition(), 1e-9, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EverySolver, ::testing::ValuesIn(kinds),
                         [](const auto& p) { return std::string(p.param.title); });

TEST(LinearSolver, SparseAndDenseAgree) {
  std::mt19937 generator(43);
  for (int trial = 0; trial < 10; ++trial) {
    const auto system = random_system(80, 3.0, generator);
    auto dense = make_linear_solver(system.pattern, LinearSolverKind::dense);
    auto sparse = make_linear_solver(system.pattern, LinearSolverKind::sparse);
    ASSERT_TRUE(dense->factorise(system.values));
    ASSERT_TRUE(sparse->factorise(system.values));
    Eigen::VectorXd x = Eigen::VectorXd::Random(80), y = x;
    dense->solve(x.data());
    sparse->solve(y.data());
    EXPECT_LE((x - y).lpNorm<Eigen::Infinity>(), 1e-12 * x.lpNorm<Eigen::Infinity>());
  }
}

SparsePattern tridiagonal(int n) {
  SparsePattern p{n, n, {0}, {}};
  for (int c = 0; c < n; ++c) {
    for (int r = std::max(0, c - 1); r <= std::min(n - 1, c + 1); ++r) p.row.push_back(r);
    p.start.push_back(p.nonzeros());
  }
  return p;
}

TEST(LinearSolver, AutomaticChoiceFollowsSizeAndDensity) {
  const auto chosen = [](const SparsePattern& p) {
    return make_linear_solver(p, LinearSolverKind::automatic)->name();
  };
  EXPECT_EQ(chosen(tridiagonal(8)), "dense");
  EXPECT_EQ(chosen(tridiagonal(32)), "dense");
  EXPECT_EQ(chosen(tridiagonal(33)), "sparse");
  EXPECT_EQ(chosen(SparsePattern::dense(200, 200)), "dense");
  EXPECT_EQ(chosen(tridiagonal(2000)), "sparse");
  EXPECT_EQ(chosen(SparsePattern::dense(601, 601)), "sparse");
  EXPECT_EQ(chosen(SparsePattern{0, 0, {0}, {}}), "dense");
}

// Seven points of a grid of n x n x n, whose factors are as full as those of grids become.
testing::RandomSystem grid(int n) {
  testing::RandomSystem s{{n * n * n, n * n * n, {0}, {}}, {}};
  const int step[] = {1, n, n * n};
  for (int c = 0; c < s.pattern.cols; ++c) {
    const auto put = [&](int row, double value) {
      s.pattern.row.push_back(row);
      s.values.push_back(value);
    };
    for (int d = 2; d >= 0; --d)
      if (c / step[d] % n > 0) put(c - step[d], -1.0 - 0.01 * d);
    put(c, 6.0 + 0.1 * (c % 7));
    for (int d = 0; d < 3; ++d)
      if (c / step[d] % n < n - 1) put(c + step[d], -1.0);
    s.pattern.start.push_back(s.pattern.nonzeros());
  }
  return s;
}

double max_residual(const testing::RandomSystem& s, const Eigen::VectorXd& x, Eigen::VectorXd b) {
  for (int c = 0; c < s.pattern.cols; ++c)
    for (int k = s.pattern.start[c]; k < s.pattern.start[c + 1]; ++k)
      b[s.pattern.row[k]] -= s.values[k] * x[c];
  return b.lpNorm<Eigen::Infinity>();
}

// The kind that goes by columns remembers the matrix which fixed its pivots, the other has no such
// memory.
TEST(LinearSolver, FullFactorsAreFoundByBlocks) {
  for (const auto& [n, by_blocks] : {std::pair{12, false}, {30, true}}) {
    const auto system = grid(n);
    const auto solver = make_linear_solver(system.pattern, LinearSolverKind::automatic);
    ASSERT_TRUE(solver->factorise(system.values));
    EXPECT_EQ(pivots_of(*solver).values.empty(), by_blocks) << n;
    const Eigen::VectorXd b = Eigen::VectorXd::Random(system.pattern.cols);
    Eigen::VectorXd x = b;
    solver->solve(x.data());
    EXPECT_LE(max_residual(system, x, b), 100 * eps);
  }
}

// Orders of elimination do not depend on what other threads do at the same time.
TEST(LinearSolver, BlocksAreTheSameInEveryThread) {
  const auto system = grid(12);
  const auto solution = [&] {
    const auto solver = make_multifrontal_solver(system.pattern);
    EXPECT_TRUE(solver->factorise(system.values));
    Eigen::VectorXd x = Eigen::VectorXd::Ones(system.pattern.cols);
    solver->solve(x.data());
    return x;
  };
  const Eigen::VectorXd alone = solution();
  std::vector<std::future<Eigen::VectorXd>> together;
  for (int i = 0; i < 8; ++i) together.push_back(std::async(std::launch::async, solution));
  for (auto& other : together) EXPECT_EQ(other.get(), alone);
}

TEST(LinearSolver, MisuseIsNamed) {
  EXPECT_THROW(make_linear_solver(SparsePattern::dense(2, 3), LinearSolverKind::automatic),
               InvalidArgument);
  EXPECT_THROW(make_linear_solver({2, 2, {0, 1, 2}, {0, 2}}, LinearSolverKind::automatic),
               InvalidArgument);  // row 2 of 2
  EXPECT_THROW(make_linear_solver({2, 2, {0, 2, 2}, {1, 0}}, LinearSolverKind::automatic),
               InvalidArgument);  // falling rows
  EXPECT_THROW(make_linear_solver({2, 2, {0, 1}, {0}}, LinearSolverKind::automatic),
               InvalidArgument);  // start too short
}

}  // namespace
}  // namespace daedalus
