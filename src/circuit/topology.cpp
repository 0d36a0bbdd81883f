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
    neighbours_[static_cast<std::size_t>(a)].push_back({b, edge});
    neighbours_[static_cast<std::size_t>(b)].push_back({a, edge});
    return true;
  }

  // Edges of the path between two nodes of one tree.
  std::vector<int> path(int a, int b) const {
    std::vector<int> from(neighbours_.size(), -1), by(neighbours_.size(), -1), queue{a};
    from[static_cast<std::size_t>(a)] = a;
    for (std::size_t k = 0; k < queue.size() && from[static_cast<std::size_t>(b)] < 0; ++k)
      for (const auto& [next, edge] : neighbours_[static_cast<std::size_t>(queue[k])])
        if (from[static_cast<std::size_t>(next)] < 0) {
          from[static_cast<std::size_t>(next)] = queue[k];
          by[static_cast<std::size_t>(next)] = edge;
          queue.push_back(next);
        }
    std::vector<int> edges;
    for (int x = b; x != a; x = from[static_cast<std::size_t>(x)])
      edges.push_back(by[static_cast<std::size_t>(x)]);
    std::reverse(edges.begin(), edges.end());
    return edges;
  }

 private:
  struct Link {
    int node, edge;
  };
  Components components_;
  std::vector<std::vector<Link>> neighbours_;
};

int count_of(int node) { return node + 1; }

// Loops that the edges of one kind close in a forest; the path first, then the edge.
std::vector<std::vector<int>> closing(const std::vector<Edge>& edges, Forest& forest,
                                      EdgeKind kind) {
  std::vector<std::vector<int>> loops;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].kind != kind) continue;
    const int a = count_of(edges[k].a), b = count_of(edges[k].b);
    if (forest.add(static_cast<int>(k), a, b)) continue;
    std::vector<int> loop = forest.path(a, b);
    loop.insert(loop.begin(), static_cast<int>(k));
    loops.push_back(std::move(loop));
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
