// SPDX-License-Identifier: BSD-3-Clause
// Claims and tables of Steinebach (1988): Semi-implizite Einschrittverfahren zur numerischen
// Loesung differential-algebraischer Gleichungen technischer Modelle, report 29, Kaiserslautern.
#pragma once

#include <span>

#include "reproduce/experiment.hpp"

namespace daedalus::experiments {

std::span<const Experiment> steinebach_experiments();

namespace steinebach {

// By topic, each with the experiments in rising number.
std::vector<Experiment> theory_experiments();     // 1, 2, 5, 22
std::vector<Experiment> order_experiments();      // 3, 4, 6
std::vector<Experiment> example_experiments();    // 7 to 11
std::vector<Experiment> control_experiments();    // 12, 13
std::vector<Experiment> interface_experiments();  // 19, 20, 21
std::vector<Experiment> amplifier_experiments();  // 14 to 17
std::vector<Experiment> axle_experiments();       // 18

}  // namespace steinebach
}  // namespace daedalus::experiments
