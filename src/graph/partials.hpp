// SPDX-License-Identifier: BSD-3-Clause
// The one set of rules for derivatives: d node / d operand of every operation, as expressions of
// the same graph. Symbolic Jacobians, total derivatives and Taylor arithmetic all use it.
#pragma once

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// Zero where the operation is piecewise constant in that operand. At kinks the slope of the side
// that the value is taken from.
Expr partial(Graph& graph, int node, int operand);

// c*x for the chain rule. Where one factor is a choice between an expression and zero, as the
// slopes of select, min and max are, the product is taken inside: the slope of the branch that is
// not taken may be infinite and must not meet a factor of zero.
Expr chain(const Expr& c, const Expr& x);
// a + b; the two sides of one choice become one choice again.
Expr join(const Expr& a, const Expr& b);

}  // namespace daedalus::graph
