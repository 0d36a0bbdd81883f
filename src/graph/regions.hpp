// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are needed in one branch of a select only. A node belongs to the region of a branch
// if every way from an output to it leads through that branch; regions form a tree.
#pragma once

#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

class Regions {
 public:
  // `order`: all nodes in use, operands first; `used_outside`: roots.
  Regions(const Graph& graph, const std::vector<int>& order, const std::vector<int>& roots);

  // A jump skips the branch that is not needed; otherwise both are computed and one is taken.
  bool is_lazy(int select) const { return lazy_[at(select)]; }
  int of(int node) const { return region_[at(node)]; }  // 0: always needed
  int owner(int region) const { return all_[at(region)].select; }
  // The region lies in a branch of this select, at any depth.
  bool inside(int region, int select) const;
  bool any_lazy() const { return any_lazy_; }

 private:
  struct Region {
    int parent = -1, select = -1, depth = 0, weight = 0;
    bool effects = false;  // a failing assertion or a call of an external function
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int common(int a, int b) const;
  void place_operands(const Graph& graph, int node);
  void decide(const Graph& graph, const std::vector<int>& order);

  std::vector<Region> all_;
  std::vector<int> region_;
  std::vector<char> lazy_;
  bool any_lazy_ = false;
};

}  // namespace daedalus::graph
