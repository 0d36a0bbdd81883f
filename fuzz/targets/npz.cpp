// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/repair.hpp"
#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void npz_read(const std::uint8_t* data, std::size_t size) {
  const std::string path = file("run.npz", data, size);
  reads([&] { read_trajectory(path); });
}

extern const Target npz_target{"npz", npz_read, repair_zip};

}  // namespace daedalus::fuzz
