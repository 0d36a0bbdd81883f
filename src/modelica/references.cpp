// SPDX-License-Identifier: BSD-3-Clause
// What a name in an expression means: a loop variable, a component or a part of one, a constant of
// a package, a literal of an enumeration.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "modelica/context.hpp"
#include "modelica/operators.hpp"

namespace daedalus::modelica {

using ast::Expression;
using ast::Kind;

namespace {

std::string dimension_text(const Files& files, const Instance& i) {
  std::vector<std::string> texts;
  for (const auto* list : {&i.component->dimensions, &i.component->type_dimensions})
    for (const Expression* e : *list) texts.push_back(files.text(e->place));
  return texts.empty() ? i.component->name
                       : fmt::format("{}[{}]", i.component->name, fmt::join(texts, ","));
}

std::string loop_text(const Context& c) {
  std::string text;
  for (const LoopNow& l : c.loops)
    text += fmt::format("{}{} = {}", text.empty() ? " at " : ", ", l.name, l.value);
  return text;
}

}  // namespace

std::vector<Subscript> Context::subscripts(const ast::Expressions& list, const Shape& shape,
                                           const Env& env, const std::string& name,
                                           std::vector<ChosenLater>* later) {
  if (list.size() > shape.size())
    throw Mistake{Phase::types, list.front()->place,
                  fmt::format("{} has {} dimension{}, {} subscripts are given", name, shape.size(),
                              shape.size() == 1 ? "" : "s", list.size())};
  std::vector<Subscript> subs;
  std::size_t kept = 0;  // dimensions of the result so far
  for (std::size_t d = 0; d < list.size(); ++d) {
    const Expression& e = *list[d];
    Subscript s;
    if (e.kind == Kind::colon) {
      s.all = true;
      ++kept;
      subs.push_back(s);
      continue;
    }
    end_sizes.push_back(shape[d]);
    const Value v = evaluate(e, env);
    end_sizes.pop_back();
    s.scalar = v.scalar();
    const double first = v.base == Base::boolean ? 1.0 : 0.0;  // false is the first one
    for (const Expr& x : v.e) {
      if (!x.is_number()) {
        if (v.variability <= Variability::parameter) make_structural(x);
        if (!later || !v.scalar() || shape[d] == 0)
          throw Mistake{Phase::types, e.place, "a subscript depends on variables",
                        "single elements that are read can be chosen that way"};
        later->push_back({kept, x});
        s = {true, false, {}};
        continue;
      }
      const double k = x.number() + first;
      if (k != std::floor(k) || v.base == Base::real)
        throw Mistake{Phase::types, e.place,
                      fmt::format("a subscript is an Integer; this is {}", type_text(v))};
      if (k < 1.0 || k > shape[d]) {
        std::string hint;
        for (const LoopNow& l : loops)
          if (k > shape[d] && l.range && l.range->kind == Kind::range && k > l.value)
            hint = fmt::format("let the loop end at {} - {}",
                               files.text(l.range->operands.back()->place), k - l.value);
        throw Mistake{Phase::expand, e.place,
                      fmt::format("subscript {} of {} is outside 1 to {}{}", k, name, shape[d],
                                  loop_text(*this)),
                      hint};
      }
      s.numbers.push_back(static_cast<int>(k));
    }
    kept += !s.scalar;
    subs.push_back(std::move(s));
  }
  return subs;
}

// Along these dimensions one element, known only during the run: a choice between all.
Value Context::picked(Value v, const std::vector<ChosenLater>& later, const Place& place) {
  const Operators operators(files, no_events == 0);
  ast::Expression written;
  written.place = place;
  for (auto c = later.rbegin(); c != later.rend(); ++c) {
    std::vector<Subscript> subs(v.shape.size(), Subscript{true, false, {}});
    Value r;
    for (int k = v.shape[c->dimension]; k >= 1; --k) {
      subs[c->dimension] = {false, true, {k}};
      const Value one = subscripted(v, subs);
      const Expr up_to = c->index <= Expr(k);
      r = k == v.shape[c->dimension]
              ? one
              : operators.selected(written, no_events > 0 ? no_event(up_to) : up_to,
                                   Variability::discrete, one, r);
    }
    r.variability = combined(r.variability, Variability::discrete);
    v = std::move(r);
  }
  return v;
}

Value Context::chosen(const Value& v, const ast::Part& part, const Env& env) {
  if (part.subscripts.empty()) return v;
  std::vector<ChosenLater> later;
  const std::vector<Subscript> subs =
      subscripts(part.subscripts, v.shape, env, part.name, v.s.empty() ? &later : nullptr);
  return picked(subscripted(v, subs), later, part.place);
}

bool Context::literal(const ClassRef& type, const std::string& name, Value& value) {
  const ClassRef t = resolved(type);
  if (!t.def || t.def->form != ast::Class::Form::enumeration) return false;
  for (std::size_t k = 0; k < t.def->literals.size(); ++k)
    if (t.def->literals[k].name == name) {
      value = integer_value(static_cast<double>(k + 1));
      value.base = Base::enumeration;
      value.type = t.def;
      return true;
    }
  return false;
}

Instance* Context::constant_in(const ClassRef& c, const std::string& name) {
  const ClassRef t = resolved(c);
  if (!t.def || t.def->form != ast::Class::Form::full) return nullptr;
  const bool inherits = std::any_of(t.def->elements.begin(), t.def->elements.end(),
                                    [](auto& e) { return e.kind == ast::Element::Kind::extends; });
  if (!library.component(t.def, name) && !(inherits && t.def->kind == ast::ClassKind::package))
    return nullptr;
  Instance* package = package_of(c.def->form == ast::Class::Form::alias ? c : t);
  return child(*package, name);
}

Instance* Context::find_component(const std::string& name, const Scope* scope, const Place& place) {
  bool inside = true;
  for (const Scope* s = scope; s; s = s->outer) {
    if (s->instance) {
      if (Instance* found = child(*s->instance, name)) {
        if (!inside && found->variability() > Variability::parameter)
          throw Mistake{Phase::lookup, place,
                        fmt::format("'{}' is a variable of the enclosing class; only constants "
                                    "are visible here",
                                    name),
                        "hand it over as a modifier or an argument"};
        return found;
      }
    } else if (Instance* found = constant_in({s->cls, s->outer}, name)) {
      return found;
    }
    // Constants by import.
    for (const ast::Element& e : s->cls->elements) {
      if (e.kind != ast::Element::Kind::import) continue;
      std::vector<std::string> parts = e.import.name.parts;
      if (!e.import.alias.empty()) {
        if (e.import.alias != name || parts.size() < 2) continue;
        parts.pop_back();
      }
      const ClassRef package = find_class(parts, true, nullptr);
      if (package.def)
        if (Instance* found =
                constant_in(package, e.import.alias.empty() ? name : e.import.name.parts.back()))
          return found;
    }
    inside = false;
    if (s->cls->encapsulated) break;
  }
  return nullptr;
}

void Context::unknown_name(const Expression& e, const Env& env, std::size_t part) {
  std::vector<std::string> known;
  std::map<std::string, Place> places;
  for (const Frame* f = env.frame; f; f = f->up)
    for (const auto& v : f->variables) known.push_back(v.first);
  std::string in = env.scope ? Library::full_name(env.scope->cls) : std::string("the model");
  for (const Scope* s = env.scope; s; s = s->outer)
    if (s->instance)
      for (const Instance* c : s->instance->children) {
        known.push_back(c->name);
        places[c->name] = c->place();
      }
  if (e.kind == Kind::call)
    for (const std::string& name : visible_classes(env.scope)) known.push_back(name);
  const std::string& name = e.parts[part].name;
  const std::string near = near_name(name, known);
  std::string hint;
  if (!near.empty()) {
    hint = fmt::format("did you mean '{}'?", near);
    if (places.count(near))
      hint = fmt::format("did you mean '{}' ({})?", near, files.seen_from(e.place, places[near]));
  }
  std::string where;
  if (env.scope && env.scope->instance && env.scope->instance->parent)
    where = fmt::format(", in component '{}' (declared at {})", env.scope->instance->path(),
                        files.where(env.scope->instance->place()));
  throw Mistake{
      Phase::lookup, e.parts[part].place,
      fmt::format("there is no {} '{}' in {}{}", e.kind == Kind::call ? "function" : "variable",
                  e.kind == Kind::call ? e.plain_name() : name, in, where),
      hint};
}

Value Context::reference(const Expression& e, const Env& env) {
  const ast::Part& first = e.parts.front();
  const bool component = before_section && find_component(first.name, env.scope, first.place);
  if (!e.global && env.frame && !component)
    if (const Value* local = env.frame->find(first.name)) {
      Value v = chosen(*local, first, env);
      for (std::size_t k = 1; k < e.parts.size(); ++k) {
        const Value* m = v.member(e.parts[k].name);
        if (!m)
          throw Mistake{Phase::lookup, e.parts[k].place,
                        fmt::format("{} has no member '{}'", type_text(v), e.parts[k].name)};
        v = chosen(Value(*m), e.parts[k], env);
      }
      return v;
    }
  if (!e.global)
    if (Instance* found = find_component(first.name, env.scope, first.place))
      return navigate(*found, e, 0, env);
  if (e.parts.size() == 1 && first.name == "time" && time_is_start)
    return real_value(start_time, Variability::parameter);
  if (e.parts.size() == 1 && first.name == "time" && !e.global)
    return real_value(graph->time(), Variability::continuous);
  // Package.Sub.constant, Type.literal.
  ClassRef c =
      e.global ? find_class({first.name}, true, nullptr) : find_simple(first.name, env.scope);
  if (!c) unknown_name(e, env, 0);
  for (std::size_t k = 1; k < e.parts.size(); ++k) {
    Value v;
    if (literal(c, e.parts[k].name, v)) return v;
    if (Instance* found = constant_in(c, e.parts[k].name)) return navigate(*found, e, k, env);
    const ClassRef next = member_class(c, e.parts[k].name);
    if (!next)
      throw Mistake{Phase::lookup, e.parts[k].place,
                    fmt::format("there is no '{}' in {}", e.parts[k].name,
                                c.def ? Library::full_name(c.def) : std::string("Real"))};
    c = next;
  }
  throw Mistake{Phase::lookup, e.place,
                fmt::format("'{}' is a class, not a variable", e.plain_name())};
}

std::vector<Instance*> Context::instances_of(const Expression& e, const Env& env, Shape& shape,
                                             std::optional<std::vector<int>>* elements) {
  Instance* found =
      e.global ? nullptr : find_component(e.parts.front().name, env.scope, e.parts.front().place);
  if (!found) unknown_name(e, env, 0);
  std::vector<Instance*> list{found};
  shape.clear();
  for (std::size_t k = 0; k < e.parts.size(); ++k) {
    const ast::Part& part = e.parts[k];
    std::vector<Instance*> next;
    Shape inner;
    for (Instance* i : list) {
      Instance& one = *i->real();
      if (one.off || one.simple() || !one.array_of_components()) {
        next.push_back(&one);
        if (one.simple() && !one.off && !part.subscripts.empty() && elements) {
          Shape chosen;
          *elements = positions(
              one.shape,
              subscripts(part.subscripts, one.shape, env, dimension_text(files, one), nullptr),
              chosen);
        }
        if (!one.simple() && !one.off && !part.subscripts.empty())
          throw Mistake{Phase::types, part.place, fmt::format("'{}' is no array", one.path())};
        continue;
      }
      const std::vector<Subscript> subs =
          subscripts(part.subscripts, one.shape, env, dimension_text(files, one), nullptr);
      for (const int p : positions(one.shape, subs, inner)) next.push_back(one.elements[at(p)]);
    }
    shape.insert(shape.end(), inner.begin(), inner.end());
    list = std::move(next);
    if (k + 1 == e.parts.size()) break;
    for (Instance*& i : list) {
      if (i->off) continue;
      Instance* below = child(*i, e.parts[k + 1].name);
      if (!below && i->expandable)
        throw Mistake{
            Phase::connect, e.parts[k + 1].place,
            fmt::format("not supported yet: '{}' of the expandable connector '{}', which only "
                        "connections declare",
                        e.parts[k + 1].name, i->path()),
            fmt::format("declare it in {}", i->type_name())};
      if (!below)
        throw Mistake{Phase::lookup, e.parts[k + 1].place,
                      fmt::format("there is no '{}' in '{}' of type {}", e.parts[k + 1].name,
                                  i->path(), i->type_name()),
                      [&]() -> std::string {
                        std::vector<std::string> names;
                        for (const Instance* c : i->children) names.push_back(c->name);
                        const std::string near = near_name(e.parts[k + 1].name, names);
                        return near.empty() ? fmt::format("it has: {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean '{}'?", near);
                      }()};
      i = below;
    }
  }
  return list;
}

Value Context::navigate(Instance& from, const Expression& e, std::size_t k, const Env& env) {
  std::vector<Instance*> list{from.real()};
  Shape outer;
  std::vector<ChosenLater> later;
  for (; k < e.parts.size(); ++k) {
    const ast::Part& part = e.parts[k];
    if (list.size() == 1 && outer.empty() && list.front()->simple() && !list.front()->off) {
      // The value of a simple variable; nothing lies below it.
      if (k + 1 < e.parts.size())
        throw Mistake{Phase::lookup, e.parts[k + 1].place,
                      fmt::format("'{}' is a {}: it has no part '{}'", list.front()->path(),
                                  list.front()->type_name(), e.parts[k + 1].name)};
      const Value& v = value_of(*list.front());
      if (part.subscripts.empty()) return v;
      ast::Part named = part;
      named.name = dimension_text(files, *list.front());
      return chosen(v, named, env);
    }
    std::vector<Instance*> next;
    Shape inner;
    for (Instance* i : list) {
      if (i->off)
        throw Mistake{Phase::instantiate, part.place,
                      fmt::format("'{}' is absent because its condition '{}' is false", i->path(),
                                  i->condition_text ? files.text(i->condition_text->place) : "")};
      if (i->simple() || !i->array_of_components()) {
        next.push_back(i);
        continue;
      }
      std::vector<ChosenLater> here;
      const std::vector<Subscript> subs =
          subscripts(part.subscripts, i->shape, env, dimension_text(files, *i), &here);
      for (const int p : positions(i->shape, subs, inner)) next.push_back(i->elements[at(p)]);
      if (i != list.front()) continue;
      for (const ChosenLater& c : here) later.push_back({outer.size() + c.dimension, c.index});
    }
    outer.insert(outer.end(), inner.begin(), inner.end());
    list = std::move(next);
    if (k + 1 == e.parts.size()) break;
    for (Instance*& i : list) {
      Instance* below = child(*i, e.parts[k + 1].name);
      if (!below) {
        std::vector<std::string> names;
        for (const Instance* c : i->children) names.push_back(c->name);
        const std::string near = near_name(e.parts[k + 1].name, names);
        throw Mistake{Phase::lookup, e.parts[k + 1].place,
                      fmt::format("there is no '{}' in '{}' of type {}", e.parts[k + 1].name,
                                  i->path(), i->type_name()),
                      near.empty() ? fmt::format("it has: {}", fmt::join(names, ", "))
                                   : fmt::format("did you mean '{}'?", near)};
      }
      i = below;
    }
  }
  if (list.size() == 1 && outer.empty()) return value_of(*list.front());
  std::vector<Value> values;
  for (Instance* i : list) {
    Value v = value_of(*i);
    if (i->simple()) v = chosen(v, e.parts.back(), env);
    values.push_back(std::move(v));
  }
  Value all = stacked(values);
  if (!values.empty()) {
    all.shape = outer;
    all.shape.insert(all.shape.end(), values.front().shape.begin(), values.front().shape.end());
  } else {
    all.shape = outer.empty() ? Shape{0} : outer;
  }
  return picked(std::move(all), later, e.place);
}

}  // namespace daedalus::modelica
