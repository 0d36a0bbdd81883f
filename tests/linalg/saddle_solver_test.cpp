// SPDX-License-Identifier: BSD-3-Clause
// The ways of solving [M A^T; B 0] behind one interface: equal answers for every structure of M and
// G, symmetric and unsymmetric, and what each does with matrices that do not suit it.
#include "linalg/saddle_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <random>

#include "daedalus/types.hpp"
#include "linalg/null_space.hpp"
#include "linalg/saddle_point.hpp"
#include "random_systems.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr LinearAlgebra every_way[] = {LinearAlgebra::dense, LinearAlgebra::sparse,
                                       LinearAlgebra::range_space, LinearAlgebra::null_space};

PieceMatrix dense(const MatrixXd& m) {
  PieceMatrix p = PieceMatrix::dense(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
  p.matrix() = m;
  return p;
}

PieceMatrix sparse(const MatrixXd& m) {
  const testing::RandomSystem s = testing::from_matrix(m);
  PieceMatrix p = PieceMatrix::sparse(std::make_shared<const SparsePattern>(s.pattern));
  std::copy(s.values.begin(), s.values.end(), p.values().begin());
  return p;
}

PieceMatrix blocks(const std::vector<int>& sizes, const MatrixXd& m) {
  PieceMatrix p = PieceMatrix::blocks(sizes);
  p.for_each_position([&](int r, int c, std::size_t k) { p.values()[k] = m(r, c); });
  return p;
}

MatrixXd full(const PieceMatrix& p) {
  MatrixXd m(p.rows(), p.cols());
  p.copy_to(m);
  return m;
}

MatrixXd whole(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) {
  const int nv = M.rows(), nl = A.rows();
  MatrixXd k = MatrixXd::Zero(nv + nl, nv + nl);
  k.topLeftCorner(nv, nv) = full(M);
  k.topRightCorner(nv, nl) = full(A).transpose();
  k.bottomLeftCorner(nl, nv) = full(B);
  return k;
}

double error(SaddleSolver& solver, const MatrixXd& k) {
  const VectorXd expected = VectorXd::Random(k.rows());
  VectorXd b = k * expected;
  solver.solve(b.data());
  return (b - expected).lpNorm<Eigen::Infinity>();
}

// Positive definite, with the given blocks on its diagonal.
MatrixXd mass(const std::vector<int>& sizes) {
  const int n = std::accumulate(sizes.begin(), sizes.end(), 0);
  MatrixXd m = MatrixXd::Zero(n, n);
  int first = 0;
  for (const int size : sizes) {
    const MatrixXd r = MatrixXd::Random(size, size);
    m.block(first, first, size, size) = r * r.transpose() + MatrixXd::Identity(size, size);
    first += size;
  }
  return m;
}

// Each row has entries in a few columns only and a large one of its own: full rank.
MatrixXd constraints(int nl, int nv, std::mt19937& generator) {
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<int> column(0, nv - 1);
  MatrixXd g = MatrixXd::Zero(nl, nv);
  for (int i = 0; i < nl; ++i) {
    for (int k = 0; k < 3; ++k) g(i, column(generator)) = value(generator);
    g(i, i) = 4.0;
  }
  return g;
}

// Condition numbers of these matrices stay below 10^5: 1e-10 leaves two digits of reserve.
TEST(SaddleSolver, AllWaysAgreeForEveryStructure) {
  std::srand(3);
  std::mt19937 generator(5);
  for (const auto& [nl, sizes] : {std::pair{0, std::vector<int>{2, 1}},
                                  {1, {1}},
                                  {6, {7}},
                                  {5, {3, 1, 4, 2}},
                                  {7, {4, 3}},
                                  {40, std::vector<int>(30, 3)},
                                  {33, std::vector<int>(70, 1)}}) {
    const MatrixXd m = mass(sizes);
    const int nv = static_cast<int>(m.rows());
    const MatrixXd a = constraints(nl, nv, generator), b = a + 0.1 * constraints(nl, nv, generator);
    for (const PieceMatrix& M : {dense(m), blocks(sizes, m), sparse(m)})
      for (const bool sparse_g : {false, true}) {
        const PieceMatrix A = sparse_g ? sparse(a) : dense(a), B = sparse_g ? sparse(b) : dense(b);
        for (const LinearAlgebra way : every_way) {
          const auto solver = make_saddle_solver(way, M, A);
          EXPECT_EQ(solver->name(), to_string(way));
          // Unsymmetric, symmetric, and back: what one leaves behind must not reach the next.
          for (const PieceMatrix* pull : {&B, &A, &B}) {
            ASSERT_TRUE(solver->factorise(M, A, *pull)) << solver->name();
            EXPECT_LE(error(*solver, whole(M, A, *pull)), 1e-10)
                << solver->name() << ", nv = " << nv << ", nl = " << nl;
            // A solution of the exchanged system is another one: the test would notice.
            if (pull == &B && nl > 0 && nl < nv) {
              EXPECT_GT(error(*solver, whole(M, B, A)), 1e-4) << solver->name();
            }
            EXPECT_FALSE(solver->fell_back()) << solver->name();
            EXPECT_GT(solver->reciprocal_condition(), 0.0);
          }
        }
      }
  }
}

TEST(SaddleSolver, SingularMassWithRegularWhole) {
  MatrixXd m = MatrixXd::Zero(4, 4), g(2, 4);
  m(0, 0) = 2.0;
  m(1, 1) = 3.0;
  g << 1, 0.5, 1, 0, 0.2, 1, 0, 2;
  const PieceMatrix M = dense(m), G = dense(g);
  for (const LinearAlgebra way : every_way) {
    const auto solver = make_saddle_solver(way, M, G);
    ASSERT_TRUE(solver->factorise(M, G, G)) << solver->name();
    EXPECT_LE(error(*solver, whole(M, G, G)), 1e-13) << solver->name();
    EXPECT_EQ(solver->fell_back(), way == LinearAlgebra::range_space);
  }
}

// The third constraint is the sum of the others: its multiplier is not determined.
TEST(SaddleSolver, DependentConstraintIsNamed) {
  MatrixXd g = MatrixXd::Zero(3, 5);
  g(0, 0) = 1.0;
  g(1, 1) = 2.0;
  g(2, 0) = 1.0;
  g(2, 1) = 2.0;
  const PieceMatrix M = dense(MatrixXd::Identity(5, 5)), G = dense(g);
  for (const LinearAlgebra way : every_way) {
    const auto solver = make_saddle_solver(way, M, G);
    EXPECT_FALSE(solver->factorise(M, G, G)) << solver->name();
    EXPECT_GE(solver->singular_column(), 5) << solver->name();
    EXPECT_LT(solver->singular_column(), 8) << solver->name();
  }
  // ... up to rounding, which only the null-space method decides by itself.
  g.row(2) = (0.1 * g.row(0) + 0.3 * g.row(1)).eval();
  g(0, 3) = 0.7, g(2, 3) = 0.1 * 0.7;
  g *= 1e6;
  NullSpace solver(5, 3);
  EXPECT_FALSE(solver.factorise(M, dense(g), dense(g)));
  EXPECT_EQ(solver.singular_column(), 7);
}

// Without constraints on velocity 2 and without its mass nothing determines it.
TEST(SaddleSolver, UndeterminedVelocityIsNamed) {
  MatrixXd m = MatrixXd::Identity(3, 3), g = MatrixXd::Zero(1, 3);
  m(2, 2) = 0.0;
  g(0, 0) = 1.0;
  for (const LinearAlgebra way : every_way) {
    const auto solver = make_saddle_solver(way, dense(m), dense(g));
    EXPECT_FALSE(solver->factorise(dense(m), dense(g), dense(g))) << solver->name();
    EXPECT_EQ(solver->singular_column(), 2) << solver->name();
  }
}

TEST(SaddleSolver, NotFiniteIsRefusedAndForgotten) {
  std::srand(7);
  const MatrixXd m = mass({3}), g = MatrixXd::Random(2, 3);
  for (const LinearAlgebra way : every_way)
    for (int piece = 0; piece < 3; ++piece) {
      PieceMatrix M = dense(m), A = dense(g), B = dense(g);
      const auto solver = make_saddle_solver(way, M, A);
      ASSERT_TRUE(solver->factorise(M, A, B));
      (piece == 0 ? M : piece == 1 ? A : B).values()[1] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(solver->factorise(M, A, B)) << solver->name() << piece;
      EXPECT_FALSE(solver->reciprocal_condition() > 0.0) << solver->name() << piece;
      ASSERT_TRUE(solver->factorise(dense(m), dense(g), dense(g)));
      EXPECT_LE(error(*solver, whole(dense(m), dense(g), dense(g))), 1e-11);
    }
}

TEST(SaddleSolver, ConstantMassIsFactorisedOnce) {
  std::srand(11);
  const PieceMatrix M = blocks({2, 3}, mass({2, 3}));
  PieceMatrix changed = M;
  changed.values()[0] += 1.0;
  SaddlePoint solver(5, 2);
  for (int k = 0; k < 4; ++k) {
    const PieceMatrix G = dense(MatrixXd::Random(2, 5));
    ASSERT_TRUE(solver.factorise(M, G, G));
    EXPECT_LE(error(solver, whole(M, G, G)), 1e-11);
  }
  EXPECT_EQ(solver.mass_factorisations(), 1);
  const PieceMatrix G = dense(MatrixXd::Random(2, 5));
  ASSERT_TRUE(solver.factorise(changed, G, G));
  EXPECT_EQ(solver.mass_factorisations(), 2);
  EXPECT_LE(error(solver, whole(changed, G, G)), 1e-11);
}

// After an event constraints may reach other velocities: the solver follows the new pattern.
TEST(SaddleSolver, StructureMayChange) {
  std::mt19937 generator(13);
  const MatrixXd m = mass({4, 4});
  const PieceMatrix M = blocks({4, 4}, m);
  for (const LinearAlgebra way : every_way) {
    const PieceMatrix first = sparse(constraints(3, 8, generator)),
                      second = sparse(constraints(3, 8, generator));
    ASSERT_FALSE(first.same_structure(second));
    const auto solver = make_saddle_solver(way, M, first);
    for (const PieceMatrix* G : {&first, &second}) {
      ASSERT_TRUE(solver->factorise(M, *G, *G));
      EXPECT_LE(error(*solver, whole(M, *G, *G)), 1e-11) << solver->name();
    }
  }
}

// A chain of n masses in the plane.
PieceMatrix chain(int n) {
  SparsePattern p{n, 2 * n, {0}, {}};
  for (int c = 0; c < 2 * n; ++c) {
    p.row.push_back(c / 2);
    if (c / 2 + 1 < n) p.row.push_back(c / 2 + 1);
    p.start.push_back(p.nonzeros());
  }
  return PieceMatrix::sparse(std::make_shared<const SparsePattern>(std::move(p)));
}

TEST(SaddleSolver, AutomaticKnowsSizeAndDensity) {
  const auto chosen = [](const PieceMatrix& M, const PieceMatrix& G) {
    return make_saddle_solver(LinearAlgebra::automatic, M, G)->name();
  };
  const auto diagonal = [](int n) {
    return PieceMatrix::blocks(std::vector<int>(static_cast<std::size_t>(n), 1));
  };
  EXPECT_EQ(chosen(PieceMatrix::dense(7, 7), PieceMatrix::dense(6, 7)), "range-space");
  EXPECT_EQ(chosen(diagonal(4), chain(2)), "range-space");
  EXPECT_EQ(chosen(diagonal(2000), chain(1000)), "sparse");
  EXPECT_EQ(chosen(PieceMatrix::dense(200, 200), PieceMatrix::dense(100, 200)), "range-space");
}

TEST(SaddleSolver, DenseWaysRefuseWhatDoesNotFit) {
  const int n = 10000;
  const PieceMatrix M = PieceMatrix::blocks(std::vector<int>(2 * n, 1)), G = chain(n);
  EXPECT_EQ(make_saddle_solver(LinearAlgebra::automatic, M, G)->name(), "sparse");
  for (const LinearAlgebra way :
       {LinearAlgebra::dense, LinearAlgebra::range_space, LinearAlgebra::null_space}) {
    try {
      make_saddle_solver(way, M, G);
      ADD_FAILURE() << to_string(way) << " was accepted";
    } catch (const InvalidArgument& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("linear_algebra"), std::string::npos) << text;
      EXPECT_NE(text.find(to_string(way)), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace daedalus
