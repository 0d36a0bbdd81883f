// SPDX-License-Identifier: BSD-3-Clause
// The equations of a problem as formulas of time, state and parameters, with exact derivatives.
// Parameters are whatever changes from run to run: parameters of the problem, numbers that its
// callables captured, entries of a constant mass matrix.
#pragma once

#include <memory>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::lanes {

struct Formulas {
  std::unique_ptr<graph::Graph> graph;
  std::vector<Expr> guards;  // not zero where the formulas hold
  std::vector<Expr> stops;   // conditions that end a run
  // M y' = f(t, y); matrices row by row.
  std::vector<Expr> f, f_y, f_t, mass;
  // Multibody problems; the state is (q, v). `mass` and f, the forces, as above.
  std::vector<Expr> g, g_q, g_t, curvature;  // curvature: d^2/dt^2 g with v' = 0
  int n = 0;                                 // equations, or coordinates q
  int constraints = 0;
  bool algebraic = false;  // there are algebraic variables in a class of their own
};

// Derivatives of f (and g) from f, g and guards; `state_count` inputs of kind `state`.
void differentiate(Formulas& formulas, bool multibody);

}  // namespace daedalus::lanes
