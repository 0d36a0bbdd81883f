// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void csv_read(const std::uint8_t* data, std::size_t size) {
  const std::string path = file("run.csv", data, size);
  reads([&] { read_trajectory(path); });
}

extern const Target csv_target{"csv", csv_read, nullptr, true};

}  // namespace daedalus::fuzz
