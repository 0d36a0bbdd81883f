// SPDX-License-Identifier: BSD-3-Clause
// The document of a run with everything its report shows, and the page made of such a document.
#pragma once

#include <filesystem>
#include <string>

#include <daedalus/run_file.hpp>

#include "tool/json.hpp"
#include "tool/solve_report.hpp"
#include "tool/trajectory.hpp"

namespace daedalus::cli {

// The document of `solve --json` plus "command", "interval", "parameters", and what the library
// writes of a run: "model", "variables", "steps", "residuals", "invariants",
// "kinetic_energy", "scene". The trajectory is the caller's.
Json run_document(const RunReport& report, const StepTable& steps, const std::string& command,
                  const Trajectory& trajectory);

// The states that a run has kept.
Trajectory reported_states(const Solution& solution);
// The states of a report: every step, and points between them where there are few.
Trajectory report_trajectory(const Solution& solution);

// Empty when the tool was built with its report page, else what was missing then.
std::string missing_report_page();
// Throws InvalidArgument where the name is none of a page, FileError with that text when there is
// one.
void need_report_page(const std::string& option, const std::filesystem::path& target);

// One page without references to other files: our bundle and the document. Arrays of numbers are
// stored as base64 of little-endian doubles, {"$f64": "..."}, so that 10^5 points load quickly and
// every bit is kept.
std::string report_page(const Json& document);

}  // namespace daedalus::cli
