// SPDX-License-Identifier: BSD-3-Clause
// With the hash of the contents repaired, libhdf5 sees the input, in a process of its own: it may
// crash there, and here that is a refusal.
#include <daedalus/hdf5.hpp>

#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

DAEDALUS_FUZZ_REPAIR(daedalus::fuzz::repair_hdf5)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  enable_hdf5();
  const std::string path = fuzz::file("run.h5", data, size);
  return fuzz::refuses_or_reads([&] { read_trajectory(path); });
}
