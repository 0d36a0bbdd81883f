// SPDX-License-Identifier: BSD-3-Clause
// The part of a gradient that comes from the start: L^T s(t0), L = E^T l.
#pragma once

#include "estimation/along_run.hpp"

namespace daedalus {

// Adds it to `out`, one number per parameter and start value asked for.
void add_start(const GradientRequest& request, AlongRun& along, const LinearPoint& start,
               const Eigen::VectorXd& L, Eigen::VectorXd& out);

}  // namespace daedalus
