// SPDX-License-Identifier: BSD-3-Clause
// Which engine runs a sweep, and how the report says it.
#pragma once

#include <string>
#include <vector>

#include <daedalus/ensemble.hpp>
#include <daedalus/entry.hpp>

#include "tool/sweep_document.hpp"

namespace daedalus::cli {

Engine parse_engine(const std::string& text);  // of --engine and of journals

// Assignments of tasks that differ in what the sweep varies, and in nothing that a part of the
// sweep would decide: they are made from the standard values, so that all parts have the same
// lanes.
std::vector<std::vector<std::string>> sweep_probes(const SweepPlan& plan, const Entry& entry);

std::string engine_line(const Sweep& sweep);

}  // namespace daedalus::cli
