// SPDX-License-Identifier: BSD-3-Clause
// Circuits of tests/circuit/spec with their reference waveforms.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <daedalus/circuit.hpp>

namespace circuits {

using Json = nlohmann::json;

inline std::string path(const std::string& name) {
  return std::string(DAEDALUS_SOURCE_DIR) + "/tests/circuit/spec/" + name;
}
inline Json json(const std::string& name) { return Json::parse(std::ifstream(path(name))); }
inline daedalus::Circuit read(const std::string& name) {
  return daedalus::read_circuit(path(name + ".cir"));
}

}  // namespace circuits
