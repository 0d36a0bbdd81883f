// SPDX-License-Identifier: BSD-3-Clause
// Small problems with formulas for the tests of the loop.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <initializer_list>

#include <daedalus/autodiff.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::loop_test {

inline Eigen::VectorXd vector(std::initializer_list<double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.begin(), static_cast<Eigen::Index>(v.size()));
}

// y' = -y, y(0) = 1.
inline Problem decay() {
  return MassMatrixProblem{
      .name = "decay",
      .rhs = autodiff([](const auto&, const auto& y, auto& f) { f[0] = -y[0]; }),
      .y0 = vector({1.0}),
      .index = 0,
      .variables = {"y"}};
}

// (sin t, cos t).
inline Problem oscillator() {
  return MassMatrixProblem{.name = "oscillator",
                           .rhs = autodiff([](const auto&, const auto& y, auto& f) {
                             f[0] = y[1];
                             f[1] = -y[0];
                           }),
                           .y0 = vector({0.0, 1.0}),
                           .index = 0,
                           .variables = {"sine", "cosine"}};
}

// y' = modes[0] = 1, y(0) = 0: every method is exact, any step is accepted.
inline Problem ramp() {
  return MassMatrixProblem{
      .name = "ramp",
      .rhs = autodiff([](const auto& x, auto& f) { f[0] = x.modes[0] + 0.0 * x.y[0]; }),
      .y0 = vector({0.0}),
      .index = 0,
      .variables = {"y"},
      .modes = {1.0}};
}

// Van der Pol's oscillator, mild: rejections and changing steps.
inline Problem relaxation() {
  return MassMatrixProblem{.name = "relaxation",
                           .rhs = autodiff([](const auto&, const auto& y, auto& f) {
                             f[0] = y[1];
                             f[1] = 20.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
                           }),
                           .y0 = vector({2.0, 0.0}),
                           .index = 0,
                           .variables = {"position", "velocity"}};
}

}  // namespace daedalus::loop_test
