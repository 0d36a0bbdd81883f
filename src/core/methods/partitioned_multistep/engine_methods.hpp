// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of the methods with constant k, and the settings that all methods of the family
// share.
#pragma once

#include <daedalus/method.hpp>

#include "methods/partitioned_multistep/engine.hpp"

namespace daedalus::partitioned_multistep {

// The gamma of beta-blocking tau = gamma (xi - 1)^k with the smallest kappa: 0, 0.334, 0.675 for
// k = 1, 2, 3. Arnold (1998), Fig. 3.11 uses -0.1 for k = 3, with kappa 0.7102.
double best_gamma(int k);

// Whole number in a range, or InvalidArgument naming the option.
int whole_setting(const MethodSettings& settings, std::string_view key, int least, int largest);
// Choice (I), (II) or (III); blocking is refused where no gamma is stable, or this one is not.
void read_algebraic_rule(const MethodSettings& settings, Configuration& configuration);

// <stem>-<k>, k steps: order k + 1 in y, k in z.
Method constant_formula(const std::string& stem, int k, Corrector corrector,
                        AlgebraicRule standard);

}  // namespace daedalus::partitioned_multistep
