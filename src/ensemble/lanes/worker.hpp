// SPDX-License-Identifier: BSD-3-Clause
// One thread's lanes: takes tasks, prepares them side by side, runs attempts until none is left. A
// lane whose trajectory is finished takes the next one. A trajectory that lanes cannot do safely
// goes back to be done by the library's own loop, from its start.
#pragma once

#include <functional>
#include <optional>

#include "ensemble/lanes/plan.hpp"

namespace daedalus::lanes {

struct Desk {
  std::function<std::optional<std::size_t>()> next;  // number of the next task
  std::function<EnsembleTask(std::size_t)> make;
  std::function<void(std::size_t, EnsembleRun&&)> finished;
  std::function<void(std::size_t)> hand_over;
  std::function<bool()> stopped;
};

void work(const Plan& plan, const Desk& desk);

// Start values that are not consistent are the business of the library; as they are where it does
// not find any.
void make_consistent(const EnsembleTask& task, std::vector<double>& given);

}  // namespace daedalus::lanes
