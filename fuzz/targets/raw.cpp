// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void raw_read(const std::uint8_t* data, std::size_t size) {
  const std::string path = file("run.raw", data, size);
  reads([&] { read_trajectory(path); });
}

extern const Target raw_target{"raw", raw_read, nullptr, true};

}  // namespace daedalus::fuzz
