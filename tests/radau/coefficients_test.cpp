// SPDX-License-Identifier: BSD-3-Clause
// The tables against the definition of the methods: nodes, collocation, eigenvalues of A^{-1}, the
// transformation that takes the stages apart; each test with a changed digit that it must notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "methods/radau/engine.hpp"

namespace daedalus::radau_coefficients_test {
namespace {

using Exact = kernel::RadauTable<long double>;
using kernel::RadauTable;

class Coefficients : public ::testing::TestWithParam<int> {};

// (A^{-1} c^k)_i = k c_i^(k-1), k = 1 ... s: the polynomial through the stages is differentiated;
// at t_n as well. A of order 2s - 1 besides: b = last row of A.
template <class Real>
Real collocation_defect(const RadauTable<Real>& t) {
  Real worst = 0;
  for (int k = 1; k <= t.stages; ++k) {
    Real at_start = 0;
    for (int i = 0; i < t.stages; ++i) {
      Real sum = 0;
      for (int j = 0; j < t.stages; ++j) sum += t.derivative[i][j] * std::pow(t.c[j], Real(k));
      const Real wanted = k * std::pow(t.c[i], Real(k - 1));
      worst = std::max(worst, std::abs(sum - wanted));
      at_start += t.start_slope[i] * std::pow(t.c[i], Real(k));
    }
    worst = std::max(worst, std::abs(at_start - (k == 1 ? 1 : 0)));
  }
  return worst;
}

// Quadrature with the nodes is exact up to degree 2s - 2: the weights solve b^T c^(k-1) = 1/k.
long double quadrature_defect(const Exact& t) {
  Exact::Square a{};
  Exact::Row b{};
  for (int k = 0; k < t.stages; ++k) {
    for (int j = 0; j < t.stages; ++j) a[k][j] = std::pow(t.c[j], static_cast<long double>(k));
    b[k] = 1.0L / (k + 1);
  }
  kernel::detail::eliminate_and_solve<long double, long double>(a, b, t.stages);
  long double worst = 0;
  for (int k = 0; k <= 2 * t.stages - 2; ++k) {
    long double sum = -1.0L / (k + 1);
    for (int j = 0; j < t.stages; ++j) sum += b[j] * std::pow(t.c[j], static_cast<long double>(k));
    worst = std::max(worst, std::abs(sum));
  }
  return worst;
}

// A^{-1} T = T diag(gamma, [alpha beta; -beta alpha], ...) and T T^{-1} = I, relative to the size
// of the products.
template <class Real>
Real transformation_defect(const RadauTable<Real>& t) {
  Real worst = 0;
  for (int i = 0; i < t.stages; ++i)
    for (int j = 0; j < t.stages; ++j) {
      Real left = 0, size = 1, unit = i == j ? -1 : 0, unit_size = 1;
      for (int k = 0; k < t.stages; ++k) {
        left += t.derivative[i][k] * t.T[k][j];
        size += std::abs(t.derivative[i][k] * t.T[k][j]);
        unit += t.T[i][k] * t.T_inverse[k][j];
        unit_size += std::abs(t.T[i][k] * t.T_inverse[k][j]);
      }
      Real right = t.gamma * t.T[i][0];
      if (j > 0) {
        const auto mu = t.pair[(j - 1) / 2];
        right = j % 2 == 1 ? mu.real() * t.T[i][j] - mu.imag() * t.T[i][j + 1]
                           : mu.imag() * t.T[i][j - 1] + mu.real() * t.T[i][j];
      }
      worst = std::max({worst, std::abs(left - right) / size, std::abs(unit) / unit_size});
    }
  return worst;
}

TEST_P(Coefficients, FollowFromTheDefinition) {
  const Exact t(GetParam());
  const RadauTable<double>& used = radau::table_of(GetParam());
  EXPECT_LT(quadrature_defect(t), 1e-18L);
  EXPECT_LT(collocation_defect(t), 1e-15L);
  EXPECT_LT(transformation_defect(t), 1e-17L);
  EXPECT_LT(transformation_defect(used), 1e-15);
  // What the engine uses is the table, rounded: 1e-15 of each number, or of the largest of its row.
  for (int i = 0; i < t.stages; ++i) {
    EXPECT_NEAR(used.c[i], static_cast<double>(t.c[i]), 1e-16);
    for (int j = 0; j < t.stages; ++j) {
      EXPECT_DOUBLE_EQ(used.T[i][j], static_cast<double>(t.T[i][j]));
      EXPECT_DOUBLE_EQ(used.derivative[i][j], static_cast<double>(t.derivative[i][j]));
    }
  }
  // u(t_n + c_i h) = x_n + z_i.
  for (int i = 0; i < t.stages; ++i)
    for (int j = 0; j < t.stages; ++j) {
      double value = 0.0;
      for (int k = t.stages - 1; k >= 0; --k) value = (value + used.power[k][j]) * used.c[i];
      EXPECT_NEAR(value, i == j ? 1.0 : 0.0, 1e-12);
    }
  EXPECT_EQ(used.T[t.stages - 1][0], 1.0);
  EXPECT_EQ(used.T[t.stages - 1][2], 0.0);
}

// L-stable: the eigenvalues of A^{-1} lie on the right, and R(infinity) = 1 - b^T A^{-1} 1 = 0
// because x_{n+1} is the last stage.
TEST_P(Coefficients, HaveEigenvaluesOnTheRight) {
  const Exact t(GetParam());
  EXPECT_GT(t.gamma, 0.0L);
  long double trace = t.gamma, diagonal = 0.0L;
  for (int k = 0; k < t.pairs(); ++k) {
    EXPECT_GT(t.pair[k].real(), 0.0L);
    EXPECT_GT(t.pair[k].imag(), 0.0L);
    trace += 2 * t.pair[k].real();
  }
  for (int i = 0; i < t.stages; ++i) diagonal += t.derivative[i][i];
  EXPECT_NEAR(static_cast<double>(trace - diagonal), 0.0, 1e-15);
}

TEST_P(Coefficients, NoticeAChangedDigit) {
  Exact t(GetParam());
  t.c[0] += 1e-14L;
  EXPECT_GT(quadrature_defect(t), 1e-17L);
  EXPECT_GT(collocation_defect(t), 1e-14L);
  t = Exact(GetParam());
  t.pair[0] += 1e-13L;
  EXPECT_GT(transformation_defect(t), 1e-15L);
  t = Exact(GetParam());
  t.T_inverse[1][1] += 1e-12L;
  EXPECT_GT(transformation_defect(t), 1e-15L);
}

INSTANTIATE_TEST_SUITE_P(Stages, Coefficients, ::testing::Values(3, 5, 7));

// c = (4 -+ sqrt 6) / 10, 1; gamma, alpha, beta as printed by Hairer, Wanner (1996), (IV.8.8).
TEST(CoefficientsOfThreeStages, AreThePublishedOnes) {
  const Exact t(3);
  const long double root = std::sqrt(6.0L), b = std::cbrt(3.0L);
  EXPECT_NEAR(static_cast<double>(t.c[0] - (4 - root) / 10), 0.0, 1e-18);
  EXPECT_NEAR(static_cast<double>(t.c[1] - (4 + root) / 10), 0.0, 1e-18);
  EXPECT_NEAR(static_cast<double>(t.gamma - (3 + b * b - b)), 0.0, 1e-17);
  EXPECT_NEAR(static_cast<double>(t.gamma), 3.6378342527444957, 1e-15);
  EXPECT_NEAR(static_cast<double>(t.pair[0].real()), 2.6810828736277521, 1e-15);
  EXPECT_NEAR(static_cast<double>(t.pair[0].imag()), 3.0504301992474105, 1e-15);
}

}  // namespace
}  // namespace daedalus::radau_coefficients_test
