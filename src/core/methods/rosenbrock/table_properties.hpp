// SPDX-License-Identifier: BSD-3-Clause
// What the engine of linearly implicit methods reads off their tables.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "kernel/rosenbrock_table.hpp"

namespace daedalus {

// The last stage corrects the solution at the end of the step: what it leaves is its residual.
inline bool ends_with_correction(const RosenbrockCoefficients& table) {
  constexpr double digits = 1e-9;  // of printed tables
  const int last = table.step_stages() - 1;
  const auto differ = [](double a, double b) {
    return std::abs(a - b) > digits * (1.0 + std::abs(a));
  };
  for (int j = 0; j < last; ++j)
    if (differ(table.weights[j], table.a[last * table.stages + j])) return false;
  return !differ(table.weights[last], 1.0) && !differ(table.abscissae[last], 1.0) &&
         !differ(table.time_weights[last], 0.0);
}

// What weights make of an error delta = 1 that an algebraic variable has already at the beginning
// of a step, whatever h: u_i = -(delta + sum_j a_ij u_j) where M has no part.
inline double of_inherited(const RosenbrockCoefficients& table, const double* weights) {
  std::vector<double> u(static_cast<std::size_t>(table.stages));
  double share = 0.0;
  for (int i = 0; i < table.step_stages(); ++i) {
    double sum = 1.0;
    for (int j = 0; j < i; ++j)
      sum += table.a[i * table.stages + j] * u[static_cast<std::size_t>(j)];
    u[static_cast<std::size_t>(i)] = -sum;
    share -= weights[i] * sum;
  }
  return share;
}

// Its share in the estimate, R(infinity) - Rhat(infinity), Steinebach (1988), theorem 6.20; and at
// the end of the step, R(infinity).
inline double inherited_share(const RosenbrockCoefficients& table) {
  return of_inherited(table, table.error);
}
inline double kept_share(const RosenbrockCoefficients& table) {
  return 1.0 + of_inherited(table, table.weights);
}

// One step of length 1 on y' = t^k.
inline bool vanishes_on_quadratures(const RosenbrockCoefficients& table, int max_power) {
  // Printed coefficients have 12 digits or more.
  constexpr double round_off = 1e-11;
  const int s = table.stages;
  std::array<double, max_rosenbrock_stages> u{};
  for (int k = 1; k <= max_power; ++k) {
    double estimate = 0.0;
    for (int i = 0; i < s; ++i) {
      double sum = std::pow(table.abscissae[i], k) + (k == 1 ? table.time_weights[i] : 0.0);
      for (int j = 0; j < i; ++j) sum += table.c[i * s + j] * u[static_cast<std::size_t>(j)];
      u[static_cast<std::size_t>(i)] = table.gamma * sum;
      estimate += table.error[i] * u[static_cast<std::size_t>(i)];
    }
    if (std::abs(estimate) > round_off) return false;
  }
  return true;
}

}  // namespace daedalus
