// SPDX-License-Identifier: BSD-3-Clause
// Index reduction with Baumgarte's stabilisation, as Steinebach (1988), section 8.2, uses it: the
// constraints g of a multibody problem with constant diagonal mass matrix become
//   q' = v,  v' = M^-1 (f - G^T lambda),  0 = g'' + alpha g' + beta g,
// a semi-explicit system of index 1 with y = (q, v), z = lambda. With beta = (alpha/2)^2 an error
// of the constraints decays like t exp(-alpha t / 2); with alpha = beta = 0 it grows linearly.
#pragma once

#include <catalogue/support.hpp>

namespace daedalus::problems {

// `p` has at most 12 positions and 4 constraints, and gives all derivatives of its constraints.
SemiExplicitProblem baumgarte(const MultibodyProblem& p, const std::string& name, double alpha,
                              double beta);

}  // namespace daedalus::problems
