// SPDX-License-Identifier: BSD-3-Clause
// The two parts of the error estimate of HEDOP5, step by step.
#pragma once

#include <string>

namespace daedalus::experiments::arnold {

// Largest h |y~ - eta~| / |y~ - y_{n+1}| over the accepted steps of a run, norms of the error test:
// eta~ is the embedded solution before, y~ after the projection (Arnold 1998, Remark 28).
double max_estimate_ratio(const std::string& problem, double rtol);

}  // namespace daedalus::experiments::arnold
