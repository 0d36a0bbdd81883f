// SPDX-License-Identifier: BSD-3-Clause
// The memory of a linear solver in an archive.
#pragma once

#include <daedalus/stepper/archive.hpp>
#include "linalg/pivots.hpp"

namespace daedalus {

template <class Solver>
PivotState archive_pivots(Archive& a, Solver& solver) {
  PivotState pivots;
  if (a.saving()) pivots = pivots_of(solver);
  a(pivots.values, pivots.fresh);
  if (!a.saving()) restore_pivots(solver, pivots);
  return pivots;
}

}  // namespace daedalus
