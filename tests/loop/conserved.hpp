// SPDX-License-Identifier: BSD-3-Clause
// Problems with invariants for the tests of the projection; conserved.cpp is compiled like the
// library, because these are evaluated very often.
#pragma once

#include <daedalus/problem.hpp>

namespace daedalus::conserved {

// y1' = -y2 z, y2' = y1 z, 0 = z - 1 - y1 / 2: |y|^2 is invariant, z follows y.
Problem circle();
// Masses 1 and 4 on a line without force; invariants momentum and energy.
MultibodyProblem two_masses();
// Two masses 1 and 4 at the ends of a rod of length 1 in the plane, no gravity: the momenta and the
// angular momentum are invariant.
MultibodyProblem rod();

}  // namespace daedalus::conserved
