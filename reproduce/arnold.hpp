// SPDX-License-Identifier: BSD-3-Clause
// Claims of Arnold (1998): Zur Theorie und zur numerischen Loesung von Anfangswertproblemen fuer
// differentiell-algebraische Systeme von hoeherem Index, habilitation thesis, Rostock; sections 3.2
// and 3.3: half-explicit Runge-Kutta (HE), the integrator HEDOP5 (IN), partitioned linear multistep
// methods (MS).
#pragma once

#include <span>

#include "reproduce/experiment.hpp"

namespace daedalus::experiments {

std::span<const Experiment> arnold_experiments();

namespace arnold {

// By topic, each with the experiments in rising number.
std::vector<Experiment> condition_experiments();   // HE-1
std::vector<Experiment> order_experiments();       // HE-2 to HE-7
std::vector<Experiment> fixed_step_experiments();  // HE-8, HE-9
std::vector<Experiment> integrator_experiments();  // IN-1 to IN-9
std::vector<Experiment> multistep_experiments();   // MS-1 to MS-8

}  // namespace arnold
}  // namespace daedalus::experiments
