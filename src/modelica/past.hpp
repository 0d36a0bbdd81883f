// SPDX-License-Identifier: BSD-3-Clause
// Values of the past for delay(e, T). They are in the memory of the run (kernel/run_memory.hpp), a
// list for each delay. What the search for events looks at after accepted steps, five points of
// each, is written down; between them a cubic gives values. Where a step is repeated or a run
// begins anew, what was later is forgotten, and so is what no step can ask for any more.
#pragma once

#include <memory>

#include <daedalus/graph.hpp>

namespace daedalus::modelica {

// Of (mode, time, e): `mode` is any mode of the model; outside of runs, where it is NaN, the past
// is not known.

// Writes e down; its value is 1.
std::shared_ptr<const graph::External> write_history(int number, double delay);
// e at time - delay; at the beginning of the run e itself.
std::shared_ptr<const graph::External> read_history(int number, double delay);

}  // namespace daedalus::modelica
