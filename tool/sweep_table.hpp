// SPDX-License-Identifier: BSD-3-Clause
// The runs of a sweep as a table for people: parameters and end values.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tool/sweep_plan.hpp"

namespace daedalus::cli {

// As many variables as fit on a line; of many runs the first and the last ones. What is left out is
// said.
void print_sweep_table(const SweepPlan& plan, const std::vector<std::string>& names,
                       const std::vector<EnsembleRun>& runs, std::ostream& out);

}  // namespace daedalus::cli
