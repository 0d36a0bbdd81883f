// SPDX-License-Identifier: BSD-3-Clause
// Copies formulas, with replacements, into the same or another graph.
#pragma once

#include <functional>
#include <vector>

#include <daedalus/graph.hpp>

#include "graph/node_map.hpp"

namespace daedalus::graph {

// The operation of `node` of `from` on other operands, simplified, in `to`. Names and positions of
// the original go with it.
Expr rebuild(const Graph& from, int node, std::span<const Expr> operands, Graph& to);

class Rewriter {
 public:
  // A rule gives true and the result for the nodes it replaces; operands are already rewritten.
  using Rule = std::function<bool(int node, std::span<const Expr> operands, Expr& result)>;

  Rewriter(const Graph& from, Graph& to, Rule rule = {});
  void replace(int node, const Expr& by) { known_[node] = by; }
  Expr operator()(const Expr& x);

 private:
  Expr rewritten(int node);

  const Graph& from_;
  Graph& to_;
  Rule rule_;
  NodeMap<Expr> known_;
  std::vector<int> stack_;  // nodes that wait; calls by rules wait behind those around them
};

// Arguments keep their numbers and names.
void copy_kernel(const Kernel& from, Kernel& to, const Rewriter::Rule& rule = {});

}  // namespace daedalus::graph
