// SPDX-License-Identifier: BSD-3-Clause
// The kinds behind make_saddle_solver that have no header of their own.
#pragma once

#include <memory>

#include "linalg/saddle_solver.hpp"

namespace daedalus {

std::unique_ptr<SaddleSolver> make_sparse_saddle();

}  // namespace daedalus
