// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/statements.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "graph/reach.hpp"
#include "kernel/at.hpp"
#include "modelica/operators.hpp"

namespace daedalus::modelica {
namespace {

using Kind = ast::Equation::Kind;

}  // namespace

bool depends_on_variables(const graph::Graph& g, const Expr& e) {
  for (const int node : graph::reached(g, {e.node()}))
    if (g.node(node).op == graph::Op::input && g.kind(node) != graph::InputKind::parameter)
      return true;
  return false;
}

void assigned_names(const ast::Equations& list, std::vector<std::string>& names) {
  const auto add = [&](const ast::Expression& e) {
    if (e.kind == ast::Kind::reference &&
        std::find(names.begin(), names.end(), e.parts.front().name) == names.end())
      names.push_back(e.parts.front().name);
  };
  for (const ast::Equation* e : list) {
    if (e->kind == Kind::assign) {
      if (e->left->kind == ast::Kind::tuple)
        for (const ast::Expression* o : e->left->operands) add(*o);
      else
        add(*e->left);
    }
    for (const ast::Branch& b : e->branches) assigned_names(b.body, names);
  }
}

std::vector<std::pair<Instance*, Value>> initial_results(Context& c, const ast::Section& section,
                                                         const Scope* scope) {
  std::vector<std::string> names;
  assigned_names(section.equations, names);
  Frame frame;
  std::vector<std::pair<Instance*, Value>> results;
  for (const std::string& name : names) {
    Instance* i = c.find_component(name, scope, section.equations.front()->place);
    Value v;
    v.base = i->base;
    v.type = i->type.def;
    v.shape = i->shape;
    v.e.assign(at(size_of(i->shape)), Expr(0.0));
    frame.variables.emplace_back(name, std::move(v));
    results.emplace_back(i, Value{});
  }
  Statements(c, scope, frame).run(section.equations);
  for (std::size_t k = 0; k < names.size(); ++k) {
    results[k].second = frame.variables[k].second;
    // A choice by parameters is one of parameters.
    for (const Expr& e : results[k].second.e)
      if (!e.is_number() && !depends_on_variables(*c.graph, e))
        results[k].second.variability = Variability::parameter;
  }
  return results;
}

void Statements::run(const ast::Equations& list) {
  if (block(list, frame_) == Signal::left_loop)
    throw Mistake{Phase::types, list.front()->place, "'break' stands outside of a loop"};
  State final = frame_.variables;
  for (std::size_t k = returns_.size(); k-- > 0;)
    final = merged(returns_[k].condition, returns_[k].state, final, *list.front());
  frame_.variables = std::move(final);
}

Statements::Signal Statements::block(const ast::Equations& list, Frame& frame) {
  for (const ast::Equation* e : list)
    if (const Signal s = statement(*e, frame); s != Signal::none) return s;
  return Signal::none;
}

Statements::Signal Statements::statement(const ast::Equation& e, Frame& frame) {
  switch (e.kind) {
    case Kind::assign:
      if (e.left->kind == ast::Kind::tuple)
        assign_tuple(e, frame);
      else
        assign(*e.left, c_.evaluate(*e.right, {scope_, &frame}), frame);
      return Signal::none;
    case Kind::if_:
      return if_statement(e, frame);
    case Kind::for_:
      return for_statement(e, 0, frame);
    case Kind::while_:
      return while_statement(e, frame);
    case Kind::break_:
      return Signal::left_loop;
    case Kind::return_:
      return Signal::returned;
    case Kind::call:
      call(e, frame);
      return Signal::none;
    case Kind::when:
      if (!on_when)
        throw Mistake{Phase::events, e.place, "'when' stands in a function",
                      "functions know no events"};
      on_when(e, {scope_, &frame});
      return Signal::none;
    default:
      throw Mistake{Phase::types, e.place, "this is no statement"};
  }
}

void Statements::call(const ast::Equation& e, Frame& frame) {
  const ast::Expression& f = *e.left;
  const Env env{scope_, &frame};
  const std::string name = f.plain_name();
  if (name == "assert") {
    if (f.operands.empty())
      throw Mistake{Phase::types, e.place, "assert expects a condition and a text"};
    const Expr holds = c_.scalar(*f.operands[0], env, true);
    if (holds.is_number(1.0)) return;
    std::string text = "an assertion failed";
    if (f.operands.size() > 1) {
      const Value t = c_.evaluate(*f.operands[1], env);
      if (!t.s.empty()) text = t.s.front();
    }
    const bool decided = c_.undecided == 0 && returns_.empty();
    if (holds.is_number(0.0) && decided)
      throw Mistake{Phase::parameters, e.place, fmt::format("assertion failed: {}", text)};
    if (decided && c_.require) c_.require(holds, text, true, e.place);
    return;
  }
  if (name == "terminate" || name == "reinit")
    throw Mistake{Phase::events, e.place,
                  fmt::format("'{}' stands outside of a when-clause", name)};
  std::vector<std::string> parts;
  for (const ast::Part& p : f.parts) parts.push_back(p.name);
  const ClassRef function = c_.find_class(parts, f.global, scope_);
  if (!function) c_.unknown_name(f, env, 0);
  c_.call(function, f, env);
}

void Statements::assign(const ast::Expression& target, Value value, Frame& frame) {
  if (target.kind == ast::Kind::missing) return;
  if (target.kind != ast::Kind::reference)
    throw Mistake{Phase::types, target.place, "only variables are assigned"};
  Value* to = frame_.find(target.parts.front().name);
  if (!to) c_.unknown_name(target, {scope_, &frame}, 0);
  std::vector<Subscript> outer;  // of records in arrays
  for (std::size_t k = 0; k < target.parts.size(); ++k) {
    const ast::Part& part = target.parts[k];
    if (k > 0) {
      Value* inner = nullptr;
      for (auto& m : to->members)
        if (m.first == part.name) inner = &m.second;
      if (!inner)
        throw Mistake{Phase::lookup, part.place,
                      fmt::format("{} has no member '{}'", type_text(*to), part.name)};
      to = inner;
    }
    if (part.subscripts.empty()) continue;
    const std::vector<Subscript> subs =
        c_.subscripts(part.subscripts, to->shape, {scope_, &frame}, part.name, nullptr);
    outer.insert(outer.end(), subs.begin(), subs.end());
  }
  const std::string name = c_.files.text(target.place);
  if (outer.empty()) {
    if (to->base == Base::record) {
      value.type = to->type;
      *to = std::move(value);
      return;
    }
    const Shape shape = size_of(to->shape) == 0 && !to->shape.empty() ? value.shape : to->shape;
    const Base base = to->base;
    const ast::Class* type = to->type;
    if (value.scalar() && !shape.empty())
      throw Mistake{
          Phase::types, target.place,
          fmt::format("'{}' is {}, and the value is {}", name, type_text(*to), type_text(value))};
    *to = c_.converted(std::move(value), base, type, shape, target.place, name);
    return;
  }
  Shape shape;
  const std::vector<int> chosen = positions(to->shape, outer, shape);
  value = c_.converted(std::move(value), to->base, to->type, shape, target.place, name);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (!value.e.empty()) to->e[at(chosen[k])] = value.e[k];
    if (!value.s.empty()) to->s[at(chosen[k])] = value.s[k];
  }
  to->variability = combined(to->variability, value.variability);
}

void Statements::assign_tuple(const ast::Equation& e, Frame& frame) {
  const ast::Expression& f = *e.right;
  if (f.kind != ast::Kind::call)
    throw Mistake{Phase::types, f.place, "several results come from a call of a function"};
  std::vector<std::string> parts;
  for (const ast::Part& p : f.parts) parts.push_back(p.name);
  const ClassRef function = c_.find_class(parts, f.global, scope_);
  if (!function) c_.unknown_name(f, {scope_, &frame}, 0);
  std::vector<Value> results = c_.call(function, f, {scope_, &frame});
  if (results.size() < e.left->operands.size())
    throw Mistake{Phase::types, e.place,
                  fmt::format("'{}' has {} results, {} are wanted", f.plain_name(), results.size(),
                              e.left->operands.size())};
  for (std::size_t k = 0; k < e.left->operands.size(); ++k)
    assign(*e.left->operands[k], std::move(results[k]), frame);
}

Statements::State Statements::merged(const Expr& condition, const State& a, const State& b,
                                     const ast::Equation& at) {
  State r = b;
  const Operators operators(c_.files, c_.no_events == 0);
  ast::Expression written;
  written.place = at.place;
  for (std::size_t k = 0; k < r.size() && k < a.size(); ++k) {
    bool same = a[k].second.e.size() == r[k].second.e.size() && a[k].second.s == r[k].second.s &&
                a[k].second.members.empty();
    for (std::size_t j = 0; same && j < r[k].second.e.size(); ++j)
      same = a[k].second.e[j].same(r[k].second.e[j]);
    if (!same)
      r[k].second =
          operators.selected(written, condition, Variability::discrete, a[k].second, r[k].second);
  }
  return r;
}

Statements::Signal Statements::if_statement(const ast::Equation& e, Frame& frame) {
  return branches(e, 0, frame);
}

// From branch k on.
Statements::Signal Statements::branches(const ast::Equation& e, std::size_t k, Frame& frame) {
  if (k >= e.branches.size()) return Signal::none;
  const ast::Branch& b = e.branches[k];
  if (!b.condition) return block(b.body, frame);
  const Value condition = c_.evaluate(*b.condition, {scope_, &frame});
  if (condition.base != Base::boolean || !condition.scalar())
    throw Mistake{Phase::types, b.condition->place,
                  fmt::format("a condition is Boolean; this is {}", type_text(condition))};
  const Expr c = condition.e.front();
  if (c.is_number(0.0)) return branches(e, k + 1, frame);
  if (c.is_number()) return block(b.body, frame);
  ++c_.undecided;
  const State before = frame_.variables;
  const ExitCounts at_condition = exit_counts();
  const Signal taken = block(b.body, frame);
  State after = std::move(frame_.variables);
  frame_.variables = before;
  only_where(c, at_condition);
  const ExitCounts at_others = exit_counts();
  const Signal other = branches(e, k + 1, frame);
  only_where(!c, at_others);
  --c_.undecided;
  const auto leaves = [&](Signal s, const Expr& where, State state) {
    if (s == Signal::returned) return returned(where, std::move(state));
    if (loops_.empty()) throw Mistake{Phase::types, e.place, "'break' stands outside of a loop"};
    loops_.back().push_back({where, std::move(state)});
  };
  if (taken == Signal::none && other == Signal::none) {
    frame_.variables = merged(c, after, frame_.variables, e);
    return Signal::none;
  }
  if (taken == other) {
    frame_.variables = merged(c, after, frame_.variables, e);
    return taken;
  }
  if (taken != Signal::none) {
    // This branch leaves; what follows happens where the condition does not hold.
    leaves(taken, c, std::move(after));
    return other;
  }
  leaves(other, !c, frame_.variables);
  frame_.variables = std::move(after);
  return Signal::none;
}

Statements::ExitCounts Statements::exit_counts() const {
  return {returns_.size(), loops_.empty() ? 0 : loops_.back().size()};
}

// Exits that were added since then happen in a branch: where its condition holds as well.
void Statements::only_where(const Expr& condition, const ExitCounts& since) {
  for (std::size_t i = since.returned; i < returns_.size(); ++i)
    returns_[i].condition = condition && returns_[i].condition;
  if (loops_.empty()) return;
  for (std::size_t i = since.left; i < loops_.back().size(); ++i)
    loops_.back()[i].condition = condition && loops_.back()[i].condition;
}

// A 'return' is reached where no 'break' before it, of any pass of a loop around it, was.
void Statements::returned(Expr condition, State state) {
  for (const std::vector<Exit>& loop : loops_)
    for (const Exit& left : loop) condition = condition && !left.condition;
  returns_.push_back({condition, std::move(state)});
}

}  // namespace daedalus::modelica
