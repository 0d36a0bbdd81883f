// SPDX-License-Identifier: BSD-3-Clause
// All solvers on one problem: who runs what, how long, and how often.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tool/work_run.hpp"

namespace daedalus::peers {

struct ContestSettings {
  std::vector<double> tolerances;
  std::vector<std::string> methods;  // ours; empty: all that fit, and the automatic choice
  int repetitions = 5;
  double longest_seconds = 2.0;             // of one run
  std::string only{};                       // peers whose names begin with this
  std::vector<std::string> formulations{};  // that peers are given; empty: every one
  std::vector<std::string> classical{};     // NAME=PATH of classical codes (classical.hpp)
};

// Every solver in every formulation runs once at every tolerance; one that is five times slower
// than another of its side at the same accuracy, twice in a row, is not taken further. Those that
// are near the fastest of their side anywhere are then repeated, taking turns, so that a busy
// machine disturbs all of them; the least time of each counts. A run below a millisecond is made
// often enough to last one.
std::vector<bench::Run> contest(const problems::Entry& entry, const ContestSettings& settings);

}  // namespace daedalus::peers
