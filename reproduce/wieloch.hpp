// SPDX-License-Identifier: BSD-3-Clause
// Claims of Wieloch (2022): Lie-Gruppen-Zeitintegration fuer mechanische Systeme mit
// Bewegungsgleichungen vom Differentiationsindex 3, dissertation, Halle; all on the heavy top.
#pragma once

#include <span>
#include <vector>

#include "reproduce/experiment.hpp"

namespace daedalus::experiments {

std::span<const Experiment> wieloch_experiments();

namespace wieloch {

// By topic.
std::vector<Experiment> formula_experiments();     // 1 to 3: tables, groups, correction terms
std::vector<Experiment> free_experiments();        // 4 to 6: SO(3), without constraints
std::vector<Experiment> constraint_experiments();  // 7 to 9: R^3 x SO(3), SE(3)
std::vector<Experiment> parameter_experiments();   // 10 to 12: L = 0, free parameters
std::vector<Experiment> alpha_experiments();       // 13, 21: generalised-alpha, constant steps
std::vector<Experiment> ratio_experiments();       // 14 to 18: variable steps, Table 4.1
std::vector<Experiment> property_experiments();    // 19, 20, 22: quaternions, constraints, work

}  // namespace wieloch
}  // namespace daedalus::experiments
