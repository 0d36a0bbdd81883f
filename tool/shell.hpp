// SPDX-License-Identifier: BSD-3-Clause
// Comfort in the shell, all of it from the tree of commands: examples in the help, completion,
// manual.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "reproduce/experiment.hpp"

namespace daedalus::cli {

// Puts the examples of each command, which the tests run, before the rest of its footer.
void add_examples(CLI::App& app);
std::vector<std::string> examples_of(const CLI::App& command);  // the lines, without the margin

// What can stand in the place of an option's value or a positional argument.
struct Words {
  std::vector<std::string> names;
  bool list = false;  // several, separated by commas
  bool file = false;
};
Words words_for(const CLI::Option& option, const std::vector<std::string>& experiments);

void write_bash_completion(const CLI::App& app, const std::vector<std::string>& experiments,
                           std::ostream& out);
void write_zsh_completion(const CLI::App& app, const std::vector<std::string>& experiments,
                          std::ostream& out);
void write_manual(const CLI::App& app, std::ostream& out);  // roff, section 1

}  // namespace daedalus::cli
