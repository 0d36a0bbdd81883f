// SPDX-License-Identifier: BSD-3-Clause
// What a killed run leaves: recovered, and gone back to.
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void part_read(const std::uint8_t* data, std::size_t size) {
  const std::string part = file("run.csv.part", data, size);
  reads([&] { recover_trajectory(part, folder() + "/recovered.csv"); });
  reads([&] {
    TrajectoryFile target(folder() + "/run.csv", true);
    target.go_back("3 " + std::to_string(size));
  });
}

extern const Target part_target{"part", part_read, repair_spool};

}  // namespace daedalus::fuzz
