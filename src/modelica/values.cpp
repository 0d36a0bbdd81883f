// SPDX-License-Identifier: BSD-3-Clause
// Values of components: parameters and constants from their bindings, variables as inputs of the
// graph, records from their members.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "modelica/functions.hpp"
#include "modelica/statements.hpp"

namespace daedalus::modelica {
namespace {

std::string element_name(const Instance& i, int k) {
  if (i.shape.empty()) return i.path();
  std::vector<int> subs(i.shape.size());
  for (std::size_t d = i.shape.size(); d-- > 0;) {
    subs[d] = k % i.shape[d] + 1;
    k /= i.shape[d];
  }
  return fmt::format("{}[{}]", i.path(), fmt::join(subs, ","));
}

[[noreturn]] void cycle(const Context& c, const Instance& i) {
  const std::string name = i.path();
  const auto first = std::find(c.chain.begin(), c.chain.end(), name);
  std::vector<std::string> names(first, c.chain.end());
  std::string circle = fmt::format("{} -> {}", fmt::join(names, " -> "), name);
  throw Mistake{Phase::parameters, i.place(),
                fmt::format("'{}' depend on each other: {}", fmt::join(names, "', '"), circle),
                "give one of them a value that does not use the others"};
}

Value without_binding(Context& c, Instance& i) {
  const Value start = c.attribute(i, "start");
  if (start.base != Base::nothing) {
    c.mistakes.warning(
        {Phase::parameters, i.place(),
         fmt::format("parameter '{}' has no value; its start value is taken", i.path()),
         fmt::format("write '{} = ...' or run with --set {}=...", i.name, i.path())});
    return start;
  }
  if (i.base == Base::string) return string_value("");
  throw Mistake{Phase::parameters, i.place(), fmt::format("parameter '{}' has no value", i.path()),
                fmt::format("write 'parameter {} {} = ...' or run with --set {}=...", i.type_name(),
                            i.name, i.path())};
}

// A value from outside takes the place of a literal one.
void set_from_outside(Context& c, Instance& i, Value& v, bool settable) {
  if (c.set.empty() || i.parent == nullptr) return;
  for (int k = 0; k < size_of(i.shape); ++k) {
    const auto given = c.set.find(element_name(i, k));
    if (given == c.set.end()) continue;
    if (!settable)
      throw InvalidArgument(fmt::format(
          "--set: '{}' {}", given->first,
          i.modifiers && i.modifiers->final_ ? std::string("is final")
          : i.modifiers && i.modifiers->value
              ? fmt::format("follows from '{}'", c.files.text(i.modifiers->value->place))
              : std::string("is a constant")));
    v.e[at(k)] = given->second;
  }
}

void check_limits(Context& c, Instance& i, const Value& v) {
  for (const bool lower : {true, false}) {
    const Value limit = c.attribute(i, lower ? "min" : "max");
    if (limit.base == Base::nothing || limit.e.empty()) continue;
    for (std::size_t k = 0; k < v.e.size(); ++k) {
      const Expr& bound = limit.e[limit.scalar() ? 0 : k];
      if (!bound.is_number() || !v.e[k].is_number()) continue;
      const double x = v.e[k].number(), b = bound.number();
      if (lower ? x >= b : x <= b) continue;
      throw Mistake{Phase::parameters,
                    i.modifiers && i.modifiers->value ? i.modifiers->value->place : i.place(),
                    fmt::format("'{}' = {} is {} its {} {}", element_name(i, static_cast<int>(k)),
                                x, lower ? "below" : "above", lower ? "min" : "max", b)};
    }
  }
}

void evaluate_parameter(Context& c, Instance& i) {
  if (i.evaluating) cycle(c, i);
  i.evaluating = true;
  c.chain.push_back(i.path());
  const int functions = std::exchange(c.in_functions, 0), quiet = std::exchange(c.no_events, 0);
  const bool constant = i.variability() == Variability::constant;
  const bool bound = i.modifiers && i.modifiers->value;
  const bool given = c.set.count(element_name(i, 0)) != 0;
  Value v;
  if (bound)
    v = c.bound_value(i.modifiers);
  else if (given && i.simple())
    v = c.converted(real_value(0.0), Base::real, nullptr, {}, i.place(), i.path());
  else
    v = without_binding(c, i);
  const bool literal = v.variability == Variability::constant;
  const Place place = bound ? i.modifiers->value->place : i.place();
  if (given && !bound) v.base = i.base, v.type = i.type.def;
  v = c.converted(std::move(v), i.base, i.type.def, i.shape, place, i.path());
  if (v.variability > Variability::parameter)
    throw Mistake{Phase::types, place,
                  fmt::format("{} '{}' is set by an expression of variables",
                              constant ? "constant" : "parameter", i.path()),
                  "leave the prefix out, or use an initial equation with fixed = false"};
  const bool final_ = i.modifiers && i.modifiers->final_;
  const bool settable = !constant && literal && !final_ && !i.component->prefixes.final_;
  set_from_outside(c, i, v, settable);
  check_limits(c, i, v);
  if (!constant) {
    i.structural = i.base != Base::real || c.structural->count(i.path()) != 0;
    const ast::Argument* evaluate = ast::find(i.component->annotation, "Evaluate");
    if (evaluate && evaluate->modification && evaluate->modification->value &&
        evaluate->modification->value->value == 1.0)
      i.structural = true;
    v.variability = Variability::parameter;
    for (std::size_t k = 0; k < v.e.size() && !i.structural && settable; ++k)
      if (v.e[k].is_number() && i.top() == c.root)
        v.e[k] = c.make_parameter(i, static_cast<int>(k), v.e[k].number());
    if (i.structural)
      for (const Expr& e : v.e)
        if (!e.is_number()) c.make_structural(e);
  }
  i.value = std::move(v);
  i.valued = true;
  i.evaluating = false;
  c.chain.pop_back();
  c.in_functions = functions;
  c.no_events = quiet;
}

Value record_value(Context& c, Instance& i) {
  Value v;
  v.base = Base::record;
  v.type = i.type.def;
  for (Instance* child : i.children) {
    c.expand(*child);
    if (child->off || child->inner) continue;
    v.members.emplace_back(child->name, c.value_of(*child));
    v.variability = combined(v.variability, v.members.back().second.variability);
  }
  return v;
}

// (a, b) = f(x), with a and b of the same component.
std::vector<std::pair<Instance*, Value>> results_of(Context& c, const ast::Equation& e,
                                                    const Scope* scope) {
  std::vector<std::string> parts;
  for (const ast::Part& p : e.right->parts) parts.push_back(p.name);
  const ClassRef f = c.find_class(parts, e.right->global, scope);
  if (!f) c.unknown_name(*e.right, {scope, nullptr}, 0);
  std::vector<Value> results = c.call(f, *e.right, {scope, nullptr});
  std::vector<std::pair<Instance*, Value>> found;
  for (std::size_t k = 0; k < e.left->operands.size() && k < results.size(); ++k)
    found.emplace_back(scope->instance->by_name.at(e.left->operands[k]->parts.front().name),
                       std::move(results[k]));
  return found;
}

}  // namespace

const Value& Context::value_of(Instance& instance) {
  Instance& i = *instance.real();
  if (i.off)
    throw Mistake{Phase::instantiate, i.place(),
                  fmt::format("'{}' is absent because its condition '{}' is false", i.path(),
                              i.condition_text ? files.text(i.condition_text->place) : "")};
  if (i.valued) return i.value;
  if (i.simple()) {
    if (i.variability() <= Variability::parameter && !is_unknown_parameter(i)) {
      evaluate_parameter(*this, i);
    } else if (i.base == Base::string && i.modifiers && i.modifiers->value) {
      i.value = bound_value(i.modifiers);
      i.valued = true;
    } else if (!from_initial_section(i)) {
      if (!declare || i.top() != root)
        throw Mistake{Phase::expand, i.place(),
                      fmt::format("'{}' is a variable, and a constant is needed", i.path()),
                      "sizes, conditions and ranges follow from parameters"};
      declare(i);
      i.valued = true;
    }
    return i.value;
  }
  if (i.array_of_components()) {
    std::vector<Value> parts;
    for (Instance* e : i.elements) parts.push_back(value_of(*e));
    i.value = stacked(parts);
    i.value.shape = i.shape;
  } else if (is_external_object(i.type) && i.modifiers && i.modifiers->value) {
    i.value = bound_value(i.modifiers);
  } else {
    i.value = record_value(*this, i);
  }
  i.valued = i.value.variability <= Variability::parameter;
  return i.value;
}

bool Context::is_unknown_parameter(Instance& i) {
  if (i.variability() != Variability::parameter) return false;
  const Value fixed = attribute(i, "fixed");
  return fixed.base == Base::boolean && !fixed.e.empty() && fixed.e.front().is_number(0.0);
}

// p = e, or an algorithm, in an initial section: with e of parameters p follows from them.
bool Context::from_initial_section(Instance& i) {
  if (!i.initial_scope || i.evaluating) return false;
  i.evaluating = true;
  const bool before = std::exchange(time_is_start, true);
  std::vector<std::pair<Instance*, Value>> found;
  const ast::Equation* e = i.initial_equation;
  if (e && e->left->kind == ast::Kind::tuple && e->right->kind == ast::Kind::call)
    found = results_of(*this, *e, i.initial_scope);
  else if (e)
    found.emplace_back(&i, evaluate(*e->right, {i.initial_scope, nullptr}));
  else
    found = initial_results(*this, *i.initial_algorithm, i.initial_scope);
  time_is_start = before;
  i.evaluating = false;
  for (const auto& [target, value] : found)
    if (value.variability > Variability::parameter) return false;
  for (auto& [target, value] : found) {
    target->value = converted(std::move(value), target->base, target->type.def, target->shape,
                              target->place(), target->path());
    target->value.variability = Variability::parameter;
    target->valued = true;
    if (target->base != Base::real)
      for (const Expr& x : target->value.e)
        if (!x.is_number()) make_structural(x);
  }
  used_initial.insert({i.initial_equation ? static_cast<const void*>(i.initial_equation)
                                          : static_cast<const void*>(i.initial_algorithm),
                       i.initial_scope});
  return true;
}

Value Context::bound_value(const Modifiers& m) {
  const std::pair<const ast::Expression*, const Scope*> key{m->value, m->scope};
  const bool shared = !m->subscripts.empty() || !m->member.empty();
  Value v;
  if (const auto known = bound_memo.find(key); shared && known != bound_memo.end()) {
    v = known->second;
  } else {
    v = evaluate(*m->value, {m->scope, nullptr});
    if (shared) bound_memo[key] = v;
  }
  if (!m->subscripts.empty()) {
    if (v.shape.size() < m->subscripts.size())
      throw Mistake{Phase::modify, m->place,
                    fmt::format("a value of type {} for the elements of an array", type_text(v)),
                    "write 'each' before the name, or give an array"};
    std::vector<Subscript> subs;
    for (std::size_t d = 0; d < m->subscripts.size(); ++d) {
      if (m->subscripts[d] > v.shape[d])
        throw Mistake{Phase::modify, m->place,
                      fmt::format("the value is {}, and element {} is needed", type_text(v),
                                  m->subscripts[d])};
      subs.push_back({false, true, {m->subscripts[d]}});
    }
    v = subscripted(v, subs);
  }
  for (const std::string& name : m->member) {
    const Value* inner = v.member(name);
    if (!inner)
      throw Mistake{Phase::modify, m->place,
                    fmt::format("{} has no member '{}'", type_text(v), name)};
    v = Value(*inner);
  }
  return v;
}

Value Context::attribute(Instance& i, std::string_view name) {
  const Modifiers m = part(i.modifiers, name);
  Value none;
  none.base = Base::nothing;
  if (!m || !m->value) return none;
  return bound_value(m);
}

Value Context::converted(Value v, Base base, const ast::Class* type, const Shape& shape,
                         const Place& place, const std::string& what) {
  const bool widened = base == Base::real && v.base == Base::integer;
  const bool empty = !v.shape.empty() && size_of(v.shape) == 0;
  if (!widened && !empty &&
      (v.base != base || (base == Base::enumeration && type && v.type != type)))
    throw Mistake{
        Phase::types, place,
        fmt::format(
            "'{}' is {}, and the value is {}", what,
            base == Base::enumeration && type ? type->name : type_text({base, {}, {}, {}, {}, {}}),
            type_text(v))};
  v.base = base;
  v.type = type;
  if (v.shape == shape) return v;
  if (size_of(shape) == 0 && empty) {
    v.shape = shape;
    return v;
  }
  if (v.scalar() && !shape.empty() && v.e.size() == 1) {
    const Expr one = v.e.front();
    v.shape = shape;
    v.e.assign(at(size_of(shape)), one);
    return v;
  }
  Value wanted = v;
  wanted.shape = shape;
  throw Mistake{
      Phase::types, place,
      fmt::format("'{}' is {}, and the value is {}", what, type_text(wanted), type_text(v))};
}

}  // namespace daedalus::modelica
