// SPDX-License-Identifier: BSD-3-Clause
// Sparse Jacobians of outputs by vectors of inputs, as outputs themselves: one row of `entries` per
// entry of the matrix, in the order of a column-major sparse matrix. Maps stay maps.
#pragma once

#include <vector>

#include <daedalus/graph.hpp>

#include "graph/eliminate.hpp"

namespace daedalus::graph {

struct Jacobian {
  int rows = 0, columns = 0;
  std::vector<int> outer;  // first entry of each column, and the number of entries
  std::vector<int> inner;  // row of each entry, sorted within a column
  Outputs entries;
};

// By the first `columns` inputs of this kind; the pattern is structural, over all branches.
// `outputs` as by lower().
Jacobian jacobian(Graph& graph, const Outputs& outputs, InputKind kind, int columns,
                  Elimination order = Elimination::cheapest);

}  // namespace daedalus::graph
