// SPDX-License-Identifier: BSD-3-Clause
// Short questions to an expression, for the rules of simplification and differentiation.
#pragma once

#include <daedalus/graph.hpp>

namespace daedalus::graph {

inline bool has_op(const Expr& x, Op op) {
  return !x.is_number() && x.graph()->node(x.node()).op == op;
}
inline Expr operand(const Expr& x, int k) {
  return x.graph()->expr(x.graph()->node(x.node()).x[static_cast<std::size_t>(k)]);
}

}  // namespace daedalus::graph
