// SPDX-License-Identifier: BSD-3-Clause
// F(t, y, y') = 0 together with gamma(t, y) = 0, which follows from it, as one square system
//   F + C^T eta = 0,  gamma = 0,  eta = 0 on the solution
// with C = gamma_y (Fuehrer 1988; Arnold 1998, (3.13)) or, with side equations h(xi, s) = 0 among
// those of F, C = (gamma_xi - gamma_s h_s^{-1} h_xi, 0): the side equations then hold by themselves
// (3.18). Row i of F belongs to variable i. Derivatives leave out those of C.
#pragma once

#include <memory>
#include <string_view>

#include "formulation/first_order_system.hpp"
#include "formulation/lower.hpp"

namespace daedalus {

ViewFit fit_overdetermined(const ImplicitProblem& p, std::string_view formulation, View view);
std::unique_ptr<System> lower_overdetermined(std::shared_ptr<const ImplicitProblem> p,
                                             std::string_view formulation,
                                             const LoweringOptions& options);

}  // namespace daedalus
