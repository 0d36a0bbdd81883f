// SPDX-License-Identifier: BSD-3-Clause
#include "graph/relations.hpp"

#include <algorithm>

#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "graph/unroll.hpp"

namespace daedalus::graph {
namespace {

bool is_relation(Op op) { return op >= Op::less && op <= Op::greater_equal; }

constexpr KindSet held_kinds =
    kind_bit(InputKind::parameter) | kind_bit(InputKind::mode) | kind_bit(InputKind::previous);

// Nodes that the root needs outside no_event. The condition of an assertion is such a place, too:
// it is checked at every point, and a mode held during a step would answer for another one.
std::vector<char> outside_no_event(const Graph& graph, std::vector<int> stack) {
  std::vector<char> seen(static_cast<std::size_t>(graph.size()), 0);
  while (!stack.empty()) {
    const int node = stack.back();
    stack.pop_back();
    if (seen[static_cast<std::size_t>(node)]) continue;
    seen[static_cast<std::size_t>(node)] = 1;
    const Node& n = graph.node(node);
    if (n.op == Op::no_event) continue;
    if (n.op == Op::assertion)
      stack.push_back(n.x[1]);
    else
      for (const int k : graph.operands(node)) stack.push_back(k);
  }
  return seen;
}

// What stays as it is: all inside no_event, and conditions of assertions, whose values have been
// rewritten. `copy` brings an expression of `from` into `to`.
template <class Copy>
bool stays(const Graph& from, int node, std::span<const Expr> operands, Graph& to, Copy copy,
           Expr& result) {
  const Node n = from.node(node);
  if (n.op == Op::no_event)
    result = copy(from.expr(node));
  else if (n.op == Op::assertion)
    result = to.asserted(copy(from.expr(n.x[0])), operands[1], from.assertion(n.x[2]).message);
  else
    return false;
  return true;
}

// Calls replace(node, kinds, result) for relations, which may refuse; everything else stays.
template <class Replace>
Rewriter::Rule relation_rule(Graph& graph, const std::vector<char>& outside,
                             const std::vector<KindSet>& kinds, KindSet held, Replace replace) {
  return [&graph, &outside, &kinds, held, replace](int node, std::span<const Expr> operands,
                                                   Expr& result) {
    const auto at = static_cast<std::size_t>(node);
    if (stays(
            graph, node, operands, graph, [](const Expr& e) { return e; }, result))
      return true;
    if (!is_relation(graph.node(node).op) || !outside[at] || (kinds[at] & ~held) == 0) return false;
    return replace(node, kinds[at], result);
  };
}

}  // namespace

bool outcome(Op op, double crossing) {
  switch (op) {
    case Op::less:
      return crossing < 0.0;
    case Op::less_equal:
      return crossing <= 0.0;
    case Op::greater:
      return crossing > 0.0;
    default:
      return crossing >= 0.0;
  }
}

Expr RelationTable::mode_of(int node, bool time_only) {
  for (const Known& k : known_)
    if (k.node == node) return graph_.input(InputKind::mode, k.mode);
  const Node n = graph_.node(node);
  const int mode = next_mode_++;
  known_.push_back({node, mode});
  const std::string written = text(graph_.expr(node), 1000);
  relations_.all.push_back({n.op, mode, time_only, written, graph_.position(node)});
  relations_.crossings.add(graph_.expr(n.x[0]) - graph_.expr(n.x[1]));
  return graph_.input(InputKind::mode, mode, written);
}

bool RelationTable::is_known(int node) const {
  return std::any_of(known_.begin(), known_.end(),
                     [node](const Known& k) { return k.node == node; });
}

Expr RelationTable::extract_known(const Expr& x) {
  only_known_ = true;
  Expr result = extract(x);
  only_known_ = false;
  return result;
}

Expr RelationTable::extract(const Expr& x) {
  Outputs one;
  one.add(x);
  return extract(one).single[0].value;
}

Outputs RelationTable::extract(const Outputs& outputs) {
  std::vector<int> roots;
  for (const auto& s : outputs.single)
    if (!s.value.is_number()) roots.push_back(s.value.node());
  for (const Map& m : outputs.maps)
    for (const MapArgument& a : m.arguments)
      if (!a.scalar.is_number()) roots.push_back(a.scalar.node());
  const std::vector<char> outside = outside_no_event(graph_, roots);
  const std::vector<KindSet> kinds = dependence(graph_);
  const KindSet with_time = held_kinds | kind_bit(InputKind::time);
  Rewriter rewrite(
      graph_, graph_,
      relation_rule(graph_, outside, kinds, held_kinds, [&](int node, KindSet k, Expr& mode) {
        if (only_known_ && !is_known(node)) return false;
        mode = mode_of(node, (k & ~with_time) == 0);
        return true;
      }));
  Outputs result;
  result.count = outputs.count;
  for (const auto& s : outputs.single) result.single.push_back({s.row, rewrite(s.value)});
  for (const Map& m : outputs.maps) {
    Map copy = m;
    for (MapArgument& a : copy.arguments) a.scalar = rewrite(a.scalar);
    result.maps.push_back(extract(copy));
  }
  return result;
}

// Each relation of a kernel makes one relation per instance: an argument that reads its mode, and a
// map of the crossing functions.
Map RelationTable::extract(const Map& map) {
  const Graph& inside = map.kernel->graph();
  std::vector<int> roots;
  for (const Expr& e : map.kernel->results())
    if (!e.is_number()) roots.push_back(e.node());
  const std::vector<char> outside = outside_no_event(inside, roots);
  const std::vector<KindSet> kinds = dependence(inside);
  auto kernel = std::make_shared<Kernel>();
  Map result = map;
  std::vector<int> found;
  auto rule = [&](int node, std::span<const Expr> x, Expr& r) {
    const auto at = static_cast<std::size_t>(node);
    Graph& to = kernel->graph();
    const auto copy = [&](const Expr& e) { return Rewriter(inside, to)(e); };
    if (stays(inside, node, x, to, copy, r)) return true;
    if (!is_relation(inside.node(node).op) || !outside[at] || kinds[at] == 0) return false;
    found.push_back(node);
    r = kernel->argument(kernel->argument_count());
    return true;
  };
  copy_kernel(*map.kernel, *kernel, rule);
  result.kernel = kernel;
  for (const int node : found) {
    auto crossing = std::make_shared<Kernel>();
    Rewriter into(inside, crossing->graph());
    for (int k = 0; k < map.kernel->argument_count(); ++k) crossing->argument(k);
    const Node n = inside.node(node);
    crossing->add_result(into(inside.expr(n.x[0])) - into(inside.expr(n.x[1])));
    Map c = map;
    c.kernel = crossing;
    c.accumulate = false;
    c.rows.assign(1, {});
    std::vector<int> modes;
    for (int i = 0; i < map.count; ++i) {
      const int mode = next_mode_++;
      modes.push_back(mode);
      c.rows[0].push_back(relations_.crossings.count++);
      relations_.all.push_back({n.op, mode, false,
                                text(inside.expr(node), 1000) + " [" + std::to_string(i) + "]",
                                inside.position(node)});
    }
    relations_.crossings.maps.push_back(std::move(c));
    result.arguments.push_back(MapArgument::of_input(InputKind::mode, std::move(modes)));
  }
  return result;
}

}  // namespace daedalus::graph
