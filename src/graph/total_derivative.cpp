// SPDX-License-Identifier: BSD-3-Clause
// d/dt of an expression by the chain rule, node by node (forward mode).
#include <vector>

#include <daedalus/graph.hpp>
#include <daedalus/types.hpp>

#include "graph/partials.hpp"
#include "graph/printer.hpp"
#include "graph/reach.hpp"

namespace daedalus {
namespace graph {
namespace {

Expr rate_of_input(Graph& g, int node) {
  switch (g.kind(node)) {
    case InputKind::time:
      return 1.0;
    case InputKind::state:
      return g.input(InputKind::derivative, g.number(node), g.name(node));
    case InputKind::parameter:
    case InputKind::mode:
    case InputKind::previous:
      return 0.0;
    default:
      throw InvalidArgument("the derivative of '" + text(g.expr(node)) +
                            "' by time is not an input; only states have one. Give the first "
                            "derivative a name of its own (v = der(x)) and write der(v)");
  }
}

}  // namespace
}  // namespace graph

Expr der(const Expr& x) {
  if (x.is_number()) return 0.0;
  graph::Graph& g = *x.graph();
  if (g.is_input(x)) return graph::rate_of_input(g, x.node());  // not a sweep over the graph
  const std::vector<int> order = graph::reached(g, {x.node()});
  std::vector<Expr> rate(static_cast<std::size_t>(x.node()) + 1);
  for (const int i : order) {
    Expr& r = rate[static_cast<std::size_t>(i)];
    if (g.node(i).op == graph::Op::input) {
      r = graph::rate_of_input(g, i);
      continue;
    }
    const auto operands = g.operands(i);
    const std::vector<int> list(operands.begin(), operands.end());
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Expr inner = rate[static_cast<std::size_t>(list[k])];
      if (inner.is_number(0.0)) continue;
      r = graph::join(r, graph::chain(graph::partial(g, i, static_cast<int>(k)), inner));
    }
  }
  return rate[static_cast<std::size_t>(x.node())];
}

}  // namespace daedalus
