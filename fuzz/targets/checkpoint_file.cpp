// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/checkpoint_file.hpp>

#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

DAEDALUS_FUZZ_REPAIR(daedalus::fuzz::repair_checkpoint)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  const std::string path = fuzz::file("run.check", data, size);
  return fuzz::refuses_or_reads([&] { read_checkpoint(path); });
}
