// SPDX-License-Identifier: BSD-3-Clause
// Properties of operations, and their values on plain numbers.
#pragma once

#include <cmath>
#include <string_view>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

struct OpInfo {
  std::string_view name;
  int operand_count;  // -1: varies
  int weight;         // cost in additions, roughly; calls of the mathematical library 15
  bool function;      // has a name in the text form
  bool boolean;       // gives 0 or 1
  bool commutative;   // a op b is b op a bit for bit
};
const OpInfo& info(Op op);

// Values where the outcome of an operation is a matter of convention; evaluators share them.
inline double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x; }
inline double floored_modulo(double x, double y) { return x - std::floor(x / y) * y; }
inline double minimum(double a, double b) { return b < a ? b : a; }
inline double maximum(double a, double b) { return a < b ? b : a; }

// Operations of one and two operands; unary ones ignore b. Not for select and what refers to
// tables, functions or assertions.
double apply(Op op, double a, double b);
bool is_elementary(Op op);  // apply() knows it

}  // namespace daedalus::graph
