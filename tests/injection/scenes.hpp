// SPDX-License-Identifier: BSD-3-Clause
// The commands whose calls fail, each with what has to be there before it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "injection/faults.hpp"

namespace daedalus::cli::injection_test {

// What a command has to do, and what has to hold after it.
struct Scene {
  std::string name;
  std::function<void(const std::string& folder)> prepare;
  std::vector<std::string> command;  // names of files below the folder begin with @
  std::string result;                // the file it makes; empty: it prints
  // Rows of runs that failed for want of memory may stand in the table of a sweep.
  bool rows = false;
};
std::vector<Scene> scenes();

std::vector<std::string> in(const std::string& folder, std::vector<std::string> words);

struct Outcome {
  int signal = 0;  // that ended it; SIGALRM: it hung
  int code = 0;
  long calls = 0;
  std::string out, err;
};

// Commands run in processes of their own, so that every one finds this program as it began: what is
// made once per process is made again, and may fail.
Outcome tried(const std::vector<std::string>& words, faults::Kind kind, long n, bool lasting);

}  // namespace daedalus::cli::injection_test
