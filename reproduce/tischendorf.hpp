// SPDX-License-Identifier: BSD-3-Clause
// Claims and tables of Tischendorf (1992): Die BDF fuer nichtlineare
// Algebro-Differentialgleichungen vom Index 2, diploma thesis, Humboldt-Universitaet zu Berlin,
// with the program DAE2SOL.
#pragma once

#include <span>

#include "reproduce/experiment.hpp"

namespace daedalus::experiments {

std::span<const Experiment> tischendorf_experiments();

namespace tischendorf {

// By topic, each with the experiments in rising number.
std::vector<Experiment> formula_experiments();    // R1
std::vector<Experiment> theory_experiments();     // R2, R3
std::vector<Experiment> kernel_experiments();     // R4, R5, R6
std::vector<Experiment> coupling_experiments();   // R7, R8
std::vector<Experiment> order_experiments();      // R9, R10, R11
std::vector<Experiment> linear_experiments();     // R12, R13
std::vector<Experiment> pendulum_experiments();   // R14, R15, R16, R19
std::vector<Experiment> circuit_experiments();    // R17, R18
std::vector<Experiment> interface_experiments();  // R20, R21

}  // namespace tischendorf
}  // namespace daedalus::experiments
