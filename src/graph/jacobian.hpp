// SPDX-License-Identifier: BSD-3-Clause
// Sparse Jacobians of outputs by vectors of inputs, as outputs themselves: one row of `entries` per
// entry of the matrix, in the order of a column-major sparse matrix. Maps stay maps.
#pragma once

#include <vector>

#include <daedalus/graph_evaluator.hpp>

#include "graph/eliminate.hpp"

namespace daedalus::graph {

// By the first `columns` inputs of this kind; the pattern is structural, over all branches.
// `outputs` as by lower().
Jacobian jacobian(Graph& graph, const Outputs& outputs, InputKind kind, int columns,
                  Elimination order = Elimination::cheapest);

}  // namespace daedalus::graph
