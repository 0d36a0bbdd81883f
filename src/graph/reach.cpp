// SPDX-License-Identifier: BSD-3-Clause
#include "graph/reach.hpp"

#include <algorithm>

namespace daedalus::graph {

std::vector<int> reached(const Graph& graph, std::span<const int> roots) {
  // Operands have smaller numbers: one sweep downwards marks them all.
  int top = -1;
  for (const int r : roots) top = std::max(top, r);
  std::vector<char> needed(static_cast<std::size_t>(top + 1), 0);
  for (const int r : roots) needed[static_cast<std::size_t>(r)] = 1;
  std::size_t count = 0;
  for (int i = top; i >= 0; --i) {
    if (!needed[static_cast<std::size_t>(i)]) continue;
    ++count;
    for (const int k : graph.operands(i)) needed[static_cast<std::size_t>(k)] = 1;
  }
  std::vector<int> order;
  order.reserve(count);
  for (int i = 0; i <= top; ++i)
    if (needed[static_cast<std::size_t>(i)]) order.push_back(i);
  return order;
}

std::vector<KindSet> dependence(const Graph& graph) {
  std::vector<KindSet> kinds(static_cast<std::size_t>(graph.size()), 0);
  for (int i = 0; i < graph.size(); ++i) {
    KindSet& own = kinds[static_cast<std::size_t>(i)];
    if (graph.node(i).op == Op::input) own = kind_bit(graph.kind(i));
    for (const int k : graph.operands(i)) own |= kinds[static_cast<std::size_t>(k)];
  }
  return kinds;
}

}  // namespace daedalus::graph
