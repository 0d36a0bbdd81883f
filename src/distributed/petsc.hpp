// SPDX-License-Identifier: BSD-3-Clause
// The linear algebra of runs over ranks, which PETSc gives; without it there is a sentence instead.
#pragma once

#include "distributed/cut_system.hpp"

namespace daedalus::distributed {

// Collective. Throws InvalidArgument where this library was built without PETSc.
MakeSolver make_solvers(const Distribution& distribution);

}  // namespace daedalus::distributed
