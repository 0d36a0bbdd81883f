// SPDX-License-Identifier: BSD-3-Clause
// Rows that no change of the free start values meets. The smallest sum of squares that Gauss-Newton
// reaches has a residual r with J^T r = 0, J over the free coordinates: the combination r^T of the
// rows that none of them moves. Rows with r_i = 0 take no part in the contradiction.
#pragma once

#include <string>
#include <vector>

#include "start/least_change.hpp"

namespace daedalus {

// Rows are added stage by stage, the constraints of positions before those of velocities: the first
// stage that cannot be met is where the conflict is.
struct StartStage {
  std::vector<std::string> names;  // of the rows added
  std::vector<int> columns;        // coordinates that may change, fixed ones included
};

// inconsistent_start with the rows in conflict; success, if every stage can be met or a row cannot
// be evaluated. `given` are the values that the iteration starts from.
StartReport find_conflict(System& system, const State& given, const StartRequest& request,
                          const StartRows& rows, int row_count,
                          const std::vector<StartStage>& stages);

// What follows from having initial equations: a stage of their own, of all these columns.
StartStage initial_equation_stage(const StartRequest& request, std::vector<int> columns);

}  // namespace daedalus
