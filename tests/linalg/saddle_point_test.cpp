// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_point.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

#include "daedalus/types.hpp"
#include "random_systems.hpp"

namespace daedalus::saddle_point_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double eps = std::numeric_limits<double>::epsilon();

MatrixXd whole(const MatrixXd& M, const MatrixXd& A, const MatrixXd& B) {
  const auto nv = M.rows(), nl = A.rows();
  MatrixXd k = MatrixXd::Zero(nv + nl, nv + nl);
  k.topLeftCorner(nv, nv) = M;
  k.topRightCorner(nv, nl) = A.transpose();
  k.bottomLeftCorner(nl, nv) = B;
  return k;
}

// Largest error of x and y for a solution known beforehand.
double error(SaddlePoint& saddle, const MatrixXd& k) {
  const VectorXd expected = VectorXd::Random(k.rows());
  VectorXd b = k * expected;
  saddle.solve(b.data());
  return (b - expected).lpNorm<Eigen::Infinity>();
}

MatrixXd positive_definite(int n) {
  const MatrixXd r = MatrixXd::Random(n, n);
  return r * r.transpose() + MatrixXd::Identity(n, n);
}

TEST(SaddlePoint, RangeSpaceForPositiveDefiniteMass) {
  std::srand(47);
  for (const auto& [nv, nl] :
       {std::pair{1, 0}, {1, 1}, {3, 1}, {7, 6}, {12, 4}, {40, 20}, {90, 70}}) {
    SaddlePoint saddle(nv, nl);
    const MatrixXd M = positive_definite(nv), G = MatrixXd::Random(nl, nv);
    ASSERT_TRUE(saddle.factorise(M, G, G));
    EXPECT_TRUE(saddle.structured());
    EXPECT_EQ(saddle.diagonal(), nv == 1);
    EXPECT_LE(error(saddle, whole(M, G, G)), 1e-10) << nv << ", " << nl;
    EXPECT_GT(saddle.reciprocal_condition(), 0.0);
  }
}

// Forces along A, motion along B: the answer with the two exchanged is another one.
TEST(SaddlePoint, DifferentForceAndConstraintDirections) {
  std::srand(53);
  SaddlePoint saddle(6, 2);
  const MatrixXd M = positive_definite(6), A = MatrixXd::Random(2, 6), B = MatrixXd::Random(2, 6);
  ASSERT_TRUE(saddle.factorise(M, A, B));
  EXPECT_TRUE(saddle.structured());
  EXPECT_LE(error(saddle, whole(M, A, B)), 1e-11);
  EXPECT_GT(error(saddle, whole(M, B, A)), 1e-3);
}

TEST(SaddlePoint, DiagonalMassIsSeenAndChangesBack) {
  std::srand(59);
  SaddlePoint saddle(5, 2);
  const MatrixXd D = VectorXd::LinSpaced(5, 1, 3).asDiagonal(), G = MatrixXd::Random(2, 5);
  ASSERT_TRUE(saddle.factorise(D, G, G));
  EXPECT_TRUE(saddle.diagonal());
  EXPECT_LE(error(saddle, whole(D, G, G)), 1e-12);
  const MatrixXd M = positive_definite(5);
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_FALSE(saddle.diagonal());
  EXPECT_LE(error(saddle, whole(M, G, G)), 1e-12);
}

// Two of four coordinates carry no mass; only the whole matrix is regular.
TEST(SaddlePoint, SingularMassWithRegularWhole) {
  SaddlePoint saddle(4, 2);
  MatrixXd M = MatrixXd::Zero(4, 4);
  M(0, 0) = 2;
  M(1, 1) = 3;
  MatrixXd G(2, 4);
  G << 1, 0, 1, 0, 0, 1, 1, -2;
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_FALSE(saddle.structured());
  EXPECT_LE(error(saddle, whole(M, G, G)), 1e-13);
  M(0, 1) = M(1, 0) = 1;  // no longer diagonal, still singular
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_FALSE(saddle.structured());
  EXPECT_LE(error(saddle, whole(M, G, G)), 1e-13);
}

TEST(SaddlePoint, IndefiniteOrUnsymmetricMassTakesTheWholeMatrix) {
  std::srand(61);
  SaddlePoint saddle(4, 1);
  const MatrixXd G = MatrixXd::Random(1, 4);
  MatrixXd M = positive_definite(4);
  M(2, 2) = -5;
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_FALSE(saddle.structured());
  EXPECT_LE(error(saddle, whole(M, G, G)), 1e-12);
  M = positive_definite(4);
  M(3, 0) += 1e-6;  // Cholesky would read one triangle only
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_FALSE(saddle.structured());
  EXPECT_LE(error(saddle, whole(M, G, G)), 1e-12);
  SaddlePoint unconstrained(4, 0);
  ASSERT_TRUE(unconstrained.factorise(M, MatrixXd(0, 4), MatrixXd(0, 4)));
  EXPECT_FALSE(unconstrained.structured());
  EXPECT_LE(error(unconstrained, M), 1e-12);
  M = positive_definite(4);
  M(3, 0) *= 1 + 2 * eps;  // rounding in the user's formulas
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_TRUE(saddle.structured());
}

// One mass of 1e-14 in the constraint x1 + x2 = s: the range-space formula finds x2 from a
// difference of numbers 1e14 times larger. The control computes it that way.
TEST(SaddlePoint, LossOfAccuracyInTheSchurComplementIsNoticed) {
  MatrixXd M = MatrixXd::Zero(2, 2);
  M.diagonal() << 1.0, 1e-14;
  const MatrixXd G = MatrixXd::Ones(1, 2);
  SaddlePoint saddle(2, 1);
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_FALSE(saddle.structured());
  const Eigen::Vector3d expected(0.3, -0.7, 0.9);
  Eigen::Vector3d b = whole(M, G, G) * expected;
  const double y = (b[0] + 1e14 * b[1] - b[2]) / (1.0 + 1e14);
  EXPECT_GT(std::fabs(1e14 * (b[1] - y) - expected[1]), 1e-5);
  saddle.solve(b.data());
  EXPECT_LE((b - expected).lpNorm<Eigen::Infinity>(), 1e-14);
  M(1, 1) = 1e-3;  // an ordinary light part is no reason to leave the structure
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_TRUE(saddle.structured());
}

// Pivots of Cholesky 1 and 1e-12: below the share of 1e-8, although nothing is singular.
TEST(SaddlePoint, NearlyDependentMassTakesTheWholeMatrix) {
  MatrixXd M(2, 2);
  M << 1, 1, 1, 1 + 1e-12;
  MatrixXd G(1, 2);
  G << 1, -1;
  SaddlePoint saddle(2, 1);
  ASSERT_TRUE(saddle.factorise(M, G, G));
  EXPECT_FALSE(saddle.structured());
  EXPECT_LE(error(saddle, whole(M, G, G)), 1e-14);
}

// Metres beside centimetres and constraints multiplied by 1e4 keep the structure. Units that are
// 1e8 apart may cost it, but no digits: the error is taken relative to each variable.
TEST(SaddlePoint, UnitsOfTheVariablesDoNotMatter) {
  std::srand(67);
  const MatrixXd M = positive_definite(6), G = MatrixXd::Random(3, 6);
  for (const double ratio : {10.0, 1e4}) {
    VectorXd unit(6);
    unit << 1, 1 / ratio, ratio, 1 / ratio, 1, ratio;
    const MatrixXd mass = unit.asDiagonal() * M * unit.asDiagonal();
    const MatrixXd constraint = 1e4 * G * unit.asDiagonal();
    SaddlePoint saddle(6, 3);
    ASSERT_TRUE(saddle.factorise(mass, constraint, constraint));
    if (ratio == 10.0) {
      EXPECT_TRUE(saddle.structured());
    }
    const VectorXd expected = VectorXd::Random(9);
    VectorXd b = whole(M, G, G) * expected;
    b.head(6) = unit.cwiseProduct(b.head(6)).eval();
    b.tail(3) *= 1e4;
    saddle.solve(b.data());
    EXPECT_LE((unit.cwiseProduct(b.head(6)) - expected.head(6)).lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_LE((1e4 * b.tail(3) - expected.tail(3)).lpNorm<Eigen::Infinity>(), 1e-12);
  }
}

TEST(SaddlePoint, RedundantConstraintsAreSingular) {
  SaddlePoint saddle(3, 2);
  const MatrixXd M = MatrixXd::Identity(3, 3);
  MatrixXd G(2, 3);
  G << 1, 0, 0, 2, 0, 0;
  EXPECT_FALSE(saddle.factorise(M, G, G));
  EXPECT_EQ(saddle.singular_column(), 4);  // the multiplier of the second constraint
  EXPECT_TRUE(std::isnan(saddle.reciprocal_condition()));
  G(1, 1) = 1;
  EXPECT_TRUE(saddle.factorise(M, G, G));
  EXPECT_EQ(saddle.singular_column(), -1);
}

TEST(SaddlePoint, NotFiniteIsRefused) {
  SaddlePoint saddle(2, 1);
  const MatrixXd M = MatrixXd::Identity(2, 2), G = MatrixXd::Ones(1, 2);
  MatrixXd bad_mass = M, bad = G;
  bad_mass(0, 1) = std::nan("");
  bad(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(saddle.factorise(bad_mass, G, G));
  EXPECT_FALSE(saddle.factorise(M, bad, G));
  EXPECT_FALSE(saddle.factorise(M, G, bad));
  EXPECT_TRUE(saddle.factorise(M, G, G));
}

TEST(SaddlePoint, SizesAreChecked) {
  EXPECT_THROW(SaddlePoint(0, 0), InvalidArgument);
  EXPECT_THROW(SaddlePoint(2, -1), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::saddle_point_test
