// SPDX-License-Identifier: BSD-3-Clause
// Other programs, started without a shell: no text of a user is ever a command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace daedalus::cli {

// The first executable file of that name in the folders of PATH; empty: there is none.
std::filesystem::path find_program(const std::string& name);

struct ProgramRun {
  std::filesystem::path program;
  std::vector<std::string> arguments{};
  std::filesystem::path folder{};  // where it works; empty: here
  std::filesystem::path output{};  // what it prints
  bool messages = true;            // what it says on standard error as well
};
// The exit code, or 128 and the number of the signal that ended it. Throws FileError where it
// cannot be started.
int run_program(const ProgramRun& run);

}  // namespace daedalus::cli
