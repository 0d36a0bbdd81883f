// SPDX-License-Identifier: BSD-3-Clause
#include "graph/code_functions.hpp"

#include <cmath>

#include "graph/lifted.hpp"
#include "graph/numbers.hpp"
#include "graph/operations.hpp"

namespace daedalus::graph {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);
const void* pointer(Unary f) { return reinterpret_cast<const void*>(f); }
const void* pointer(Binary f) { return reinterpret_cast<const void*>(f); }

const void* function_of_one(Op op) {
  switch (op) {
    case Op::cbrt:
      return pointer(Unary{std::cbrt});
    case Op::exp:
      return pointer(Unary{std::exp});
    case Op::exp2:
      return pointer(Unary{std::exp2});
    case Op::expm1:
      return pointer(Unary{std::expm1});
    case Op::log:
      return pointer(Unary{std::log});
    case Op::log2:
      return pointer(Unary{std::log2});
    case Op::log10:
      return pointer(Unary{std::log10});
    case Op::log1p:
      return pointer(Unary{std::log1p});
    case Op::erf:
      return pointer(Unary{std::erf});
    case Op::erfc:
      return pointer(Unary{std::erfc});
    case Op::round:
      return pointer(Unary{std::round});
    default:
      return pointer(Unary{sign_of});
  }
}

const void* trigonometric_function(Op op) {
  switch (op) {
    case Op::sin:
      return pointer(Unary{std::sin});
    case Op::cos:
      return pointer(Unary{std::cos});
    case Op::tan:
      return pointer(Unary{std::tan});
    case Op::asin:
      return pointer(Unary{std::asin});
    case Op::acos:
      return pointer(Unary{std::acos});
    case Op::atan:
      return pointer(Unary{std::atan});
    case Op::sinh:
      return pointer(Unary{std::sinh});
    case Op::cosh:
      return pointer(Unary{std::cosh});
    case Op::tanh:
      return pointer(Unary{std::tanh});
    case Op::asinh:
      return pointer(Unary{std::asinh});
    case Op::acosh:
      return pointer(Unary{std::acosh});
    default:
      return pointer(Unary{std::atanh});
  }
}

}  // namespace

const void* library_function(Op op) {
  switch (op) {
    case Op::power:
      return pointer(Binary{std::pow});
    case Op::atan2:
      return pointer(Binary{std::atan2});
    case Op::hypot:
      return pointer(Binary{std::hypot});
    case Op::mod:
      return pointer(Binary{floored_modulo});
    case Op::copysign:
      return pointer(Binary{std::copysign});
    default:
      return op >= Op::sin && op <= Op::atanh ? trigonometric_function(op) : function_of_one(op);
  }
}

void sine_cosine_from_code(double x, double* both) { sine_cosine(x, both[0], both[1]); }

double look_up_from_code(const LookUp* l, const double* x, int n) {
  return lifted(TableSource{l->table.get(), l->order}, x, n);
}
double external_from_code(const External* function, const double* x, int n) {
  return function->value({x, static_cast<std::size_t>(n)});
}

}  // namespace daedalus::graph
