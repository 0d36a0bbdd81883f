// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <cmath>

#include <daedalus/graph_table.hpp>

#include "graph/operations.hpp"
#include "graph/printer.hpp"

namespace daedalus {
namespace graph {
namespace {

std::string quoted(std::string_view message) {
  std::string out = "\"";
  for (const char c : message) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void text_call(Printer& p, const std::string& name, std::span<const std::int32_t> arguments) {
  p.put(name + "(");
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (k > 0) p.put(std::string(", "));
    p.put(arguments[k], binding::open);
  }
  p.put(std::string(")"));
}

std::string table_name(const Graph& g, int node) {
  const auto order = g.table_order(node);
  std::string name = g.table_of(node).name();
  if (order[0] > 0) name += ".dx" + std::to_string(order[0]);
  if (order[1] > 0) name += ".dy" + std::to_string(order[1]);
  return name;
}

std::string leaf_text(const Graph& g, int node) {
  if (g.node(node).op == Op::constant) return number_text(g.constant_value(node));
  switch (g.kind(node)) {
    case InputKind::derivative:
      return "der(" + input_name(g, node) + ")";
    case InputKind::previous:
      return "pre(" + leaf_text(g, g.previous_of(g.number(node))) + ")";
    default:
      return input_name(g, node);
  }
}

void infix_text(Printer& p, Op op, const Node& n) {
  using namespace binding;
  const auto put = [&](std::string_view sign, int left, int right) {
    p.put(n.x[0], left, sign, n.x[1], right);
  };
  switch (op) {
    case Op::add:
      return put(" + ", sum, term);
    case Op::subtract:
      return put(" - ", sum, term);
    case Op::multiply:
    case Op::divide: {
      // A number with a sign stands in front of a product without parentheses.
      const Node& first = p.graph().node(n.x[0]);
      return put(op == Op::multiply ? "*" : "/", first.op == Op::constant ? open : term, power);
    }
    case Op::power:
      return put("^", atom, atom);
    case Op::logical_and:
      return put(" and ", conjunction, negation);
    case Op::logical_or:
      return put(" or ", disjunction, conjunction);
    default:
      return put(" " + std::string(info(op).name) + " ", sum, sum);
  }
}

void expand_text(Printer& p, int node) {
  const Graph& g = p.graph();
  const Node& n = g.node(node);
  switch (n.op) {
    case Op::constant:
    case Op::input:
      p.put(leaf_text(g, node));
      break;
    case Op::negate:
      p.put(std::string("-"));
      p.put(n.x[0], binding::term);
      break;
    case Op::logical_not:
      p.put(std::string("not "));
      p.put(n.x[0], binding::relation);
      break;
    case Op::select:
      p.put(std::string("if "));
      p.put(n.x[0], binding::disjunction, " then ", n.x[1], binding::disjunction);
      p.put(std::string(" else "));
      p.put(n.x[2], binding::open);
      break;
    case Op::assertion:
      p.put(std::string("assert("));
      p.put(n.x[0], binding::open, ", ", n.x[1], binding::open);
      p.put(", " + quoted(g.assertion(n.x[2]).message) + ")");
      break;
    case Op::table:
      text_call(p, table_name(g, node), g.operands(node));
      break;
    case Op::external:
      text_call(p, g.external_of(node).name, g.operands(node));
      break;
    default:
      if (info(n.op).function && n.op != Op::power)
        text_call(p, std::string(info(n.op).name), g.operands(node));
      else
        infix_text(p, n.op, n);
  }
  p.enclose(binding_of(g, node), "(", ")");
}

}  // namespace

std::string number_text(double value) {
  if (value != value) return "(0/0)";
  if (std::isinf(value)) return value > 0.0 ? "(1/0)" : "(-1/0)";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string input_name(const Graph& g, int node) {
  const std::string_view name = g.name(node);
  if (!name.empty()) return std::string(name);
  const InputKind kind = g.kind(node);
  return std::string(name_of(kind == InputKind::derivative ? InputKind::state : kind)) + "[" +
         std::to_string(g.number(node)) + "]";
}

int binding_of(const Graph& g, int node) {
  using namespace binding;
  const Node& n = g.node(node);
  switch (n.op) {
    case Op::constant: {
      const double value = g.constant_value(node);
      return std::signbit(value) && std::isfinite(value) ? sum : atom;
    }
    case Op::add:
    case Op::subtract:
    case Op::negate:
      return sum;
    case Op::multiply:
    case Op::divide:
      return g.node(n.x[0]).op == Op::constant && g.constant_value(n.x[0]) < 0.0 ? sum : term;
    case Op::power:
      return power;
    case Op::logical_and:
      return conjunction;
    case Op::logical_or:
      return disjunction;
    case Op::logical_not:
      return negation;
    case Op::select:
      return choice;
    default:
      return n.op >= Op::less && n.op <= Op::not_equal ? relation : atom;
  }
}

}  // namespace graph

std::string text(const Expr& x, std::size_t max_length) {
  if (x.is_number()) return graph::number_text(x.number());
  graph::Printer printer(*x.graph());
  return printer.print(x.node(), max_length, [&](int node) { graph::expand_text(printer, node); });
}

}  // namespace daedalus
