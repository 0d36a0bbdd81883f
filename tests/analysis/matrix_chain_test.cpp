// SPDX-License-Identifier: BSD-3-Clause
// The matrix chain on matrices alone: identities, projectors, rank decisions, and what goes wrong
// without their precautions.
#include "linalg/matrix_chain.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include <daedalus/types.hpp>

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double largest(const MatrixXd& M) { return M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0; }

struct Pencil {
  MatrixXd A, B;
};

class Random {
 public:
  explicit Random(unsigned number) : engine_(number) {}
  MatrixXd matrix(int rows, int cols) {
    return MatrixXd::NullaryExpr(rows, cols, [&] { return uniform_(engine_); });
  }
  // Well conditioned: the identity plus something of norm below 1.
  MatrixXd regular(int n) { return MatrixXd::Identity(n, n) + 0.9 / n * matrix(n, n); }
  VectorXd scales(int n, double decades) {
    return VectorXd::NullaryExpr(n,
                                 [&] { return std::pow(10.0, 0.5 * decades * uniform_(engine_)); });
  }

 private:
  std::mt19937 engine_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

// E A F = diag(I, J), E B F = diag(W, I) with J of nilpotent blocks of the given sizes: index = the
// largest size, degrees of freedom = `dynamic`.
Pencil weierstrass(int dynamic, const std::vector<int>& blocks, Random& random) {
  int n = dynamic;
  for (const int size : blocks) n += size;
  MatrixXd A = MatrixXd::Zero(n, n), B = MatrixXd::Identity(n, n);
  A.topLeftCorner(dynamic, dynamic).setIdentity();
  B.topLeftCorner(dynamic, dynamic) = random.matrix(dynamic, dynamic);
  int first = dynamic;
  for (const int size : blocks) {
    for (int k = 0; k + 1 < size; ++k) A(first + k, first + k + 1) = 1.0;
    first += size;
  }
  const MatrixXd left = random.regular(n), right = random.regular(n);
  return {left * A * right, left * B * right};
}

TEST(MatrixChain, FindsTheNilpotencyOfTheWeierstrassForm) {
  struct Case {
    int dynamic;
    std::vector<int> blocks;
    int index;
  };
  const std::vector<Case> cases{{4, {}, 0},  {3, {1, 1}, 1},    {0, {1}, 1},
                                {3, {2}, 2}, {2, {2, 1, 2}, 2}, {0, {2, 2}, 2},
                                {2, {3}, 3}, {1, {2, 3, 1}, 3}, {0, {4}, 3}};
  Random random(1);
  for (const Case& c : cases) {
    const Pencil p = weierstrass(c.dynamic, c.blocks, random);
    const MatrixChain chain = matrix_chain(p.A, p.B);
    SCOPED_TRACE(::testing::Message() << c.dynamic << " dynamic, index " << c.index);
    EXPECT_EQ(chain.index, c.index);
    EXPECT_TRUE(chain.regular_pencil);
    EXPECT_EQ(chain.degrees_of_freedom, c.index < 3 ? c.dynamic : -1);
    EXPECT_EQ(chain.a.rank, p.A.rows() - static_cast<int>(c.blocks.size()));
    EXPECT_GT(chain.a.gap(), 1e9);
    EXPECT_LT(largest(p.A * chain.kernel), 1e-13 * (1.0 + largest(p.A)));
    if (c.index != 2) continue;
    const auto twos = std::count(c.blocks.begin(), c.blocks.end(), 2);
    EXPECT_EQ(chain.common.cols(), twos);
    EXPECT_EQ(chain.a1.rank, p.A.rows() - twos);
  }
}

TEST(MatrixChain, ASingularPencilIsNoIndex) {
  Pencil p{MatrixXd::Zero(3, 3), MatrixXd::Zero(3, 3)};
  p.A(0, 0) = 1.0;  // x1' + x2 = 0, x2 = 0, and nothing for x3
  p.B(0, 1) = 1.0;
  p.B(1, 1) = 1.0;
  Random random(2);
  const MatrixXd left = random.regular(3), right = random.regular(3);
  const MatrixChain chain = matrix_chain(left * p.A * right, left * p.B * right);
  EXPECT_EQ(chain.index, 3);
  EXPECT_FALSE(chain.regular_pencil);
  EXPECT_EQ(chain.degrees_of_freedom, -1);
}

// Tischendorf (1992), section 2.2; checked directly here, not by the residuals the chain reports.
TEST(MatrixChain, IdentitiesOfTheCanonicalProjectors) {
  Random random(3);
  for (int run = 0; run < 20; ++run) {
    const Pencil p = weierstrass(run % 4, {2, 1, 2}, random);
    const MatrixChain c = matrix_chain(p.A, p.B);
    ASSERT_EQ(c.index, 2);
    const MatrixXd I = MatrixXd::Identity(p.A.rows(), p.A.rows());
    const MatrixXd inverse = c.A2.inverse();
    EXPECT_LT(largest(c.Q * c.Q - c.Q), 1e-13);
    EXPECT_LT(largest(c.Q - c.Q.transpose()), 1e-13);
    EXPECT_LT(largest(c.A1 - p.A - p.B * c.Q), 1e-13);
    EXPECT_LT(largest(c.A2 - c.A1 - p.B * c.P * c.Q1), 1e-11);
    EXPECT_LT(largest(c.Q1 * c.Q1 - c.Q1), 1e-10);
    EXPECT_LT(largest(c.Q1 * c.Q), 1e-10);
    EXPECT_LT(largest(c.A1 * c.Q1), 1e-10);
    EXPECT_LT(largest(inverse * p.A - c.P1 * c.P), 1e-10);
    EXPECT_LT(largest(inverse * p.B - inverse * p.B * c.P * c.P1 - c.Q1 - c.Q), 1e-10);
    EXPECT_LT(largest(c.Q1 * inverse * p.B - c.Q1), 1e-10);
    EXPECT_LT(largest(c.P * c.P1 * c.P * c.P1 - c.P * c.P1), 1e-10);
    EXPECT_LT(largest(c.Q * c.P1 * c.P1 * c.P + c.Q * c.Q1), 1e-10);
    EXPECT_LT(c.residuals.largest(), 1e-11);
    // T onto N and S intersected, T = Q T = T Q; B T z in im A.
    EXPECT_LT(largest(c.T * c.T - c.T), 1e-12);
    EXPECT_LT(largest(c.Q * c.T - c.T) + largest(c.T * c.Q - c.T), 1e-12);
    EXPECT_LT(largest(c.T * c.Q * c.Q1 - c.Q * c.Q1), 1e-10);
    const MatrixXd W = kernels_of(p.A).left.transpose();
    EXPECT_LT(largest(W * p.B * c.T), 1e-12);
    EXPECT_NEAR(c.T.trace(), 2.0, 1e-12);
    EXPECT_NEAR((c.P * c.P1).trace(), c.degrees_of_freedom, 1e-9);
    EXPECT_LT(largest(c.P1 + c.Q1 - I), 1e-14);
  }
}

// Negative control: the orthogonal projector onto ker A1 fails what the canonical one satisfies.
TEST(MatrixChain, AProjectorThatIsNotCanonicalFailsTheIdentities) {
  Random random(4);
  const Pencil p = weierstrass(2, {2, 1}, random);
  const MatrixChain c = matrix_chain(p.A, p.B);
  const MatrixXd Z = kernels_of(c.A1).right;
  const MatrixXd Q1 = Z * Z.transpose();
  const MatrixXd A2 = c.A1 + p.B * c.P * Q1;
  EXPECT_LT(largest(Q1 * Q1 - Q1), 1e-13);  // a projector onto the right space it is
  EXPECT_LT(largest(c.A1 * Q1), 1e-13);
  EXPECT_GT(largest(Q1 * c.Q), 1e-2);
  EXPECT_GT(largest(Q1 * A2.inverse() * p.B - Q1), 1e-2);
  // From it the canonical one follows by Lemma 2.1.
  EXPECT_LT(largest(Q1 * A2.inverse() * p.B * c.P - c.Q1), 1e-10);
}

// P Q1, P P1 and N and S intersected belong to the problem as soon as P is chosen; another P leaves
// index, ranks and degrees of freedom alone. tau and units must not show in any of them.
TEST(MatrixChain, StepAndUnitsDoNotShowInTheResult) {
  Random random(5);
  const Pencil p = weierstrass(2, {2, 2, 1}, random);
  const MatrixChain c = matrix_chain(p.A, p.B);
  for (const double tau : {1e-3, 1e-2, 1.0, 1e2}) {
    const MatrixChain other = matrix_chain(p.A, p.B, {.typical_step = tau});
    ASSERT_EQ(other.index, 2) << tau;
    EXPECT_EQ(other.typical_step, tau);
    EXPECT_LT(largest(other.Q1 - c.Q1), 1e-8 * (1.0 + largest(c.Q1))) << tau;
    EXPECT_LT(largest(other.T - c.T), 1e-8) << tau;
  }
  const VectorXd rows = random.scales(7, 16.0);
  const MatrixChain scaled = matrix_chain(rows.asDiagonal() * p.A, rows.asDiagonal() * p.B);
  ASSERT_EQ(scaled.index, 2);
  EXPECT_LT(largest(scaled.Q1 - c.Q1), 1e-8 * (1.0 + largest(c.Q1)));
}

TEST(MatrixChain, BadUnitsAreDecidedOnlyWithEquilibration) {
  Random random(6);
  int right = 0, wrong_without = 0;
  for (int run = 0; run < 20; ++run) {
    const Pencil p = weierstrass(3, {2, 1}, random);
    const VectorXd rows = random.scales(6, 16.0), cols = random.scales(6, 8.0);
    const MatrixXd A = rows.asDiagonal() * p.A * cols.asDiagonal();
    const MatrixXd B = rows.asDiagonal() * p.B * cols.asDiagonal();
    const MatrixChain good = matrix_chain(A, B);
    right += good.index == 2 && good.degrees_of_freedom == 3 && good.residuals.largest() < 1e-6;
    const MatrixChain bad = matrix_chain(A, B, {.typical_step = 1.0, .equilibrate = false});
    wrong_without += bad.index != 2 || bad.degrees_of_freedom != 3;
  }
  EXPECT_EQ(right, 20);
  EXPECT_GT(wrong_without, 10);
}

// x1' + (x2 - 1) x3^2 = 0, x2' - x3 = 0, (x2 - 1) / x1 = 0 at (1, 1, 0): Tischendorf (1992),
// section 3.2 gives Q1 and A2 in numbers.
TEST(MatrixChain, CouplingExample) {
  MatrixXd A = MatrixXd::Zero(3, 3), B = MatrixXd::Zero(3, 3);
  A(0, 0) = A(1, 1) = 1.0;
  B(1, 2) = -1.0;
  B(2, 1) = 1.0;
  const MatrixChain c = matrix_chain(A, B);
  MatrixXd Q1(3, 3), A2(3, 3), T(3, 3);
  Q1 << 0, 0, 0, 0, 1, 0, 0, 1, 0;
  A2 << 1, 0, 0, 0, 1, -1, 0, 1, 0;
  T << 0, 0, 0, 0, 0, 0, 0, 0, 1;
  EXPECT_LT(largest(c.Q1 - Q1), 1e-14);
  EXPECT_LT(largest(c.A2 - A2), 1e-14);
  EXPECT_LT(largest(c.T - T), 1e-14);
  EXPECT_TRUE(c.aligned);
  EXPECT_EQ(c.kinds,
            (std::vector<ComponentKind>{ComponentKind::differential, ComponentKind::differential,
                                        ComponentKind::algebraic_index2}));
}

// t x1' - t x2' - (t + 1) x1 + x2 = 0, x1' - x2' - x1 = ...: P = [0 0; -1 1] of the source.
TEST(MatrixChain, TheProjectorMayBeGiven) {
  const double t = 0.3;
  MatrixXd A(2, 2), B(2, 2), P(2, 2);
  A << t, -t, 1.0, -1.0;
  B << -(t + 1.0), 1.0, -1.0, 0.0;
  P << 0.0, 0.0, -1.0, 1.0;
  const MatrixChain own = matrix_chain(A, B), given = matrix_chain(A, B, {.projector = P});
  for (const MatrixChain* c : {&own, &given}) {
    EXPECT_EQ(c->index, 2);
    EXPECT_EQ(c->degrees_of_freedom, 0);
    EXPECT_EQ(c->common.cols(), 1);
    EXPECT_LT(c->residuals.largest(), 1e-13);
    EXPECT_FALSE(c->aligned);
    EXPECT_LT(largest(c->T - c->Q), 1e-14);  // N lies in S: both have dimension 1
  }
  EXPECT_EQ(given.P, P);
  EXPECT_NEAR(own.Q(0, 1), 0.5, 1e-15);
}

TEST(MatrixChain, MixedKindsAreNotAligned) {
  // Index 1 with the kernel spanned by (1, 1, 0): x1 and x2 share an algebraic component.
  MatrixXd A(3, 3), B = MatrixXd::Identity(3, 3);
  A << 1, -1, 0, -1, 1, 0, 0, 0, 1;
  const MatrixChain c = matrix_chain(A, B);
  EXPECT_EQ(c.index, 1);
  EXPECT_FALSE(c.aligned);
  EXPECT_EQ(c.kinds[0], ComponentKind::algebraic_index1);
  EXPECT_EQ(c.kinds[2], ComponentKind::differential);
}

TEST(MatrixChain, TheGapIsReported) {
  MatrixXd A = MatrixXd::Identity(3, 3), B = MatrixXd::Identity(3, 3);
  A(1, 2) = 1.0;
  A(2, 1) = 1.0;
  A(2, 2) = 1.0 + 1e-13;  // nearly singular: equilibration cannot and must not hide it
  const MatrixChain c = matrix_chain(A, B);
  EXPECT_EQ(c.a.rank, 2);
  EXPECT_NEAR(c.a.dropped / 2.5e-14, 1.0, 0.02);  // 5e-14 over the largest value 2
  EXPECT_NEAR(c.a.gap() / 2e13, 1.0, 0.02);
  const MatrixChain strict = matrix_chain(A, B, {.tolerance = 1e-15});
  EXPECT_EQ(strict.index, 0);
}

TEST(MatrixChain, MisuseIsNamed) {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  EXPECT_THROW(matrix_chain(I, MatrixXd::Zero(2, 3)), InvalidArgument);
  EXPECT_THROW(matrix_chain(I, I, {.typical_step = -1.0}), InvalidArgument);
  EXPECT_THROW(matrix_chain(I, I, {.tolerance = 0.0}), InvalidArgument);
  MatrixXd A = I;
  A(1, 1) = 0.0;
  EXPECT_THROW(matrix_chain(A, I, {.projector = 2.0 * I}), InvalidArgument);  // P^2 = 2 P
  EXPECT_THROW(matrix_chain(A, I, {.projector = I}), InvalidArgument);        // of another kernel
  EXPECT_EQ(matrix_chain(A, I, {.projector = A}).index, 1);
  MatrixXd broken = I;
  broken(0, 1) = std::nan("");
  EXPECT_EQ(matrix_chain(broken, I).index, -1);
}

}  // namespace
}  // namespace daedalus
