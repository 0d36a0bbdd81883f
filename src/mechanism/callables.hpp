// SPDX-License-Identifier: BSD-3-Clause
// The callables of the multibody problem of a plan.
#pragma once

#include <memory>

#include <daedalus/problem.hpp>

#include "mechanism/plan.hpp"

namespace daedalus::mechanism {

void give_constraints(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem);
void give_forces(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem);

}  // namespace daedalus::mechanism
