// SPDX-License-Identifier: BSD-3-Clause
// Problems and runs shared by the tests of the linearly implicit methods.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <daedalus/autodiff.hpp>
#include <daedalus/method.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::rosenbrock_test {

inline Eigen::VectorXd vec(std::initializer_list<double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.begin(), static_cast<Eigen::Index>(v.size()));
}

// Steinebach (1988), example 1: y' = z, 0 = y^2 + z^2 - 1; y = sin t, z = cos t; g_z = 2 z vanishes
// at pi/2.
inline SemiExplicitProblem circle() {
  SemiExplicitProblem p;
  p.name = "circle";
  p.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = z[0]; });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = y[0] * y[0] + z[0] * z[0] - 1.0;
  });
  p.y0 = vec({0.0});
  p.z0 = vec({1.0});
  return p;
}

// Steinebach (1988), example 2: y = (exp(-3t), exp(-t)), z = -6.
inline SemiExplicitProblem decay() {
  SemiExplicitProblem p;
  p.name = "decay";
  p.f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
    f[0] = 0.5 * z[0] * y[1] * y[1] * y[1];
    f[1] = y[1] * z[0] / 6.0;
  });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = z[0] + 6.0 * y[0] / (y[1] * y[1] * y[1]);
  });
  p.y0 = vec({1.0, 1.0});
  p.z0 = vec({-6.0});
  return p;
}

// Steinebach (1988), example 3: y = (sin t, exp(-t/2)), z = (cos t, exp(-2t)).
inline SemiExplicitProblem example_three() {
  SemiExplicitProblem p;
  p.name = "example 3";
  p.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) {
    using std::sqrt;
    f[0] = z[0];
    f[1] = -0.5 * sqrt(sqrt(z[1]));
  });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    const auto square = y[1] * y[1];
    const auto fourth = square * square;
    g[0] = y[0] * y[0] + z[0] * z[0] - fourth / z[1];
    g[1] = z[1] - fourth;
  });
  p.y0 = vec({0.0, 1.0});
  p.z0 = vec({1.0, 1.0});
  return p;
}

// Nonlinear in everything, without special structure; g_z stays regular on [0, 1].
inline SemiExplicitProblem generic() {
  SemiExplicitProblem p;
  p.name = "generic";
  p.f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
    using std::sin;
    f[0] = y[1] * z[0] - 0.5 * y[0] * z[1];
    f[1] = -y[0] * z[0] + 0.5 * sin(z[1]) * y[1];
  });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    using std::cos, std::sin;
    g[0] = z[0] + 0.25 * sin(z[0] + z[1]) - y[0] * y[1];
    g[1] = z[1] + 0.25 * z[0] * z[0] - cos(y[0]) + y[1] * y[1];
  });
  p.y0 = vec({1.0, 0.5});
  p.z0 = vec({0.5, 0.3});
  return p;
}

// y' = z1, 0 = z1 - cos t, 0 = (2 + sin 3t) z2 - y with time in the algebraic equations:
// y = sin t, z = (cos t, sin t / (2 + sin 3t)).
inline SemiExplicitProblem time_dependent() {
  SemiExplicitProblem p;
  p.name = "time in g";
  p.f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::sin;
    f[0] = z[0] + 0.5 * (y[0] - sin(t));
  });
  p.g = autodiff([](const auto& t, const auto& y, const auto& z, auto& g) {
    using std::cos, std::sin;
    g[0] = z[0] - cos(t);
    g[1] = (2.0 + sin(3.0 * t)) * z[1] - y[0];
  });
  p.y0 = vec({0.0});
  p.z0 = vec({1.0, 0.0});
  return p;
}
inline Eigen::VectorXd exact_time_dependent(double t) {
  return vec({std::sin(t), std::cos(t), std::sin(t) / (2.0 + std::sin(3.0 * t))});
}

inline std::vector<const Method*> family() {
  std::vector<const Method*> list;
  for (const Method* m : all_methods())
    if (m->family == "rosenbrock") list.push_back(m);
  return list;
}

inline Options with_tolerance(const std::string& method, double tolerance) {
  return {.method = method, .rtol = tolerance, .atol = tolerance, .output = Output::end};
}

}  // namespace daedalus::rosenbrock_test
