// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/expr.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <daedalus/graph.hpp>
#include <daedalus/types.hpp>

#include "graph/operations.hpp"

namespace daedalus {
namespace {

using graph::Op;

Expr unary_of(Op op, const Expr& x) {
  if (x.is_number()) return graph::apply(op, x.number(), 0.0);
  return x.graph()->make(op, x);
}

Expr binary_of(Op op, const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return graph::apply(op, a.number(), b.number());
  return (a.graph() ? a.graph() : b.graph())->make(op, a, b);
}

graph::Graph* graph_of(std::initializer_list<const Expr*> all) {
  for (const Expr* x : all)
    if (x->graph()) return x->graph();
  return nullptr;
}

struct NamedOp {
  std::string_view name;
  Op op;
};

// Functions of the text form, sorted by name; "fabs" and the like are other names of the same.
const std::vector<NamedOp>& named_ops() {
  static const std::vector<NamedOp> list = [] {
    std::vector<NamedOp> all;
    for (int i = 0; i < static_cast<int>(Op::count_of_ops); ++i)
      if (graph::info(static_cast<Op>(i)).function)
        all.push_back({graph::info(static_cast<Op>(i)).name, static_cast<Op>(i)});
    std::sort(all.begin(), all.end(),
              [](const NamedOp& a, const NamedOp& b) { return a.name < b.name; });
    return all;
  }();
  return list;
}

const NamedOp* find_op(std::string_view name) {
  const auto& all = named_ops();
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const NamedOp& a, std::string_view b) { return a.name < b; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

Expr::Expr(graph::Graph& graph, int node) {
  if (graph.node(node).op == Op::constant) {
    value_ = graph.constant_value(node);
  } else {
    graph_ = &graph;
    node_ = node;
  }
}

Expr& Expr::operator+=(const Expr& b) { return *this = *this + b; }
Expr& Expr::operator-=(const Expr& b) { return *this = *this - b; }
Expr& Expr::operator*=(const Expr& b) { return *this = *this * b; }
Expr& Expr::operator/=(const Expr& b) { return *this = *this / b; }

Expr operator+(const Expr& a, const Expr& b) { return binary_of(Op::add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return binary_of(Op::subtract, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return binary_of(Op::multiply, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return binary_of(Op::divide, a, b); }
Expr operator-(const Expr& a) { return unary_of(Op::negate, a); }
Expr operator<(const Expr& a, const Expr& b) { return binary_of(Op::less, a, b); }
Expr operator<=(const Expr& a, const Expr& b) { return binary_of(Op::less_equal, a, b); }
Expr operator>(const Expr& a, const Expr& b) { return binary_of(Op::greater, a, b); }
Expr operator>=(const Expr& a, const Expr& b) { return binary_of(Op::greater_equal, a, b); }
Expr operator==(const Expr& a, const Expr& b) { return binary_of(Op::equal, a, b); }
Expr operator!=(const Expr& a, const Expr& b) { return binary_of(Op::not_equal, a, b); }
Expr operator&&(const Expr& a, const Expr& b) { return binary_of(Op::logical_and, a, b); }
Expr operator||(const Expr& a, const Expr& b) { return binary_of(Op::logical_or, a, b); }
Expr operator!(const Expr& a) { return unary_of(Op::logical_not, a); }

Expr select(const Expr& condition, const Expr& a, const Expr& b) {
  graph::Graph* g = graph_of({&condition, &a, &b});
  if (!g || condition.is_number()) return condition.number() != 0.0 ? a : b;
  return g->select(condition, a, b);
}
Expr no_event(const Expr& x) { return unary_of(Op::no_event, x); }
Expr pre(const Expr& input) { return input.is_number() ? input : input.graph()->pre(input); }
Expr asserted(const Expr& condition, const Expr& value, std::string_view message) {
  graph::Graph* g = graph_of({&condition, &value});
  if (!g) {
    if (condition.number() == 0.0) throw InvalidArgument(std::string(message));
    return value;
  }
  return g->asserted(condition, value, message);
}

Expr sqrt(const Expr& x) { return unary_of(Op::sqrt, x); }
Expr cbrt(const Expr& x) { return unary_of(Op::cbrt, x); }
Expr exp(const Expr& x) { return unary_of(Op::exp, x); }
Expr exp2(const Expr& x) { return unary_of(Op::exp2, x); }
Expr expm1(const Expr& x) { return unary_of(Op::expm1, x); }
Expr log(const Expr& x) { return unary_of(Op::log, x); }
Expr log2(const Expr& x) { return unary_of(Op::log2, x); }
Expr log10(const Expr& x) { return unary_of(Op::log10, x); }
Expr log1p(const Expr& x) { return unary_of(Op::log1p, x); }
Expr sin(const Expr& x) { return unary_of(Op::sin, x); }
Expr cos(const Expr& x) { return unary_of(Op::cos, x); }
Expr tan(const Expr& x) { return unary_of(Op::tan, x); }
Expr asin(const Expr& x) { return unary_of(Op::asin, x); }
Expr acos(const Expr& x) { return unary_of(Op::acos, x); }
Expr atan(const Expr& x) { return unary_of(Op::atan, x); }
Expr sinh(const Expr& x) { return unary_of(Op::sinh, x); }
Expr cosh(const Expr& x) { return unary_of(Op::cosh, x); }
Expr tanh(const Expr& x) { return unary_of(Op::tanh, x); }
Expr asinh(const Expr& x) { return unary_of(Op::asinh, x); }
Expr acosh(const Expr& x) { return unary_of(Op::acosh, x); }
Expr atanh(const Expr& x) { return unary_of(Op::atanh, x); }
Expr erf(const Expr& x) { return unary_of(Op::erf, x); }
Expr erfc(const Expr& x) { return unary_of(Op::erfc, x); }
Expr abs(const Expr& x) { return unary_of(Op::abs, x); }
Expr sign(const Expr& x) { return unary_of(Op::sign, x); }
Expr floor(const Expr& x) { return unary_of(Op::floor, x); }
Expr ceil(const Expr& x) { return unary_of(Op::ceil, x); }
Expr round(const Expr& x) { return unary_of(Op::round, x); }
Expr trunc(const Expr& x) { return unary_of(Op::trunc, x); }
Expr pow(const Expr& x, const Expr& exponent) { return binary_of(Op::power, x, exponent); }
Expr atan2(const Expr& y, const Expr& x) { return binary_of(Op::atan2, y, x); }
Expr hypot(const Expr& x, const Expr& y) { return binary_of(Op::hypot, x, y); }
Expr mod(const Expr& x, const Expr& y) { return binary_of(Op::mod, x, y); }
Expr copysign(const Expr& x, const Expr& y) { return binary_of(Op::copysign, x, y); }
Expr min(const Expr& a, const Expr& b) { return binary_of(Op::min, a, b); }
Expr max(const Expr& a, const Expr& b) { return binary_of(Op::max, a, b); }

int function_arity(std::string_view name) {
  const NamedOp* found = find_op(name);
  return found ? graph::info(found->op).operand_count : 0;
}

Expr function(std::string_view name, std::span<const Expr> arguments) {
  const NamedOp* found = find_op(name);
  if (!found) throw InvalidArgument("there is no function '" + std::string(name) + "'");
  const int arity = graph::info(found->op).operand_count;
  if (static_cast<int>(arguments.size()) != arity)
    throw InvalidArgument("function '" + std::string(name) + "' takes " + std::to_string(arity) +
                          (arity == 1 ? " argument" : " arguments") + ", not " +
                          std::to_string(arguments.size()));
  return arity == 1 ? unary_of(found->op, arguments[0])
                    : binary_of(found->op, arguments[0], arguments[1]);
}

std::span<const std::string_view> function_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const NamedOp& op : named_ops()) all.push_back(op.name);
    return all;
  }();
  return names;
}

}  // namespace daedalus
