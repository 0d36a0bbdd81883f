// SPDX-License-Identifier: BSD-3-Clause
// The forms of first-order problems as systems, one file each.
#pragma once

#include <memory>

#include <daedalus/problem.hpp>

#include "formulation/first_order_system.hpp"
#include "system/system.hpp"

namespace daedalus {

std::unique_ptr<System> lower_implicit(std::shared_ptr<const ImplicitProblem> p, View view,
                                       const LoweringOptions& options);
std::unique_ptr<System> lower_mass(std::shared_ptr<const MassMatrixProblem> p, bool separated,
                                   View view, const LoweringOptions& options, double t0);
std::unique_ptr<System> lower_semi_explicit(std::shared_ptr<const SemiExplicitProblem> p, View view,
                                            const LoweringOptions& options);

}  // namespace daedalus
