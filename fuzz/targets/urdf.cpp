// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/mechanism_file.hpp>

#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void urdf_read(const std::uint8_t* data, std::size_t size) {
  reads([&] { read_urdf_text(text(data, size), "robot.urdf"); });
}

extern const Target urdf_target{"urdf", urdf_read, nullptr, true};

}  // namespace daedalus::fuzz
