// SPDX-License-Identifier: BSD-3-Clause
// What mechanical problems of the catalogue share beyond support.hpp.
#pragma once

#include <catalogue/support.hpp>

namespace daedalus::problems {

SparseMatrix diagonal(const Eigen::VectorXd& entries);

}  // namespace daedalus::problems
