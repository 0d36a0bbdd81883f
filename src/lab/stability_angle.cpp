// SPDX-License-Identifier: BSD-3-Clause
#include "lab/stability_angle.hpp"

#include <cmath>
#include <complex>
#include <vector>

namespace daedalus::analysis {
namespace {

bool bounded_on_ray(const StabilityFunction& function, const std::vector<double>& radii,
                    double degrees, double bound) {
  const double half_turn = std::acos(-1.0);
  const auto direction = std::polar(1.0, half_turn * (1 - degrees / 180));
  for (const double radius : radii) {
    if (!(std::abs(function(radius * direction)) <= bound)) return false;
  }
  return true;
}

}  // namespace

double stability_angle(const StabilityFunction& function, double tolerance) {
  // Neighbours differ by 0.6 %.
  constexpr int points_per_decade = 400, first_decade = -3, last_decade = 6;
  const double bound = 1 + tolerance;
  if (function.explicit_in_y() || !(function.gamma() > 0)) return 0;
  if (!(std::abs(function.at_infinity()) <= bound)) return 0;
  std::vector<double> radii;
  for (int k = first_decade * points_per_decade; k <= last_decade * points_per_decade; ++k) {
    radii.push_back(std::pow(10.0, static_cast<double>(k) / points_per_decade));
  }
  double low = 0, high = 90;
  if (bounded_on_ray(function, radii, high, bound)) return high;
  if (!bounded_on_ray(function, radii, low, bound)) return low;
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (bounded_on_ray(function, radii, middle, bound) ? low : high) = middle;
  }
  return low;
}

}  // namespace daedalus::analysis
