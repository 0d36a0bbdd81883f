// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

DAEDALUS_FUZZ_REPAIR(daedalus::fuzz::repair_zip)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  const std::string path = fuzz::file("run.npz", data, size);
  return fuzz::refuses_or_reads([&] { read_trajectory(path); });
}
