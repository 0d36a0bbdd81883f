// SPDX-License-Identifier: BSD-3-Clause
// One Jacobian from the blocks of several callables that know their derivatives.
#pragma once

#include <vector>

#include <daedalus/function.hpp>

#include "linalg/sparse_pattern.hpp"

namespace daedalus {

struct StackedDerivatives {
  struct Part {
    const SparseDerivatives* known;
    int vector;              // of its slot
    int row, column;         // of its upper left corner
    std::vector<int> place;  // of its entries in the whole
  };
  SparsePattern pattern;
  std::vector<Part> parts;
  std::vector<double> scratch;  // entries of one part
};

// Blocks do not overlap; n x n.
StackedDerivatives stack(std::vector<StackedDerivatives::Part> parts, int n);

}  // namespace daedalus
