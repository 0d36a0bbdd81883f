// SPDX-License-Identifier: BSD-3-Clause
// Folding and simplification while a graph is built. Every rule keeps the value bit for bit, up to
// the sign of zero and to NaN or infinity in a factor of zero.
#include <cmath>

#include <daedalus/types.hpp>

#include "graph/expr_access.hpp"
#include "graph/operations.hpp"
#include "graph/store.hpp"

namespace daedalus::graph {
namespace {

Expr negated(const Expr& x) { return operand(x, 0); }  // of a node that is negated
bool is_negative_number(const Expr& x) { return x.is_number() && x.number() < 0.0; }

// -x, -2, -2*x, -2/x: what a sum takes with the other sign, so that "a - 2*x" is one node however
// it was built.
bool is_negative_term(const Expr& x) {
  if (is_negative_number(x) || has_op(x, Op::negate)) return true;
  return (has_op(x, Op::multiply) || has_op(x, Op::divide)) && is_negative_number(operand(x, 0));
}

// Each gives true and the result where a rule applies.
bool simplify_add(const Expr& a, const Expr& b, Expr& r) {
  if (a.is_number(0.0)) return r = b, true;
  if (b.is_number(0.0)) return r = a, true;
  if (is_negative_term(b)) return r = a - -b, true;
  if (!a.is_number() && is_negative_term(a)) return r = b - -a, true;
  return false;
}

bool simplify_subtract(const Expr& a, const Expr& b, Expr& r) {
  if (b.is_number(0.0)) return r = a, true;
  if (a.is_number(0.0)) return r = -b, true;
  if (a.same(b)) return r = 0.0, true;
  if (is_negative_term(b)) return r = a + -b, true;
  if (has_op(a, Op::negate)) return r = -(negated(a) + b), true;
  return false;
}

bool simplify_multiply(const Expr& a, const Expr& b, Expr& r) {
  if (b.is_number() && !a.is_number()) return r = b * a, true;
  if (a.is_number(0.0)) return r = 0.0, true;
  if (a.is_number(1.0)) return r = b, true;
  if (a.is_number(-1.0)) return r = -b, true;
  if (has_op(b, Op::negate) && a.is_number()) return r = -a * negated(b), true;
  if (has_op(a, Op::negate)) return r = -(negated(a) * b), true;
  if (has_op(b, Op::negate)) return r = -(a * negated(b)), true;
  return false;
}

bool simplify_divide(const Expr& a, const Expr& b, Expr& r) {
  if (b.is_number(1.0)) return r = a, true;
  if (b.is_number(-1.0)) return r = -a, true;
  if (a.is_number(0.0) && !b.is_number(0.0)) return r = 0.0, true;
  if (has_op(a, Op::negate)) return r = -(negated(a) / b), true;
  if (has_op(b, Op::negate)) return r = -(a / negated(b)), true;
  return false;
}

bool simplify_logic(Op op, const Expr& a, const Expr& b, Expr& r) {
  if (!a.is_number() && !b.is_number()) return false;
  const Expr &known = a.is_number() ? a : b, &open = a.is_number() ? b : a;
  const bool truth = known.number() != 0.0;
  if (op == Op::logical_and) return r = truth ? open : Expr(0.0), true;
  return r = truth ? Expr(1.0) : open, true;
}

bool simplify_binary(Op op, const Expr& a, const Expr& b, Expr& r) {
  switch (op) {
    case Op::add:
      return simplify_add(a, b, r);
    case Op::subtract:
      return simplify_subtract(a, b, r);
    case Op::multiply:
      return simplify_multiply(a, b, r);
    case Op::divide:
      return simplify_divide(a, b, r);
    case Op::power:
      if (b.is_number(0.0)) return r = 1.0, true;
      if (b.is_number(1.0)) return r = a, true;
      return false;
    case Op::min:
    case Op::max:
      return a.same(b) && (r = a, true);
    case Op::logical_and:
    case Op::logical_or:
      return simplify_logic(op, a, b, r);
    default:
      return false;
  }
}

bool simplify_unary(Op op, const Expr& a, Expr& r) {
  switch (op) {
    case Op::negate:
      if (has_op(a, Op::negate)) return r = negated(a), true;
      if (has_op(a, Op::subtract)) return r = operand(a, 1) - operand(a, 0), true;
      if (has_op(a, Op::multiply) && operand(a, 0).is_number())
        return r = -operand(a, 0) * operand(a, 1), true;
      if (has_op(a, Op::divide) && operand(a, 0).is_number())
        return r = -operand(a, 0) / operand(a, 1), true;
      return false;
    case Op::abs:
      if (has_op(a, Op::abs)) return r = a, true;
      return has_op(a, Op::negate) && (r = abs(negated(a)), true);
    case Op::logical_not:
      return has_op(a, Op::logical_not) && info(a.graph()->node(operand(a, 0).node()).op).boolean &&
             (r = operand(a, 0), true);
    case Op::no_event:
      return (has_op(a, Op::no_event) || has_op(a, Op::input)) && (r = a, true);
    default:
      return false;
  }
}

Graph& common_graph(const Expr& a, const Expr& b) {
  if (a.graph() && b.graph() && a.graph() != b.graph())
    throw InvalidArgument("'" + text(a) + "' and '" + text(b) + "' belong to two graphs");
  return a.graph() ? *a.graph() : *b.graph();
}

}  // namespace

Expr Graph::make(Op op, const Expr& a) {
  if (a.is_number()) {
    // What is not finite stays a formula: "log(0)" is what the user should read in a message.
    const double value = apply(op, a.number(), 0.0);
    if (std::isfinite(value)) return value;
  }
  Expr simple;
  if (simplify_unary(op, a, simple)) return simple;
  return {*this, GraphAccess::intern(*this, op, node_of(a))};
}

Expr Graph::make(Op op, const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) {
    const double value = apply(op, a.number(), b.number());
    if (std::isfinite(value)) return value;
  } else {
    common_graph(a, b);
  }
  Expr simple;
  if (simplify_binary(op, a, b, simple)) return simple;
  const int left = node_of(a), right = node_of(b);
  return {*this, GraphAccess::intern(*this, op, left, right)};
}

Expr Graph::select(const Expr& condition, const Expr& a, const Expr& b) {
  if (condition.is_number()) return condition.number() != 0.0 ? a : b;
  if (a.same(b)) return a;
  if (has_op(condition, Op::logical_not)) return select(operand(condition, 0), b, a);
  const int c = node_of(condition), left = node_of(a), right = node_of(b);
  return {*this, GraphAccess::intern(*this, Op::select, c, left, right)};
}

Expr Graph::asserted(const Expr& condition, const Expr& value, std::string_view message) {
  if (condition.is_number() && condition.number() != 0.0) return value;
  auto& list = store_->assertions;
  std::size_t number = 0;
  while (number < list.size() && list[number].message != message) ++number;
  if (number == list.size()) list.push_back({std::string(message)});
  const int c = node_of(condition), v = node_of(value);
  return {*this, GraphAccess::intern(*this, Op::assertion, c, v, static_cast<int>(number))};
}

}  // namespace daedalus::graph
