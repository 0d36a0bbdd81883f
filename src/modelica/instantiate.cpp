// SPDX-License-Identifier: BSD-3-Clause
// From classes and modifiers to instances. A class first gives shells of all its components, so
// that each can be expanded where another one asks for it: a size may be declared behind its use.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "modelica/context.hpp"
#include "modelica/redeclare.hpp"

namespace daedalus::modelica {
namespace {

constexpr int max_nesting = 100;  // of components in each other

// Class bodies of one instance, bases first.
class Population {
 public:
  Population(Context& c, Instance& i) : c_(c), i_(i) {}

  void run(const ClassRef& type, const Modifiers& mods) {
    redeclared_classes(mods);
    inherit(type, mods, 0);
    check_names(type, mods);
  }

 private:
  void redeclared_classes(const Modifiers& mods) {
    if (!mods) return;
    for (const auto& [name, m] : mods->inner)
      if (m->class_) i_.classes[name] = {m->class_, m->scope};
  }

  void inherit(const ClassRef& type, const Modifiers& mods, int depth) {
    if (depth > max_nesting)
      throw Mistake{Phase::lookup, type.def->name_place,
                    fmt::format("'{}' extends itself", type.def->name)};
    if (!type.def) return;  // a predefined type adds nothing
    if (type.def->form == ast::Class::Form::alias) {
      const Modifiers all =
          merged(mods, make_modifier(type.def->modification, type.env), c_.files);
      redeclared_classes(all);
      return inherit(c_.find_class(type.def->base, type.env), all, depth + 1);
    }
    const Scope* scope = c_.make_scope(type.def, &i_, type.env);
    for (const ast::Element& e : type.def->elements)
      if (e.kind == ast::Element::Kind::class_ && e.class_->prefixes.redeclare)
        i_.classes.emplace(e.class_->name, ClassRef{e.class_, scope});
    for (const ast::Element& e : type.def->elements) {
      if (e.kind == ast::Element::Kind::extends) {
        const Modifiers own = make_modifier(e.extends->modification, scope);
        const Modifiers all = merged(mods, own, c_.files);
        redeclared_classes(own);
        const ClassRef base = c_.find_class(e.extends->base, scope);
        inherit(base, all, depth + 1);
        own_.emplace_back(base, own);
      } else if (e.kind == ast::Element::Kind::component) {
        shell(*e.component, scope, mods);
      }
    }
    i_.contributions.push_back(scope);
  }

  void shell(const ast::Component& component, const Scope* scope, const Modifiers& mods) {
    const auto known = i_.by_name.find(component.name);
    if (known != i_.by_name.end() && !component.prefixes.redeclare) {
      if (known->second->component != &component && known->second->declared_in->cls == scope->cls)
        throw Mistake{Phase::instantiate, component.place,
                      fmt::format("'{}' is declared twice in {}", component.name,
                                  Library::full_name(scope->cls)),
                      fmt::format("the other one is in {}",
                                  c_.files.seen_from(component.place,
                                                     known->second->component->place))};
      return;  // inherited twice
    }
    Instance* child = nullptr;
    if (known != i_.by_name.end()) {
      child = known->second;  // redeclared in a derived class
    } else {
      child = c_.new_instance(&i_, component.name);
      i_.children.push_back(child);
      i_.by_name[component.name] = child;
    }
    child->component = &component;
    child->declared_in = scope;
    child->prefixes = component.prefixes;
    child->modifiers =
        merged(part(mods, component.name), make_modifier(component.modification, scope), c_.files);
    if (i_.prefixes.protected_) child->prefixes.protected_ = true;
  }

  bool has(const std::string& name, const ClassRef& type) {
    return i_.by_name.count(name) || i_.classes.count(name) || c_.member_class(type, name);
  }

  // Own components first, then inherited ones.
  std::vector<std::string> names(const ast::Class* def) const {
    std::vector<std::string> own, inherited;
    for (const Instance* child : i_.children)
      (child->declared_in->cls == def ? own : inherited).push_back(child->name);
    own.insert(own.end(), inherited.begin(), inherited.end());
    return own;
  }

  void check_names(const ClassRef& type, const Modifiers& mods) {
    own_.emplace_back(type, mods);
    for (const auto& [base, own] : own_) {
      if (!own) continue;
      const ClassRef real = c_.resolved(base);
      if (!real.def) continue;
      for (const auto& [name, m] : own->inner) {
        if (m->class_) {
          check_replacement(c_, i_, real, name, *m);
          continue;
        }
        if (has(name, real)) continue;
        const std::vector<std::string> known = names(real.def);
        const std::string near = near_name(name, known);
        throw Mistake{Phase::modify, m->place,
                      fmt::format("{} has no element '{}'", Library::full_name(real.def), name),
                      fmt::format("{}It has: {}",
                                  near.empty() ? std::string()
                                               : fmt::format("did you mean '{}'? ", near),
                                  fmt::join(known, ", "))};
      }
    }
  }

  Context& c_;
  Instance& i_;
  std::vector<std::pair<ClassRef, Modifiers>> own_;  // modifiers by the class they are about
};

}  // namespace

std::string Instance::type_name() const {
  static constexpr std::string_view simple_names[] = {"Real", "Integer", "Boolean", "String"};
  if (named_type) return Library::full_name(named_type);
  if (type.def) return Library::full_name(type.def);
  if (base <= Base::string) return std::string(simple_names[static_cast<std::size_t>(base)]);
  return "class";
}

Instance* Context::new_instance(Instance* parent, std::string name) {
  Instance& i = instances.emplace_back();
  i.parent = parent;
  i.name = std::move(name);
  return &i;
}

void Context::populate(Instance& i, const ClassRef& type, const Modifiers& mods) {
  i.type = resolved(type);
  Population(*this, i).run(type, mods);
}

Instance* Context::child(Instance& of, const std::string& name) {
  Instance& i = *of.real();
  const auto found = i.by_name.find(name);
  if (found == i.by_name.end()) return nullptr;
  expand(*found->second);
  return found->second->real();
}

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
  const std::string full =
      type.def ? Library::full_name(type.def) : child.component->type.text();
  throw Mistake{Phase::instantiate, shown->place(),
                fmt::format("outer '{}' of type {} has no inner, in component '{}'",
                            child.component->name, full, child.parent->path()),
                fmt::format("add 'inner {} {};' to {}", full, child.component->name,
                            c.root->type.def->name)};
}

void check_nesting(const Instance& child, const ClassRef& type) {
  int same = 0;
  for (const Instance* up = child.parent; up; up = up->parent)
    if (up->type.def == type.def && up->component) ++same;
  if (same > 20)
    throw Mistake{Phase::instantiate, child.place(),
                  fmt::format("{} contains itself: {}", type.def->name, child.path())};
}

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
        const ClassRef t = c.find_class([&] {
          std::vector<std::string> parts;
          for (const ast::Part& p : e->parts) parts.push_back(p.name);
          return parts;
        }(), e->global, scope);
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
        throw Mistake{Phase::expand, e->place,
                      fmt::format("the size of '{}' is negative: {}", component.name,
                                  shape.back())};
      ++k;
    }
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
    const ClassRef old = find_class(component->constraint.parts.empty() ? component->type
                                                                        : component->constraint,
                                    scope);
    d.type = find_class(other->type, child.modifiers->scope);
    check_component_replacement(*this, child, old, d.type);
    if (!other->dimensions.empty()) {
      shape_from = other;
      shape_scope = child.modifiers->scope;
    }
    const Modifiers constraint = make_modifier(component->constraint_modification, scope);
    d.mods = merged(d.mods, constraint, files);
  } else {
    d.type = find_class(component->type, scope);
  }
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
