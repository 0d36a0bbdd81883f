// SPDX-License-Identifier: BSD-3-Clause
// The equations as callables of a problem. In charge form F(t, x, d') = 0 with d = d(x) one entry
// per element: only differences of single charges are ever divided by a step, and sums of charges
// are conserved. Where all charges are linear: M x' = f(t, x) with a constant sparse M.
#pragma once

#include <memory>

#include "circuit/network.hpp"
#include "model/formula_function.hpp"

namespace daedalus::circuit {

struct TransientEquations {
  std::shared_ptr<const FormulaFunction> residual, leading;  // charge form
  std::shared_ptr<const FormulaFunction> rhs;                // conventional form
  // Of switches, then of relations: crosses zero where a mode may change. Each alone, since each
  // is asked for many times per step.
  std::vector<std::shared_ptr<const Formulas>> crossings;
};

// `graph` is that of the network, shared with whoever holds the equations.
TransientEquations transient_equations(Network& network, std::shared_ptr<graph::Graph> graph,
                                       bool conventional);

}  // namespace daedalus::circuit
