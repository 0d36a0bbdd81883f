// SPDX-License-Identifier: BSD-3-Clause
// The kinds behind make_linear_solver.
#pragma once

#include <memory>

#include "linalg/linear_solver.hpp"

namespace daedalus {

std::unique_ptr<LinearSolver> make_dense_solver(const SparsePattern& pattern);
// The same, but without row exchanges wherever structure and values allow that (unpivoted_lu.hpp).
std::unique_ptr<LinearSolver> make_small_solver(const SparsePattern& pattern);
std::unique_ptr<LinearSolver> make_sparse_solver(const SparsePattern& pattern);

// No infinities, no undefined numbers.
bool all_finite(std::span<const double> values);

}  // namespace daedalus
