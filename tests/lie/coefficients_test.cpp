// SPDX-License-Identifier: BSD-3-Clause
// Coefficient functions of rotations and their derivatives against long double series, on angles
// from 1e-16 to pi, and against closed forms beyond.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <daedalus/lie/coefficients.hpp>

namespace daedalus::lie_coefficients_test {
namespace {

using Number = Dual<double, 1>;

// The derivative of the given order of sum_k (-u)^k / (2k + m)!, term by term: every term is exact
// to 1e-19 and the largest is at most a hundred times the sum for u <= pi^2.
long double phi(long double u, int m, int order) {
  long double sum = 0.0L, power = 1.0L;
  for (int k = order; k < 40; ++k) {
    long double term = k % 2 == 0 ? power : -power;
    for (int i = 2; i <= 2 * k + m; ++i) term /= i;
    for (int i = 0; i < order; ++i) term *= k - i;
    sum += term;
    power *= u;
  }
  return sum;
}
// sum over all poles, 2 sum_n 1 / ((2 pi n)^2 - u): every term is positive. The rest of the sum
// over n > 2000 is replaced by its integral (midpoint rule, error n^-4 relative to it).
long double kappa(long double u, int order) {
  constexpr long double pi = 3.141592653589793238462643383279502884L;
  constexpr int poles = 2000;
  long double sum = 0.0L;
  for (int n = poles; n > 0; --n) {
    const long double d = 1.0L / (4 * pi * pi * n * n - u);
    sum += order == 0 ? 2 * d : order == 1 ? 2 * d * d : 4 * d * d * d;
  }
  const long double p = 2 * pi, tail = poles + 0.5L;
  // Integrals of the expansion 2 / (p n)^2 + 2 u / (p n)^4 + 2 u^2 / (p n)^6 and its derivatives,
  // with the first correction of the midpoint rule.
  if (order == 0)
    return sum + 2 / (p * p) * (1 / tail - 1 / (12 * tail * tail * tail)) +
           2 * u / (3 * p * p * p * p * tail * tail * tail);
  if (order == 1) return sum + 2 / (3 * p * p * p * p * tail * tail * tail);
  return sum;
}

struct Coefficient {
  const char* name;
  double (*computed)(double u);
  long double (*exact)(long double u);
  double floor;  // errors are relative to the value, or to this where the function has a zero
};
const Coefficient coefficients[] = {
    {"phi_0", [](double u) { return lie::entire<0>(u); },
     [](long double u) { return phi(u, 0, 0); }, 0.5},
    {"phi_1", [](double u) { return lie::sine_quotient(u); },
     [](long double u) { return phi(u, 1, 0); }, 0.5},
    {"phi_2", [](double u) { return lie::cosine_quotient(u); },
     [](long double u) { return phi(u, 2, 0); }, 0.0},
    {"phi_3", [](double u) { return lie::cubic_quotient(u); },
     [](long double u) { return phi(u, 3, 0); }, 0.0},
    {"phi_2'", [](double u) { return lie::entire<2, 1>(u); },
     [](long double u) { return phi(u, 2, 1); }, 0.0},
    {"phi_3'", [](double u) { return lie::entire<3, 1>(u); },
     [](long double u) { return phi(u, 3, 1); }, 0.0},
    {"phi_2''", [](double u) { return lie::entire<2, 1>(Number(u, {1.0})).d[0]; },
     [](long double u) { return phi(u, 2, 2); }, 0.0},
    {"phi_3''", [](double u) { return lie::entire<3, 1>(Number(u, {1.0})).d[0]; },
     [](long double u) { return phi(u, 3, 2); }, 0.0},
    {"kappa", [](double u) { return lie::cotangent_quotient(u); },
     [](long double u) { return kappa(u, 0); }, 0.0},
    {"kappa'", [](double u) { return lie::cotangent_quotient<1>(u); },
     [](long double u) { return kappa(u, 1); }, 0.0},
    {"kappa''", [](double u) { return lie::cotangent_quotient<1>(Number(u, {1.0})).d[0]; },
     [](long double u) { return kappa(u, 2); }, 0.0},
};

TEST(RotationCoefficients, AreExactTo14DigitsOnALogarithmicGrid) {
  constexpr int points = 300;
  for (const Coefficient& c : coefficients) {
    double worst = 0.0, where = 0.0;
    const auto at = [&](double a) {
      const double u = a * a;
      const long double exact = c.exact(u);
      const long double size = std::max(std::abs(exact), static_cast<long double>(c.floor));
      const double error = static_cast<double>(std::abs(c.computed(u) - exact) / size);
      if (!(error <= worst)) worst = error, where = a;
    };
    for (int i = 0; i <= points; ++i)
      at(1e-16 * std::pow(EIGEN_PI / 1e-16, static_cast<double>(i) / points));
    for (int i = 1; i <= points; ++i) at(EIGEN_PI * i / points);  // where the formulas change
    EXPECT_LT(worst, 1e-14) << c.name << " at angle " << where;
    RecordProperty(c.name, std::to_string(worst * 1e16));
  }
}

// The closed forms, as they are printed, do not satisfy the claim: the test can tell.
TEST(RotationCoefficientsControl, TheClosedFormsCancel) {
  const double a = 0.05, u = a * a;
  const auto error = [](double value, long double exact) {
    return static_cast<double>(std::abs((value - exact) / exact));
  };
  EXPECT_GT(error((a - std::sin(a)) / (u * a), phi(u, 3, 0)), 1e-14);
  const double c = 2.0 * (1.0 - std::cos(a)) / u, s = std::sin(a) / a;
  EXPECT_GT(error(0.5 * (s - c) / u, phi(u, 2, 1)), 1e-12);
  EXPECT_GT(error(0.5 * (c / 2.0 - 3.0 * (1.0 - s) / u) / u, phi(u, 3, 1)), 1e-11);
}

TEST(RotationCoefficients, HaveTheirLimitsAtZero) {
  EXPECT_EQ(lie::sine_quotient(0.0), 1.0);
  EXPECT_EQ(lie::cosine_quotient(0.0), 0.5);
  EXPECT_EQ(lie::cubic_quotient(0.0), 1.0 / 6.0);
  EXPECT_EQ(lie::cotangent_quotient(0.0), 1.0 / 12.0);
  EXPECT_EQ((lie::entire<2, 1>(0.0)), -1.0 / 24.0);
  EXPECT_EQ((lie::entire<3, 1>(0.0)), -1.0 / 120.0);
  EXPECT_EQ(lie::cotangent_quotient<1>(0.0), 1.0 / 720.0);
}

// The references are checked against closed forms where those are well conditioned, and the
// functions beyond pi, where they are evaluated by recurrences.
TEST(RotationCoefficients, TheReferencesAgreeWithTheClosedForms) {
  for (const long double a : {1.0L, 2.0L, 3.0L}) {
    const long double u = a * a, e = (1.0L - 0.5L * a / std::tan(0.5L * a)) / u;
    EXPECT_LT(std::abs(phi(u, 1, 0) - std::sin(a) / a), 1e-18L);
    EXPECT_LT(std::abs(phi(u, 3, 0) - (a - std::sin(a)) / (a * a * a)), 1e-18L);
    EXPECT_LT(std::abs(phi(u, 3, 1) - (phi(u, 2, 0) - 3 * phi(u, 3, 0)) / (2 * u)), 1e-18L);
    EXPECT_LT(std::abs(kappa(u, 0) - e), 1e-17L);
    EXPECT_LT(std::abs(kappa(u, 1) - (e * e - phi(u, 2, 2) / phi(u, 2, 0))), 1e-17L);
  }
  for (const double a : {3.17, 4.0, 5.5}) {
    const double u = a * a;
    for (const Coefficient& c : coefficients) {
      const long double exact = c.exact(u);
      EXPECT_LT(std::abs((c.computed(u) - exact) / exact), 2e-13L) << c.name << " at " << a;
    }
  }
}

}  // namespace
}  // namespace daedalus::lie_coefficients_test
