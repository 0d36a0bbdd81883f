// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/mechanism_file.hpp>

#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void mechanism_read(const std::uint8_t* data, std::size_t size) {
  reads([&] { read_mechanism_text(text(data, size), "mechanism.json", folder()); });
}

extern const Target mechanism_target{"mechanism", mechanism_read, nullptr, true};

}  // namespace daedalus::fuzz
