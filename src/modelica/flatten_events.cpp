// SPDX-License-Identifier: BSD-3-Clause
// When-clauses and algorithm sections.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "modelica/flatten.hpp"
#include "modelica/statements.hpp"

namespace daedalus::modelica {

using Kind = ast::Equation::Kind;

void Flattener::when(const ast::Equation& e, const Env& env) {
  std::vector<FlatBranch> clause;
  for (const ast::Branch& b : e.branches) {
    const Value condition = c_.evaluate(*b.condition, env);
    if (condition.base != Base::boolean || condition.shape.size() > 1)
      throw Mistake{
          Phase::types, b.condition->place,
          fmt::format("the condition of 'when' is Boolean; this is {}", type_text(condition))};
    FlatBranch one;
    one.origin = origin_of(e, env);
    one.origin.place = b.condition->place;
    one.origin.text = c_.files.text(b.condition->place);
    at_start_ =
        condition.scalar() && !flat_.initial.is_number() && condition.e.front().same(flat_.initial);
    one.actions = actions(b.body, env);
    at_start_ = false;
    // Of a vector any element acts.
    for (const Expr& c : condition.e) {
      one.condition = c;
      clause.push_back(one);
    }
  }
  flat_.whens.push_back(std::move(clause));
}

std::vector<FlatAction> Flattener::actions(const ast::Equations& list, const Env& env) {
  std::vector<FlatAction> all;
  for (const ast::Equation* e : list) guarded([&] { action(*e, env, all); });
  return all;
}

FlatAction Flattener::reinit(const ast::Expression& call, const Env& env) {
  if (call.operands.size() != 2)
    throw Mistake{Phase::types, call.place, "reinit expects a variable and a value"};
  FlatAction a;
  a.kind = FlatAction::Kind::reinit;
  a.place = call.place;
  a.target = c_.scalar(*call.operands[0], env, false);
  a.value = c_.scalar(*call.operands[1], env, false);
  if (flat_.number_of(a.target) < 0)
    throw Mistake{Phase::events, call.place,
                  fmt::format("reinit: '{}' is no continuous variable",
                              c_.files.text(call.operands[0]->place))};
  return a;
}

// What a clause asserts is looked at when it acts: a discrete variable keeps the outcome.
FlatAction Flattener::remembered(FlatRequirement& r) {
  FlatVariable v;
  v.name = fmt::format("assert[{}]", flat_.requirements.size());
  v.comment = fmt::format("outcome of the assertion at {}", c_.files.where(r.place));
  v.base = Base::boolean;
  v.start = 1.0;
  v.discrete = v.protected_ = true;
  v.place = r.place;
  v.value = c_.graph->mode(v.name);
  FlatAction a;
  a.place = r.place;
  a.target = v.value;
  a.value = std::exchange(r.condition, v.value);
  flat_.discretes.push_back(std::move(v));
  return a;
}

void Flattener::action(const ast::Equation& e, const Env& env, std::vector<FlatAction>& list) {
  if (e.kind == Kind::call) {
    const std::string name = e.left->plain_name();
    if (name == "reinit") {
      list.push_back(reinit(*e.left, env));
    } else if (name == "terminate") {
      FlatAction a;
      a.kind = FlatAction::Kind::stop;
      a.place = e.place;
      if (!e.left->operands.empty()) {
        const Value text = c_.evaluate(*e.left->operands[0], env);
        if (!text.s.empty()) a.message = text.s.front();
      }
      list.push_back(std::move(a));
    } else if (name == "assert") {
      const std::size_t before = flat_.requirements.size();
      require(*e.left, env);
      for (std::size_t k = before; k < flat_.requirements.size(); ++k)
        if (Expr& holds = flat_.requirements[k].condition; at_start_)
          holds = holds || no_event(c_.graph->time() > c_.start_time);  // of consistent values
        else
          list.push_back(remembered(flat_.requirements[k]));
    }
    return;
  }
  if (e.kind == Kind::if_) return choice_of_actions(e, env, list);
  if (e.kind == Kind::for_) {
    std::vector<Value> values;
    c_.iteration(e.iterators.front(), env, values);
    Frame frame;
    frame.up = env.frame;
    frame.variables.emplace_back(e.iterators.front().name, Value{});
    for (const Value& v : values) {
      frame.variables.front().second = v;
      for (const ast::Equation* inner : e.branches.front().body)
        action(*inner, {env.scope, &frame}, list);
    }
    return;
  }
  if (e.kind != Kind::equal && e.kind != Kind::assign)
    throw Mistake{Phase::events, e.place, "this cannot stand in a when-clause"};
  std::vector<std::pair<const ast::Expression*, Value>> pairs;
  if (e.left->kind == ast::Kind::tuple && e.left->operands.size() != 1) {
    std::vector<std::string> parts;
    for (const ast::Part& p : e.right->parts) parts.push_back(p.name);
    const ClassRef function = c_.find_class(parts, e.right->global, env.scope);
    if (!function) c_.unknown_name(*e.right, env, 0);
    const std::vector<Value> results = c_.call(function, *e.right, env);
    for (std::size_t k = 0; k < e.left->operands.size() && k < results.size(); ++k)
      if (e.left->operands[k]->kind != ast::Kind::missing)
        pairs.emplace_back(e.left->operands[k], results[k]);
  } else {
    pairs.emplace_back(e.left, c_.evaluate(*e.right, env));
  }
  for (const auto& [left, right] : pairs) {
    const Value target = c_.evaluate(*left, env);
    Value value = c_.converted(right, target.base, target.type, target.shape, e.place,
                               c_.files.text(left->place));
    for (std::size_t k = 0; k < target.e.size(); ++k) {
      FlatAction a;
      a.place = e.place;
      a.target = target.e[k];
      a.value = value.e[k];
      list.push_back(std::move(a));
    }
  }
}

// if c then v = a; else v = b; within a clause: what a branch does not set keeps its value.
void Flattener::choice_of_actions(const ast::Equation& e, const Env& env,
                                  std::vector<FlatAction>& list) {
  std::vector<std::vector<FlatAction>> branches;
  std::vector<Expr> conditions;
  for (const ast::Branch& b : e.branches) {
    const Expr c = b.condition ? c_.scalar(*b.condition, env, true) : Expr(1.0);
    if (c.is_number(0.0)) continue;
    std::vector<FlatAction> own;
    for (const ast::Equation* inner : b.body) action(*inner, env, own);
    conditions.push_back(c);
    branches.push_back(std::move(own));
    if (c.is_number()) break;
  }
  if (branches.size() == 1 && conditions.front().is_number()) {
    list.insert(list.end(), branches.front().begin(), branches.front().end());
    return;
  }
  std::vector<FlatAction> targets;
  for (const auto& b : branches)
    for (const FlatAction& a : b)
      if (std::none_of(targets.begin(), targets.end(),
                       [&](const FlatAction& t) { return t.target.same(a.target); }))
        targets.push_back(a);
  for (FlatAction t : targets) {
    if (t.kind == FlatAction::Kind::stop)
      throw Mistake{Phase::events, t.place, "terminate in an if of a when-clause",
                    "use a when-clause of its own"};
    Expr value = t.kind == FlatAction::Kind::set ? pre(t.target) : t.target;
    for (std::size_t k = branches.size(); k-- > 0;)
      for (const FlatAction& a : branches[k])
        if (a.target.same(t.target)) value = select(conditions[k], a.value, value);
    t.value = value;
    list.push_back(std::move(t));
  }
}

// A section is one function from what it reads to what it assigns.
void Flattener::algorithm(const ast::Section& s, const Scope* scope) {
  if (s.equations.empty()) return;
  std::vector<std::string> names;
  assigned_names(s.equations, names);
  Frame frame;
  std::vector<Value> inputs;
  for (const std::string& name : names) {
    Instance* i = c_.find_component(name, scope, s.equations.front()->place);
    if (!i || !i->simple()) {
      ast::Expression unknown;
      unknown.kind = ast::Kind::reference;
      unknown.parts.push_back({name, {}, s.equations.front()->place});
      unknown.place = s.equations.front()->place;
      c_.unknown_name(unknown, {scope, nullptr}, 0);
    }
    Value v = c_.value_of(*i);
    inputs.push_back(v);
    // Before the section: start values, of discrete variables those before the event.
    if (!s.initial) {
      for (Expr& e : v.e)
        if (v.variability == Variability::discrete) {
          e = pre(e);
        } else {
          const int k = flat_.number_of(e);
          e = k >= 0 ? flat_.variables[at(k)].start : e;
        }
    }
    frame.variables.emplace_back(name, std::move(v));
  }
  std::vector<std::string> by_when;
  Statements statements(c_, scope, frame);
  statements.on_when = [&](const ast::Equation& e, const Env& env) {
    for (const ast::Branch& b : e.branches) assigned_names(b.body, by_when);
    when_statement(e, env);
    // From here on the variables have the values that the clause gives them.
    for (const std::string& name : by_when)
      for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] == name) frame.variables[k].second = inputs[k];
  };
  statements.run(s.equations);
  Origin o;
  o.kind = Origin::Kind::algorithm;
  o.place = s.equations.front()->place;
  o.component = scope->instance ? scope->instance->path() : "";
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::find(by_when.begin(), by_when.end(), names[k]) != by_when.end()) continue;
    o.text = names[k] + " := ...";
    equal(inputs[k], frame.variables[k].second, o, nullptr, {});
  }
}

void Flattener::when_statement(const ast::Equation& e, const Env& env) {
  std::vector<FlatBranch> clause;
  for (const ast::Branch& b : e.branches) {
    const Value condition = c_.evaluate(*b.condition, env);
    if (condition.base != Base::boolean || condition.shape.size() > 1)
      throw Mistake{
          Phase::types, b.condition->place,
          fmt::format("the condition of 'when' is Boolean; this is {}", type_text(condition))};
    FlatBranch one;
    one.origin = origin_of(e, env);
    one.origin.kind = Origin::Kind::algorithm;
    std::vector<std::string> names;
    assigned_names(b.body, names);
    Frame frame;
    frame.up = env.frame;
    for (const std::string& name : names)
      frame.variables.emplace_back(name, *env.frame->find(name));
    // Calls act on their own; the rest is executed in order.
    ast::Equations rest;
    for (const ast::Equation* inner : b.body) {
      if (inner->kind == Kind::call)
        action(*inner, {env.scope, &frame}, one.actions);
      else
        rest.push_back(inner);
    }
    if (!rest.empty()) Statements(c_, env.scope, frame).run(rest);
    for (const std::string& name : names) {
      Instance* i = c_.find_component(name, env.scope, e.place);
      const Value target = c_.value_of(*i);
      const Value* value = frame.find(name);
      for (std::size_t k = 0; k < target.e.size(); ++k) {
        FlatAction a;
        a.place = e.place;
        a.target = target.e[k];
        a.value = value->e[k];
        one.actions.push_back(std::move(a));
      }
    }
    for (const Expr& c : condition.e) {
      one.condition = c;
      clause.push_back(one);
    }
  }
  add_in_order(std::move(clause));
}

// Clauses of algorithms that set the same variables act one after another: the last one that fires
// gives the values, so it comes first among alternatives.
void Flattener::add_in_order(std::vector<FlatBranch> clause) {
  const auto sets = [](const std::vector<FlatBranch>& c, const Expr& target) {
    return std::all_of(c.begin(), c.end(), [&](const FlatBranch& b) {
      return std::any_of(b.actions.begin(), b.actions.end(), [&](const FlatAction& a) {
        return a.kind == FlatAction::Kind::set && a.target.same(target);
      });
    });
  };
  for (auto known = flat_.whens.begin(); known != flat_.whens.end(); ++known) {
    const FlatBranch& first = known->front();
    bool covered = first.origin.kind == Origin::Kind::algorithm &&
                   first.origin.component == clause.front().origin.component;
    for (const FlatBranch& b : *known)
      for (const FlatAction& a : b.actions)
        covered = covered && a.kind == FlatAction::Kind::set && sets(clause, a.target);
    if (!covered || first.actions.empty()) continue;
    clause.insert(clause.end(), known->begin(), known->end());
    flat_.whens.erase(known);
    break;
  }
  flat_.whens.push_back(std::move(clause));
}

void Flattener::check_assigned_once() {
  std::map<int, std::pair<std::size_t, const FlatAction*>> first;
  for (std::size_t w = 0; w < flat_.whens.size(); ++w)
    for (const FlatBranch& b : flat_.whens[w])
      for (const FlatAction& a : b.actions) {
        if (a.kind != FlatAction::Kind::set || a.target.is_number()) continue;
        const auto [place, added] =
            first.emplace(a.target.node(), std::pair<std::size_t, const FlatAction*>{w, &a});
        if (added || place->second.first == w) continue;
        std::vector<std::string> conditions;
        for (const std::size_t k : {place->second.first, w})
          conditions.push_back(flat_.whens[k].front().origin.text);
        c_.mistakes.error(
            {Phase::balance, a.place,
             fmt::format("'{}' is assigned in two when-clauses, here and in {}", text(a.target, 80),
                         c_.files.seen_from(a.place, place->second.second->place)),
             fmt::format("use 'elsewhen', or one when-clause over {{{}}}",
                         fmt::join(conditions, ", "))});
      }
}

}  // namespace daedalus::modelica
