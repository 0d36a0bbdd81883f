// SPDX-License-Identifier: BSD-3-Clause
// Nothing in linear algebra may allocate once it is running. Counted at malloc, since KLU and Eigen
// do not go through operator new; a sanitizer brings its own malloc and excludes this file.
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <random>

#include "linalg/linear_solver.hpp"
#include "linalg/saddle_point.hpp"
#include "linalg/saddle_solver.hpp"
#include "random_systems.hpp"

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus {
namespace {

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  auto solver = make_linear_solver(SparsePattern::identity(3), LinearSolverKind::sparse);
  EXPECT_GT(allocations, before);
  const long constructed = allocations;
  const std::vector<double> ones(3, 1.0);
  const long prepared = allocations;
  EXPECT_GT(prepared, constructed);  // the vector, through operator new
  ASSERT_TRUE(solver->factorise(ones));
  EXPECT_GT(allocations, prepared);  // KLU sizes its factors in the first factorisation
}

TEST(Allocation, SolversRunWithoutAfterTheFirstFactorisation) {
  std::mt19937 generator(71);
  std::uniform_real_distribution<double> change(0.9, 1.1);
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse})
    for (const int n : {8, 30, 65, 600}) {
      auto system = testing::random_system(n, 2.0, generator);
      auto solver = make_linear_solver(system.pattern, kind);
      std::vector<double> x(n, 1.0);
      ASSERT_TRUE(solver->factorise(system.values));
      bool regular = true;
      const long before = allocations;
      for (int update = 0; update < 5; ++update) {
        for (double& v : system.values) v *= change(generator);
        regular = solver->factorise(system.values) && regular;
        solver->solve(x.data());
        regular = solver->reciprocal_condition() > 0 && regular;
      }
      EXPECT_EQ(allocations, before) << solver->name() << ", n = " << n;
      EXPECT_TRUE(regular);
    }
}

TEST(Allocation, SaddlePointRunsWithout) {
  std::srand(73);
  for (const auto& [nv, nl] : {std::pair{7, 6}, {60, 30}, {300, 150}}) {
    const Eigen::MatrixXd R = Eigen::MatrixXd::Random(nv, nv);
    const Eigen::MatrixXd M = R * R.transpose() + Eigen::MatrixXd::Identity(nv, nv);
    const Eigen::MatrixXd D = Eigen::VectorXd::LinSpaced(nv, 1, 2).asDiagonal();
    const Eigen::MatrixXd G = Eigen::MatrixXd::Random(nl, nv);
    Eigen::MatrixXd N = M;
    N(0, 0) = -1.0;
    Eigen::VectorXd x = Eigen::VectorXd::Ones(nv + nl);
    SaddlePoint saddle(nv, nl);
    for (const Eigen::MatrixXd* mass : std::initializer_list<const Eigen::MatrixXd*>{&M, &D, &N}) {
      const long before = allocations;
      const bool regular = saddle.factorise(*mass, G, G);
      saddle.solve(x.data());
      EXPECT_EQ(allocations, before) << nv << ", structured " << saddle.structured();
      EXPECT_TRUE(regular);
      EXPECT_EQ(saddle.structured(), mass != &N);
    }
  }
}

// Dense, block and sparse pieces, symmetric and not; the sparse kind may allocate for new pivots,
// for which these small changes give no reason.
TEST(Allocation, SaddleSolversRunWithoutAfterTheFirstFactorisation) {
  constexpr int n = 40;
  SparsePattern pattern{n, 2 * n, {0}, {}};
  for (int c = 0; c < 2 * n; ++c) {
    pattern.row.push_back(c / 2);
    if (c / 2 + 1 < n) pattern.row.push_back(c / 2 + 1);
    pattern.start.push_back(pattern.nonzeros());
  }
  const auto shared = std::make_shared<const SparsePattern>(pattern);
  std::mt19937 generator(79);
  std::uniform_real_distribution<double> value(0.5, 1.5);
  PieceMatrix dense = PieceMatrix::dense(2 * n, 2 * n);
  dense.matrix().setIdentity();
  PieceMatrix blocks = PieceMatrix::blocks(std::vector<int>(2 * n, 1));
  PieceMatrix full = PieceMatrix::dense(n, 2 * n), sparse = PieceMatrix::sparse(shared);
  for (PieceMatrix* M : {&dense, &blocks})
    for (PieceMatrix* G : {&full, &sparse})
      for (const LinearAlgebra way : {LinearAlgebra::dense, LinearAlgebra::sparse,
                                      LinearAlgebra::range_space, LinearAlgebra::null_space}) {
        for (double& x : blocks.values()) x = value(generator);
        for (double& x : G->values()) x = value(generator) - 0.8;
        PieceMatrix B = *G;
        std::vector<double> x(3 * n, 1.0);
        const auto solver = make_saddle_solver(way, *M, *G);
        bool regular = solver->factorise(*M, *G, B);
        const long before = allocations;
        for (int update = 0; update < 5; ++update) {
          M->values()[0] *= 1.01;
          G->values()[1] *= 1.01;
          regular = solver->factorise(*M, *G, update % 2 == 0 ? B : *G) && regular;
          solver->solve(x.data());
        }
        EXPECT_EQ(allocations, before) << solver->name();
        EXPECT_TRUE(regular) << solver->name();
      }
}

}  // namespace
}  // namespace daedalus

#endif
