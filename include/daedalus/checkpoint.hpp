// SPDX-License-Identifier: BSD-3-Clause
// The state of a run between two steps, as plain data: what an Integrator gives and goes on from.
// Files for it are in <daedalus/checkpoint_file.hpp> of the component io.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace daedalus {

struct Checkpoint {
  // Problem, method and every option that a number of the result may depend on, as names with
  // values, so that another run is refused with the difference.
  std::vector<std::pair<std::string, std::string>> identity{};
  std::vector<char> state{};
  std::string outside{};  // what the run changed outside the library (LongRun::save)
};

}  // namespace daedalus
