// SPDX-License-Identifier: BSD-3-Clause
#include "model/cpp/expressions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/graph_table.hpp>
#include <daedalus/types.hpp>

#include "graph/operations.hpp"
#include "graph/reach.hpp"

namespace daedalus::model {
namespace {

using graph::InputKind;
using graph::Op;

// Longer subexpressions get a line of their own.
constexpr std::size_t max_inline = 60;

std::string_view cpp_sign(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "!=";
    case Op::logical_and:
      return "&&";
    case Op::logical_or:
      return "||";
    default:
      return "";
  }
}

std::vector<int> nodes_of(std::span<const Expr> roots) {
  std::vector<int> nodes;
  for (const Expr& root : roots)
    if (!root.is_number()) nodes.push_back(root.node());
  return nodes;
}

}  // namespace

void CppExpressions::count_uses(std::span<const Expr> roots) {
  const std::vector<int> nodes = nodes_of(roots);
  for (const int node : nodes) ++uses_[node];
  for (const int node : graph::reached(graph_, nodes))
    for (const std::int32_t x : graph_.operands(node)) ++uses_[x];
}

std::string CppExpressions::input(int node) const {
  switch (graph_.kind(node)) {
    case InputKind::time:
      return "m.time()";
    case InputKind::derivative:
      return "der(" + operand(graph_.input_node(InputKind::state, graph_.number(node))) + ")";
    case InputKind::previous: {
      const int before = graph_.previous_of(graph_.number(node));
      return "pre(" + (knows(before) ? operand(before) : input(before)) + ")";
    }
    default:
      throw InvalidArgument(
          fmt::format("'{}' cannot be written as C++", daedalus::text(graph_.expr(node))));
  }
}

std::string CppExpressions::operation(int node) const {
  const graph::Node& n = graph_.node(node);
  std::vector<std::string> x;
  if (n.op != Op::assertion)
    for (const std::int32_t k : graph_.operands(node)) x.push_back(operand(k));
  switch (n.op) {
    case Op::constant: {
      const std::string digits = cpp_number(graph_.constant_value(node));
      return digits.front() == '-' ? "(" + digits + ")" : digits;
    }
    case Op::negate:
      return "(-" + x[0] + ")";
    case Op::logical_not:
      return "(!" + x[0] + ")";
    case Op::select:
      return fmt::format("select({})", fmt::join(x, ", "));
    case Op::assertion:
      return fmt::format("asserted({}, {}, {})", operand(n.x[0]), operand(n.x[1]),
                         cpp_string(graph_.assertion(n.x[2]).message));
    case Op::table:
      return fmt::format("m.graph().table({}, {})", tables_.at(&graph_.table_of(node)),
                         fmt::join(x, ", "));
    case Op::external:
      throw InvalidArgument(fmt::format("the function '{}' is compiled code and has no C++ text",
                                        graph_.external_of(node).name));
    default:
      break;
  }
  if (const std::string_view sign = cpp_sign(n.op); !sign.empty())
    return fmt::format("({} {} {})", x[0], sign, x[1]);
  return fmt::format("{}({})", graph::info(n.op).name, fmt::join(x, ", "));
}

std::string CppExpressions::text(const Expr& x, std::string& out) {
  if (x.is_number()) return cpp_number(x.number());
  // der(x) and pre(x) name their variables, which are no operands of theirs.
  for (const int node : graph::reached(graph_, {x.node()})) {
    if (known_.count(node)) continue;
    const bool leaf = graph_.node(node).op == Op::input || graph_.node(node).op == Op::constant;
    std::string cpp = graph_.node(node).op == Op::input ? input(node) : operation(node);
    if (!leaf && (uses_[node] > 1 || cpp.size() > max_inline) && node != x.node()) {
      const std::string own = names_.make("part");
      if (cpp.front() == '(' && cpp.back() == ')') cpp = cpp.substr(1, cpp.size() - 2);
      out += fmt::format("{}const Expr {} = {};\n", indent_, own, cpp);
      cpp = own;
    }
    known_[node] = std::move(cpp);
  }
  return known_.at(x.node());
}

}  // namespace daedalus::model
