// SPDX-License-Identifier: BSD-3-Clause
// Alias elimination: equations 0 = a x - b y with a, b = +-1 say that one variable is another, up
// to the sign. One of them is replaced everywhere and the equation goes.
#pragma once

#include <functional>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

struct Alias {
  int variable;  // node of the input that is replaced
  Expr by;       // what it is: an input, its negative, or a number
  int row;       // equation that said so
};

// Looks at residuals x - y, x + y, x - number and their negatives among the single expressions,
// where x is an input of one of `kinds`. A variable for which keep(node) is true, and one whose
// derivative is in use, stays if the other one can go; two that have to stay are no aliases.
// Chains (x = y, y = z) are followed; what contradicts or repeats an earlier one stays an equation.
std::vector<Alias> find_aliases(Graph& graph, const Outputs& residuals,
                                std::span<const InputKind> kinds,
                                const std::function<bool(int node)>& keep);

// The other residuals with aliases put in, rows numbered as before; alias rows are gone from
// `single` and count as zero.
Outputs substitute(Graph& graph, const Outputs& outputs, std::span<const Alias> aliases);

}  // namespace daedalus::graph
