// SPDX-License-Identifier: BSD-3-Clause
// The error estimate of first and repeated steps: Hairer and Wanner's second pass through the
// matrix, (IV.8.20), is taken where a shorter step does not help. In every such step it hid errors
// of index 2 and of stiff components: long first steps were accepted with 1e3 to 1e5 tolerances.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

using Eigen::Vector2d;

constexpr double frequency = 5.0;

// The largest error of component i over the states, in tolerances, times h^(index-1).
double worst(const Solution& s, int i, int index, double tolerance, double (*exact)(double)) {
  double largest = 0.0;
  for (std::size_t k = 1; k < s.times().size(); ++k) {
    const double t = s.times()[k], x = exact(t), h = t - s.times()[k - 1];
    const double error = std::abs(s.state(k).y()[i] - x) * std::pow(h, index - 1);
    largest = std::max(largest, error / (tolerance * (1.0 + std::abs(x))));
  }
  return largest;
}

Options from(const char* method, double tolerance, double first) {
  Options o{.method = method, .rtol = tolerance, .atol = tolerance};
  o.initial_step = first;
  o.output = Output::steps;
  return o;
}

// x_2' + x_1 = 0, x_2 = sin(w t): x_1 has index 2. The rotation mixes both where no index is given.
TEST(RadauEstimate, SeesErrorsOfIndex2InAFirstStep) {
  for (const char* method : {"radau5", "radau"}) {
    MassMatrixProblem p{.name = "differentiator"};
    Eigen::Matrix2d mass;
    mass << 0.0, 1.0, 0.0, 0.0;
    p.mass_matrix = mass.sparseView();
    p.rhs = autodiff([](auto t, const auto& x, auto& f) {
      using std::sin;
      f[0] = -x[0];
      f[1] = sin(frequency * t) - x[1];
    });
    p.variable_index = {2, 1};
    p.index = 2;
    p.y0 = Vector2d(-frequency, 0.0);
    const Solution s = solve(p, {0.0, 1.0}, from(method, 1e-8, 0.1));
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LT(worst(s, 0, 2, 1e-8, [](double t) { return -frequency * std::cos(frequency * t); }),
              100.0)
        << method;
  }
}

// y' = -1e5 (y - cos(w t)) - w sin(w t). The error of a step is h^3 y''''/80 over the rate, three
// times the estimate, which is tested against 10 tol^(2/3): some 300 tolerances of 1e-9, and below
// the thousand of a wrong answer.
TEST(RadauEstimate, SeesErrorsOfStiffComponentsInFirstAndRepeatedSteps) {
  constexpr double rate = 1e5;
  for (const double first : {0.05, 0.2, 0.5, 1.0}) {
    MassMatrixProblem p{.name = "stiff"};
    p.rhs = autodiff([](auto t, const auto& y, auto& f) {
      using std::cos, std::sin;
      f[0] = -rate * (y[0] - cos(frequency * t)) - frequency * sin(frequency * t);
    });
    p.index = 0;
    p.y0 = Eigen::VectorXd::Ones(1);
    const Solution s = solve(p, {0.0, 3.0}, from("radau5", 1e-9, first));
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LT(worst(s, 0, 1, 1e-9, [](double t) { return std::cos(frequency * t); }), 1000.0)
        << first;
  }
}

// What the second pass is for: a start far from the slow solution is not resolved.
TEST(RadauEstimate, StepsOverAFastTransient) {
  for (const char* method : {"radau5", "radau"}) {
    MassMatrixProblem p{.name = "transient"};
    p.rhs = autodiff([](auto t, const auto& y, auto& f) {
      using std::cos, std::sin;
      f[0] = -1e8 * (y[0] - cos(t)) - sin(t);
    });
    p.index = 0;
    p.y0 = Eigen::VectorXd::Constant(1, 2.0);
    Options o = from(method, 1e-6, 0.1);
    o.output = Output::end;
    const Solution s = solve(p, {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LE(s.statistics().rejected, 3) << method;
    EXPECT_LE(s.statistics().accepted, 30) << method;
    EXPECT_NEAR(s.end().y()[0], std::cos(1.0), 1e-4);
  }
}

}  // namespace
}  // namespace daedalus
