// SPDX-License-Identifier: BSD-3-Clause
// Growth of the constraint residuals along a run: p of |r| ~ (t - t0)^p. Constraints replaced by
// their derivatives are satisfied up to the accumulated integration error only, which grows
// linearly for the index-2 and quadratically for the index-1 formulation (Arnold 1998, section 3.1,
// Example 17).
#pragma once

#include <array>
#include <vector>

#include "integrate/solution_data.hpp"
#include "system/system.hpp"

namespace daedalus {

class DriftMonitor {
 public:
  // Residuals after an accepted step; kept in `samples` unless there are no constraints at all.
  void add(double t, const System::Drift& drift, std::vector<DriftSample>& samples);
  // Largest acceleration residual and the exponents at the end of the run that began at t0.
  void conclude(double t0, const std::vector<DriftSample>& samples, Statistics& s) const;
  void archive(Archive& a) { a(round_off_); }

 private:
  // Largest round-off of the terms so far: position, velocity, acceleration.
  std::array<double, 3> round_off_{};
};

// The exponent by least squares over log of the largest residual so far at t0 + T / 2^k, k = 0..3,
// T the length of the run: of a residual that swings its envelope, and the last three octaves
// because the beginning is often of another kind. NaN where nothing grows: when all of it is within
// a thousand times `round_off`, or when it has not doubled over these octaves, as residuals that
// stay at the tolerance of a solver or a projection; and when the run has fewer than 16 steps.
double growth_exponent(const std::vector<DriftSample>& samples, double DriftSample::*level,
                       double t0, double round_off);

}  // namespace daedalus
