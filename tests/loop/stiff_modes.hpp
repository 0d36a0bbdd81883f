// SPDX-License-Identifier: BSD-3-Clause
// Slow motions with one fast mode, for the tests of the stiffness notice; stiff_modes.cpp is
// compiled like the library, because these are evaluated very often.
#pragma once

#include <daedalus/problem.hpp>

namespace daedalus::stiff_modes {

// A bead on a circle with a damper: the angle is sin(0.3 sin(t)) or so, the damper's eigenvalue is
// -damping.
MultibodyProblem bead(double damping);

// A pendulum that carries a mass on a spring: the mass follows the pendulum, and its oscillation
// about that has the frequency omega, the damping ratio zeta and the amplitude given (of q; besides
// that the start makes one of about 0.8 / omega^2).
MultibodyProblem spring(double omega, double amplitude, double zeta = 0.0);

}  // namespace daedalus::stiff_modes
