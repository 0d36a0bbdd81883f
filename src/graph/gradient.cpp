// SPDX-License-Identifier: BSD-3-Clause
#include "graph/gradient.hpp"

#include "graph/partials.hpp"
#include "graph/reach.hpp"

namespace daedalus::graph {

std::vector<Expr> weighted_gradient(Graph& graph, std::span<const Expr> outputs,
                                    std::span<const Expr> weights, std::span<const Expr> inputs) {
  std::vector<int> roots;
  for (const Expr& e : outputs)
    if (!e.is_number()) roots.push_back(e.node());
  const std::vector<int> order = reached(graph, roots);
  std::vector<Expr> adjoint(order.empty() ? 0 : static_cast<std::size_t>(order.back()) + 1);
  const auto add = [&](int node, const Expr& e) {
    Expr& to = adjoint[static_cast<std::size_t>(node)];
    to = join(to, e);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].is_number()) add(outputs[i].node(), weights[i]);
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    const Expr w = adjoint[static_cast<std::size_t>(*i)];
    if (w.is_number(0.0)) continue;
    const auto span = graph.operands(*i);
    const std::vector<int> operands(span.begin(), span.end());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Expr slope = partial(graph, *i, static_cast<int>(k));
      if (!slope.is_number(0.0)) add(operands[k], chain(w, slope));
    }
  }
  std::vector<Expr> result;
  for (const Expr& x : inputs) {
    const auto node = static_cast<std::size_t>(x.node());
    result.push_back(!x.is_number() && node < adjoint.size() ? adjoint[node] : Expr(0.0));
  }
  return result;
}

}  // namespace daedalus::graph
