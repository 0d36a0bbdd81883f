// SPDX-License-Identifier: BSD-3-Clause
// Rates of sums. Drive trains have relative coordinates whose rates decide events,
//   phi_rel = b.phi - a.phi,  w_rel = der(phi_rel),  a_rel = der(w_rel),
// beside the coordinates themselves, w = der(phi). As they stand that is index 3. The rate of a sum
// is the sum of the rates: with der(phi_rel) = b.w - a.w, and der(w_rel) = der(b.w) - der(a.w) in
// turn, the relative coordinates are sums that are computed where they are read. Only sums of two
// and more differentiated variables with constant factors, and variables that differ by a constant,
// are read so, and only where a model has discrete variables, which index 3 makes hard to find at
// events: constraints that couple motions rigidly stay what they are.
#include <algorithm>
#include <optional>
#include <set>

#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"
#include "modelica/compile.hpp"

namespace daedalus::modelica {
namespace {

using graph::InputKind;

class RatesOfSums {
 public:
  explicit RatesOfSums(FlatModel& flat)
      : flat_(flat), g_(*flat.graph), stays_(flat.variables.size(), 0) {
    for (std::size_t j = 0; j < stays_.size(); ++j)
      stays_[j] = flat.variables[j].fixed || flat.variables[j].unknown_parameter;
    for (const auto& clause : flat.whens)
      for (const FlatBranch& b : clause)
        for (const FlatAction& a : b.actions)
          if (const int j = flat.number_of(a.target); a.kind == FlatAction::Kind::reinit && j >= 0)
            stays_[at(j)] = 1;
    for (int k = 0; k < g_.count(InputKind::previous); ++k)
      if (const int node = g_.previous_of(k); g_.kind(node) == InputKind::state)
        stays_[at(g_.number(node))] = 1;
  }

  void run() {
    join_aliases();
    // One is found at a time, and with it what follows: w_rel becomes a sum itself.
    for (std::size_t k = 0; k < flat_.variables.size() && replace_one(); ++k) {
    }
  }

 private:
  bool replace_one() {
    by_ = explicit_equations(flat_);
    differentiated_ = differentiated_variables(flat_);
    find_rates();
    for (std::size_t k = 0; k < flat_.equations.size(); ++k) {
      const FlatEquation& e = flat_.equations[k];
      if (e.discrete || used_.count(static_cast<int>(k)) > 0) continue;
      for (const auto& [variable, sum] : {std::pair(e.left, e.right), std::pair(e.right, e.left)})
        if (const int j = flat_.number_of(variable); j >= 0 && may_go(j, sum)) {
          used_.insert(static_cast<int>(k));
          rewrite(j, rate_of(expand(sum)));
          return true;
        }
    }
    return false;
  }

  // x = a where b stands for a becomes x = b: then one of x and b may go as well.
  void join_aliases() {
    for (std::size_t pass = 0; pass < flat_.equations.size(); ++pass) {
      by_ = explicit_equations(flat_);
      std::vector<char> gone(flat_.equations.size(), 0);
      for (const int k : by_)
        if (k >= 0) gone[at(k)] = 1;
      bool changed = false;
      for (std::size_t k = 0; k < gone.size(); ++k) {
        FlatEquation& e = flat_.equations[k];
        if (e.discrete || gone[k] || flat_.number_of(e.left) < 0 || flat_.number_of(e.right) < 0)
          continue;
        for (Expr* side : {&e.left, &e.right}) {
          const Expr other = stands_for(*side);
          changed = changed || !other.same(*side);
          *side = other;
        }
      }
      if (!changed) return;
    }
  }

  Expr stands_for(Expr e) const {
    for (std::size_t k = 0; k < by_.size(); ++k) {
      const int j = flat_.number_of(e);
      if (j < 0 || by_[at(j)] < 0 || flat_.number_of(value(j)) < 0) break;
      e = value(j);
    }
    return e;
  }

  // Variables that equations name as rates: w of w = der(x).
  void find_rates() {
    rate_.assign(flat_.variables.size(), -1);
    for (const FlatEquation& e : flat_.equations)
      for (const auto& [variable, rate] :
           {std::pair(e.left, e.right), std::pair(e.right, e.left)}) {
        const int w = flat_.number_of(variable);
        if (w < 0 || rate.is_number() || !g_.is_input(rate) ||
            g_.kind(rate.node()) != InputKind::derivative)
          continue;
        if (int& known = rate_[at(g_.number(rate.node()))]; known < 0) known = w;
      }
  }

  bool may_go(int j, const Expr& sum) {
    if (stays_[at(j)] || by_[at(j)] >= 0 || !differentiated_[at(j)]) return false;
    leaves_.clear();
    linear_ = true;
    scaled_ = false;
    visit(sum);
    const bool sum_or_shift = leaves_.size() > 1 || (leaves_.size() == 1 && !scaled_);
    return linear_ && sum_or_shift && leaves_.count(j) == 0 &&
           std::all_of(leaves_.begin(), leaves_.end(),
                       [this](int i) { return differentiated_[at(i)] != 0; });
  }

  // Sums with factors of numbers and parameters; variables that others stand for are looked
  // through.
  void visit(const Expr& e) {
    if (e.is_number() || !linear_) return;
    const graph::Op op = g_.node(e.node()).op;
    const auto operand = [&](int k) { return g_.expr(g_.operands(e.node())[at(k)]); };
    if (const int j = flat_.number_of(e); j >= 0) {
      if (by_[at(j)] >= 0)
        visit(value(j));
      else
        leaves_.insert(j);
    } else if (op == graph::Op::add || op == graph::Op::subtract) {
      visit(operand(0));
      visit(operand(1));
    } else if (op == graph::Op::negate) {
      visit(operand(0));
    } else if (op == graph::Op::multiply && (is_constant(operand(0)) || is_constant(operand(1)))) {
      scaled_ = true;
      visit(operand(is_constant(operand(0)) ? 1 : 0));
    } else {
      linear_ = is_constant(e);
    }
  }

  bool is_constant(const Expr& e) const {
    if (e.is_number()) return true;
    const std::vector<int> nodes = graph::reached(g_, {e.node()});
    return std::all_of(nodes.begin(), nodes.end(), [this](int node) {
      return g_.node(node).op != graph::Op::input || g_.kind(node) == InputKind::parameter;
    });
  }

  Expr value(int j) const {
    const FlatEquation& e = flat_.equations[at(by_[at(j)])];
    return flat_.number_of(e.left) == j ? e.right : e.left;
  }

  Expr expand(const Expr& e) {
    graph::Rewriter through(g_, g_, [this](int node, std::span<const Expr>, Expr& result) {
      if (g_.node(node).op != graph::Op::input || g_.kind(node) != InputKind::state) return false;
      const int j = g_.number(node);
      if (by_[at(j)] < 0) return false;
      result = expand(value(j));
      return true;
    });
    return through(e);
  }

  Expr rate_of(const Expr& sum) {
    graph::Rewriter named(g_, g_, [this](int node, std::span<const Expr>, Expr& result) {
      if (g_.node(node).op != graph::Op::input || g_.kind(node) != InputKind::derivative)
        return false;
      const int w = rate_[at(g_.number(node))];
      if (w < 0) return false;
      result = flat_.variables[at(w)].value;
      return true;
    });
    return named(der(sum));
  }

  void rewrite(int j, const Expr& rate) {
    graph::Rewriter r(g_, g_);
    r.replace(g_.input_node(InputKind::derivative, j), rate);
    for (auto* list : {&flat_.equations, &flat_.initial_equations})
      for (FlatEquation& e : *list) e.left = r(e.left), e.right = r(e.right);
    for (auto& clause : flat_.whens)
      for (FlatBranch& b : clause) {
        b.condition = r(b.condition);
        for (FlatAction& a : b.actions) a.value = r(a.value);
      }
    for (FlatRequirement& q : flat_.requirements) q.condition = r(q.condition);
    for (FlatDelay& d : flat_.delays) d.value = r(d.value);
  }

  FlatModel& flat_;
  graph::Graph& g_;
  std::vector<char> stays_, differentiated_;
  std::vector<int> by_, rate_;
  std::set<int> used_, leaves_;
  bool linear_ = true, scaled_ = false;
};

}  // namespace

std::vector<int> roots_of(const FlatModel& flat) {
  std::vector<int> roots;
  const auto add = [&](const Expr& e) {
    if (!e.is_number()) roots.push_back(e.node());
  };
  for (const auto* list : {&flat.equations, &flat.initial_equations})
    for (const FlatEquation& e : *list) add(e.left), add(e.right);
  for (const auto& clause : flat.whens)
    for (const FlatBranch& b : clause) {
      add(b.condition);
      for (const FlatAction& a : b.actions) add(a.target), add(a.value);
    }
  for (const FlatRequirement& r : flat.requirements) add(r.condition);
  for (const FlatDelay& d : flat.delays) add(d.value);
  return roots;
}

std::vector<char> differentiated_variables(const FlatModel& flat) {
  const graph::Graph& g = *flat.graph;
  std::vector<char> found(flat.variables.size(), 0);
  for (const int node : graph::reached(g, roots_of(flat)))
    if (g.node(node).op == graph::Op::input && g.kind(node) == InputKind::derivative)
      found[at(g.number(node))] = 1;
  for (const FlatFamily& f : flat.families)
    for (const graph::MapArgument& a : f.arguments)
      if (a.source == graph::MapArgument::Source::input && a.kind == InputKind::derivative)
        for (const int j : a.index) found[at(j)] = 1;
  return found;
}

// Derivatives that initial equations or conditions read become variables of their own: w =
// der(x).
std::vector<char> named_rates(const FlatModel& flat) {
  const graph::Graph& g = *flat.graph;
  std::vector<int> roots;
  const auto add = [&](const Expr& e) {
    if (!e.is_number()) roots.push_back(e.node());
  };
  for (const FlatEquation& e : flat.initial_equations) add(e.left), add(e.right);
  for (const FlatEquation& e : flat.equations)
    if (e.discrete) add(e.left), add(e.right);
  for (const auto& clause : flat.whens)
    for (const FlatBranch& b : clause) {
      add(b.condition);
      for (const FlatAction& a : b.actions) add(a.value);
    }
  for (const FlatRequirement& r : flat.requirements) add(r.condition);
  // Comparisons within equations decide as well.
  std::vector<int> all;
  for (const FlatEquation& e : flat.equations) {
    if (!e.left.is_number()) all.push_back(e.left.node());
    if (!e.right.is_number()) all.push_back(e.right.node());
  }
  for (const int node : graph::reached(g, all))
    if (g.node(node).op == graph::Op::select) roots.push_back(g.operands(node)[0]);
  std::vector<char> named(flat.variables.size(), 0);
  for (const int node : graph::reached(g, roots))
    if (g.node(node).op == graph::Op::input && g.kind(node) == InputKind::derivative)
      named[at(g.number(node))] = 1;
  return named;
}

void use_rates_of_sums(FlatModel& flat) {
  // Beyond this many equations the search would not be linear (explicit_equations stops there,
  // too).
  constexpr std::size_t max_equations = 5000;
  if (flat.discretes.empty() || !flat.families.empty() || flat.equations.size() > max_equations)
    return;
  RatesOfSums(flat).run();
}

}  // namespace daedalus::modelica
