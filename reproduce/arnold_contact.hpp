// SPDX-License-Identifier: BSD-3-Clause
// Claims of Arnold (1998): Zur Theorie und zur numerischen Loesung von Anfangswertproblemen fuer
// differentiell-algebraische Systeme von hoeherem Index, habilitation thesis, Rostock; chapter 4:
// multibody systems with contact conditions.
#pragma once

#include <span>
#include <vector>

#include "reproduce/experiment.hpp"

namespace daedalus::experiments {

std::span<const Experiment> arnold_contact_experiments();

namespace contact {

// By topic.
std::vector<Experiment> model_experiments();  // 1 to 5: disc on a hyperbola
std::vector<Claim> rate_constraints();        // of 5: what the plain corrector does to h
std::vector<Experiment> smax_experiments();   // 10 to 12: smooth maximum
std::vector<Experiment> lift_experiments();   // 21: lift-off

Experiment experiment(int number, const char* title, double seconds,
                      std::vector<Claim> (*run)(Context&), Basis basis, Parts parts = {});

}  // namespace contact
}  // namespace daedalus::experiments
