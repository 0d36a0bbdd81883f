// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/flatten.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/reach.hpp"
#include "kernel/at.hpp"

namespace daedalus::modelica {

using Kind = ast::Equation::Kind;

namespace {

std::string one_line(std::string text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

// A product of two names with their types, to explain a shape.
std::string product_hint(Context& c, const ast::Expression& e, const Env& env) {
  if (e.kind == ast::Kind::binary && e.text == "*" && e.operands[0]->kind == ast::Kind::reference &&
      e.operands[1]->kind == ast::Kind::reference) {
    const std::string a = c.files.text(e.operands[0]->place),
                      b = c.files.text(e.operands[1]->place);
    return fmt::format(
        "{} is {} and {} is {}: {}*{} is {}", a, type_text(c.evaluate(*e.operands[0], env)), b,
        type_text(c.evaluate(*e.operands[1], env)), a, b, type_text(c.evaluate(e, env)));
  }
  for (const ast::Expression* o : e.operands)
    if (std::string hint = product_hint(c, *o, env); !hint.empty()) return hint;
  return {};
}

}  // namespace

Origin Flattener::origin_of(const ast::Equation& e, const Env& env) const {
  Origin o;
  o.place = e.place;
  o.text = one_line(c_.files.text(e.place));
  if (env.scope && env.scope->instance) o.component = env.scope->instance->path();
  if (!c_.loops.empty()) {
    std::vector<std::string> values;
    for (const LoopNow& l : c_.loops) values.push_back(fmt::format("{} = {}", l.name, l.value));
    o.text += fmt::format(" at {}", fmt::join(values, ", "));
  }
  return o;
}

void Flattener::run() {
  sink_ = &flat_.equations;
  c_.expand_all(*c_.root);
  find_discrete(*c_.root);
  declare_all(*c_.root);
  if (c_.mistakes.errors() > 0) return;
  // All connections first: cardinality() counts them, wherever it stands.
  connecting_ = true;
  sections(*c_.root);
  connecting_ = false;
  if (c_.mistakes.errors() > 0) return;
  bindings(*c_.root);
  sections(*c_.root);
  guarded([&] {
    for (FlatEquation& e : connections_.equations(*c_.root))
      flat_.equations.push_back(std::move(e));
  });
  free_inputs();
  read_.assign(at(flat_.graph->size()), 0);
  for (const int node : graph::reached(*flat_.graph, roots_of(flat_))) read_[at(node)] = 1;
  unused_members(*c_.root, false);
  check_assigned_once();
}

// Members of expandable connectors that nothing is connected to are not there: they keep their
// start values.
void Flattener::unused_members(Instance& i, bool expandable) {
  for (Instance* child : i.children) {
    if (child->off || child->inner) continue;
    if (child->array_of_components()) {
      for (Instance* element : child->elements)
        unused_members(*element, expandable || element->expandable);
    } else if (!child->simple()) {
      unused_members(*child, expandable || child->expandable);
    } else if (expandable && child->variability() > Variability::parameter) {
      Origin o;
      o.kind = Origin::Kind::binding;
      o.place = child->place();
      o.component = i.path();
      o.text = child->name + " = its start value, connected to nothing";
      for (const Expr& e : c_.value_of(*child).e) {
        if (e.is_number() || (e.node() < static_cast<int>(read_.size()) && read_[at(e.node())]))
          continue;
        const int k = flat_.number_of(e);
        FlatEquation only{e, k >= 0 ? flat_.variables[at(k)].start : Expr(0.0), o};
        only.discrete = k < 0;
        flat_.equations.push_back(std::move(only));
      }
    }
  }
}

// Inputs of the model itself that nothing determines keep their start values.
void Flattener::free_inputs() {
  for (Instance* i : c_.root->children) {
    if (!i->simple() || i->off || !i->prefixes.input || (i->modifiers && i->modifiers->value) ||
        i->variability() != Variability::continuous)
      continue;
    const Value v = c_.value_of(*i);
    Origin o;
    o.kind = Origin::Kind::binding;
    o.place = i->place();
    o.text = i->name + " = its start value";
    for (const Expr& e : v.e)
      flat_.equations.push_back({e, flat_.variables[at(flat_.number_of(e))].start, o});
    c_.mistakes.warning(
        {Phase::balance, i->place(),
         fmt::format("input '{}' is connected to nothing; it keeps its start value", i->name),
         fmt::format("write '{}(start = ...)' for another one", i->name)});
  }
}

void Flattener::bindings(Instance& i) {
  for (Instance* child : i.children) {
    if (child->off || child->inner) continue;
    if (child->simple()) {
      guarded([&] { binding(*child); });
    } else if (child->array_of_components()) {
      for (Instance* element : child->elements) bindings(*element);
    } else {
      bindings(*child);
    }
  }
}

void Flattener::binding(Instance& i) {
  if (i.variability() <= Variability::parameter || !i.modifiers || !i.modifiers->value) return;
  Origin o;
  o.kind = Origin::Kind::binding;
  o.place = i.place();
  o.component = i.parent ? i.parent->path() : "";
  o.text = fmt::format("{} = {}", i.name, one_line(c_.files.text(i.modifiers->value->place)));
  Value v = c_.bound_value(i.modifiers);
  v = c_.converted(std::move(v), i.base, i.type.def, i.shape, i.modifiers->value->place, i.path());
  equal(c_.value_of(i), v, o, nullptr, {});
}

void Flattener::sections(Instance& i) {
  for (const Scope* scope : i.contributions)
    for (const ast::Section& s : scope->cls->sections) section(s, scope);
  for (Instance* child : i.children) {
    if (child->off || child->inner || child->simple()) continue;
    if (child->array_of_components())
      for (Instance* element : child->elements) sections(*element);
    else
      sections(*child);
  }
}

static bool connects(const ast::Equations& list) {
  return std::any_of(list.begin(), list.end(), [](const ast::Equation* e) {
    return e->kind == ast::Equation::Kind::connect ||
           std::any_of(e->branches.begin(), e->branches.end(),
                       [](const ast::Branch& b) { return connects(b.body); });
  });
}

void Flattener::section(const ast::Section& s, const Scope* scope) {
  if (c_.used_initial.count({&s, scope})) return;
  if (connecting_ && (s.initial || s.algorithm || !connects(s.equations))) return;
  initial_ = s.initial;
  sink_ = s.initial ? &flat_.initial_equations : &flat_.equations;
  if (s.algorithm)
    guarded([&] { algorithm(s, scope); });
  else
    equations(s.equations, {scope, nullptr});
  initial_ = false;
  sink_ = &flat_.equations;
}

void Flattener::equations(const ast::Equations& list, const Env& env) {
  for (const ast::Equation* e : list) guarded([&] { equation(*e, env); });
}

void Flattener::equation(const ast::Equation& e, const Env& env) {
  if (initial_ && c_.used_initial.count({&e, env.scope})) return;
  const bool holds_others = e.kind == Kind::for_ || e.kind == Kind::if_;
  if (connecting_ ? e.kind != Kind::connect && !(holds_others && connects({&e}))
                  : e.kind == Kind::connect)
    return;
  switch (e.kind) {
    case Kind::equal:
      return equal(e, env);
    case Kind::connect:
      return connections_.connect(e, env);
    case Kind::if_:
      return if_equation(e, env);
    case Kind::for_:
      return for_equation(e, 0, env);
    case Kind::when:
      return when(e, env);
    case Kind::call:
      return call(e, env);
    default:
      throw Mistake{Phase::types, e.place, "this is no equation"};
  }
}

void Flattener::equal(const ast::Equation& e, const Env& env) {
  const Origin origin = origin_of(e, env);
  if (e.left->kind == ast::Kind::tuple && e.left->operands.size() != 1) {
    const ast::Expression& f = *e.right;
    if (f.kind != ast::Kind::call)
      throw Mistake{Phase::types, f.place, "several results come from a call of a function"};
    std::vector<std::string> parts;
    for (const ast::Part& p : f.parts) parts.push_back(p.name);
    const ClassRef function = c_.find_class(parts, f.global, env.scope);
    if (!function) c_.unknown_name(f, env, 0);
    const std::vector<Value> results = c_.call(function, f, env);
    if (results.size() < e.left->operands.size())
      throw Mistake{Phase::types, e.place,
                    fmt::format("'{}' has {} results, {} are wanted", f.plain_name(),
                                results.size(), e.left->operands.size())};
    for (std::size_t k = 0; k < e.left->operands.size(); ++k)
      if (e.left->operands[k]->kind != ast::Kind::missing)
        equal(c_.evaluate(*e.left->operands[k], env), results[k], origin, &e, env);
    return;
  }
  const Value left = c_.evaluate(*e.left, env), right = c_.evaluate(*e.right, env);
  equal(left, right, origin, &e, env);
}

void Flattener::wrong_shapes(const Value& l, const Value& r, const Origin& origin,
                             const ast::Equation* e, const Env& env) {
  std::string hint;
  if (e) {
    hint = product_hint(c_, *e->right, env);
    if (hint.empty()) hint = product_hint(c_, *e->left, env);
  }
  throw Mistake{
      Phase::types, origin.place,
      fmt::format("the sides have shapes {} and {}: {}", type_text(l), type_text(r), origin.text),
      hint};
}

void Flattener::equal(const Value& l, const Value& r, const Origin& origin, const ast::Equation* e,
                      const Env& env) {
  if (l.base == Base::record || r.base == Base::record) {
    if (l.members.size() != r.members.size())
      throw Mistake{Phase::types, origin.place,
                    fmt::format("the sides are {} and {}", type_text(l), type_text(r))};
    for (std::size_t k = 0; k < l.members.size(); ++k) {
      const Value* other = r.member(l.members[k].first);
      if (!other)
        throw Mistake{Phase::types, origin.place,
                      fmt::format("{} has no member '{}'", type_text(r), l.members[k].first)};
      equal(l.members[k].second, *other, origin, e, env);
    }
    return;
  }
  if (!(l.numeric() && r.numeric()) && (l.base != r.base || l.type != r.type))
    throw Mistake{
        Phase::types, origin.place,
        fmt::format("the sides are {} and {}: {}", type_text(l), type_text(r), origin.text)};
  if (l.shape != r.shape) wrong_shapes(l, r, origin, e, env);
  if (l.base == Base::string) return;
  for (std::size_t k = 0; k < l.e.size(); ++k) {
    Origin one = origin;
    if (l.e.size() > 1) one.text += fmt::format(" [{}]", k + 1);
    emit(l.e[k], r.e[k], l, r, one);
  }
}

void Flattener::emit(const Expr& left, const Expr& right, const Value& l, const Value& r,
                     const Origin& origin) {
  FlatEquation e{left, right, origin};
  const auto is_mode = [&](const Expr& x) {
    return !x.is_number() && c_.graph->is_input(x) &&
           c_.graph->kind(x.node()) == graph::InputKind::mode;
  };
  e.discrete = (l.base != Base::real && r.base != Base::real) ||
               (is_mode(left) && r.variability <= Variability::discrete) ||
               (is_mode(right) && l.variability <= Variability::discrete);
  if (e.discrete && l.variability <= Variability::parameter &&
      r.variability <= Variability::parameter)
    e.discrete = false;
  if (e.discrete && std::max(l.variability, r.variability) == Variability::continuous &&
      l.base != Base::integer)
    throw Mistake{
        Phase::types, origin.place,
        fmt::format("a discrete variable is set by a continuous expression: {}", origin.text)};
  sink_->push_back(std::move(e));
}

void Flattener::call(const ast::Equation& e, const Env& env) {
  const std::string name = e.left->plain_name();
  if (name == "assert") return require(*e.left, env);
  if (name == "terminate" || name == "reinit")
    throw Mistake{Phase::events, e.place,
                  fmt::format("'{}' stands outside of a when-clause", name)};
  if (name.rfind("Connections.", 0) == 0)
    throw Mistake{Phase::connect, e.place,
                  fmt::format("not supported yet: {} (overconstrained connectors)", name)};
  std::vector<std::string> parts;
  for (const ast::Part& p : e.left->parts) parts.push_back(p.name);
  const ClassRef function = c_.find_class(parts, e.left->global, env.scope);
  if (!function) c_.unknown_name(*e.left, env, 0);
  c_.call(function, *e.left, env);
}

void Flattener::require(const ast::Expression& call, const Env& env) {
  if (call.operands.empty())
    throw Mistake{Phase::types, call.place, "assert expects a condition and a text"};
  // It looks at every state: no events.
  ++c_.no_events;
  const Expr holds = c_.scalar(*call.operands[0], env, true);
  --c_.no_events;
  std::string text = "assertion failed";
  if (call.operands.size() > 1 && !holds.is_number(1.0)) {
    const Value message = c_.evaluate(*call.operands[1], env);
    if (!message.s.empty()) text = message.s.front();
  }
  bool warning = false;
  if (call.operands.size() > 2) {
    const Value level = c_.evaluate(*call.operands[2], env);
    warning = !level.e.empty() && level.e.front().is_number(1.0);
  }
  if (holds.is_number(1.0)) return;
  if (holds.is_number(0.0) && guard_.is_number(1.0)) {
    const Mistake m{Phase::parameters, call.place,
                    fmt::format("assertion at {} failed: {}", c_.files.where(call.place), text)};
    if (!warning) throw m;
    c_.mistakes.warning(m);
    return;
  }
  if (!warning) c_.require(holds, text, true, call.place);
}

}  // namespace daedalus::modelica
