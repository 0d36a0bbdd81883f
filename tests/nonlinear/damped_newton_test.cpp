// SPDX-License-Identifier: BSD-3-Clause
// The damped Newton method on scalar equations where plain Newton is known to fail.
#include "nonlinear/damped_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace daedalus::damped_newton_test {

class Scalar final : public DampedEquations {
 public:
  std::function<double(double)> f, slope;
  double x = 0.0, low = -1e300;  // below low the function rejects its argument
  int evaluations = 0;

  Outcome linearise() override {
    before_ = x;
    r_ = f(x);
    const double d = slope(x);
    if (d == 0.0) return Outcome::matrix_singular;
    dx_ = -r_ / d;
    return Outcome::ok;
  }
  double length() const override { return std::abs(dx_) / 1e-8; }
  double remainder() override { return std::abs(r_); }
  Outcome move(double damping) override {
    x = before_ + damping * dx_;
    if (x < low) return Outcome::callback_rejected;
    ++evaluations;
    r_ = f(x);
    return Outcome::ok;
  }

 private:
  double before_ = 0.0, dx_ = 0.0, r_ = 0.0;
};

Scalar arctangent(double x) {
  Scalar s;
  s.f = [](double v) { return std::atan(v); };
  s.slope = [](double v) { return 1.0 / (1.0 + v * v); };
  s.x = x;
  return s;
}

// Plain Newton for atan diverges from |x| > 1.39.
TEST(DampedNewton, FindsRootsThatPlainNewtonMisses) {
  Scalar plain = arctangent(10.0);
  double x = 10.0;
  for (int k = 0; k < 4; ++k) x -= std::atan(x) * (1.0 + x * x);
  EXPECT_GT(std::abs(x), 1e3);
  const DampedResult r = damped_newton(plain, {});
  EXPECT_EQ(r.outcome, Outcome::ok);
  EXPECT_LT(std::abs(plain.x), 1e-14);
  EXPECT_GT(r.longest, 1e8);
}

TEST(DampedNewton, ConvergesQuadraticallyNearby) {
  Scalar s;
  s.f = [](double v) { return v * v - 2.0; };
  s.slope = [](double v) { return 2.0 * v; };
  s.x = 1.5;
  const DampedResult r = damped_newton(s, {});
  EXPECT_EQ(r.outcome, Outcome::ok);
  EXPECT_LE(r.iterations, 5);  // errors 9e-2, 2e-3, 2e-6, 2e-12, 0
  EXPECT_NEAR(s.x, std::sqrt(2.0), 1e-15);
}

// v^2 + 1 has no root: every correction ends at the smallest value or runs out.
TEST(DampedNewton, SaysThatNothingHelps) {
  Scalar s;
  s.f = [](double v) { return v * v + 1.0; };
  s.slope = [](double v) { return 2.0 * v; };
  s.x = 0.3;
  const DampedResult r = damped_newton(s, {});
  EXPECT_NE(r.outcome, Outcome::ok);
  EXPECT_GE(s.f(s.x), 1.0);
}

TEST(DampedNewton, StepsBackFromWhereTheFunctionRejects) {
  Scalar s;
  s.f = [](double v) { return std::log(v); };
  s.slope = [](double v) { return 1.0 / v; };
  s.low = 0.0;
  s.x = 20.0;  // the full correction leads to -40
  EXPECT_EQ(damped_newton(s, {}).outcome, Outcome::ok);
  EXPECT_NEAR(s.x, 1.0, 1e-14);
}

TEST(DampedNewton, SingularMatricesAndLimitsEndIt) {
  Scalar flat;
  flat.f = [](double) { return 1.0; };
  flat.slope = [](double) { return 0.0; };
  EXPECT_EQ(damped_newton(flat, {}).outcome, Outcome::matrix_singular);
  Scalar slow;  // a root of order 20: corrections fall by 19/20
  slow.f = [](double v) { return std::pow(v, 20); };
  slow.slope = [](double v) { return 20.0 * std::pow(v, 19); };
  slow.x = 1.0;
  const DampedResult r = damped_newton(slow, {.max_iterations = 10});
  EXPECT_EQ(r.outcome, Outcome::newton_failed);
  EXPECT_EQ(r.iterations, 10);
  EXPECT_FALSE(r.stuck);
}

}  // namespace daedalus::damped_newton_test
