// SPDX-License-Identifier: BSD-3-Clause
#include "graph/roll.hpp"

#include <string>
#include <unordered_map>

#include "graph/reach.hpp"
#include "graph/rewrite.hpp"

namespace daedalus::graph {
namespace {

// One row as a kernel would see it: operations in post-order over leaves, and a key of both.
struct Shape {
  std::string key;
  std::vector<int> leaves;  // nodes: inputs, constants, shared nodes
  bool too_long = false;
};

class Roller {
 public:
  Roller(Graph& graph, const Outputs& outputs, RollOptions options)
      : graph_(graph), outputs_(outputs), options_(options) {
    std::vector<int> roots;
    for (const auto& s : outputs.single)
      if (!s.value.is_number()) roots.push_back(s.value.node());
    users_.assign(static_cast<std::size_t>(graph.size()), 0);
    for (const int i : reached(graph, roots))
      for (const int k : graph.operands(i)) ++users_[static_cast<std::size_t>(k)];
  }

  Outputs run() {
    for (std::size_t s = 0; s < outputs_.single.size(); ++s) add(s);
    Outputs rolled;
    rolled.count = outputs_.count;
    rolled.maps = outputs_.maps;
    for (const Group& g : groups_)
      if (static_cast<int>(g.members.size()) >= options_.min_instances)
        rolled.maps.push_back(map_of(g));
      else
        for (const Member& m : g.members) rolled.single.push_back(outputs_.single[m.single]);
    for (const std::size_t s : alone_) rolled.single.push_back(outputs_.single[s]);
    return rolled;
  }

 private:
  struct Member {
    std::size_t single;
    std::vector<int> leaves;
  };
  struct Group {
    std::vector<Member> members;
  };

  bool is_leaf(int node) const {
    return graph_.node(node).op <= Op::input ||
           users_[static_cast<std::size_t>(node)] >= options_.min_shared_users;
  }

  void add(std::size_t s) {
    const Expr& e = outputs_.single[s].value;
    Shape shape;
    if (!e.is_number() && !is_leaf(e.node())) shape = shape_of(e.node());
    if (shape.key.empty() || shape.too_long) {
      alone_.push_back(s);
      return;
    }
    const auto [place, fresh] = number_.try_emplace(shape.key, groups_.size());
    if (fresh) groups_.emplace_back();
    groups_[place->second].members.push_back({s, std::move(shape.leaves)});
  }

  static void append(std::string& key, int value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  int leaf_reference(Shape& shape, int node) const {
    shape.leaves.push_back(node);
    const Op op = graph_.node(node).op;
    shape.key += op == Op::constant ? 'c' : op == Op::input ? 'i' : 's';
    // Inputs of other kinds, and other shared nodes, make another shape.
    if (op == Op::input) append(shape.key, static_cast<int>(graph_.kind(node)));
    if (op > Op::input) append(shape.key, node);
    return -static_cast<int>(shape.leaves.size());
  }

  Shape shape_of(int root) const {
    Shape shape;
    std::unordered_map<int, int> reference;
    std::vector<std::pair<int, bool>> stack{{root, false}};
    int operations = 0;
    while (!stack.empty()) {
      const auto [node, expanded] = stack.back();
      stack.pop_back();
      if (reference.count(node)) continue;
      if (is_leaf(node)) {
        reference[node] = leaf_reference(shape, node);
        continue;
      }
      const auto operands = graph_.operands(node);
      if (!expanded) {
        stack.push_back({node, true});
        for (auto k = operands.rbegin(); k != operands.rend(); ++k) stack.push_back({*k, false});
        continue;
      }
      if (++operations > options_.max_operations) {
        shape.too_long = true;
        return shape;
      }
      reference[node] = operations;
      shape.key += static_cast<char>(graph_.node(node).op);
      for (const int k : operands) append(shape.key, reference.at(k));
      // Assertions, tables and external functions are the same only with the same number.
      if (graph_.node(node).op >= Op::assertion) append(shape.key, graph_.node(node).x[2]);
    }
    return shape;
  }

  Map map_of(const Group& g) const {
    auto kernel = std::make_shared<Kernel>();
    Map map;
    map.count = static_cast<int>(g.members.size());
    Rewriter rewrite(graph_, kernel->graph());
    const auto& leaves = g.members[0].leaves;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      MapArgument argument = argument_of(g, k);
      const bool number =
          argument.source == MapArgument::Source::scalar && argument.scalar.is_number();
      if (number) {
        rewrite.replace(leaves[k], argument.scalar);
        continue;
      }
      rewrite.replace(leaves[k], kernel->argument(static_cast<int>(map.arguments.size())));
      map.arguments.push_back(std::move(argument));
    }
    kernel->add_result(rewrite(outputs_.single[g.members[0].single].value));
    map.kernel = kernel;
    auto& rows = map.rows.emplace_back();
    for (const Member& m : g.members) rows.push_back(outputs_.single[m.single].row);
    return map;
  }

  MapArgument argument_of(const Group& g, std::size_t k) const {
    const int first = g.members[0].leaves[k];
    bool same = true;
    for (const Member& m : g.members) same = same && m.leaves[k] == first;
    const Op op = graph_.node(first).op;
    if (same && op != Op::input) return MapArgument::of_scalar(graph_.expr(first));
    if (op == Op::constant) {
      std::vector<double> values;
      for (const Member& m : g.members) values.push_back(graph_.constant_value(m.leaves[k]));
      return MapArgument::of_values(std::move(values));
    }
    std::vector<int> index;
    for (const Member& m : g.members) index.push_back(graph_.number(m.leaves[k]));
    const InputKind kind = graph_.kind(first);
    if (same && (kind == InputKind::time || kind == InputKind::parameter))
      return MapArgument::of_scalar(graph_.expr(first));
    return MapArgument::of_input(kind, std::move(index));
  }

  Graph& graph_;
  const Outputs& outputs_;
  RollOptions options_;
  std::vector<int> users_;
  std::unordered_map<std::string, std::size_t> number_;
  std::vector<Group> groups_;
  std::vector<std::size_t> alone_;
};

}  // namespace

Outputs roll(Graph& graph, const Outputs& outputs, RollOptions options) {
  return Roller(graph, outputs, options).run();
}

}  // namespace daedalus::graph
