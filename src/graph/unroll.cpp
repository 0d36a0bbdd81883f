// SPDX-License-Identifier: BSD-3-Clause
#include "graph/unroll.hpp"

#include "graph/rewrite.hpp"

namespace daedalus::graph {
namespace {

Rewriter instance_rewriter(Graph& graph, const Map& map, std::size_t i) {
  Rewriter rewrite(map.kernel->graph(), graph);
  for (std::size_t k = 0; k < map.arguments.size(); ++k) {
    const int formal = map.kernel->argument_node(static_cast<int>(k));
    if (formal < 0) continue;
    const MapArgument& a = map.arguments[k];
    rewrite.replace(formal, a.source == MapArgument::Source::input ? graph.input(a.kind, a.index[i])
                            : a.source == MapArgument::Source::values ? Expr(a.values[i])
                                                                      : a.scalar);
  }
  return rewrite;
}

}  // namespace

Expr instance_of(Graph& graph, const Map& map, std::size_t result, std::size_t instance) {
  return instance_rewriter(graph, map, instance)(map.kernel->results()[result]);
}

Outputs unroll(Graph& graph, const Outputs& outputs) {
  std::vector<Expr> value(static_cast<std::size_t>(outputs.count));
  std::vector<char> set(value.size(), 0);
  for (const auto& s : outputs.single) {
    value[static_cast<std::size_t>(s.row)] = s.value;
    set[static_cast<std::size_t>(s.row)] = 1;
  }
  for (const bool accumulate : {false, true})
    for (const Map& map : outputs.maps) {
      if (map.accumulate != accumulate) continue;
      for (std::size_t i = 0; i < static_cast<std::size_t>(map.count); ++i) {
        Rewriter rewrite = instance_rewriter(graph, map, i);
        for (std::size_t r = 0; r < map.rows.size(); ++r) {
          const auto row = static_cast<std::size_t>(map.rows[r][i]);
          const Expr e = rewrite(map.kernel->results()[r]);
          value[row] = set[row] && accumulate ? value[row] + e : e;
          set[row] = 1;
        }
      }
    }
  Outputs flat;
  for (const Expr& e : value) flat.add(e);
  return flat;
}

}  // namespace daedalus::graph
