// Coefficient functions of SO(3) against long double series and closed forms, exp and log at the
// sizes where their formulas change, and exactness of T for dual numbers at zero.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include <daedalus/lie/so3.hpp>

namespace daedalus {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// sum of (-1)^k u^k / (2k + m)!: no cancellation worth mentioning in long double for u <= pi^2.
long double series(long double u, int m) {
  long double term = 1.0L;
  for (int i = 2; i <= m; ++i) term /= i;
  long double sum = term;
  for (int k = 1; k < 40; ++k) {
    term *= -u / (static_cast<long double>(2 * k + m - 1) * (2 * k + m));
    sum += term;
  }
  return sum;
}
// (1 - (a/2) cot(a/2)) / a^2 = (S/2 - C') ... in terms of the series: with s = sin a / a and
// c = (1 - cos a) / a^2, (a/2) cot(a/2) = s / (2 c), hence e = (1 - s / (2 c)) / u; near zero both
// cancel, so the difference 2 c - s = sum of (-1)^k u^k (2/(2k+2)! - 1/(2k+1)!) is summed as such.
long double cotangent_series(long double u) {
  long double factorial = 1.0L, power = 1.0L, sum = 0.0L;  // (2k + 1)!, u^(k-1)
  for (int k = 1; k < 40; ++k) {
    factorial *= static_cast<long double>(2 * k) * (2 * k + 1);
    const long double term = power * (2.0L / (2 * k + 2) - 1.0L) / factorial;
    sum += k % 2 == 1 ? -term : term;
    power *= u;
  }
  return sum / (2.0L * series(u, 2));
}

struct Coefficient {
  const char* name;
  double (*computed)(double u);
  long double (*exact)(long double u);
};
const Coefficient coefficients[] = {
    {"sine quotient", [](double u) { return so3::sine_quotient(u); },
     [](long double u) { return series(u, 1); }},
    {"cosine quotient", [](double u) { return so3::cosine_quotient(u); },
     [](long double u) { return series(u, 2); }},
    {"cubic quotient", [](double u) { return so3::cubic_quotient(u); },
     [](long double u) { return series(u, 3); }},
    {"cotangent quotient", [](double u) { return so3::cotangent_quotient(u); },
     [](long double u) { return cotangent_series(u); }},
};

TEST(RotationCoefficients, AreExactTo14DigitsOnALogarithmicGrid) {
  constexpr int points = 2000;
  for (const Coefficient& c : coefficients) {
    double worst = 0.0, where = 0.0;
    for (int i = 0; i <= points; ++i) {
      const double a = 1e-16 * std::pow(EIGEN_PI / 1e-16, static_cast<double>(i) / points);
      const double u = a * a;
      const long double exact = c.exact(u);
      // Near pi the sine quotient passes through zero: there its size is that of the summands.
      const long double size =
          std::max(std::abs(exact), c.name == coefficients[0].name ? 0.1L : 0.0L);
      const double error = static_cast<double>(std::abs(c.computed(u) - exact) / size);
      if (error > worst) worst = error, where = a;
    }
    EXPECT_LT(worst, 1e-14) << c.name << " at angle " << where;
  }
}

TEST(RotationCoefficients, HaveTheirLimitsAtZero) {
  EXPECT_EQ(so3::sine_quotient(0.0), 1.0);
  EXPECT_EQ(so3::cosine_quotient(0.0), 0.5);
  EXPECT_EQ(so3::cubic_quotient(0.0), 1.0 / 6.0);
  EXPECT_EQ(so3::cotangent_quotient(0.0), 1.0 / 12.0);
}

// The reference itself is checked against closed forms where those are well conditioned.
TEST(RotationCoefficients, TheReferenceAgreesWithTheClosedForms) {
  for (const long double a : {1.0L, 2.0L, 3.0L}) {
    const long double u = a * a;
    EXPECT_LT(std::abs(series(u, 1) - std::sin(a) / a), 1e-18L);
    EXPECT_LT(std::abs(series(u, 3) - (a - std::sin(a)) / (a * a * a)), 1e-18L);
    const long double e = (1.0L - 0.5L * a / std::tan(0.5L * a)) / u;
    EXPECT_LT(std::abs(cotangent_series(u) - e), 1e-18L);
  }
}

const double sizes[] = {0.0, 1e-16, 1e-8, 1e-4, 0.4999, 0.5, 0.5001, 1.5, 2.69, 2.70, 3.0, 3.14159};

TEST(Rotations, ExpIsOrthogonalAndLogInvertsIt) {
  const Vector3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, -0.48, 0.64}, {-0.6, 0.0, -0.8}};
  for (const Vector3d& axis : axes)
    for (const double a : sizes) {
      const Vector3d w = a * axis;
      const Matrix3d R = so3::exp<double>(w);
      EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), 2e-15) << a;
      EXPECT_NEAR(R.determinant(), 1.0, 2e-15);
      EXPECT_LT((so3::log(R) - w).norm(), 1e-14 * (1.0 + a)) << a << " about " << axis.transpose();
      EXPECT_LT((R - Eigen::AngleAxisd(a, axis).toRotationMatrix()).norm(), 2e-15) << a;
    }
}

// At pi the sign of the axis is free; the rotation is what counts.
TEST(Rotations, LogAtPiGivesTheSameRotation) {
  for (const Vector3d& axis :
       {Vector3d(1, 0, 0), Vector3d(0, -0.6, 0.8), Vector3d(0.6, 0.48, 0.64)}) {
    const Matrix3d R = 2.0 * axis * axis.transpose() - Matrix3d::Identity();
    const Vector3d w = so3::log(R);
    EXPECT_NEAR(w.norm(), EIGEN_PI, 1e-12);
    EXPECT_LT((so3::exp<double>(w) - R).norm(), 1e-13);
  }
}

// d/de exp(w + e d) = exp(w) skew(T(w) d), exact derivatives on the left.
TEST(Rotations, TangentOperatorIsTheDerivativeOfExp) {
  const Vector3d axis(0.6, -0.48, 0.64), d(0.3, 0.9, -0.5);
  for (const double a : sizes) {
    const Vector3d w = a * axis;
    Eigen::Matrix<Dual4, 3, 1> dual;
    for (int i = 0; i < 3; ++i) {
      dual[i] = Dual4(w[i]);
      dual[i].d[0] = d[i];
    }
    const auto R = so3::exp<Dual4>(dual);
    Matrix3d derivative;
    for (int i = 0; i < 9; ++i) derivative(i) = R(i).d[0];
    const Vector3d rate = so3::tangent<double>(w) * d;
    const Matrix3d expected = so3::exp<double>(w) * so3::skew<double>(rate);
    EXPECT_LT((derivative - expected).norm(), 1e-14) << a;
    const Matrix3d product = so3::tangent_inverse<double>(w) * so3::tangent<double>(w);
    EXPECT_LT((product - Matrix3d::Identity()).norm(), 1e-14) << a;
  }
}

}  // namespace
}  // namespace daedalus
