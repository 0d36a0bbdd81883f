// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
// Three doublings of the time tell a power from a jump at either end.
constexpr int octaves = 3;
// Two in the shortest of the four intervals.
constexpr std::size_t fewest_steps = 16;
// Rounding errors add up over the steps of a run.
constexpr double noise_of_many_steps = 1000.0;
// Less than a doubling over three octaves is no growth.
constexpr double min_growth = 2.0;

}  // namespace

double growth_exponent(const std::vector<DriftSample>& samples, double DriftSample::*level,
                       double t0, double floor) {
  if (samples.size() < fewest_steps) return none;
  const double length = std::abs(samples.back().t - t0);
  std::array<double, octaves + 1> largest{};  // up to t0 + length / 2^k
  for (const DriftSample& s : samples) {
    if (std::isnan(s.*level)) return none;
    for (int k = 0; k <= octaves && std::abs(s.t - t0) <= std::ldexp(length, -k) * (1.0 + 1e-12);
         ++k) {
      double& so_far = largest[static_cast<std::size_t>(k)];
      so_far = std::max(so_far, s.*level);
    }
  }
  if (!(largest.back() > 0.0) || !(largest.front() > noise_of_many_steps * floor) ||
      !(largest.front() >= min_growth * largest.back()))
    return none;
  // Slope over x = 0, -1, -2, -3: the mean of x is -3/2, the sum of squared deviations 5.
  double slope = 0.0;
  for (int k = 0; k <= octaves; ++k)
    slope += (0.5 * octaves - k) * std::log2(largest[static_cast<std::size_t>(k)]);
  return slope / 5.0;
}

void DriftMonitor::add(double t, const System::Drift& d, std::vector<DriftSample>& samples) {
  const std::array<const System::Drift::Level*, 3> levels{&d.position, &d.velocity,
                                                          &d.acceleration};
  bool any = false;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    round_off_[i] = std::max(round_off_[i], levels[i]->round_off);
    any = any || !std::isnan(levels[i]->residual);
  }
  if (any)
    samples.push_back({t, d.position.residual, d.velocity.residual, d.acceleration.residual});
}

void DriftMonitor::conclude(double t0, const std::vector<DriftSample>& samples,
                            Statistics& s) const {
  for (const DriftSample& sample : samples)
    if (!(s.acceleration_residual >= sample.acceleration))
      s.acceleration_residual = sample.acceleration;
  s.position_growth = growth_exponent(samples, &DriftSample::position, t0, round_off_[0]);
  s.velocity_growth = growth_exponent(samples, &DriftSample::velocity, t0, round_off_[1]);
  s.acceleration_growth = growth_exponent(samples, &DriftSample::acceleration, t0, round_off_[2]);
}

}  // namespace daedalus
