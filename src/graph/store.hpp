// SPDX-License-Identifier: BSD-3-Clause
// What a graph keeps besides its nodes.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <daedalus/graph.hpp>

#include "graph/node_map.hpp"

namespace daedalus::graph {

// Open addressing over node numbers; the key of an entry is the node itself.
class NodeTable {
 public:
  // The place of an equal node, or a free one.
  template <class Same>
  int& find(std::uint64_t hash, Same&& same) {
    if (2 * (used_ + 1) > places_.size()) grow();
    std::size_t i = hash & (places_.size() - 1);
    while (places_[i].node >= 0 && !(places_[i].hash == hash && same(places_[i].node)))
      i = (i + 1) & (places_.size() - 1);
    if (places_[i].node < 0) {
      ++used_;
      places_[i].hash = hash;
    }
    return places_[i].node;
  }

 private:
  struct Place {
    std::uint64_t hash = 0;
    int node = -1;
  };
  void grow();
  std::vector<Place> places_;
  std::size_t used_ = 0;
};

// Arguments of an external function live in arrays of this size during evaluation.
inline constexpr int max_external_arguments = 16;

struct LookUp {
  std::shared_ptr<const Table> table;
  std::array<int, 2> order;
};

struct Graph::Store {
  NodeTable known;
  std::vector<double> values;           // of constants
  std::vector<std::int32_t> arguments;  // of external functions, one list after another
  std::array<std::vector<int>, static_cast<std::size_t>(input_kinds)> inputs;  // node by number
  std::vector<int> previous;  // node of x by number of pre(x)
  NodeMap<std::string, std::deque> names;
  std::vector<Position> positions;  // by node, as far as any has one
  std::vector<std::string> files;
  std::vector<Assertion> assertions;
  std::vector<LookUp> look_ups;
  std::vector<std::shared_ptr<const External>> externals;
};

// Interning without simplification: for folding, differentiation and rewriting.
struct GraphAccess {
  static int intern(Graph& g, Op op, int a, int b = -1, int c = -1);
  static int intern_constant(Graph& g, double value);
  static int intern_external(Graph& g, int function, std::span<const std::int32_t> arguments);
  static int look_up_number(Graph& g, const std::shared_ptr<const Table>& table,
                            std::array<int, 2> order);
  static int external_number(Graph& g, const std::shared_ptr<const External>& function);
  static const LookUp& look_up(const Graph& g, int node);
  static const std::shared_ptr<const External>& external(const Graph& g, int node);
};

}  // namespace daedalus::graph
