// SPDX-License-Identifier: BSD-3-Clause
// Which inputs each row depends on, over all branches: the structure for matchings, index analysis
// and patterns, without deriving anything.
#pragma once

#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// By row the sorted numbers of inputs of this kind. Conditions and piecewise constant functions do
// not count: a row is not solvable for what only decides about it.
std::vector<std::vector<int>> incidence(const Graph& graph, const Outputs& outputs, InputKind kind);

// A change of this operand changes the value smoothly somewhere.
bool carries_slope(const Graph& graph, int node, int operand);

}  // namespace daedalus::graph
