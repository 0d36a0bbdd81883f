// SPDX-License-Identifier: BSD-3-Clause
// Runs backwards follow what the run forwards did: its steps, and the branches it took.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adjoint/functionals.hpp"
#include "sensitivity/problems.hpp"

namespace daedalus::sensitivity_test {
namespace {

// The adjoint variable is smooth and its steps are long; what the parameter does is fast.
TEST(GradientBackwards, IntegralsFollowWhatTheRunForwardsResolved) {
  MassMatrixProblem p;
  p.rhs = autodiff([](const auto& x, auto& f) {
    using std::sin;
    f[0] = -x.y[0] + x.p[0] * sin(x.p[1] * x.t);
  });
  p.y0 = Eigen::VectorXd::Zero(1);
  p.index = 0;
  p.variables = {"y"};
  p.parameters = {{"a", 1.0}, {"w", 60.0}};
  const Functional f = at_end("y", autodiff([](const auto& x, auto& J) { J[0] = x.y[0]; }));
  const double T = 3.0, w = 60.0, d = 1.0 + w * w;
  using std::cos, std::exp, std::sin;
  const double value = (sin(w * T) - w * cos(w * T) + w * exp(-T)) / d;
  const double by_w =
      (T * cos(w * T) - cos(w * T) + w * T * sin(w * T) + exp(-T)) / d - 2.0 * w / d * value;
  for (const double rtol : {1e-4, 1e-6}) {
    const Gradient g =
        adjoint(p, {0.0, T}, {f}, tolerances("bdf", rtol),
                {.parameters = {"*"}, .start_values = {}, .way = GradientWay::adjoint});
    ASSERT_TRUE(g.ok()) << g.message();
    const double largest = std::max(std::abs(value), std::abs(w * by_w));
    EXPECT_NEAR(g("y", "a"), value, 100.0 * rtol * largest) << rtol;
    EXPECT_NEAR(w * g("y", "w"), w * by_w, 100.0 * rtol * largest) << rtol;
  }
}

TEST(GradientBackwards, AParameterMayEnterAnEquationLater) {
  const Functional f = at_end("y1", autodiff([](const auto& x, auto& J) { J[0] = x.y[0]; }));
  const Gradient g =
      adjoint(late_parameter(), {0.0, 2.0}, {f}, tolerances("bdf", 1e-8),
              {.parameters = {"*"}, .start_values = {}, .way = GradientWay::adjoint});
  ASSERT_TRUE(g.ok()) << g.message();
  EXPECT_NEAR(g("y1", "early"), -std::exp(-1.1), 1e-6);
  EXPECT_NEAR(g("y1", "late"), -std::exp(-1.1), 1e-6);
  EXPECT_NEAR(g("y1", "other"), 0.0, 1e-12);
}

}  // namespace
}  // namespace daedalus::sensitivity_test
