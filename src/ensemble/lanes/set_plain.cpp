// SPDX-License-Identifier: BSD-3-Clause
// Lanes with what every processor of this architecture has (SSE2, NEON).
#define DAEDALUS_LANES_SET plain
#include "ensemble/lanes/interpret_set.hpp"
#include "ensemble/lanes/sets.hpp"

namespace daedalus::lanes {

InstructionSet plain_set() {
  return {"plain",
          [] { return true; },
          8,
          {plain::functions_of<1>(), plain::functions_of<2>(), plain::functions_of<4>(),
           plain::functions_of<8>()}};
}

}  // namespace daedalus::lanes
