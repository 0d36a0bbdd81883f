// SPDX-License-Identifier: BSD-3-Clause
// The flat model as equations, events and start conditions of a ModelBuilder.
#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/compile.hpp"

namespace daedalus::modelica {
namespace {

using graph::InputKind;

constexpr std::size_t max_name = 60;  // of an equation in messages of a run

class Lowering {
 public:
  Lowering(FlatModel& flat, const Files& files, Mistakes& mistakes)
      : flat_(flat), files_(files), mistakes_(mistakes), b_(*flat.builder) {}

  void run() {
    for (int k = 0; k < files_.count(); ++k) b_.graph().add_file(files_.source(k).name());
    if (!flat_.comment.empty()) b_.set_title(flat_.comment);
    b_.set_interval({flat_.start_time, flat_.stop_time});
    for (const FlatParameter& p : flat_.parameters)
      if (!p.value.is_number() && !b_.graph().is_input(p.value)) {
        ParameterOptions o;
        o.unit = p.unit;
        o.description = p.comment;
        b_.dependent_parameter(p.name, p.value, o);
      }
    for (const FlatEquation& e : flat_.equations)
      if (!e.discrete) b_.equation(e.left, e.right, item(e.origin));
    for (const FlatFamily& f : flat_.families)
      b_.equations(f.kernel, f.count, f.arguments, item(f.origin));
    for (const FlatVariable& v : flat_.variables)
      if (v.unknown_parameter) b_.equation(der(v.value), 0.0, {v.name + " is constant"});
    discrete_equations();
    for (const FlatEquation& e : flat_.initial_equations) initial(e);
    for (const FlatRequirement& r : flat_.requirements)
      b_.require(r.condition, fmt::format("assertion at {} failed: {}", files_.where(r.place),
                                          r.message));
    for (const auto& clause : flat_.whens) when(clause);
  }

 private:
  ItemOptions item(const Origin& o) const {
    ItemOptions i;
    std::string text = files_.where(o.place);
    if (!o.component.empty()) text += " " + o.component;
    text += ": " + o.text;
    if (text.size() > max_name) text = text.substr(0, max_name - 3) + "...";
    i.name = text;
    i.position = {o.place.file, files_.line(o.place), files_.column(o.place)};
    return i;
  }

  bool is_mode(const Expr& x) const {
    return !x.is_number() && flat_.builder->graph().is_input(x) &&
           flat_.builder->graph().kind(x.node()) == InputKind::mode;
  }

  // Each equation of discrete variables gives one of them: its left side, or its right side where
  // both are variables and the left one has its equation already. Augmenting paths settle chains.
  void discrete_equations() {
    std::vector<const FlatEquation*> rows;
    for (const FlatEquation& e : flat_.equations)
      if (e.discrete) rows.push_back(&e);
    std::unordered_map<int, std::size_t> owner;  // by node of the variable
    for (const auto& clause : flat_.whens)
      for (const FlatBranch& b : clause)
        for (const FlatAction& a : b.actions)
          if (a.kind == FlatAction::Kind::set && !a.target.is_number())
            owner[a.target.node()] = taken;
    std::vector<int> chosen(rows.size(), -1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<char> seen(rows.size(), 0);
      if (!assign(rows, r, owner, chosen, seen))
        mistakes_.error({Phase::balance, rows[r]->origin.place,
                         fmt::format("no discrete variable is left for the equation {}",
                                     rows[r]->origin.text),
                         "write it as variable = expression, once for each variable"});
    }
    for (const FlatVariable& v : flat_.discretes)
      if (!owner.count(v.value.node())) undetermined(v);
    if (mistakes_.errors() > 0) return;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const FlatEquation& e = *rows[r];
      const bool left = !e.left.is_number() && e.left.node() == chosen[r];
      b_.discrete_equation(left ? e.left : e.right, left ? e.right : e.left, item(e.origin));
    }
  }

  static constexpr std::size_t taken = static_cast<std::size_t>(-1);

  bool assign(const std::vector<const FlatEquation*>& rows, std::size_t r,
              std::unordered_map<int, std::size_t>& owner, std::vector<int>& chosen,
              std::vector<char>& seen) {
    if (seen[r]) return false;
    seen[r] = 1;
    for (const Expr* side : {&rows[r]->left, &rows[r]->right}) {
      if (!is_mode(*side)) continue;
      const auto held = owner.find(side->node());
      if (held == owner.end() ||
          (held->second != taken && assign(rows, held->second, owner, chosen, seen))) {
        owner[side->node()] = r;
        chosen[r] = side->node();
        return true;
      }
    }
    return false;
  }

  void undetermined(const FlatVariable& v) {
    if (v.input) {
      mistakes_.warning({Phase::balance, v.place,
                         fmt::format("input '{}' is connected to nothing; it keeps its start value",
                                     v.name)});
      return;
    }
    mistakes_.error({Phase::balance, v.place,
                     fmt::format("no equation gives the discrete variable '{}'", v.name),
                     fmt::format("write '{} = ...' as an equation or in a when-clause", v.name)});
  }

  void initial(const FlatEquation& e) {
    const auto mode_of = [&](const Expr& x) -> Expr {
      const graph::Graph& g = b_.graph();
      if (x.is_number() || !g.is_input(x)) return 0.0;
      if (g.kind(x.node()) == InputKind::mode) return x;
      if (g.kind(x.node()) == InputKind::previous)
        return Expr(b_.graph(), g.previous_of(g.number(x.node())));
      return 0.0;
    };
    if (const Expr mode = mode_of(e.left); !mode.is_number()) {
      b_.when(b_.initial(), item(e.origin)).set(mode, e.right);
      return;
    }
    b_.initial_equation(e.left, e.right, item(e.origin));
  }

  void when(const std::vector<FlatBranch>& clause) {
    std::optional<WhenClause> w;
    for (const FlatBranch& b : clause) {
      ItemOptions o = item(b.origin);
      o.name = b.origin.text;
      if (!b.origin.component.empty()) o.name = b.origin.component + ": " + o.name;
      w = w ? w->otherwise(b.condition, o) : b_.when(b.condition, o);
      for (const FlatAction& a : b.actions) {
        if (a.kind == FlatAction::Kind::reinit)
          w->reinit(a.target, a.value);
        else if (a.kind == FlatAction::Kind::set)
          w->set(a.target, a.value);
        else
          w->stop(a.message);
      }
    }
  }

  FlatModel& flat_;
  const Files& files_;
  Mistakes& mistakes_;
  ModelBuilder& b_;
};

}  // namespace

void lower(FlatModel& flat, const Files& files, Mistakes& mistakes) {
  Lowering(flat, files, mistakes).run();
}

}  // namespace daedalus::modelica
