// SPDX-License-Identifier: BSD-3-Clause
// Column colouring for compressed Jacobians (Curtis, Powell, Reid 1974): columns of one colour
// share no row, so that one directional derivative yields all of their entries.
#pragma once

#include <vector>

#include "linalg/sparse_pattern.hpp"

namespace daedalus {

struct Colouring {
  int colours = 0;
  std::vector<int> colour;  // per column; -1 for empty columns
};

// Greedy in natural order and in largest-first order (Coleman, More 1983); the smaller one wins.
Colouring colour_columns(const SparsePattern& pattern);

}  // namespace daedalus
