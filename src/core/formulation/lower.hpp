// SPDX-License-Identifier: BSD-3-Clause
// How any problem becomes a system: the only place that knows problem forms and formulations.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <daedalus/formulation.hpp>
#include <daedalus/problem.hpp>

#include "formulation/first_order_system.hpp"
#include "system/system.hpp"

namespace daedalus {

// Throws InvalidArgument when the form does not offer the view, or the formulation is unknown.
std::unique_ptr<System> lower(std::shared_ptr<const Problem> problem, std::string_view formulation,
                              View view, const LoweringOptions& options, double t0);

// Whether a problem can be lowered to the view at all, and with which index; an empty reason means
// yes.
struct ViewFit {
  bool possible = false;
  int index = 0;
  std::string reason;  // why not
};
ViewFit fit(const Problem& problem, std::string_view formulation, View view);

// Start state in system coordinates (of System::model_system() if there is one): model start
// values, and zeros where the start-value solver has to act.
State model_start(const System& system, const Problem& problem, double t0);

}  // namespace daedalus
