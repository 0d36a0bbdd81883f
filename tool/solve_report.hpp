// SPDX-License-Identifier: BSD-3-Clause
// The result of a run as JSON and as text.
#pragma once

#include <optional>

#include <daedalus/solution.hpp>

#include "tool/json.hpp"
#include "tool/reference.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {

// A run with what its report needs beside it.
struct RunReport {
  const PreparedRun& run;
  const Solution& solution;
  std::optional<Target> target;  // none: no reference at this time, or the end was not reached
  std::optional<RunError> error;
  std::vector<double> samples;  // times asked for with --at
};
RunReport make_report(const PreparedRun& run, const Solution& solution);

// Values of Entry::outputs, with the modes that held then; empty where there are none.
std::vector<double> output_values(const PreparedRun& run, const ModelState& state);

// All keys of the document, null.
Json empty_solve_document(const std::string& problem);
Json solve_document(const RunReport& report);
void print_text(const RunReport& report, Session& io);

}  // namespace daedalus::cli
