// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedalus;
  const std::string path = fuzz::file("run.csv", data, size);
  return fuzz::refuses_or_reads([&] { read_trajectory(path); });
}
