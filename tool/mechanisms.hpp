// SPDX-License-Identifier: BSD-3-Clause
// What mechanisms add to `solve`, `check` and `eigen`: counts, redundant rows, reactions, dead
// positions, modes.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <daedalus/analysis.hpp>
#include <daedalus/mechanism_file.hpp>
#include <daedalus/solution.hpp>

#include "tool/json.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {

// Null where the problem is no mechanism.
std::shared_ptr<const NamedMechanism> mechanism_of(const PreparedRun& run);

// Of the file, of the assembly with the parameters of the run, and of its interval.
std::vector<std::string> mechanism_warnings(const PreparedRun& run, const NamedMechanism& m);

Json redundant_rows(const AssemblyReport& report);  // [{joint, row}]
Json mechanism_object(const NamedMechanism& m, const StateView& state);
// Counts without a state, as `check` gives them.
Json assembly_object(const AssemblyReport& report);

// Joints, drives and energies at a state.
void print_joints(const NamedMechanism& m, const StateView& state, std::ostream& out);

// Why a run ended in a dead position; empty where it did not.
std::string dead_end(const NamedMechanism& m, const Solution& solution);
// Dead positions between here and the end of the interval, from a run at a loose tolerance.
struct Ahead {
  std::vector<DeadPosition> positions;
  double reached = 0.0;
  std::string ended;  // why the run did not reach the end
};
Ahead look_ahead(const NamedMechanism& m, const PreparedRun& run);
Json ahead_object(const Ahead& ahead);

Json modes_array(const NamedMechanism& m, const Eigenvalues& at);

}  // namespace daedalus::cli
