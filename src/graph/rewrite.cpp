// SPDX-License-Identifier: BSD-3-Clause
#include "graph/rewrite.hpp"

#include <array>

#include "graph/operations.hpp"
#include "graph/store.hpp"

namespace daedalus::graph {
namespace {

Expr copy_input(const Graph& from, int node, Graph& to) {
  const InputKind kind = from.kind(node);
  if (kind != InputKind::previous || &from == &to)
    return to.input(kind, from.number(node), from.name(node));
  const int of = from.previous_of(from.number(node));
  return to.pre(to.input(from.kind(of), from.number(of), from.name(of)));
}

Expr rebuild_table(const Graph& from, int node, std::span<const Expr> operands, Graph& to) {
  const LookUp look_up = GraphAccess::look_up(from, node);
  const int number = GraphAccess::look_up_number(to, look_up.table, look_up.order);
  const int a = to.node_of(operands[0]), b = operands.size() > 1 ? to.node_of(operands[1]) : -1;
  return to.expr(GraphAccess::intern(to, Op::table, a, b, number));
}

Expr rebuild_external(const Graph& from, int node, std::span<const Expr> operands, Graph& to) {
  return to.external(GraphAccess::external(from, node), operands);
}

void copy_position(const Graph& from, int node, const Expr& result, Graph& to) {
  Position position = from.position(node);
  if (position.file < 0 || result.is_number() || &from == &to) return;
  position.file = to.add_file(from.file(position.file));
  to.set_position(result, position);
}

}  // namespace

Expr rebuild(const Graph& from, int node, std::span<const Expr> operands, Graph& to) {
  const Node& n = from.node(node);
  switch (n.op) {
    case Op::constant:
      return from.constant_value(node);
    case Op::input:
      return copy_input(from, node, to);
    case Op::select:
      return to.select(operands[0], operands[1], operands[2]);
    case Op::assertion:
      return to.asserted(operands[0], operands[1], from.assertion(n.x[2]).message);
    case Op::table:
      return rebuild_table(from, node, operands, to);
    case Op::external:
      return rebuild_external(from, node, operands, to);
    default:
      return operands.size() == 1 ? to.make(n.op, operands[0])
                                  : to.make(n.op, operands[0], operands[1]);
  }
}

Rewriter::Rewriter(const Graph& from, Graph& to, Rule rule)
    : from_(from), to_(to), rule_(std::move(rule)) {}

Expr Rewriter::operator()(const Expr& x) {
  if (x.is_number()) return x;
  const std::size_t bottom = stack_.size();
  stack_.push_back(x.node());
  while (stack_.size() > bottom) {
    const int node = stack_.back();
    if (known_.find(node)) {
      stack_.pop_back();
      continue;
    }
    bool ready = true;
    for (const int k : from_.operands(node))
      if (!known_.find(k)) {
        stack_.push_back(k);
        ready = false;
      }
    if (!ready) continue;
    stack_.pop_back();
    const Expr result = rewritten(node);
    copy_position(from_, node, result, to_);
    known_[node] = result;
  }
  return *known_.find(x.node());
}

Expr Rewriter::rewritten(int node) {
  // Only external functions have more operands.
  std::array<Expr, 3> few;
  std::vector<Expr> many;
  const std::span<const std::int32_t> old = from_.operands(node);
  if (old.size() > few.size()) many.resize(old.size());
  const std::span<Expr> operands =
      many.empty() ? std::span(few).first(old.size()) : std::span(many);
  for (std::size_t k = 0; k < old.size(); ++k) operands[k] = *known_.find(old[k]);
  Expr result;
  if (!rule_ || !rule_(node, operands, result)) result = rebuild(from_, node, operands, to_);
  return result;
}

void copy_kernel(const Kernel& from, Kernel& to, const Rewriter::Rule& rule) {
  for (int k = 0; k < from.argument_count(); ++k) {
    const int node = from.argument_node(k);
    to.argument(k, node < 0 ? std::string_view() : from.graph().name(node));
  }
  Rewriter rewrite(from.graph(), to.graph(), rule);
  for (const Expr& e : from.results()) to.add_result(rewrite(e));
}

}  // namespace daedalus::graph
