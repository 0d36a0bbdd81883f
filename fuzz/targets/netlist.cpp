// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/circuit.hpp>

#include "fuzz/target.hpp"

namespace daedalus::fuzz {

static void netlist_read(const std::uint8_t* data, std::size_t size) {
  reads([&] { read_circuit_text(text(data, size), "circuit.cir", folder()); });
}

extern const Target netlist_target{"netlist", netlist_read, nullptr, true};

}  // namespace daedalus::fuzz
