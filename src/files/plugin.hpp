// SPDX-License-Identifier: BSD-3-Clause
// Problems compiled by users: .so files with DAEDALUS_PLUGIN (<daedalus/plugin.hpp>).
#pragma once

#include <string>

#include <daedalus/problem_file.hpp>

namespace daedalus {

inline constexpr const char* plugin_kind = "plugin";
bool names_plugin(const std::string& name);  // ends in .so

// Loads it for the rest of the process: its functions are called as long as there are runs. Throws
// FileError that says what is wrong: no shared object, a missing symbol, another version.
ProblemFile load_plugin(const std::string& name);

}  // namespace daedalus
