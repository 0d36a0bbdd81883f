// SPDX-License-Identifier: BSD-3-Clause
// Sampled trajectories.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <daedalus/solution.hpp>

#include "tool/json.hpp"

namespace daedalus::cli {

struct Trajectory {
  std::vector<std::string> names;
  std::vector<double> t;
  std::vector<Eigen::VectorXd> y;
  bool empty() const { return t.empty(); }
};

// Equidistant, both ends included.
std::vector<double> sample_times(double from, double to, int points);
// The accepted steps, or with points > 0 that many equidistant times of [from, to] (and, when the
// run ended early, its last good point).
Trajectory sample(const Solution& solution, double from, double to, int points);
// Enough points for a smooth picture, not too many for its file; needs dense output and a step.
Trajectory sample_for_picture(const Solution& solution, bool logarithmic);

Json describe(const Trajectory& trajectory);  // {"t": [...], "y": {variable: [...]}}

}  // namespace daedalus::cli
