// SPDX-License-Identifier: BSD-3-Clause
// Models that several tests use.
#pragma once

#include <daedalus/model.hpp>

namespace daedalus::testing_models {

// Index 3 as equations; multiplier as in the catalogue.
ModelBuilder pendulum();
// Two transistors, M of rank 5 with parameters (catalogue: transistor-amplifier).
ModelBuilder amplifier();
// Transmission line of the catalogue with n cells as three rolled equations and what is left over.
ModelBuilder transmission_line(int n);
// h'' = -g above the floor; bounces with restitution e.
ModelBuilder bouncing_ball();

}  // namespace daedalus::testing_models
