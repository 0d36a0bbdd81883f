// SPDX-License-Identifier: BSD-3-Clause
// What a killed run leaves: recovered, and gone back to.
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

DAEDALUS_FUZZ_REPAIR(daedalus::fuzz::repair_spool)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  const std::string part = fuzz::file("run.csv.part", data, size);
  fuzz::refuses_or_reads([&] { recover_trajectory(part, fuzz::folder() + "/recovered.csv"); });
  return fuzz::refuses_or_reads([&] {
    TrajectoryFile target(fuzz::folder() + "/run.csv", true);
    target.go_back("3 " + std::to_string(size));
  });
}
