// SPDX-License-Identifier: BSD-3-Clause
#include "lab/stability_function.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::analysis {

StabilityFunction::StabilityFunction(const RosenbrockScheme& scheme, Weights weights)
    : explicit_in_y_(scheme.explicit_in_y), gamma_(static_cast<long double>(scheme.gamma[0])) {
  const int s = scheme.stages;
  const auto& mu = weights == Weights::main ? scheme.mu : scheme.mu_hat;
  std::vector<Quadruple> power(s, Quadruple(1));
  for (int j = 0; j < s; ++j) {
    Quadruple moment = Quadruple(0);
    for (int i = 0; i < s; ++i) moment += mu[i] * power[i];
    moments_.push_back(static_cast<long double>(moment));
    // From the last stage upwards, because each entry needs the old values of those before it.
    for (int i = s - 1; i >= 0; --i) {
      Quadruple sum = Quadruple(0);
      for (int k = 0; k < i; ++k) {
        sum += (scheme.alpha[i * s + k] + scheme.gamma[i * s + k]) * power[k];
      }
      power[i] = sum;
    }
  }
}

std::complex<double> StabilityFunction::operator()(std::complex<double> z) const {
  const std::complex<long double> point(z.real(), z.imag());
  const std::complex<long double> w = point / (1.0L - gamma_ * point);
  std::complex<long double> sum = 0;
  for (auto moment = moments_.rbegin(); moment != moments_.rend(); ++moment) {
    sum = (sum + *moment) * w;
  }
  sum += 1.0L;
  return {static_cast<double>(sum.real()), static_cast<double>(sum.imag())};
}

double StabilityFunction::at_infinity() const {
  const long double w = -1 / gamma_;
  long double sum = 0;
  for (auto moment = moments_.rbegin(); moment != moments_.rend(); ++moment) {
    sum = (sum + *moment) * w;
  }
  return static_cast<double>(1 + sum);
}

std::vector<double> StabilityFunction::numerator() const {
  // Horner scheme for sum_j moment_j z^j (1 - gamma z)^(s-j), moment_0 = 1, from j = 0 on.
  const int s = static_cast<int>(moments_.size());
  std::vector<long double> p(s + 1, 0.0L);
  p[0] = 1;
  for (int j = 1; j <= s; ++j) {
    for (int k = j; k >= 1; --k) p[k] -= gamma_ * p[k - 1];
    p[j] += moments_[j - 1];
  }
  return {p.begin(), p.end()};
}

namespace {

// The grid point of the maximum moved to the maximum itself, by thirds of a bracket of |R(iy)|.
double sharpened(const StabilityFunction& function, double low, double high) {
  for (int n = 0; n < 100; ++n) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (std::abs(function({0, left})) < std::abs(function({0, right}))) {
      low = left;
    } else {
      high = right;
    }
  }
  return (low + high) / 2;
}

}  // namespace

StabilityScan scan_stability(const StabilityFunction& function, double tolerance) {
  constexpr int points_per_decade = 200;  // neighbours differ by 1.2 %; the worst one is refined
  // Of |z|: from where R is 1 + z to where it is R(infinity), both to round-off.
  constexpr int first_decade = -4, last_decade = 8;
  constexpr int angles = 16;  // of each circle in the left half plane
  const double quarter_turn = std::acos(0.0);

  StabilityScan scan;
  scan.r_infinity = function.at_infinity();
  scan.max_on_axis = std::abs(function({0, 0}));
  for (int k = first_decade * points_per_decade; k <= last_decade * points_per_decade; ++k) {
    const double radius = std::pow(10.0, static_cast<double>(k) / points_per_decade);
    const double value = std::abs(function({0, radius}));
    if (!(value <= scan.max_on_axis)) {
      scan.max_on_axis = value;
      scan.worst_y = radius;
    }
    for (int n = 1; n <= angles; ++n) {
      const auto z = std::polar(radius, quarter_turn * (1 + static_cast<double>(n) / angles));
      scan.max_in_half_plane = std::max(scan.max_in_half_plane, std::abs(function(z)));
    }
  }
  if (scan.worst_y > 0) {
    const double ratio = std::pow(10.0, 1.0 / points_per_decade);
    const double y = sharpened(function, scan.worst_y / ratio, scan.worst_y * ratio);
    const double value = std::abs(function({0, y}));
    if (value > scan.max_on_axis) {
      scan.max_on_axis = value;
      scan.worst_y = y;
    }
  }
  const double bound = 1 + tolerance;
  // The half-plane samples are no substitute for the sign: gamma < 0 puts a pole there.
  scan.a_stable = !function.explicit_in_y() && function.gamma() > 0 && scan.max_on_axis <= bound &&
                  scan.max_in_half_plane <= bound && std::abs(scan.r_infinity) <= bound;
  scan.l_stable = scan.a_stable && std::abs(scan.r_infinity) <= tolerance;
  return scan;
}

}  // namespace daedalus::analysis
