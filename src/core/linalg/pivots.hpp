// SPDX-License-Identifier: BSD-3-Clause
// What a solver remembers from one factorisation for the next: sparse elimination keeps its pivots
// as long as they are good, so that its results depend on the matrix that fixed them. A checkpoint
// holds that matrix. Solvers without such a memory have no values.
#pragma once

#include <vector>

#include "linalg/linear_solver.hpp"
#include "linalg/saddle_solver.hpp"

namespace daedalus {

struct PivotState {
  std::vector<double> values{};  // of the matrix that fixed the pivots
  bool fresh = true;             // it was the last one factorised
};

PivotState pivots_of(const LinearSolver& solver);
// The solver then holds the factors of these values.
void restore_pivots(LinearSolver& solver, const PivotState& pivots);
// The same for the sparse kind, at the next factorise.
PivotState pivots_of(const SaddleSolver& solver);
void restore_pivots(SaddleSolver& solver, const PivotState& pivots);

}  // namespace daedalus
