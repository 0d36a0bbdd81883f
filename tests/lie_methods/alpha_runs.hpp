// SPDX-License-Identifier: BSD-3-Clause
// Runs of the generalised-alpha stepper itself, for variants that no option offers, and sequences
// of steps (Wieloch 2022, Remark 28).
#pragma once

#include <vector>

#include "heavy_top.hpp"

namespace daedalus::lie_testing {

enum class AlphaVariant { right, wrong_sign, without_bracket };

// Largest errors per class on the heavy top, R^3 x SO(3), rho = 0.2, over [0, 0.1]: fixed steps, of
// double length from t = 0.05 on.
Errors alpha_errors(AlphaVariant variant, const char* formulation, int steps_per_second);

// Steps, up to t_end at most, that change every `every` steps by a random ratio, between h / 10 and
// h.
std::vector<double> changing_steps(double h, int every, double least, double largest, double t_end);

}  // namespace daedalus::lie_testing
