// SPDX-License-Identifier: BSD-3-Clause
// Other formulations of y' = f(t, y, z), 0 = g(t, y) (Arnold 1998):
//   baumgarte    0 = (g_t + g_y f)/alpha + g                                           (2.86)
//   linearised   y' = f(t, y, z) - g_y^T zeta,  0 = g_t + g_y f,  0 = g                (2.49)
//   regularised  epsilon z' = g, or -g: with the sign for which g_y f_z has a negative trace at the
//                start (section 3.2)
// z of the linearised form is an index-1 variable and zeta, which vanishes on the solution, the
// only one of index 2. Derivatives leave out those of g_y in g_y^T zeta.
#pragma once

#include <memory>
#include <string_view>

#include "formulation/first_order_system.hpp"
#include "formulation/lower.hpp"

namespace daedalus {

ViewFit fit_hessenberg(const SemiExplicitProblem& p, std::string_view formulation, View view);
std::unique_ptr<System> lower_hessenberg(std::shared_ptr<const SemiExplicitProblem> p,
                                         std::string_view formulation, View view,
                                         const LoweringOptions& options, double t0);

}  // namespace daedalus
