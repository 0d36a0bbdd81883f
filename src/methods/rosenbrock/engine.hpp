// Linearly implicit methods on M x' = f(t, x), given by tables (approach A): one factorisation of
// M/(h gamma) - J per attempted step, one solve per stage, one right-hand side per stage that
// evaluates at a new point, no iteration; non-autonomous terms by the exact time derivative.
#pragma once

#include <daedalus/method.hpp>

#include "kernel/rosenbrock_table.hpp"

namespace daedalus {

struct RosenbrockTraits {
  // Powers of h with which the error estimate of differential and algebraic variables falls;
  // 0: the order of the embedded solution plus one.
  int differential_power = 0, algebraic_power = 0;
  bool any_jacobian = false;  // a W-method: offers the option jacobian_steps
};

// Completes a description with the engine; `table` must outlive the method.
Method rosenbrock(const RosenbrockCoefficients& table, Method description,
                  RosenbrockTraits traits = {});

// Powers of the estimate per class of variables.
ClassOrders estimate_powers(const Method& description, const RosenbrockTraits& traits);

}  // namespace daedalus
