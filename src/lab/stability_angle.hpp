// SPDX-License-Identifier: BSD-3-Clause
// A(alpha)-stability: |R(z)| <= 1 in the sector |arg(-z)| <= alpha (Widlund 1967).
#pragma once

#include "lab/stability_function.hpp"

namespace daedalus::analysis {

// Largest alpha in degrees: 90 for A-stable methods, 0 when already the negative real axis fails.
// All poles of R lie at 1/gamma > 0, so the two rays bound |R| in the sector between them, and the
// sector can be found by bisection. Approach B and gamma < 0 give 0.
double stability_angle(const StabilityFunction& function, double tolerance = 1e-10);

}  // namespace daedalus::analysis
