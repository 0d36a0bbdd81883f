// SPDX-License-Identifier: BSD-3-Clause
// Signals of .print and .meas as combinations of the unknowns.
#pragma once

#include <optional>

#include "circuit/assembly.hpp"

namespace daedalus::circuit {

struct SignalValue {
  int a = ground, b = ground;  // nodes of a voltage
  int current = -1;            // row; with nodes: their product is a power

  double at(const double* x) const {
    const auto v = [x](int node) { return node == ground ? 0.0 : x[node]; };
    if (current < 0) return v(a) - v(b);
    const double i = x[current];
    return is_power ? (v(a) - v(b)) * i : i;
  }
  bool is_power = false;
};

// Nothing, with a warning: there is no such node or element.
std::optional<SignalValue> resolve(const Signal& signal, const Assembly& assembly, Files& files);

}  // namespace daedalus::circuit
