// SPDX-License-Identifier: BSD-3-Clause
#include "graph/aliases.hpp"

#include <algorithm>
#include <unordered_map>

#include "graph/expr_access.hpp"
#include "graph/reach.hpp"
#include "graph/rewrite.hpp"

namespace daedalus::graph {
namespace {

// left = sign right, from a residual.
struct Pair {
  Expr left, right;
  double sign;
};

// An input with its sign; false for anything else.
bool signed_input(const Expr& x, Expr& input, double& sign) {
  sign = 1.0;
  input = x;
  if (has_op(x, Op::negate)) {
    sign = -1.0;
    input = operand(x, 0);
  }
  return has_op(input, Op::input) || input.is_number();
}

bool alias_pair(const Expr& residual, Pair& pair) {
  Expr e = has_op(residual, Op::negate) ? operand(residual, 0) : residual;
  if (has_op(e, Op::input)) return pair = {e, 0.0, 1.0}, true;  // 0 = x
  const bool sum = has_op(e, Op::add);
  if (!sum && !has_op(e, Op::subtract)) return false;
  double left = 1.0, right = 1.0;
  if (!signed_input(operand(e, 0), pair.left, left) ||
      !signed_input(operand(e, 1), pair.right, right))
    return false;
  pair.sign = left * right * (sum ? -1.0 : 1.0);
  return true;
}

class AliasFinder {
 public:
  AliasFinder(Graph& graph, std::span<const InputKind> kinds, const std::function<bool(int)>& keep)
      : graph_(graph), kinds_(kinds), keep_(keep) {}

  void take(int row, Pair p) {
    p.left = root(p.left, p.sign);
    p.right = root(p.right, p.sign);
    if (p.left.same(p.right)) return;  // said before, or x = -x
    if (!may_go(p.left)) std::swap(p.left, p.right);
    if (!may_go(p.left)) return;
    replaced_[p.left.node()] = static_cast<int>(found_.size());
    found_.push_back({p.left.node(), p.sign * p.right, row});
  }

  std::vector<Alias> result() {
    for (Alias& a : found_) {
      double sign = 1.0;
      const Expr end = root(graph_.expr(a.variable), sign);
      a.by = sign * end;
    }
    return std::move(found_);
  }

 private:
  bool may_go(const Expr& x) const {
    return has_op(x, Op::input) &&
           std::find(kinds_.begin(), kinds_.end(), graph_.kind(x.node())) != kinds_.end() &&
           !keep_(x.node());
  }

  // What x stands for by the aliases found so far; its sign goes into `sign`.
  Expr root(Expr x, double& sign) const {
    while (!x.is_number()) {
      const auto known = replaced_.find(x.node());
      if (known == replaced_.end()) break;
      x = found_[static_cast<std::size_t>(known->second)].by;
      if (has_op(x, Op::negate)) {
        sign = -sign;
        x = operand(x, 0);
      }
    }
    return x;
  }

  Graph& graph_;
  std::span<const InputKind> kinds_;
  const std::function<bool(int)>& keep_;
  std::vector<Alias> found_;
  std::unordered_map<int, int> replaced_;
};

}  // namespace

std::vector<Alias> find_aliases(Graph& graph, const Outputs& residuals,
                                std::span<const InputKind> kinds,
                                const std::function<bool(int)>& keep) {
  // What maps read by number cannot be renamed there.
  std::unordered_map<int, bool> fixed;
  for (const Map& m : residuals.maps)
    for (const MapArgument& a : m.arguments)
      if (a.source == MapArgument::Source::input)
        for (const int i : a.index) {
          const int node = graph.input_node(a.kind, i);
          if (node >= 0) fixed[node] = true;
        }
  const std::function<bool(int)> stays = [&](int node) {
    if (fixed.count(node) || keep(node)) return true;
    return graph.kind(node) == InputKind::state &&
           graph.input_node(InputKind::derivative, graph.number(node)) >= 0;
  };
  AliasFinder finder(graph, kinds, stays);
  for (const auto& s : residuals.single) {
    Pair pair;
    if (alias_pair(s.value, pair)) finder.take(s.row, pair);
  }
  return finder.result();
}

Outputs substitute(Graph& graph, const Outputs& outputs, std::span<const Alias> aliases) {
  Rewriter rewrite(graph, graph);
  std::vector<char> gone(static_cast<std::size_t>(outputs.count), 0);
  for (const Alias& a : aliases) {
    rewrite.replace(a.variable, a.by);
    if (a.row >= 0) gone[static_cast<std::size_t>(a.row)] = 1;
  }
  Outputs result;
  result.count = outputs.count;
  for (const auto& s : outputs.single)
    if (!gone[static_cast<std::size_t>(s.row)]) result.single.push_back({s.row, rewrite(s.value)});
  result.maps = outputs.maps;
  for (Map& m : result.maps)
    for (MapArgument& a : m.arguments) a.scalar = rewrite(a.scalar);
  return result;
}

}  // namespace daedalus::graph
