// SPDX-License-Identifier: BSD-3-Clause
#include "model/reciprocals.hpp"

#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"

namespace daedalus {

void use_reciprocals(FlatModel& flat) {
  graph::Graph& g = *flat.graph;
  const std::vector<graph::KindSet> depends = graph::dependence(g);
  const graph::KindSet parameters = graph::kind_bit(graph::InputKind::parameter);
  graph::Rewriter rewrite(g, g, [&](int node, std::span<const Expr> x, Expr& result) {
    if (g.node(node).op != graph::Op::divide) return false;
    const auto of = g.operands(node);
    const bool varies = (depends[at(of[0])] & ~parameters) != 0;
    if (!varies || (depends[at(of[1])] & ~parameters) != 0) return false;
    result = x[0] * (1.0 / x[1]);
    return true;
  });
  for (auto& s : flat.residuals.single) s.value = rewrite(s.value);
  BuiltMechanics& m = flat.mechanics;
  for (auto& entry : m.mass) entry.value = rewrite(entry.value);
  for (auto* list : {&m.force, &m.dynamics})
    for (Expr& e : *list) e = rewrite(e);
}

}  // namespace daedalus
