// SPDX-License-Identifier: BSD-3-Clause
// In place of the files petsc_*.cpp where PETSc was not found.
#include "distributed/petsc.hpp"

#include <daedalus/types.hpp>

namespace daedalus::distributed {

MakeSolver make_solvers(const Distribution&) {
  throw InvalidArgument(
      "this daedalus was built without PETSc (libpetsc-real-dev), which one system over ranks "
      "needs");
}

}  // namespace daedalus::distributed
