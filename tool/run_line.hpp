// SPDX-License-Identifier: BSD-3-Clause
// Runs as lines of text: how the program that links other libraries tells the tool what it
// measured.
#pragma once

#include <optional>
#include <string>

#include "tool/work_run.hpp"

namespace daedalus::bench {

// Fields separated by tabs, numbers with all their digits, no newline.
std::string to_line(const Run& run);
// Nothing: not such a line.
std::optional<Run> from_line(const std::string& line);

}  // namespace daedalus::bench
