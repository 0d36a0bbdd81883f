// SPDX-License-Identifier: BSD-3-Clause
// Stability function of a linearly implicit method: y1 = R(h lambda) y0 for y' = lambda y.
//
// With B the strictly lower part of beta = alpha + Gamma (Steinebach 1988, section 6.3)
//   R(z) = 1 + sum_{j=1}^s w^j mu^T B^(j-1) 1,  w = z/(1 - gamma z),
// a polynomial in w, and |w| <= 1/gamma in the whole left half-plane: no large numbers at any z.
// R(infinity) = 1 - mu^T beta^-1 1. A method of order p converges on index-1 systems when
// |R(infinity)| < 1. For approach B this R(infinity) is the factor dz1/dz0; the y-part is explicit,
// so there R(z) at finite z has no meaning and no method is A-stable.
#pragma once

#include <complex>
#include <vector>

#include "lab/rosenbrock_order.hpp"

namespace daedalus::analysis {

class StabilityFunction {
 public:
  StabilityFunction(const RosenbrockScheme& scheme, Weights weights);

  double gamma() const { return static_cast<double>(gamma_); }
  bool explicit_in_y() const { return explicit_in_y_; }
  // mu^T B^(j-1) 1 for j = 1, ..., s.
  const std::vector<long double>& moments() const { return moments_; }
  std::complex<double> operator()(std::complex<double> z) const;
  double at_infinity() const;
  // R(z) = (p_0 + p_1 z + ... + p_s z^s) / (1 - gamma z)^s.
  std::vector<double> numerator() const;

 private:
  bool explicit_in_y_;
  long double gamma_;
  std::vector<long double> moments_;
};

struct StabilityScan {
  double r_infinity = 0;
  double max_on_axis = 0;        // |R(iy)| over y = 0 and a logarithmic grid, sharpened
  double worst_y = 0;            // where that maximum is taken
  double max_in_half_plane = 0;  // |R(z)| over samples with Re z < 0
  bool a_stable = false;
  bool l_stable = false;  // A-stable and R(infinity) = 0
};

// Rounding of 16-digit coefficients is forgiven up to `tolerance`.
StabilityScan scan_stability(const StabilityFunction& function, double tolerance = 1e-10);

}  // namespace daedalus::analysis
