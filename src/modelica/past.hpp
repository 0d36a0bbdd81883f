// SPDX-License-Identifier: BSD-3-Clause
// Values of the past for delay(e, T). A run has one history for each delay; a discrete variable
// keeps its number. What the search for events looks at after accepted steps, five points of each,
// is written down; between them a cubic gives values. Where a step is repeated or a run begins
// anew, what was later is forgotten.
#pragma once

#include <memory>

#include <daedalus/graph.hpp>

namespace daedalus::modelica {

// of (time): the number of a new history.
std::shared_ptr<const graph::External> new_history();
// of (number, time, e): writes e down; its value is 1.
std::shared_ptr<const graph::External> write_history();
// of (number, time, e): e at time - delay; at the beginning of the run e itself.
std::shared_ptr<const graph::External> read_history(double delay);

}  // namespace daedalus::modelica
