// SPDX-License-Identifier: BSD-3-Clause
// Loops and cutsets of the circuit's graph by forests (union-find), in almost linear time.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "circuit/network.hpp"

namespace daedalus::circuit {

struct Topology {
  // Each by the numbers of its edges.
  std::vector<std::vector<int>> voltage_loops;  // sources alone: contradictory
  std::vector<std::vector<int>> direct_loops;   // coils and sources: shorts for direct currents
  std::vector<std::vector<int>> loops;          // capacitors with at least one source
  struct Cutset {
    std::vector<int> edges;  // coils and current sources at the boundary
    std::vector<int> nodes;  // inside
    bool only_currents = false;
  };
  std::vector<Cutset> cutsets;
  // Nodes without a path for direct currents to ground: groups of nodes, and edges at them.
  struct Island {
    std::vector<int> nodes, edges;
  };
  std::vector<Island> islands;
  bool regular_capacitances = false;  // they connect every node to ground, and no source is there
  int index() const {
    if (!loops.empty() || !cutsets.empty()) return 2;
    return regular_capacitances ? 0 : 1;
  }
};

// Nodes are counted from 1; 0 is ground.
class Components {
 public:
  explicit Components(int count) : parent_(static_cast<std::size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int x) {
    while (parent_[at(x)] != x) x = parent_[at(x)] = parent_[at(parent_[at(x)])];
    return x;
  }
  bool join(int a, int b) {  // false: were one already
    a = root(a), b = root(b);
    if (a == b) return false;
    parent_[at(std::max(a, b))] = std::min(a, b);
    return true;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  std::vector<int> parent_;
};

Topology analyse_topology(const std::vector<Edge>& edges, int nodes);

}  // namespace daedalus::circuit
