// SPDX-License-Identifier: BSD-3-Clause
// Runs that do not fit memory, or last so long that they may be interrupted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <daedalus/solve.hpp>

namespace daedalus {

// How a long run is recorded and interrupted; what is computed stands in Options. At a checkpoint,
// between two steps, everything that decides how the run goes on is written to a file: a run that
// resumes from it gives the same bits as one that was never interrupted. The file is replaced as a
// whole. A damaged one is refused with FileError that names the place, one of another problem,
// method or other options with InvalidArgument that names the difference.
struct LongRun {
  bool keep_states = true;  // false: reported states go to Options::sink alone, no memory grows
  // With Output::steps: states at these times are reported between the steps, too.
  std::vector<double> times_between{};
  std::string checkpoint{};        // the file; empty: none
  double checkpoint_seconds = 60;  // the least time between two
  long checkpoint_steps = 0;       // > 0: after so many accepted steps, whatever the time
  std::string resume{};            // the run goes on from this checkpoint instead of t0
  // What the run changes outside the library, as a text: the position in a file, for example.
  std::function<std::string()> save{};
  std::function<void(const std::string&)> load{};
};

Solution solve(const Problem& problem, Interval interval, const Options& options,
               const LongRun& run);

}  // namespace daedalus
