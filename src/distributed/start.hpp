// SPDX-License-Identifier: BSD-3-Clause
// Start values over ranks. Of M x' = f with index 1 Newton's method finds the algebraic unknowns
// from the algebraic rows, with M of diagonal or other blocks within ranks; with a higher index,
// and of F(t, x, x') = 0, the values given are checked. Rates of unknowns that no row
// differentiates are those given, or zero.
#pragma once

#include "start/consistent.hpp"

namespace daedalus::distributed {

// Collective; the system is a CutSystem.
StartReport start_over_ranks(System& system, State& state, const StartRequest& request);

}  // namespace daedalus::distributed
