// Linearly implicit methods on M x' = f(t, x) (approach A): one factorisation per attempted step,
// one right-hand side and one solve per stage, no iteration. Non-autonomous terms by the exact f_t.
#pragma once

#include <daedalus/method.hpp>

#include "kernel/rosenbrock_table.hpp"

namespace daedalus {

// Completes a description with the engine; `table` must outlive the method.
Method rosenbrock(const RosenbrockCoefficients& table, Method description);

}  // namespace daedalus
