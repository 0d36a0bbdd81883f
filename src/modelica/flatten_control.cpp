// SPDX-License-Identifier: BSD-3-Clause
// Equations that hold others: for and if.
#include "modelica/flatten.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"

namespace daedalus::modelica {

using Kind = ast::Equation::Kind;

void Flattener::for_equation(const ast::Equation& e, std::size_t iterator, const Env& env) {
  if (iterator == e.iterators.size()) return equations(e.branches.front().body, env);
  if (iterator == 0 && roll_ && !connecting_ && e.iterators.size() == 1 && !initial_ &&
      sink_ == &flat_.equations && rolled(e, env))
    return;
  std::vector<Value> values;
  c_.iteration(e.iterators[iterator], env, values);
  Frame frame;
  frame.up = env.frame;
  frame.variables.emplace_back(e.iterators[iterator].name, Value{});
  for (const Value& v : values) {
    frame.variables.front().second = v;
    if (!v.e.front().is_number()) c_.number(v, e.place, "the range of a loop");
    const std::size_t depth = c_.loops.size();
    c_.loops.push_back(
        {e.iterators[iterator].name, v.e.front().number(), e.iterators[iterator].range});
    for_equation(e, iterator + 1, {env.scope, &frame});
    c_.loops.resize(std::min(c_.loops.size(), depth));
    if (c_.mistakes.full()) return;
  }
}

void Flattener::if_equation(const ast::Equation& e, const Env& env) {
  // Branches are taken or left out as long as parameters decide.
  for (std::size_t k = 0; k < e.branches.size(); ++k) {
    const ast::Branch& b = e.branches[k];
    if (!b.condition) return equations(b.body, env);
    const Value condition = c_.evaluate(*b.condition, env);
    if (condition.base != Base::boolean || !condition.scalar())
      throw Mistake{Phase::types, b.condition->place,
                    fmt::format("a condition is Boolean; this is {}", type_text(condition))};
    if (condition.variability > Variability::parameter && !condition.e.front().is_number())
      return connecting_ ? void() : if_branches(e, env);
    if (c_.number(condition, b.condition->place, "the condition of an if-equation") != 0.0)
      return equations(b.body, env);
  }
}

void Flattener::if_branches(const ast::Equation& e, const Env& env) {
  std::vector<FlatEquation>* const outer = sink_;
  const Expr guard = guard_;
  std::vector<std::vector<FlatEquation>> rows;
  std::vector<Expr> conditions;
  bool has_else = false;
  for (const ast::Branch& b : e.branches) {
    const Expr c = b.condition ? c_.scalar(*b.condition, env, true) : Expr(1.0);
    if (c.is_number(0.0)) continue;
    conditions.push_back(c);
    std::vector<FlatEquation> list;
    sink_ = &list;
    guard_ = guard && c;
    const std::size_t whens = flat_.whens.size();
    equations(b.body, env);
    sink_ = outer;
    if (flat_.whens.size() != whens)
      throw Mistake{Phase::events, e.place,
                    "a when-clause stands in an if-equation that variables decide",
                    "put the condition into the when-clause"};
    rows.push_back(std::move(list));
    has_else = has_else || !b.condition || c.is_number(1.0);
    guard_ = guard;
    if (has_else) break;
  }
  if (!has_else) rows.emplace_back();
  for (std::size_t k = 1; k < rows.size(); ++k)
    if (rows[k].size() != rows[0].size())
      throw Mistake{Phase::balance, e.place,
                    fmt::format("branches of this if set {} and {} equations", rows[0].size(),
                                rows[k].size()),
                    has_else ? "every branch needs the same number of equations"
                             : "add an 'else' with as many equations"};
  const Origin origin = origin_of(e, env);
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    FlatEquation all = rows.back()[i];
    if (all.discrete) {
      // v = a in one branch and v = b in another one.
      for (std::size_t k = rows.size() - 1; k-- > 0;) {
        const auto same = std::find_if(rows[k].begin(), rows[k].end(), [&](const FlatEquation& o) {
          return o.left.same(all.left);
        });
        if (same == rows[k].end())
          throw Mistake{Phase::balance, e.place,
                        "branches of this if set different discrete variables"};
        all.right = select(conditions[k], same->right, all.right);
      }
    } else {
      Expr residual = all.left - all.right;
      bool same_left = true;
      for (const auto& branch : rows) same_left = same_left && branch[i].left.same(all.left);
      Expr right = all.right;
      for (std::size_t k = rows.size() - 1; k-- > 0;) {
        residual = select(conditions[k], rows[k][i].left - rows[k][i].right, residual);
        right = select(conditions[k], rows[k][i].right, right);
      }
      if (same_left) {
        all.right = right;
      } else {
        all.left = residual;
        all.right = 0.0;
      }
    }
    if (rows.size() > 1) {
      all.origin.place = rows[0][i].origin.place;
      all.origin.text = rows[0][i].origin.text;
    }
    outer->push_back(std::move(all));
  }
}

}  // namespace daedalus::modelica
