// SPDX-License-Identifier: BSD-3-Clause
// Linearly implicit methods, given by tables.
//
// Approach A on M x' = f(t, x): one factorisation of M/(h gamma) - J per attempted step, one solve
// per stage, one right-hand side per stage that evaluates at a new point, no iteration.
// Approach B on y' = f(t, y, z), 0 = g(t, y, z): explicit in y; one factorisation of g_z per
// accepted step, which survives rejections; f and g once per stage. For differential parts that are
// not stiff. Both take non-autonomous terms by the exact time derivative.
#pragma once

#include <daedalus/method.hpp>

#include "kernel/rosenbrock_table.hpp"

namespace daedalus {

struct RosenbrockTraits {
  // Powers of h with which the error estimate of differential and algebraic variables falls;
  // 0: the order of the embedded solution plus one.
  int differential_power = 0, algebraic_power = 0;
  bool any_jacobian = false;  // a W-method: offers the option jacobian_steps
  // Where R(infinity) of solution and embedded solution differ, the estimate contains a share of
  // the error that algebraic variables have already at the beginning of a step, whatever h: once a
  // step has left too large a one, no step is short enough. The option subtract_inherited takes it
  // out, at the cost of one solve per attempt; this is its standard value, -1 does not offer it.
  int subtract_inherited = -1;
};

// Completes a description with the engine; `table` must outlive the method.
Method rosenbrock(const RosenbrockCoefficients& table, Method description,
                  RosenbrockTraits traits = {});
Method rosenbrock(const RosenbrockBCoefficients& table, Method description,
                  RosenbrockTraits traits = {});

// Powers of the estimate per class of variables.
ClassOrders estimate_powers(const Method& description, const RosenbrockTraits& traits);

}  // namespace daedalus
