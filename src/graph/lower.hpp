// SPDX-License-Identifier: BSD-3-Clause
// Formulas as they are evaluated: cheaper operations for powers with fixed exponents, no_event
// gone. Done before differentiation, too, so that powers share their factors with their slopes.
#pragma once

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// x^n by squaring up to here: beyond it squaring loses more digits than the library's power, as
// in the dual numbers.
inline constexpr int max_squaring_exponent = 8;

Expr natural_power(const Expr& x, int n);  // n >= 1, by squaring

Outputs lower(Graph& graph, const Outputs& outputs);  // kernels of maps, too

}  // namespace daedalus::graph
