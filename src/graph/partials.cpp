// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include "graph/partials.hpp"

#include <daedalus/graph_table.hpp>
#include <daedalus/types.hpp>

#include "graph/expr_access.hpp"
#include "graph/operations.hpp"
#include "graph/store.hpp"

namespace daedalus::graph {
namespace {

constexpr double ln_2 = std::numbers::ln2, ln_10 = std::numbers::ln10;
constexpr double two_over_root_pi = 2.0 * std::numbers::inv_sqrtpi;

Expr power_slope(const Expr& z, const Expr& a, const Expr& b, int k) {
  if (k == 0) return b * pow(a, b - 1.0);
  // 0^b does not change with b > 0, but 0 log 0 is not a number.
  return select(no_event(a == 0.0), 0.0, z * log(a));
}

// z = f(a) of one operand.
Expr elementary(Op op, const Expr& z, const Expr& a) {
  switch (op) {
    case Op::negate:
      return -1.0;
    case Op::sqrt:
      return 0.5 / z;
    case Op::cbrt:
      return 1.0 / (3.0 * (z * z));
    case Op::exp:
      return z;
    case Op::exp2:
      return ln_2 * z;
    case Op::expm1:  // z + 1 would lose all digits far to the left
      return exp(a);
    case Op::log:
      return 1.0 / a;
    case Op::log2:
      return 1.0 / (ln_2 * a);
    case Op::log10:
      return 1.0 / (ln_10 * a);
    case Op::log1p:
      return 1.0 / (1.0 + a);
    case Op::erf:
      return two_over_root_pi * exp(-(a * a));
    case Op::erfc:
      return -two_over_root_pi * exp(-(a * a));
    case Op::abs:
      return select(no_event(a < 0.0), -1.0, 1.0);
    case Op::no_event:
      return 1.0;
    default:  // sign, floor, ceil, round, trunc, logical_not
      return 0.0;
  }
}

Expr trigonometry(Op op, const Expr& z, const Expr& a) {
  switch (op) {
    case Op::sin:
      return cos(a);
    case Op::cos:
      return -sin(a);
    case Op::tan:
      return 1.0 + z * z;
    case Op::asin:
      return 1.0 / sqrt((1.0 - a) * (1.0 + a));
    case Op::acos:
      return -1.0 / sqrt((1.0 - a) * (1.0 + a));
    case Op::atan:
      return 1.0 / (1.0 + a * a);
    case Op::sinh:
      return cosh(a);
    case Op::cosh:
      return sinh(a);
    case Op::tanh: {  // (1 - z)(1 + z) would cancel
      const Expr c = cosh(a);
      return 1.0 / (c * c);
    }
    case Op::asinh:
      return 1.0 / hypot(a, 1.0);
    case Op::acosh:
      return 1.0 / sqrt((a - 1.0) * (a + 1.0));
    default:  // atanh
      return 1.0 / ((1.0 - a) * (1.0 + a));
  }
}

Expr arithmetic(Op op, const Expr& z, const Expr& a, const Expr& b, int k) {
  switch (op) {
    case Op::add:
      return 1.0;
    case Op::subtract:
      return k == 0 ? 1.0 : -1.0;
    case Op::multiply:
      return k == 0 ? b : a;
    case Op::divide:
      return k == 0 ? 1.0 / b : -(z / b);
    case Op::power:
      return power_slope(z, a, b, k);
    case Op::atan2: {
      const Expr square = a * a + b * b;
      return k == 0 ? b / square : -(a / square);
    }
    case Op::hypot:
      return (k == 0 ? a : b) / z;
    case Op::mod:
      return k == 0 ? Expr(1.0) : -floor(a / b);
    case Op::copysign:
      return k == 0 ? copysign(1.0, a) * copysign(1.0, b) : Expr(0.0);
    case Op::min:
      return k == 0 ? select(no_event(b < a), 0.0, 1.0) : select(no_event(b < a), 1.0, 0.0);
    case Op::max:
      return k == 0 ? select(no_event(a < b), 0.0, 1.0) : select(no_event(a < b), 1.0, 0.0);
    default:  // comparisons and logic
      return 0.0;
  }
}

Expr table_slope(Graph& g, int node, int k) {
  const LookUp look_up = GraphAccess::look_up(g, node);
  auto order = look_up.order;
  ++order[static_cast<std::size_t>(k)];
  if (look_up.table->vanishes(order[static_cast<std::size_t>(k)])) return 0.0;
  const int number = GraphAccess::look_up_number(g, look_up.table, order);
  const Node n = g.node(node);
  return g.expr(GraphAccess::intern(g, Op::table, n.x[0], n.x[1], number));
}

Expr external_slope(Graph& g, int node, int k) {
  const auto function = GraphAccess::external(g, node);
  const auto at = static_cast<std::size_t>(k);
  if (at >= function->partial.size() || !function->partial[at])
    throw InvalidArgument("function '" + function->name + "' has no derivative by argument " +
                          std::to_string(k));
  const auto operands = g.operands(node);
  const std::vector<std::int32_t> arguments(operands.begin(), operands.end());
  const int number = GraphAccess::external_number(g, function->partial[at]);
  return g.expr(GraphAccess::intern_external(g, number, arguments));
}

// x = choice between something and zero: condition, and the branch that is not zero.
bool is_mask(const Expr& x) {
  return has_op(x, Op::select) && (operand(x, 1).is_number(0.0) || operand(x, 2).is_number(0.0));
}

}  // namespace

Expr partial(Graph& g, int node, int k) {
  const Node n = g.node(node);
  const Expr z = g.expr(node);
  switch (n.op) {
    case Op::constant:
    case Op::input:
      return 0.0;
    case Op::select: {
      if (k == 0) return 0.0;
      return select(g.expr(n.x[0]), k == 1 ? 1.0 : 0.0, k == 1 ? 0.0 : 1.0);
    }
    case Op::assertion:
      return k == 0 ? 0.0 : 1.0;
    case Op::table:
      return table_slope(g, node, k);
    case Op::external:
      return external_slope(g, node, k);
    default:
      break;
  }
  const Expr a = g.expr(n.x[0]);
  if (n.op >= Op::sin && n.op <= Op::atanh) return trigonometry(n.op, z, a);
  if (n.operand_count == 1) return elementary(n.op, z, a);
  return arithmetic(n.op, z, a, g.expr(n.x[1]), k);
}

Expr chain(const Expr& c, const Expr& x) {
  const Expr& mask = is_mask(c) ? c : x;
  if (!is_mask(mask)) return c * x;
  const Expr& other = is_mask(c) ? x : c;
  // A number goes inside as well: minus a mask is a mask for the factors to come.
  if (other.is_number())
    return select(operand(mask, 0), operand(mask, 1) * other, operand(mask, 2) * other);
  return select(operand(mask, 0), chain(operand(mask, 1), other), chain(operand(mask, 2), other));
}

Expr join(const Expr& a, const Expr& b) {
  if (is_mask(a) && is_mask(b) && operand(a, 0).same(operand(b, 0)))
    return select(operand(a, 0), join(operand(a, 1), operand(b, 1)),
                  join(operand(a, 2), operand(b, 2)));
  return a + b;
}

}  // namespace daedalus::graph
