// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of a run as the measure takes them: one per tangent coordinate of a system.
#pragma once

#include "control/policy.hpp"
#include "system/system.hpp"

namespace daedalus {

// `share` of rtol and atol that the error of one step may take.
MeasureOptions measure_options(const Options& options, const ControlPolicy& policy, System& system,
                               double share);

}  // namespace daedalus
