// SPDX-License-Identifier: BSD-3-Clause
// Taking and loading the state of a run, and what makes a run the one that a checkpoint belongs to.
#pragma once

#include <string>
#include <string_view>

#include <daedalus/checkpoint.hpp>
#include <daedalus/problem.hpp>

#include "solve/automatic_run.hpp"

namespace daedalus {

using Identity = decltype(Checkpoint::identity);

// How states are recorded, which decides what a resumed run still has to report.
struct KeptStates {
  bool keep_states = true;
  std::vector<double> times_between{};
};

struct RunIdentity {
  const Problem& problem;
  Interval interval;
  const KeptStates& recording;
};

// Callables cannot be compared; their start values can.
Identity identity_of(const RunIdentity& which, const Run& run);
// Throws InvalidArgument naming what differs; `name` says which checkpoint: "the checkpoint 'x'".
void require_same(std::string_view name, const Identity& there, const Identity& here);

// `seconds`: that the run has taken so far.
Checkpoint take_checkpoint(const RunIdentity& which, Run& run, double seconds);
// `run` was started at t0, so that its work arrays exist. Returns the seconds.
double load_checkpoint(const RunIdentity& which, Run& run, const Checkpoint& checkpoint,
                       std::string_view name);

}  // namespace daedalus
