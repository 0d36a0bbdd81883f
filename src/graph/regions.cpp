// SPDX-License-Identifier: BSD-3-Clause
#include "graph/regions.hpp"

#include "graph/operations.hpp"

namespace daedalus::graph {
namespace {

// A mispredicted jump costs about as much as this many additions.
constexpr int min_skipped_weight = 10;
// Choices nested more deeply compute both branches; keeps the walk up the tree short.
constexpr int max_depth = 64;

}  // namespace

Regions::Regions(const Graph& graph, const std::vector<int>& order, const std::vector<int>& roots)
    : all_(1), region_(order.empty() ? 0 : at(order.back()) + 1, -1), lazy_(region_.size(), 0) {
  for (const int r : roots) region_[at(r)] = 0;
  for (auto i = order.rbegin(); i != order.rend(); ++i) place_operands(graph, *i);
  decide(graph, order);
}

int Regions::common(int a, int b) const {
  while (a != b) {
    if (all_[at(a)].depth < all_[at(b)].depth)
      b = all_[at(b)].parent;
    else
      a = all_[at(a)].parent;
  }
  return a;
}

void Regions::place_operands(const Graph& graph, int node) {
  const int own = region_[at(node)];
  const auto place = [&](int operand, int region) {
    int& r = region_[at(operand)];
    r = r < 0 ? region : common(r, region);
  };
  if (graph.node(node).op != Op::select || all_[at(own)].depth >= max_depth) {
    for (const int k : graph.operands(node)) place(k, own);
    return;
  }
  const auto& x = graph.node(node).x;
  place(x[0], own);
  for (int branch = 1; branch <= 2; ++branch) {
    all_.push_back({own, node, all_[at(own)].depth + 1, 0, false});
    place(x[at(branch)], static_cast<int>(all_.size()) - 1);
  }
}

void Regions::decide(const Graph& graph, const std::vector<int>& order) {
  for (const int i : order) {
    Region& r = all_[at(region_[at(i)])];
    const Op op = graph.node(i).op;
    r.weight += info(op).weight;
    r.effects = r.effects || op == Op::assertion || op == Op::external;
  }
  for (std::size_t r = all_.size() - 1; r > 0; --r) {
    Region& parent = all_[at(all_[r].parent)];
    parent.weight += all_[r].weight;
    parent.effects = parent.effects || all_[r].effects;
  }
  for (std::size_t r = 1; r < all_.size(); ++r)
    if (all_[r].weight >= min_skipped_weight || all_[r].effects) {
      lazy_[at(all_[r].select)] = 1;
      any_lazy_ = true;
    }
  // What is not skipped belongs to the region around it.
  std::vector<int> kept(all_.size(), 0);
  for (std::size_t r = 1; r < all_.size(); ++r) {
    kept[r] = lazy_[at(all_[r].select)] ? static_cast<int>(r) : kept[at(all_[r].parent)];
    all_[r].parent = kept[at(all_[r].parent)];
  }
  for (const int i : order) region_[at(i)] = kept[at(region_[at(i)])];
}

bool Regions::inside(int region, int select) const {
  for (int r = region; r > 0; r = all_[at(r)].parent)
    if (all_[at(r)].select == select) return true;
  return false;
}

}  // namespace daedalus::graph
