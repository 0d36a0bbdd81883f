// SPDX-License-Identifier: BSD-3-Clause
// Solutions as bytes, for pickles and copies.
#pragma once

#include <string>

#include <daedalus/solution.hpp>

#include "integrate/solution_data.hpp"

namespace daedalus::python {

std::string save_solution(const Solution& solution);
// Throws std::runtime_error where the bytes are cut off or of another version of the library.
Solution load_solution(const std::string& bytes);

// x' of the interpolant at t, in tangent coordinates.
void rate_of(const Interpolant& p, double t, Eigen::VectorXd& rate);

}  // namespace daedalus::python
