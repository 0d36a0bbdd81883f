// SPDX-License-Identifier: BSD-3-Clause
#include "graph/eliminate.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "graph/operations.hpp"
#include "graph/partials.hpp"
#include "graph/reach.hpp"

namespace daedalus::graph {
namespace {

// Larger graphs get adjoint sweeps only: what Markowitz saves there does not pay for its lists.
constexpr int max_markowitz_nodes = 50'000;
// Fill-in beyond this means that the order is a bad one for this graph.
constexpr std::size_t max_markowitz_edges = 500'000;

std::size_t place(int i) { return static_cast<std::size_t>(i); }

// Nodes between the variables and the outputs, with the partial derivatives of their edges.
struct Linearised {
  std::vector<int> inner;                   // operands first; no inputs
  std::vector<char> active;                 // by node: depends on a variable
  std::vector<int> first;                   // by node: place of its first edge in `edges`
  std::vector<std::pair<int, Expr>> edges;  // (operand, partial), one node after another
  std::vector<int> count;                   // edges of a node

  Linearised(Graph& graph, const std::vector<int>& outputs, const std::vector<char>& variable) {
    const std::vector<int> order = reached(graph, outputs);
    const std::size_t size = order.empty() ? 0 : place(order.back()) + 1;
    active.assign(size, 0);
    first.assign(size, 0);
    count.assign(size, 0);
    for (const int i : order) {
      if (place(i) < variable.size() && variable[place(i)]) {
        active[place(i)] = 1;
        continue;
      }
      const auto span = graph.operands(i);
      const std::vector<int> operands(span.begin(), span.end());
      first[place(i)] = static_cast<int>(edges.size());
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (!active[place(operands[k])]) continue;
        const Expr slope = partial(graph, i, static_cast<int>(k));
        if (slope.is_number(0.0)) continue;
        put(i, operands[k], slope);
      }
      if (count[place(i)] > 0) {
        active[place(i)] = 1;
        inner.push_back(i);
      }
    }
  }

 private:
  void put(int node, int operand, const Expr& slope) {
    for (int k = 0; k < count[place(node)]; ++k) {
      auto& edge = edges[place(first[place(node)] + k)];
      if (edge.first != operand) continue;
      edge.second = join(edge.second, slope);  // x*x
      return;
    }
    edges.emplace_back(operand, slope);
    ++count[place(node)];
  }
};

// One adjoint sweep per output: the same products as eliminating all vertices in reverse order.
std::vector<Partial> reverse_sweeps(const Graph& graph, const std::vector<int>& outputs,
                                    const std::vector<char>& variable, const Linearised& g) {
  std::vector<Partial> entries;
  std::vector<Expr> adjoint(g.active.size());
  std::vector<char> marked(g.active.size(), 0);
  std::priority_queue<int> queue;
  std::vector<Partial> row;
  for (std::size_t r = 0; r < outputs.size(); ++r) {
    if (!g.active[place(outputs[r])]) continue;
    row.clear();
    queue.push(outputs[r]);
    adjoint[place(outputs[r])] = 1.0;
    marked[place(outputs[r])] = 1;
    while (!queue.empty()) {
      const int i = queue.top();
      queue.pop();
      const Expr w = adjoint[place(i)];
      marked[place(i)] = 0;
      if (w.is_number(0.0)) continue;
      if (place(i) < variable.size() && variable[place(i)]) {
        row.push_back({static_cast<int>(r), i, w});
        continue;
      }
      for (int k = 0; k < g.count[place(i)]; ++k) {
        const auto& [operand, slope] = g.edges[place(g.first[place(i)] + k)];
        const Expr term = chain(w, slope);
        Expr& to = adjoint[place(operand)];
        if (marked[place(operand)]) {
          to = join(to, term);
        } else {
          to = term;
          marked[place(operand)] = 1;
          queue.push(operand);
        }
      }
    }
    std::reverse(row.begin(), row.end());
    entries.insert(entries.end(), row.begin(), row.end());
  }
  (void)graph;
  return entries;
}

class Markowitz {
 public:
  Markowitz(const std::vector<int>& outputs, const std::vector<char>& variable, const Linearised& g)
      : variable_(variable),
        nodes_(static_cast<int>(g.active.size())),
        inner_(g.inner),
        pred_(place(nodes_) + outputs.size()),
        succ_(place(nodes_)) {
    for (const int i : g.inner)
      for (int k = 0; k < g.count[place(i)]; ++k) {
        const auto& [operand, slope] = g.edges[place(g.first[place(i)] + k)];
        put(i, operand, slope);
      }
    for (std::size_t r = 0; r < outputs.size(); ++r)
      if (g.active[place(outputs[r])]) put(nodes_ + static_cast<int>(r), outputs[r], 1.0);
  }

  // False where there are too many edges.
  bool run() {
    using Candidate = std::pair<long, int>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    std::vector<char> gone(place(nodes_), 0);
    const auto degree = [&](int v) {
      return static_cast<long>(pred_[place(v)].size()) * static_cast<long>(succ_[place(v)].size());
    };
    for (const int v : inner_) queue.push({degree(v), v});
    while (!queue.empty()) {
      const auto [known, v] = queue.top();
      queue.pop();
      if (gone[place(v)] || known != degree(v)) continue;
      std::vector<int> touched = succ_[place(v)];
      for (const auto& edge : pred_[place(v)]) touched.push_back(edge.first);
      gone[place(v)] = 1;
      eliminate_vertex(v);
      if (edges_ > max_markowitz_edges) return false;
      for (const int u : touched)
        if (u < nodes_ && !gone[place(u)] && !is_variable(u)) queue.push({degree(u), u});
    }
    return true;
  }

  std::vector<Partial> entries(std::size_t outputs) {
    std::vector<Partial> all;
    for (std::size_t r = 0; r < outputs; ++r) {
      auto& row = pred_[place(nodes_) + r];
      std::sort(row.begin(), row.end(),
                [](const Edge& a, const Edge& b) { return a.first < b.first; });
      for (const auto& [input, value] : row)
        if (!value.is_number(0.0)) all.push_back({static_cast<int>(r), input, value});
    }
    return all;
  }

 private:
  using Edge = std::pair<int, Expr>;
  bool is_variable(int v) const { return place(v) < variable_.size() && variable_[place(v)]; }

  void put(int v, int p, const Expr& c) {
    for (Edge& e : pred_[place(v)])
      if (e.first == p) {
        e.second = join(e.second, c);
        return;
      }
    pred_[place(v)].emplace_back(p, c);
    succ_[place(p)].push_back(v);
    ++edges_;
  }

  void eliminate_vertex(int v) {
    for (const int s : succ_[place(v)]) {
      auto& list = pred_[place(s)];
      const auto own =
          std::find_if(list.begin(), list.end(), [&](const Edge& e) { return e.first == v; });
      const Expr c = own->second;
      *own = list.back();
      list.pop_back();
      --edges_;
      for (const auto& [p, slope] : pred_[place(v)]) put(s, p, chain(c, slope));
    }
    for (const auto& [p, slope] : pred_[place(v)]) {
      auto& list = succ_[place(p)];
      list.erase(std::find(list.begin(), list.end(), v));
      --edges_;
    }
    pred_[place(v)].clear();
    succ_[place(v)].clear();
  }

  const std::vector<char>& variable_;
  int nodes_;
  const std::vector<int>& inner_;
  std::vector<std::vector<Edge>> pred_;
  std::vector<std::vector<int>> succ_;
  std::size_t edges_ = 0;
};

}  // namespace

long cost(const Graph& graph, const std::vector<Partial>& partials) {
  std::vector<int> roots;
  for (const Partial& p : partials)
    if (!p.value.is_number()) roots.push_back(p.value.node());
  long sum = 0;
  for (const int i : reached(graph, roots)) sum += info(graph.node(i).op).weight;
  return sum;
}

std::vector<Partial> eliminate(Graph& graph, const std::vector<int>& outputs,
                               const std::vector<char>& variable, Elimination order) {
  const Linearised linearised(graph, outputs, variable);
  std::vector<Partial> best, other;
  if (order != Elimination::markowitz) best = reverse_sweeps(graph, outputs, variable, linearised);
  const bool small = static_cast<int>(linearised.inner.size()) <= max_markowitz_nodes;
  if (order == Elimination::reverse || (order == Elimination::cheapest && !small)) return best;
  Markowitz markowitz(outputs, variable, linearised);
  if (!markowitz.run())
    return best.empty() ? reverse_sweeps(graph, outputs, variable, linearised) : best;
  other = markowitz.entries(outputs.size());
  if (order == Elimination::markowitz) return other;
  return cost(graph, other) < cost(graph, best) ? other : best;
}

}  // namespace daedalus::graph
