// SPDX-License-Identifier: BSD-3-Clause
// The equations as callables of a problem, in one of three forms (--formulation):
//   charge            F(t, x, x') = 0: linear charges enter with their rates, C (v_a' - v_b'), and
//                     every other charge becomes a variable q = q(voltages), so that only q'
//                     occurs, with a constant matrix;
//   charge-variables  M x' = f(t, x) with constant M: all charges and fluxes are variables;
//   conventional      M x' = f(t, x) with the capacitances as M, where all charges are linear.
// Sums of charges are conserved by every method that conserves linear invariants, and charges of
// different elements are never summed before they are differentiated.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "circuit/network.hpp"
#include "model/formula_function.hpp"

namespace daedalus::circuit {

enum class CircuitForm { charge, charge_variables, conventional };

struct TransientEquations {
  CircuitForm form = CircuitForm::charge;
  std::shared_ptr<const FormulaFunction> residual;  // F(t, x, x') = 0
  std::shared_ptr<const FormulaFunction> rhs;       // M x' = f(t, x)
  std::vector<int> charges;  // that are variables, behind the unknowns of the network
  // Of switches, then of relations: crosses zero where a mode may change. Each alone, since each
  // is asked for many times per step.
  std::vector<std::shared_ptr<const Formulas>> crossings;
};

// `graph` is that of the network, shared with whoever holds the equations.
TransientEquations transient_equations(Network& network, std::shared_ptr<graph::Graph> graph,
                                       CircuitForm form);
// "charge", "charge-variables", "conventional".
std::string_view name_of(CircuitForm form);

}  // namespace daedalus::circuit
