// SPDX-License-Identifier: BSD-3-Clause
// One component at a time: its type, its sizes, its elements.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "modelica/functions.hpp"
#include "modelica/redeclare.hpp"

namespace daedalus::modelica {
namespace {

// What a declaration says about its type, aliases followed.
struct Declared {
  ClassRef type;
  Modifiers mods;
  Shape inner;  // dimensions of the type
  bool connector = false;
  const ast::Class* named = nullptr;
  ast::Prefixes prefixes;
};

void follow_aliases(Context& c, Declared& d) {
  d.named = d.type.def;
  const Modifiers constraint = d.type.constraint;
  for (int k = 0; d.type.def && d.type.def->form == ast::Class::Form::alias; ++k) {
    const ast::Class& def = *d.type.def;
    d.connector = d.connector || def.kind == ast::ClassKind::connector;
    d.prefixes.input = d.prefixes.input || def.prefixes.input;
    d.prefixes.output = d.prefixes.output || def.prefixes.output;
    d.mods = merged(d.mods, make_modifier(def.modification, d.type.env), c.files);
    Shape dims;
    for (const ast::Expression* e : def.base_dimensions)
      dims.push_back(c.integer(*e, {d.type.env, nullptr}, "the size of a type"));
    d.inner.insert(d.inner.begin(), dims.begin(), dims.end());
    if (k > max_nesting)
      throw Mistake{Phase::lookup, def.name_place, fmt::format("'{}' stands for itself", def.name)};
    d.type = c.find_class(def.base, d.type.env);
  }
  d.mods = merged(d.mods, constraint, c.files);
  if (d.type.def) d.connector = d.connector || d.type.def->kind == ast::ClassKind::connector;
}

void find_inner(Context& c, Instance& child) {
  for (Instance* up = child.parent->parent; up; up = up->parent) {
    const auto found = up->by_name.find(child.component->name);
    if (found == up->by_name.end() || !found->second->component->prefixes.inner) continue;
    c.expand(*found->second);
    child.inner = found->second->real();
    return;
  }
  const ClassRef type = c.find_class(child.component->type, child.declared_in);
  const Instance* shown = &child;
  while (shown->parent && shown->parent->parent) shown = shown->parent;
  const std::string full = type.def ? Library::full_name(type.def) : child.component->type.text();
  throw Mistake{
      Phase::instantiate, shown->place(),
      fmt::format("outer '{}' of type {} has no inner, in component '{}'", child.component->name,
                  full, child.parent->path()),
      fmt::format("add 'inner {} {};' to {}", full, child.component->name, c.root->type.def->name)};
}

void check_nesting(const Instance& child, const ClassRef& type) {
  int same = 0;
  for (const Instance* up = child.parent; up; up = up->parent)
    if (up->type.def == type.def && up->component) ++same;
  if (same > 20)
    throw Mistake{Phase::instantiate, child.place(),
                  fmt::format("{} contains itself: {}", type.def->name, child.path())};
}

// A slip in a size must not ask for all memory.
constexpr int max_array_elements = 5'000'000;

Shape evaluated_shape(Context& c, Instance& child, const ast::Component& component,
                      const Scope* scope) {
  Shape shape;
  int k = 0;
  for (const auto* list : {&component.dimensions, &component.type_dimensions})
    for (const ast::Expression* e : *list) {
      if (e->kind == ast::Kind::colon) {
        // The size comes from the value.
        if (!child.modifiers || !child.modifiers->value)
          throw Mistake{Phase::expand, component.place,
                        fmt::format("the size of '{}' is not known", component.name),
                        "give it a value, or a number in place of ':'"};
        const Value v = c.bound_value(child.modifiers);
        shape.push_back(k < static_cast<int>(v.shape.size()) ? v.shape[at(k)] : 1);
      } else if (e->kind == ast::Kind::reference) {
        // A type as a dimension: one element for each literal.
        const ClassRef t = c.find_class(
            [&] {
              std::vector<std::string> parts;
              for (const ast::Part& p : e->parts) parts.push_back(p.name);
              return parts;
            }(),
            e->global, scope);
        if (t.base == Base::boolean)
          shape.push_back(2);
        else if (t.def && c.resolved(t).def &&
                 c.resolved(t).def->form == ast::Class::Form::enumeration)
          shape.push_back(static_cast<int>(c.resolved(t).def->literals.size()));
        else
          shape.push_back(c.integer(*e, {scope, nullptr}, "a size"));
      } else {
        shape.push_back(c.integer(*e, {scope, nullptr}, "a size"));
      }
      if (shape.back() < 0)
        throw Mistake{
            Phase::expand, e->place,
            fmt::format("the size of '{}' is negative: {}", component.name, shape.back())};
      child.shape = shape;  // sizes behind may name those in front
      ++k;
    }
  double count = 1.0;
  for (const int size : shape) count *= size;
  if (count > max_array_elements)
    throw Mistake{Phase::expand, component.place,
                  fmt::format("'{}' has {:.0f} elements; the most are {}", component.name, count,
                              max_array_elements)};
  return shape;
}

std::vector<int> subscripts_of(const Shape& shape, int k) {
  std::vector<int> subs(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    subs[d] = k % shape[d] + 1;
    k /= shape[d];
  }
  return subs;
}

// The members of a record get their values from the binding of the whole.
Modifiers with_record_binding(Instance& i, const Modifiers& mods, const ClassRef& type,
                              Context& c) {
  if (!mods || !mods->value || !type.def || type.def->kind != ast::ClassKind::record) return mods;
  auto all = std::make_shared<Modifier>(*mods);
  all->value = nullptr;
  Instance probe;
  probe.prefixes = i.prefixes;
  c.populate(probe, type, nullptr);
  for (const Instance* member : probe.children) {
    if (member->component->prefixes.variability == ast::Prefixes::Variability::constant) continue;
    auto bound = std::make_shared<Modifier>(*member_of(mods, member->name));
    for (auto& own : all->inner)
      if (own.first == member->name) bound->inner = own.second->inner;
    all->inner.erase(std::remove_if(all->inner.begin(), all->inner.end(),
                                    [&](const auto& o) { return o.first == member->name; }),
                     all->inner.end());
    all->inner.emplace_back(member->name, bound);
  }
  return all;
}

void expand_class(Context& c, Instance& child, const Declared& d) {
  child.connector = d.connector;
  child.expandable = d.type.def->expandable;
  child.type = d.type;
  if (d.type.def->partial && d.type.def->kind != ast::ClassKind::connector)
    throw Mistake{Phase::instantiate, child.component->type_place,
                  fmt::format("{} is partial", Library::full_name(d.type.def)),
                  "use a class that extends it"};
  check_nesting(child, d.type);
  c.populate(child, d.type, with_record_binding(child, d.mods, d.type, c));
}

void expand_array(Context& c, Instance& child, const Declared& d, const ClassRef& named) {
  const int count = size_of(child.shape);
  child.connector = d.connector;
  for (int k = 0; k < count; ++k) {
    const std::vector<int> subs = subscripts_of(child.shape, k);
    Instance* element = c.new_instance(
        child.parent, fmt::format("{}[{}]", child.component->name, fmt::join(subs, ",")));
    element->component = child.component;
    element->declared_in = child.declared_in;
    element->prefixes = child.prefixes;
    element->named_type = child.named_type;
    Declared one;
    one.type = named;
    one.prefixes = child.prefixes;
    one.mods = indexed(child.modifiers, subs);
    follow_aliases(c, one);
    element->modifiers = one.mods;
    element->state = Instance::State::ready;
    expand_class(c, *element, one);
    child.elements.push_back(element);
  }
}

}  // namespace

void Context::expand(Instance& child) {
  if (child.state == Instance::State::ready) return;
  if (child.state == Instance::State::expanding)
    throw Mistake{Phase::expand, child.place(),
                  fmt::format("the size of '{}' depends on itself", child.path())};
  child.state = Instance::State::expanding;
  const ast::Component* component = child.component;
  const Scope* scope = child.declared_in;
  if (component->prefixes.outer && !component->prefixes.inner) {
    find_inner(*this, child);
    child.state = Instance::State::ready;
    return;
  }
  if (component->condition &&
      !condition(*component->condition, {scope, nullptr}, "the condition of a component")) {
    child.off = true;
    child.condition_text = component->condition;
    child.state = Instance::State::ready;
    return;
  }
  Declared d;
  d.mods = child.modifiers;
  d.prefixes = child.prefixes;
  const ast::Component* shape_from = component;
  const Scope* shape_scope = scope;
  if (child.modifiers && child.modifiers->component) {
    const ast::Component* other = child.modifiers->component;
    const ClassRef old = find_class(
        component->constraint.parts.empty() ? component->type : component->constraint, scope);
    d.type = find_class(other->type, child.modifiers->scope);
    check_component_replacement(*this, child, old, d.type);
    if (!other->dimensions.empty()) {
      shape_from = other;
      shape_scope = child.modifiers->scope;
    }
  } else {
    d.type = find_class(component->type, scope);
  }
  d.mods = merged(d.mods, make_modifier(component->constraint_modification, scope), files);
  const ClassRef named = d.type;
  const Shape outer = evaluated_shape(*this, child, *shape_from, shape_scope);
  follow_aliases(*this, d);
  child.named_type = named.def;
  child.prefixes.input = d.prefixes.input;
  child.prefixes.output = d.prefixes.output;
  child.type = d.type;
  child.shape = outer;
  const bool is_enumeration = d.type.def && d.type.def->form == ast::Class::Form::enumeration;
  if (!d.type.def || is_enumeration) {
    child.base = is_enumeration ? Base::enumeration : d.type.base;
    child.connector = d.connector;
    child.modifiers = d.mods;
    child.shape.insert(child.shape.end(), d.inner.begin(), d.inner.end());
  } else if (is_external_object(d.type)) {
    child.modifiers = d.mods;
  } else if (!outer.empty()) {
    expand_array(*this, child, d, named);
  } else {
    child.modifiers = d.mods;
    expand_class(*this, child, d);
  }
  child.state = Instance::State::ready;
}

void Context::expand_all(Instance& i, int depth) {
  if (depth > max_nesting)
    throw Mistake{Phase::instantiate, i.place(),
                  fmt::format("{} contains itself: {}", i.type_name(), i.path())};
  for (std::size_t k = 0; k < i.children.size(); ++k) {
    Instance* child = i.children[k];
    expand(*child);
    if (child->inner || child->off || child->simple()) continue;
    if (child->array_of_components())
      for (Instance* element : child->elements) expand_all(*element, depth + 1);
    else
      expand_all(*child, depth + 1);
  }
}

}  // namespace daedalus::modelica
