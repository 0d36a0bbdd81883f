// SPDX-License-Identifier: BSD-3-Clause
// Whether M(t, y) is constant.
#pragma once

#include <optional>

#include <daedalus/problem.hpp>

#include "formulation/parameters.hpp"

namespace daedalus {

// Constant M as a sparse matrix, or nothing if it changes with t or y. A callable that throws is
// left to the run, which reports it with everything else.
std::optional<SparseMatrix> constant_mass(const MassMatrixProblem& p, Modes modes, double t0);

}  // namespace daedalus
