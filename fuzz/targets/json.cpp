// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void json_read(const std::uint8_t* data, std::size_t size) {
  const std::string path = file("run.json", data, size);
  reads([&] { read_trajectory(path); });
}

extern const Target json_target{"json", json_read, nullptr, true};

}  // namespace daedalus::fuzz
