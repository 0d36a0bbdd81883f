// SPDX-License-Identifier: BSD-3-Clause
#include "graph/operations.hpp"

#include <array>

namespace daedalus::graph {
namespace {

// In multiplications, about what a call of the mathematics library and a division take.
constexpr int call_weight = 15, division_weight = 4;

constexpr OpInfo infix_op(std::string_view name, int weight, bool commutative = false) {
  return {name, 2, weight, false, false, commutative};
}
constexpr OpInfo unary_op(std::string_view name, int weight = call_weight) {
  return {name, 1, weight, true, false, false};
}
constexpr OpInfo binary_op(std::string_view name, int weight = call_weight,
                           bool commutative = false) {
  return {name, 2, weight, true, false, commutative};
}
constexpr OpInfo relation_op(std::string_view name, bool commutative = false) {
  return {name, 2, 1, false, true, commutative};
}

constexpr std::array<OpInfo, static_cast<std::size_t>(Op::count_of_ops)> op_table{{
    {"constant", 0, 0, false, false, false},
    {"input", 0, 0, false, false, false},
    infix_op("+", 1, true),
    infix_op("-", 1),
    infix_op("*", 1, true),
    infix_op("/", division_weight),
    {"-", 1, 1, false, false, false},
    {"pow", 2, 2 * call_weight, true, false, false},
    unary_op("sqrt", division_weight),
    unary_op("cbrt"),
    unary_op("exp"),
    unary_op("exp2"),
    unary_op("expm1"),
    unary_op("log"),
    unary_op("log2"),
    unary_op("log10"),
    unary_op("log1p"),
    unary_op("sin"),
    unary_op("cos"),
    unary_op("tan"),
    unary_op("asin"),
    unary_op("acos"),
    unary_op("atan"),
    unary_op("sinh"),
    unary_op("cosh"),
    unary_op("tanh"),
    unary_op("asinh"),
    unary_op("acosh"),
    unary_op("atanh"),
    unary_op("erf"),
    unary_op("erfc"),
    unary_op("abs", 1),
    unary_op("sign", 2),
    unary_op("floor", 2),
    unary_op("ceil", 2),
    unary_op("round", 4),
    unary_op("trunc", 2),
    binary_op("atan2"),
    binary_op("hypot", call_weight, true),
    binary_op("mod", 8),
    binary_op("copysign", 2),
    binary_op("min", 1),
    binary_op("max", 1),
    relation_op("<"),
    relation_op("<="),
    relation_op(">"),
    relation_op(">="),
    relation_op("==", true),
    relation_op("<>", true),
    relation_op("and", true),
    relation_op("or", true),
    {"not", 1, 1, false, true, false},
    {"select", 3, 2, false, false, false},
    {"no_event", 1, 0, true, false, false},
    {"assert", 2, 1, false, false, false},
    {"table", -1, call_weight, false, false, false},
    {"external", -1, 2 * call_weight, false, false, false},
}};

constexpr std::array<std::string_view, static_cast<std::size_t>(input_kinds)> kind_names{
    "time",    "state",     "algebraic", "derivative", "position", "velocity", "multiplier",
    "contact", "auxiliary", "parameter", "mode",       "previous", "argument"};

double comparison(Op op, double a, double b) {
  switch (op) {
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::greater:
      return a > b;
    case Op::greater_equal:
      return a >= b;
    case Op::equal:
      return a == b;
    case Op::not_equal:
      return a != b;
    case Op::logical_and:
      return a != 0.0 && b != 0.0;
    case Op::logical_or:
      return a != 0.0 || b != 0.0;
    default:
      return a == 0.0;
  }
}

double two_arguments(Op op, double a, double b) {
  switch (op) {
    case Op::power:
      return std::pow(a, b);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::hypot:
      return std::hypot(a, b);
    case Op::mod:
      return floored_modulo(a, b);
    case Op::copysign:
      return std::copysign(a, b);
    case Op::min:
      return minimum(a, b);
    case Op::max:
      return maximum(a, b);
    default:
      return comparison(op, a, b);
  }
}

double rounding(Op op, double a, double b) {
  switch (op) {
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return sign_of(a);
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::round:
      return std::round(a);
    case Op::trunc:
      return std::trunc(a);
    default:
      return two_arguments(op, a, b);
  }
}

double transcendental(Op op, double a) {
  switch (op) {
    case Op::cbrt:
      return std::cbrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::exp2:
      return std::exp2(a);
    case Op::expm1:
      return std::expm1(a);
    case Op::log:
      return std::log(a);
    case Op::log2:
      return std::log2(a);
    case Op::log10:
      return std::log10(a);
    case Op::log1p:
      return std::log1p(a);
    case Op::erf:
      return std::erf(a);
    default:
      return std::erfc(a);
  }
}

double trigonometric(Op op, double a) {
  switch (op) {
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::asinh:
      return std::asinh(a);
    case Op::acosh:
      return std::acosh(a);
    default:
      return std::atanh(a);
  }
}

}  // namespace

const OpInfo& info(Op op) { return op_table[static_cast<std::size_t>(op)]; }
std::string_view name_of(Op op) { return info(op).name; }
std::string_view name_of(InputKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

bool is_elementary(Op op) {
  return op >= Op::add && op != Op::select && op != Op::assertion && op != Op::table &&
         op != Op::external;
}

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::no_event:
      return a;
    case Op::erf:
    case Op::erfc:
      return transcendental(op, a);
    default:
      if (op >= Op::cbrt && op <= Op::log1p) return transcendental(op, a);
      if (op >= Op::sin && op <= Op::atanh) return trigonometric(op, a);
      return rounding(op, a, b);
  }
}

}  // namespace daedalus::graph
