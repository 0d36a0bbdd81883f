// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/discrete.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

namespace daedalus::modelica {
namespace {

constexpr std::size_t by_event = static_cast<std::size_t>(-1);  // a when-clause sets it

class Matching {
 public:
  explicit Matching(const FlatModel& flat) {
    for (const FlatEquation& e : flat.equations)
      if (e.discrete) rows_.push_back(&e);
    for (const auto& clause : flat.whens)
      for (const FlatBranch& b : clause)
        for (const FlatAction& a : b.actions)
          if (a.kind == FlatAction::Kind::set && !a.target.is_number())
            owner_[a.target.node()] = by_event;
    for (const FlatVariable& v : flat.discretes) variables_.insert(v.value.node());
    chosen_.assign(rows_.size(), -1);
  }

  // Augmenting paths settle chains of equal variables.
  bool assign(std::size_t r) {
    std::vector<char> seen(rows_.size(), 0);
    return assign(r, seen);
  }

  const std::vector<const FlatEquation*>& rows() const { return rows_; }
  bool gives_left(std::size_t r) const {
    return !rows_[r]->left.is_number() && rows_[r]->left.node() == chosen_[r];
  }
  bool given(const Expr& variable) const { return owner_.count(variable.node()) != 0; }

 private:
  // Not a clock or initial(), which are given.
  bool is_variable(const Expr& x) const { return !x.is_number() && variables_.count(x.node()); }

  bool assign(std::size_t r, std::vector<char>& seen) {
    if (seen[r]) return false;
    seen[r] = 1;
    for (const Expr* side : {&rows_[r]->left, &rows_[r]->right}) {
      if (!is_variable(*side)) continue;
      const auto held = owner_.find(side->node());
      if (held != owner_.end() && (held->second == by_event || !assign(held->second, seen)))
        continue;
      owner_[side->node()] = r;
      chosen_[r] = side->node();
      return true;
    }
    return false;
  }

  std::vector<const FlatEquation*> rows_;
  std::unordered_set<int> variables_;           // nodes
  std::unordered_map<int, std::size_t> owner_;  // by node of the variable
  std::vector<int> chosen_;
};

}  // namespace

void assign_discrete(const FlatModel& flat, Mistakes& mistakes, const Assignment& assign) {
  Matching matching(flat);
  for (std::size_t r = 0; r < matching.rows().size(); ++r)
    if (!matching.assign(r)) {
      const Origin& o = matching.rows()[r]->origin;
      mistakes.error({Phase::balance, o.place,
                      fmt::format("no discrete variable is left for the equation {}", o.text),
                      "write it as variable = expression, once for each variable"});
    }
  for (const FlatVariable& v : flat.discretes) {
    if (matching.given(v.value)) continue;
    if (v.input)
      mistakes.warning(
          {Phase::balance, v.place,
           fmt::format("input '{}' is connected to nothing; it keeps its start value", v.name)});
    else
      mistakes.error({Phase::balance, v.place,
                      fmt::format("no equation gives the discrete variable '{}'", v.name),
                      fmt::format("write '{} = ...' as an equation or in a when-clause", v.name)});
  }
  if (mistakes.errors() > 0) return;
  for (std::size_t r = 0; r < matching.rows().size(); ++r) {
    const FlatEquation& e = *matching.rows()[r];
    const bool left = matching.gives_left(r);
    assign(left ? e.left : e.right, left ? e.right : e.left, e.origin);
  }
}

}  // namespace daedalus::modelica
