// SPDX-License-Identifier: BSD-3-Clause
// Which matrices serve for how long.
#include "nonlinear/matrix_reuse.hpp"

#include <gtest/gtest.h>

namespace daedalus::matrix_reuse_test {

MatrixReuse formed(const ReuseSettings& s, double alpha = 10.0, bool here = false) {
  MatrixReuse r(s);
  EXPECT_FALSE(r.jacobian_serves());
  r.linearised(here);
  r.factorised(alpha);
  return r;
}

TEST(MatrixReuse, AfterAStartOrAnEventNothingServes) {
  MatrixReuse r = formed({});
  EXPECT_TRUE(r.jacobian_serves());
  EXPECT_TRUE(r.factors_serve(10.0, true));
  r.forget();
  EXPECT_FALSE(r.jacobian_serves());
  EXPECT_FALSE(r.factors_serve(10.0, false));
}

TEST(MatrixReuse, FactorsServeNearTheirAlpha) {
  const MatrixReuse r = formed({.alpha_range = 0.02});
  EXPECT_TRUE(r.factors_serve(10.19, false));
  EXPECT_FALSE(r.factors_serve(10.21, false));
  EXPECT_FALSE(r.factors_serve(10.19, true));
  // Rounding of the grid, only where it is asked for: unstable kernels show it (Tischendorf R4).
  const double rounded = 10.0 * (1.0 + 1e-12);
  EXPECT_TRUE(formed({.alpha_range = 1e-10}).factors_serve(rounded, true));
  EXPECT_FALSE(formed({}).factors_serve(rounded, true));
  EXPECT_FALSE(formed({}).factors_serve(10.0001, false));
}

TEST(MatrixReuse, RatesCarryOverToSimilarSteps) {
  const MatrixReuse r = formed({});
  EXPECT_TRUE(r.rates_carry_over(7.0));
  EXPECT_FALSE(r.rates_carry_over(5.0));  // a step twice as long
}

TEST(MatrixReuse, ASlowStepAsksForANewJacobian) {
  MatrixReuse r = formed({.slow_rate = 0.3, .alpha_range = 0.1});
  r.converged(10.0, 0.2, 1.0);
  EXPECT_TRUE(r.jacobian_serves());
  r.converged(10.0, 0.4, 1.0);
  EXPECT_FALSE(r.jacobian_serves());
  // With factors of another alpha the Jacobian may be innocent.
  MatrixReuse other = formed({.slow_rate = 0.3, .alpha_range = 0.1});
  other.converged(10.5, 0.4, 1.0);
  EXPECT_TRUE(other.jacobian_serves());
  // ... unless the matrix is formed as a whole.
  MatrixReuse whole = formed({.slow_rate = 0.3, .alpha_range = 0.1, .whole = true});
  whole.converged(10.5, 0.4, 1.0);
  EXPECT_FALSE(whole.jacobian_serves());
  MatrixReuse harmless = formed({.slow_rate = 0.3, .harmless = 1e-3});
  harmless.converged(10.0, 0.4, 1e-4);
  EXPECT_TRUE(harmless.jacobian_serves());
}

TEST(MatrixReuse, AfterAFailureFirstTheFactorsThenTheJacobian) {
  MatrixReuse r = formed({.alpha_range = 0.1});
  r.failed(10.5);  // the factors are of another alpha
  EXPECT_TRUE(r.jacobian_serves());
  EXPECT_FALSE(r.factors_serve(10.5, true));
  r.factorised(10.5);
  r.failed(10.5);
  EXPECT_FALSE(r.jacobian_serves());
}

TEST(MatrixReuse, AtThePointOfTheStepANewOneWouldBeTheSame) {
  MatrixReuse r = formed({}, 10.0, true);
  r.failed(10.0);
  EXPECT_TRUE(r.jacobian_serves());
  r.converged(10.0, 0.9, 1.0);
  EXPECT_TRUE(r.jacobian_serves());
  r.accepted();  // the point moved on: now it is slow
  EXPECT_FALSE(r.jacobian_serves());
}

TEST(MatrixReuse, AgeCountsAcceptedSteps) {
  MatrixReuse r = formed({});
  r.accepted();
  r.accepted();
  EXPECT_EQ(r.age(), 2);
  r.linearised(false);
  EXPECT_EQ(r.age(), 0);
}

TEST(MatrixReuse, ASingularMatrixTakesItsJacobianWithIt) {
  MatrixReuse r = formed({});
  r.factorisation_failed();
  EXPECT_FALSE(r.jacobian_serves());
}

}  // namespace daedalus::matrix_reuse_test
