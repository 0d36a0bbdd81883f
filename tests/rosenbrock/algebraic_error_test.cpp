// SPDX-License-Identifier: BSD-3-Clause
// Errors of algebraic variables in methods that keep a share of them from step to step: solution
// and embedded solution both extrapolate nonlinear equations, and their difference may be a
// hundredth of the error. What the equations say at the end of the step is part of the estimate.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

// y' = -y + z, 0 = z + z^3/3 + tanh(3 z) - (the same of the solution), z = 1.5 sin(3 t); between
// `from` and `to` a term in addition that vanishes on the solution.
Problem nonlinear(double from, double to) {
  SemiExplicitProblem p{.name = "nonlinear"};
  p.f = autodiff([](auto t, const auto& y, const auto& z, auto& f) {
    using std::cos, std::sin;
    f[0] = -sin(t) - (y[0] - cos(t)) + (z[0] - 1.5 * sin(3.0 * t));
  });
  p.g = autodiff([from, to](auto t, const auto& y, const auto& z, auto& g) {
    using std::cos, std::sin, std::tanh;
    const auto s = 1.5 * sin(3.0 * t);
    g[0] =
        z[0] + z[0] * z[0] * z[0] / 3.0 + tanh(3.0 * z[0]) - (s + s * s * s / 3.0 + tanh(3.0 * s));
    if (t > from && t < to) g[0] += 2.0 * (y[0] - cos(t)) + 0.5 * (z[0] - s);
  });
  p.y0 = Eigen::VectorXd::Ones(1);
  p.z0 = Eigen::VectorXd::Zero(1);
  return p;
}

double worst(const Solution& s, double tolerance) {
  double largest = 0.0;
  for (std::size_t k = 0; k < s.times().size(); ++k) {
    const double t = s.times()[k], z = 1.5 * std::sin(3.0 * t);
    const double error = std::max(std::abs(s.state(k).y()[0] - std::cos(t)) / (1.0 + std::cos(t)),
                                  std::abs(s.state(k).y()[1] - z) / (1.0 + std::abs(z)));
    largest = std::max(largest, error / tolerance);
  }
  return largest;
}

// Thirty tolerances in a step are let pass, and some steps of a stretch that is as hard add up.
TEST(AlgebraicError, IsWhatTheEquationsSay) {
  for (const char* method : {"dae4sf", "dae4sf-1988"})
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6})
      for (const bool hidden : {false, true}) {
        Options o{.method = method, .rtol = tolerance, .atol = tolerance};
        o.output = Output::steps;
        const Solution s =
            solve(hidden ? nonlinear(1.0, 1.03) : nonlinear(9.0, 9.0), {0.0, 3.0}, o);
        ASSERT_TRUE(s.ok()) << s.message();
        EXPECT_LT(worst(s, tolerance), 300.0) << method << ' ' << tolerance << ' ' << hidden;
      }
}

}  // namespace
}  // namespace daedalus
