// SPDX-License-Identifier: BSD-3-Clause
// Linear elements between two nodes as tables instead of formulas: a mesh of 10^5 resistors is one
// map of the graph over nodes and values, whose derivatives, programs and machine code do not grow
// with it.
#pragma once

#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::circuit {

struct Bulk {
  std::vector<int> a, b;  // nodes; -1 is ground
  std::vector<double> value;

  void add(int from, int to, double v) {
    a.push_back(from);
    b.push_back(to);
    value.push_back(v);
  }
  std::size_t size() const { return value.size(); }
};

// sign * value * (x_a - x_b) is added to row a and taken from row b, where these are not ground;
// x are the inputs of this kind.
void add_flows(const Bulk& bulk, graph::InputKind kind, double sign, graph::Outputs& outputs);
// value * (x_a - x_b) is row `rows[k]` of element k.
void add_values(const Bulk& bulk, const std::vector<int>& rows, graph::Outputs& outputs);

}  // namespace daedalus::circuit
