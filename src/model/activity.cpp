// SPDX-License-Identifier: BSD-3-Clause
#include "model/activity.hpp"

#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

using graph::InputKind;
using graph::Op;

// Beyond this many relations all count as active: the formulas would outweigh what they save.
constexpr std::size_t max_relations = 1000;

class Activity {
 public:
  explicit Activity(const FlatModel& flat)
      : flat_(flat),
        g_(*flat.graph),
        size_(g_.size()),
        kinds_(graph::dependence(g_)),
        reads_(at(size_), 0),
        asked_(at(size_), Expr(0.0)) {}

  std::vector<Expr> run() {
    mark_relations();
    roots();
    for (int node = size_ - 1; node >= 0; --node) {
      if (!reads_[at(node)] || asked_[at(node)].is_number(0.0)) continue;
      // Operations of this sweep are appended to the graph: the operands may move.
      const auto operands = g_.operands(node);
      const std::vector<int> list(operands.begin(), operands.end());
      for (std::size_t k = 0; k < list.size(); ++k)
        if (reads_[at(list[k])]) ask(list[k], both(asked_[at(node)], mask(node, list, k)));
    }
    std::vector<Expr> active;
    for (const graph::Relation& r : flat_.relations.all) {
      const int node = g_.input_node(InputKind::mode, r.mode);
      const Expr a = node < 0 || node >= size_ ? Expr(1.0) : asked_[at(node)];
      active.push_back(a.is_number() ? Expr(1.0) : a);
    }
    return active;
  }

 private:
  void mark_relations() {
    for (const graph::Relation& r : flat_.relations.all)
      if (const int node = g_.input_node(InputKind::mode, r.mode); node >= 0) reads_[at(node)] = 1;
    for (int node = 0; node < size_; ++node)
      for (const int k : g_.operands(node)) reads_[at(node)] |= reads_[at(k)];
  }

  void roots() {
    const auto add = [&](const Expr& e) {
      if (!e.is_number()) ask(e.node(), 1.0);
    };
    for (const auto* rows : {&flat_.residuals, &flat_.initial, &flat_.relations.crossings}) {
      for (const auto& s : rows->single) add(s.value);
      for (const graph::Map& m : rows->maps)
        for (const graph::MapArgument& a : m.arguments) {
          add(a.scalar);
          if (a.source != graph::MapArgument::Source::input || a.kind != InputKind::mode) continue;
          for (const int mode : a.index)
            if (const int node = g_.input_node(InputKind::mode, mode); node >= 0) ask(node, 1.0);
        }
    }
    for (const FlatOutput& o : flat_.outputs) add(o.value);
    for (const auto& e : flat_.discrete_equations) add(e.value);
    for (const FlatWhen& w : flat_.whens) {
      add(w.condition);
      for (const FlatAction& a : w.actions) add(a.value);
    }
    for (const BuiltItem& i : flat_.invariants) add(i.left);
  }

  void ask(int node, const Expr& when) {
    Expr& own = asked_[at(node)];
    if (own.is_number(1.0) || when.is_number(0.0)) return;
    own = when.is_number(1.0) || own.is_number(0.0) ? when : own || when;
  }

  static Expr both(const Expr& a, const Expr& b) {
    if (a.is_number(1.0)) return b;
    return b.is_number(1.0) ? a : a && b;
  }

  // Changes at events only, and by no relation: a relation must not hide one that hides it.
  bool held(int node) const {
    constexpr graph::KindSet kinds = graph::kind_bit(InputKind::parameter) |
                                     graph::kind_bit(InputKind::mode) |
                                     graph::kind_bit(InputKind::previous);
    return !reads_[at(node)] && (kinds_[at(node)] & ~kinds) == 0;
  }

  // When the operation looks at its operand k.
  Expr mask(int node, const std::vector<int>& operands, std::size_t k) const {
    switch (g_.node(node).op) {
      case Op::logical_and:
        return held(operands[1 - k]) ? g_.expr(operands[1 - k]) : Expr(1.0);
      case Op::logical_or:
        return held(operands[1 - k]) ? !g_.expr(operands[1 - k]) : Expr(1.0);
      case Op::select:
        if (k == 0 || !held(operands[0])) return 1.0;
        return k == 1 ? g_.expr(operands[0]) : !g_.expr(operands[0]);
      default:
        return 1.0;
    }
  }

  const FlatModel& flat_;
  graph::Graph& g_;
  int size_;  // nodes of the model; those behind are of the answers
  std::vector<graph::KindSet> kinds_;
  std::vector<char> reads_;  // whether a node depends on the outcome of a relation
  std::vector<Expr> asked_;  // when something looks at the node
};

}  // namespace

std::vector<Expr> relation_activity(const FlatModel& flat) {
  const std::size_t count = flat.relations.all.size();
  if (count == 0 || count > max_relations) return std::vector<Expr>(count, Expr(1.0));
  return Activity(flat).run();
}

}  // namespace daedalus
