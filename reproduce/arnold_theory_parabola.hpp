// SPDX-License-Identifier: BSD-3-Clause
// Example 13 of Arnold (1998), the point mass on a parabola: reference solution and runs in any
// formulation with the noise of single precision in the constraints.
#pragma once

#include <string>
#include <vector>

#include <daedalus/solution.hpp>

namespace daedalus::experiments::theory {

// x = q1 and v1 = x' of (1 + 4 x^2) x'' = -2 x - 4 x x'^2 - mu0 |lambda| (1 + 4 x^2) sign x' at
// rising times, by the classical Runge-Kutta method with the turning points located.
struct ParabolaPoint {
  double x, v;
  double lambda() const { return (1.0 + 2.0 * v * v) / (1.0 + 4.0 * x * x); }
};
std::vector<ParabolaPoint> parabola_reference(double mu0, const std::vector<double>& times);

// q1, S v (two entries), v1, G v, lambda and the constraint's residual g of one state.
struct ParabolaParts {
  double q1, sv1, sv2, v1, gv, lambda, g = 0.0;
  static ParabolaParts of(double q1, double v1, double v2, double lambda);
  static ParabolaParts of(const ModelState& state);
};

// Largest differences.
struct ParabolaErrors {
  double q1 = 0.0, sv = 0.0, v1 = 0.0, gv = 0.0, lambda = 0.0;
  void compare(const ParabolaParts& a, const ParabolaParts& b);
};

// Implicit Euler with constant steps. Noise: position rows 30 (sin t - sin t in single precision),
// velocity rows the same with cos t, acceleration rows with sin 2t.
Solution parabola_run(const std::string& formulation, double mu0, double h, bool perturbed);

// Parts at t = 0.01 i, i = 1..500, and of the reference there; h divides 0.01.
const std::vector<ParabolaParts>& parabola_parts(const std::string& formulation, double mu0,
                                                 double h, bool perturbed);
const std::vector<ParabolaParts>& parabola_reference_parts(double mu0);
ParabolaErrors parabola_errors(const std::string& formulation, double mu0, double h,
                               bool perturbed);
// Perturbed minus unperturbed.
ParabolaErrors parabola_effect(const std::string& formulation, double mu0, double h);

}  // namespace daedalus::experiments::theory
