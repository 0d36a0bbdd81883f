// SPDX-License-Identifier: BSD-3-Clause
// Whether a flat model can have a solution: as many equations as unknowns, each of them about
// something of its own, as many start conditions as degrees of freedom.
#pragma once

#include "modelica/flat_model.hpp"

namespace daedalus::modelica {

// Reports to `mistakes`; what it finds does not throw.
void check_model(FlatModel& flat, Mistakes& mistakes);

// Units on both sides of equations, as warnings (units.cpp).
void check_units(const FlatModel& flat, Mistakes& mistakes);

}  // namespace daedalus::modelica
