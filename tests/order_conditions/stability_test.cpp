// SPDX-License-Identifier: BSD-3-Clause
// Stability functions against closed forms, an independent linear solve and published values.
#include "lab/stability_function.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <vector>

#include "tables.hpp"

namespace daedalus::analysis::stability_test {
namespace {

using Complex = std::complex<double>;

struct Claim {
  const char* name;
  RosenbrockScheme scheme;
  double r_infinity;
  double tolerance;  // 1e-12 for fractions and zero, else half a unit of the published digits
  double max_on_axis;
  bool a_stable;
};

std::vector<Claim> claims() {
  using namespace tables;
  return {{"dae3s", dae3s, 13.0 / 48, 1e-12, 1, true},
          {"dae4sf", dae4sf, 1.0 / 3, 1e-12, 1, true},
          {"dae4sf_printed", dae4sf_printed, 1.0 / 3, 1e-12, 1, true},
          {"rodas3", rodas3, 0, 1e-12, 1, true},
          {"rodas3p", rodas3p, 0, 1e-12, 1, true},
          {"ros34pw2", ros34pw2, 0, 1e-12, 1, true},
          {"rodas4", rodas4, 0, 1e-12, 1, true},
          {"rodas4pw", rodas4pw, 0, 1e-12, 1, true},
          {"rodas5p", rodas5p, 0, 1e-12, 1, true},
          {"rodas6p", rodas6p, 0, 1e-12, 1, true},
          {"grk4t", grk4t, 0.45, 0.005, 1.028214675269, false}};
}

TEST(StabilityFunction, PublishedValues) {
  for (const auto& claim : claims()) {
    const auto scan = scan_stability(StabilityFunction(claim.scheme, Weights::main));
    EXPECT_NEAR(scan.r_infinity, claim.r_infinity, claim.tolerance) << claim.name;
    // The published maximum is taken on a grid, ours between grid points too: larger by up to 1e-7.
    EXPECT_GE(scan.max_on_axis, claim.max_on_axis) << claim.name;
    EXPECT_LE(scan.max_on_axis, claim.max_on_axis + 1e-7) << claim.name;
    EXPECT_EQ(scan.a_stable, claim.a_stable) << claim.name;
    EXPECT_EQ(scan.l_stable, claim.a_stable && claim.r_infinity == 0) << claim.name;
  }
}

TEST(StabilityFunction, EmbeddedValuesAtInfinity) {
  const auto embedded = [](const RosenbrockScheme& scheme) {
    return StabilityFunction(scheme, Weights::embedded).at_infinity();
  };
  EXPECT_NEAR(embedded(tables::dae3s), 8149.0 / 24064, 1e-12);
  EXPECT_NEAR(embedded(tables::dae4sf), 1.0 / 3, 1e-12);
  EXPECT_NEAR(embedded(tables::dae3ns), 0, 1e-12);
  EXPECT_NEAR(embedded(tables::dae33ns), 0, 1e-12);
  EXPECT_NEAR(embedded(tables::dae34ns), 0, 1e-12);
}

// Approach B: R(infinity) = 0 is the claim, A-stability never.
TEST(StabilityFunction, ExplicitInY) {
  for (const RosenbrockScheme& scheme :
       {RosenbrockScheme(tables::dae3ns), RosenbrockScheme(tables::dae33ns),
        RosenbrockScheme(tables::dae34ns)}) {
    const auto scan = scan_stability(StabilityFunction(scheme, Weights::main));
    EXPECT_NEAR(scan.r_infinity, 0, 1e-12);
    EXPECT_FALSE(scan.a_stable);
  }
}

// The misprint 17/27 for gamma~_31 leaves all orders alone and ruins R(infinity): -17/18.
TEST(StabilityFunction, TellsTheMisprintInDae3ns) {
  auto table = tables::dae3ns;
  table.gamma_ij[2][0] = 17.0 / 81;
  const RosenbrockScheme scheme(table);
  EXPECT_EQ(attained_order(scheme, Weights::main).convergence(), 3);
  EXPECT_NEAR(StabilityFunction(scheme, Weights::main).at_infinity(), -17.0 / 18, 1e-12);
}

// Steinebach (1988), section 7.2: R = 1 + w + w^2/10 - 11/150 w^3 and 1 + w - w^3/12 + w^4/24.
TEST(StabilityFunction, MomentsOfSteinebach) {
  const StabilityFunction dae3s(tables::dae3s, Weights::main);
  const StabilityFunction dae4sf(tables::dae4sf, Weights::main);
  const std::vector<double> three{1, 0.1, -11.0 / 150}, five{1, 0, -1.0 / 12, 1.0 / 24, 0};
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(dae3s.moments()[j], three[j], 1e-14);
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(dae4sf.moments()[j], five[j], 1e-14);
}

Complex by_linear_solve(const RosenbrockScheme& scheme, Complex z) {
  const int s = scheme.stages;
  Eigen::MatrixXcd matrix = Eigen::MatrixXcd::Identity(s, s);
  Eigen::RowVectorXcd mu(s);
  for (int i = 0; i < s; ++i) {
    mu(i) = static_cast<double>(scheme.mu[i]);
    for (int j = 0; j < s; ++j) {
      matrix(i, j) -= z * static_cast<double>(scheme.alpha[i * s + j] + scheme.gamma[i * s + j]);
    }
  }
  return 1.0 + z * (mu * matrix.partialPivLu().solve(Eigen::VectorXcd::Ones(s)))(0);
}

TEST(StabilityFunction, AgreesWithALinearSolveAndWithItsNumerator) {
  const RosenbrockScheme scheme(tables::rodas4);
  const StabilityFunction function(scheme, Weights::main);
  const auto p = function.numerator();
  ASSERT_EQ(p.size(), 7u);
  for (const Complex z : {Complex(-0.3, 0.2), Complex(0, 2), Complex(-5, 7), Complex(1.5, -1)}) {
    EXPECT_LT(std::abs(function(z) - by_linear_solve(scheme, z)), 1e-12) << z;
    Complex numerator = 0;
    for (auto c = p.rbegin(); c != p.rend(); ++c) numerator = numerator * z + *c;
    EXPECT_LT(std::abs(numerator / std::pow(1.0 - 0.25 * z, 6) - function(z)), 1e-12) << z;
  }
  EXPECT_NEAR(p[6], 0, 1e-14);  // R(infinity) = 0: the degree drops
}

TEST(StabilityFunction, ApproximatesTheExponentialToItsOrder) {
  const auto error = [](const RosenbrockScheme& scheme, double z) {
    return std::abs(StabilityFunction(scheme, Weights::main)(z) - std::exp(z));
  };
  // 32 = 2^5: order 4 leaves z^5; 16 = 2^4: order 3 leaves z^4.
  EXPECT_NEAR(error(tables::rodas4, -0.02) / error(tables::rodas4, -0.01), 32, 1.5);
  EXPECT_NEAR(error(tables::dae3s, -0.02) / error(tables::dae3s, -0.01), 16, 0.8);
}

// One stage, weight one: R = (1 + (1 - gamma) z) / (1 - gamma z), A-stable just for gamma >= 1/2.
RosenbrockScheme one_stage(double gamma) {
  RosenbrockScheme scheme;
  scheme.stages = 1;
  scheme.alpha = {Quadruple(0)};
  scheme.gamma = {Quadruple(gamma)};
  scheme.mu = scheme.mu_hat = {Quadruple(1)};
  return scheme;
}

TEST(StabilityFunction, OneStageHasTheKnownBorder) {
  const auto scan = [](double gamma) {
    return scan_stability(StabilityFunction(one_stage(gamma), Weights::main));
  };
  EXPECT_TRUE(scan(1).l_stable);
  EXPECT_TRUE(scan(0.5).a_stable);
  EXPECT_FALSE(scan(0.5).l_stable);
  EXPECT_FALSE(scan(0.499).a_stable);
  EXPECT_FALSE(scan(-1).a_stable);
  EXPECT_NEAR(scan(0.4).r_infinity, -1.5, 1e-14);
  EXPECT_NEAR(scan(0.4).max_on_axis, 1.5, 1e-9);
}

}  // namespace
}  // namespace daedalus::analysis::stability_test
