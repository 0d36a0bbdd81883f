// SPDX-License-Identifier: BSD-3-Clause
// Which variables an equation gives explicitly: v = e with e free of v and of derivatives. They
// leave the system and are computed where they are read. Constraints of any index may be written
// with them: nothing is differentiated here.
#include <algorithm>

#include "graph/reach.hpp"
#include "kernel/at.hpp"
#include "modelica/compile.hpp"

namespace daedalus::modelica {
namespace {

using graph::InputKind;

// Beyond this many equations only what the builder takes out goes: the search is not linear.
constexpr std::size_t max_equations = 5000;

class Simplifier {
 public:
  explicit Simplifier(const FlatModel& flat)
      : flat_(flat),
        g_(*flat.graph),
        by_(flat.variables.size(), -1),
        stays_(flat.variables.size(), 0),
        differentiated_(differentiated_variables(flat)),
        stamp_(at(g_.size()), -1) {}

  std::vector<int> run() {
    if (flat_.equations.size() > max_equations) return by_;
    mark();
    const std::vector<graph::KindSet> kinds = graph::dependence(g_);
    const auto has_rates = [&](const Expr& e) {
      return !e.is_number() && (kinds[at(e.node())] & graph::kind_bit(InputKind::derivative)) != 0;
    };
    // Twice: what the first sweep found to be zero makes others equal.
    std::vector<char> used(flat_.equations.size(), 0);
    for (int sweep = 0; sweep < 2; ++sweep)
      for (std::size_t k = 0; k < flat_.equations.size(); ++k) {
        const FlatEquation& e = flat_.equations[k];
        if (used[k] || e.discrete || has_rates(e.left) || has_rates(e.right)) continue;
        used[k] = take(e.left, e.right, static_cast<int>(k)) ||
                  take(e.right, e.left, static_cast<int>(k));
      }
    keep_relations();
    return by_;
  }

 private:
  // Relations of what nobody else reads make events as well: the variable stays.
  void keep_relations() {
    ++query_;
    std::vector<char> read(by_.size(), 0);
    std::vector<char> gone(flat_.equations.size(), 0);
    for (const int k : by_)
      if (k >= 0) gone[at(k)] = 1;
    const auto visit = [&](const Expr& e) { visit_all(e, read); };
    for (std::size_t k = 0; k < gone.size(); ++k)
      if (!gone[k]) visit(flat_.equations[k].left), visit(flat_.equations[k].right);
    for (const FlatEquation& e : flat_.initial_equations) visit(e.left), visit(e.right);
    for (const auto& clause : flat_.whens)
      for (const FlatBranch& b : clause) {
        visit(b.condition);
        for (const FlatAction& a : b.actions) visit(a.value);
      }
    for (std::size_t j = 0; j < by_.size(); ++j)
      if (by_[j] >= 0 && !read[j] && has_relation(value_[j])) by_[j] = -1;
  }

  void visit_all(const Expr& e, std::vector<char>& read) {
    if (e.is_number()) return;
    std::vector<int> open{e.node()};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (stamp_[at(node)] == query_) continue;
      stamp_[at(node)] = query_;
      if (g_.node(node).op == graph::Op::input && g_.kind(node) == InputKind::state) {
        const int k = g_.number(node);
        read[at(k)] = 1;
        if (by_[at(k)] >= 0 && !value_[at(k)].is_number()) open.push_back(value_[at(k)].node());
      }
      for (const int operand : g_.operands(node)) open.push_back(operand);
    }
  }

  // That makes events: outside of noEvent.
  bool has_relation(const Expr& e) {
    if (e.is_number()) return false;
    ++query_;
    std::vector<int> open{e.node()};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      const graph::Op op = g_.node(node).op;
      if (stamp_[at(node)] == query_ || op == graph::Op::no_event) continue;
      stamp_[at(node)] = query_;
      if (op == graph::Op::less || op == graph::Op::less_equal || op == graph::Op::greater ||
          op == graph::Op::greater_equal)
        return true;
      for (const int operand : g_.operands(node)) open.push_back(operand);
    }
    return false;
  }

  // What must stay a variable: fixed, read by families, or read before an event.
  void mark() {
    for (std::size_t j = 0; j < stays_.size(); ++j) {
      const FlatVariable& v = flat_.variables[j];
      stays_[j] = v.fixed || v.unknown_parameter;
    }
    for (int k = 0; k < g_.count(InputKind::previous); ++k) {
      const int node = g_.previous_of(k);
      if (g_.kind(node) == InputKind::state) stays_[at(g_.number(node))] = 1;
    }
    for (const FlatFamily& f : flat_.families)
      for (const graph::MapArgument& a : f.arguments)
        if (a.source == graph::MapArgument::Source::input &&
            (a.kind == InputKind::state || a.kind == InputKind::derivative))
          for (const int j : a.index) stays_[at(j)] = 1;
  }

  bool take(const Expr& variable, const Expr& value, int equation) {
    const int j = flat_.number_of(variable);
    if (j < 0 || stays_[at(j)] || by_[at(j)] >= 0) return false;
    // Of equal variables one stands for both, derivatives included.
    if (differentiated_[at(j)] && !is_variable(value)) return false;
    ++query_;
    if (reads(value, j)) return false;
    by_[at(j)] = equation;
    value_.resize(by_.size());
    value_[at(j)] = value;
    return true;
  }

  // A variable or minus a variable, perhaps beside terms that are zero.
  bool is_variable(const Expr& e) const {
    if (e.is_number()) return false;
    const auto operand = [&](int k) { return g_.expr(g_.operands(e.node())[at(k)]); };
    switch (g_.node(e.node()).op) {
      case graph::Op::negate:
        return flat_.number_of(operand(0)) >= 0;
      case graph::Op::add:
      case graph::Op::subtract:
        return (is_zero(operand(1)) && is_variable(operand(0))) ||
               (is_zero(operand(0)) && flat_.number_of(operand(1)) >= 0);
      default:
        return flat_.number_of(e) >= 0;
    }
  }

  bool is_zero(const Expr& e) const {
    if (e.is_number()) return e.number() == 0.0;
    const int j = flat_.number_of(e);
    return j >= 0 && by_[at(j)] >= 0 && value_[at(j)].is_number(0.0);
  }

  // Whether the formula depends on variable j, through variables that were taken out as well.
  bool reads(const Expr& e, int j) {
    if (e.is_number()) return false;
    std::vector<int> open{e.node()};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (stamp_[at(node)] == query_) continue;
      stamp_[at(node)] = query_;
      if (g_.node(node).op == graph::Op::input) {
        if (g_.kind(node) != InputKind::state) continue;
        const int k = g_.number(node);
        if (k == j) return true;
        if (by_[at(k)] >= 0 && !value_[at(k)].is_number()) open.push_back(value_[at(k)].node());
        continue;
      }
      for (const int operand : g_.operands(node)) open.push_back(operand);
    }
    return false;
  }

  const FlatModel& flat_;
  const graph::Graph& g_;
  std::vector<int> by_;
  std::vector<char> stays_, differentiated_;
  std::vector<Expr> value_;  // by variable, of those that go
  std::vector<int> stamp_;
  int query_ = 0;
};

}  // namespace

std::vector<int> explicit_equations(const FlatModel& flat) { return Simplifier(flat).run(); }

}  // namespace daedalus::modelica
