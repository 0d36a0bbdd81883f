// SPDX-License-Identifier: BSD-3-Clause
// The expanded circuit: all elements of all subcircuits, and the equations they make.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include <daedalus/entry.hpp>

#include "circuit/analyses.hpp"
#include "circuit/elements/part.hpp"

namespace daedalus::circuit {

// Elements beyond this number do not become parameters of the model: nobody sets them one by one.
inline constexpr int max_settable_elements = 2000;

struct Assembly {
  Network network;
  Requests requests;
  std::deque<Level> levels;  // the first is the top
  std::vector<std::unique_ptr<Part>> parts;
  std::unordered_set<std::string> sensed;  // elements whose currents are asked for, small letters

  explicit Assembly(std::string name) : network(std::move(name)) {}
  const Part& part(int number) const { return *parts[static_cast<std::size_t>(number)]; }
};

// Mistakes are reported in netlist.files; then the result is not to be used. `values` replace
// parameters of the top level.
std::shared_ptr<Assembly> assemble(Netlist& netlist, const Values& values = {});

}  // namespace daedalus::circuit
