// SPDX-License-Identifier: BSD-3-Clause
// Maps written out as single expressions, for analyses that look at every equation.
#pragma once

#include <daedalus/graph.hpp>

namespace daedalus::graph {

Outputs unroll(Graph& graph, const Outputs& outputs);

// Row `instance` of result `result` of a map, written out.
Expr instance_of(Graph& graph, const Map& map, std::size_t result, std::size_t instance);

}  // namespace daedalus::graph
