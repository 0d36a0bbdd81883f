// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/topology.hpp"

#include <algorithm>

namespace daedalus::circuit {
namespace {

class Forest {
 public:
  explicit Forest(int count) : components_(count), neighbours_(static_cast<std::size_t>(count)) {}

  bool add(int edge, int a, int b) {
    if (!components_.join(a, b)) return false;
    neighbours_[at(a)].push_back({b, edge});
    neighbours_[at(b)].push_back({a, edge});
    return true;
  }

  // After the last edge: every tree gets a root.
  void root() {
    above_.assign(neighbours_.size(), {-1, -1});
    depth_.assign(neighbours_.size(), -1);
    std::vector<int> queue;
    for (int start = 0; start < static_cast<int>(neighbours_.size()); ++start) {
      if (depth_[at(start)] >= 0) continue;
      depth_[at(start)] = 0;
      queue.assign(1, start);
      for (std::size_t k = 0; k < queue.size(); ++k)
        for (const Link& next : neighbours_[at(queue[k])]) {
          if (depth_[at(next.node)] >= 0) continue;
          depth_[at(next.node)] = depth_[at(queue[k])] + 1;
          above_[at(next.node)] = {queue[k], next.edge};
          queue.push_back(next.node);
        }
    }
  }

  // Edges of the path between two nodes of one tree, from a on: as long as the path.
  std::vector<int> path(int a, int b) const {
    std::vector<int> edges, from_b;
    while (a != b) {
      const bool climb_a = depth_[at(a)] >= depth_[at(b)];
      int& x = climb_a ? a : b;
      (climb_a ? edges : from_b).push_back(above_[at(x)].edge);
      x = above_[at(x)].node;
    }
    edges.insert(edges.end(), from_b.rbegin(), from_b.rend());
    return edges;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  struct Link {
    int node, edge;
  };
  Components components_;
  std::vector<std::vector<Link>> neighbours_;
  std::vector<Link> above_;
  std::vector<int> depth_;
};

int count_of(int node) { return node + 1; }

// Loops that the edges of one kind close in a forest: the edge, then the path.
std::vector<std::vector<int>> closing(const std::vector<Edge>& edges, Forest& forest,
                                      EdgeKind kind) {
  std::vector<std::vector<int>> loops;
  for (std::size_t k = 0; k < edges.size(); ++k)
    if (edges[k].kind == kind &&
        !forest.add(static_cast<int>(k), count_of(edges[k].a), count_of(edges[k].b)))
      loops.push_back({static_cast<int>(k)});
  if (loops.empty()) return loops;
  forest.root();
  for (std::vector<int>& loop : loops) {
    const Edge& closing = edges[static_cast<std::size_t>(loop.front())];
    const std::vector<int> path = forest.path(count_of(closing.a), count_of(closing.b));
    loop.insert(loop.end(), path.begin(), path.end());
  }
  return loops;
}

// Groups of nodes that `inside` edges connect, other than that of ground; edges that leave them.
struct Group {
  std::vector<int> nodes, edges;
};
template <class Inside>
std::vector<Group> groups(const std::vector<Edge>& edges, int nodes, Inside inside) {
  Components c(nodes + 1);
  for (const Edge& e : edges)
    if (inside(e)) c.join(count_of(e.a), count_of(e.b));
  std::vector<int> number(static_cast<std::size_t>(nodes) + 1, -1);
  std::vector<Group> list;
  for (int k = 1; k <= nodes; ++k) {
    const int root = c.root(k);
    if (root == 0) continue;
    int& n = number[static_cast<std::size_t>(root)];
    if (n < 0) {
      n = static_cast<int>(list.size());
      list.emplace_back();
    }
    list[static_cast<std::size_t>(n)].nodes.push_back(k - 1);
  }
  if (list.empty()) return list;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const int a = c.root(count_of(edges[k].a)), b = c.root(count_of(edges[k].b));
    if (a == b) continue;
    for (const int side : {a, b})
      if (side != 0)
        list[static_cast<std::size_t>(number[static_cast<std::size_t>(side)])].edges.push_back(
            static_cast<int>(k));
  }
  return list;
}

}  // namespace

Topology analyse_topology(const std::vector<Edge>& edges, int nodes) {
  Topology t;
  Forest sources(nodes + 1);
  t.voltage_loops = closing(edges, sources, EdgeKind::voltage);
  t.direct_loops = closing(edges, sources, EdgeKind::coil);
  Forest both(nodes + 1);
  for (std::size_t k = 0; k < edges.size(); ++k)
    if (edges[k].kind == EdgeKind::capacitive)
      both.add(static_cast<int>(k), count_of(edges[k].a), count_of(edges[k].b));
  t.loops = closing(edges, both, EdgeKind::voltage);
  const auto separated = groups(edges, nodes, [](const Edge& e) {
    return e.kind != EdgeKind::coil && e.kind != EdgeKind::current;
  });
  for (const Group& g : separated) {
    Topology::Cutset cutset{g.edges, g.nodes, true};
    for (const int e : g.edges)
      cutset.only_currents =
          cutset.only_currents && edges[static_cast<std::size_t>(e)].kind == EdgeKind::current;
    t.cutsets.push_back(std::move(cutset));
  }
  for (Group& g : groups(edges, nodes, [](const Edge& e) {
         return e.kind != EdgeKind::capacitive && e.kind != EdgeKind::current;
       }))
    t.islands.push_back({std::move(g.nodes), std::move(g.edges)});
  const bool no_sources = std::none_of(edges.begin(), edges.end(),
                                       [](const Edge& e) { return e.kind == EdgeKind::voltage; });
  t.regular_capacitances = no_sources && groups(edges, nodes, [](const Edge& e) {
                                           return e.kind == EdgeKind::capacitive;
                                         }).empty();
  return t;
}

}  // namespace daedalus::circuit
