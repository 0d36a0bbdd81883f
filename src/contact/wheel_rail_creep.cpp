// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include <daedalus/types.hpp>
#include <daedalus/wheel_rail/creep.hpp>

namespace daedalus {

double detail::hertz_axes(double ratio) {
  if (!(ratio > 1.0)) return 1.0;
  // ln B/A is nearly linear in ln k, so Newton's method in the logarithms converges from here.
  double x = -0.63 * std::log(ratio);
  for (int i = 0; i < 12; ++i) {
    const auto k = Dual<double, 1>::variable(std::exp(x), 0);
    const Dual<double, 1> r = HertzIntegrals<Dual<double, 1>>(k).ratio(k);
    const double move = r.v * (std::log(r.v) - std::log(ratio)) / (r.d[0] * k.v);
    x = std::min(x - move, 0.0);
    if (std::abs(move) < 1e-14) break;
  }
  return std::exp(x);
}

// Kalker (1990): a/b, then C11, C22, C23 for Poisson numbers 0, 1/4, 1/2.
namespace {
constexpr double kalker[19][10] = {
    {0.1, 2.51, 3.31, 4.85, 2.51, 2.52, 2.53, 0.334, 0.473, 0.731},
    {0.2, 2.59, 3.37, 4.81, 2.59, 2.63, 2.66, 0.483, 0.603, 0.809},
    {0.3, 2.68, 3.44, 4.80, 2.68, 2.75, 2.81, 0.607, 0.715, 0.889},
    {0.4, 2.78, 3.53, 4.82, 2.78, 2.88, 2.98, 0.720, 0.823, 0.977},
    {0.5, 2.88, 3.62, 4.83, 2.88, 3.01, 3.14, 0.827, 0.929, 1.07},
    {0.6, 2.98, 3.72, 4.91, 2.98, 3.14, 3.31, 0.930, 1.03, 1.18},
    {0.7, 3.09, 3.81, 4.97, 3.09, 3.28, 3.48, 1.03, 1.14, 1.29},
    {0.8, 3.19, 3.91, 5.05, 3.19, 3.41, 3.65, 1.13, 1.25, 1.40},
    {0.9, 3.29, 4.01, 5.12, 3.29, 3.54, 3.82, 1.23, 1.36, 1.51},
    {1.0, 3.40, 4.12, 5.20, 3.40, 3.67, 3.98, 1.33, 1.47, 1.63},
    {1.0 / 0.9, 3.51, 4.22, 5.30, 3.51, 3.81, 4.16, 1.44, 1.59, 1.77},
    {1.0 / 0.8, 3.65, 4.36, 5.42, 3.65, 3.99, 4.39, 1.58, 1.75, 1.94},
    {1.0 / 0.7, 3.82, 4.54, 5.58, 3.82, 4.21, 4.67, 1.76, 1.95, 2.18},
    {1.0 / 0.6, 4.06, 4.78, 5.80, 4.06, 4.50, 5.04, 2.01, 2.23, 2.50},
    {1.0 / 0.5, 4.37, 5.10, 6.11, 4.37, 4.90, 5.56, 2.35, 2.62, 2.96},
    {1.0 / 0.4, 4.84, 5.57, 6.57, 4.84, 5.48, 6.31, 2.88, 3.24, 3.70},
    {1.0 / 0.3, 5.57, 6.34, 7.34, 5.57, 6.40, 7.51, 3.79, 4.32, 5.01},
    {1.0 / 0.2, 6.96, 7.78, 8.82, 6.96, 8.14, 9.79, 5.72, 6.63, 7.89},
    {1.0 / 0.1, 10.7, 11.7, 12.9, 10.7, 12.8, 16.0, 12.2, 14.6, 18.0}};
}  // namespace

KalkerCoefficients::KalkerCoefficients(double poisson) {
  if (!(poisson >= 0.0 && poisson <= 0.5))
    throw InvalidArgument(fmt::format("Poisson number {}; 0 to 0.5 is allowed", poisson));
  const double l0 = (poisson - 0.25) * (poisson - 0.5) * 8.0;
  const double l1 = -poisson * (poisson - 0.5) * 16.0, l2 = poisson * (poisson - 0.25) * 8.0;
  for (std::size_t i = 0; i < rows; ++i) {
    log_axes_[i] = std::log(kalker[i][0]);
    for (std::size_t j = 0; j < 3; ++j)
      values_[j][i] =
          l0 * kalker[i][1 + 3 * j] + l1 * kalker[i][2 + 3 * j] + l2 * kalker[i][3 + 3 * j];
  }
}

}  // namespace daedalus
