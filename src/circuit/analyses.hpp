// SPDX-License-Identifier: BSD-3-Clause
// What the dot lines of a netlist ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "circuit/netlist/netlist.hpp"
#include "circuit/network.hpp"

namespace daedalus::circuit {

struct NodeValue {
  std::string node;
  double value;
  Where where{};
};

struct SweepRequest {
  std::string source;  // of a source, a parameter, or temp
  double from = 0.0, to = 0.0, step = 0.0;
  Where where{};
};

struct FrequencyRequest {
  std::string kind;  // dec, oct, lin
  int points = 10;
  double from = 1.0, to = 1.0;
  std::vector<double> frequencies() const;
};

struct TransientRequest {
  double step = 0.0, stop = 0.0, start = 0.0, max_step = 0.0;
  bool use_initial_conditions = false;
};

struct Requests {
  std::vector<std::string> order;  // op, dc, tran, ac, pz as they stand in the file
  std::optional<TransientRequest> transient;
  std::vector<SweepRequest> sweep;
  std::optional<FrequencyRequest> frequencies;
  std::vector<NodeValue> initial, guesses;  // .ic, .nodeset
  std::vector<std::string> printed;         // v(a,b), i(v1): small letters
  double temperature = 300.15, nominal_temperature = 300.15, gmin = 1e-12;
  std::optional<double> rtol, voltage_tolerance, current_tolerance, shunt;
  std::string method;
  int max_order = 0;
};

// Reads commands and options; mistakes are reported.
Requests read_requests(Netlist& netlist, const Parameters& parameters);

}  // namespace daedalus::circuit
