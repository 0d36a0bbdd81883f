// SPDX-License-Identifier: BSD-3-Clause
// Which nodes an expression needs, and which inputs it depends on.
#pragma once

#include <span>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// All nodes that the roots need, themselves included, operands before users.
std::vector<int> reached(const Graph& graph, std::span<const int> roots);
inline std::vector<int> reached(const Graph& graph, std::initializer_list<int> roots) {
  return reached(graph, std::span<const int>(roots.begin(), roots.size()));
}

// Kinds of inputs as a set of bits.
using KindSet = std::uint32_t;
constexpr KindSet kind_bit(InputKind kind) { return KindSet{1} << static_cast<int>(kind); }

// For each node of the graph the kinds of inputs it depends on, over all branches.
std::vector<KindSet> dependence(const Graph& graph);

}  // namespace daedalus::graph
