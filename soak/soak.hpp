// SPDX-License-Identifier: BSD-3-Clause
// Many runs, on several threads, with a watch on those that never come back.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "soak/tally.hpp"

namespace daedalus::soak {

struct SoakSettings {
  std::vector<const ProblemClass*> classes{};
  std::uint64_t seed = 1;  // of the first run of each class; the others follow
  long runs = 1000;        // of all classes together
  int threads = 1;
  std::string method{};
  double tolerance = 0.0;
  double max_seconds = 10.0;
  bool find_index = true;
};

// The same result for every number of threads.
std::vector<Tally> soak(const SoakSettings& settings);

}  // namespace daedalus::soak
