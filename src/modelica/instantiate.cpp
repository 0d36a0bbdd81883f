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

// Class bodies of one instance, bases first.
class Population {
 public:
  Population(Context& c, Instance& i) : c_(c), i_(i) {}

  void run(const ClassRef& type, const Modifiers& mods) {
    redeclared_classes(mods);
    inherit(type, mods, 0);
    check_names(type, mods);
    constrain_redeclared();
  }

 private:
  void redeclared_classes(const Modifiers& mods) {
    if (!mods) return;
    for (const auto& [name, m] : mods->inner)
      if (m->class_) i_.classes[name] = {m->class_, m->scope};
  }

  // What the original declaration says about every replacement.
  void constrain_redeclared() {
    for (auto& [name, replacement] : i_.classes)
      for (const Scope* s : i_.contributions)
        if (const ast::Class* original = c_.library.member(s->cls, name);
            original && original->constraint_modification)
          replacement.constraint = make_modifier(original->constraint_modification, s);
  }

  void inherit(const ClassRef& type, const Modifiers& mods, int depth) {
    if (depth > max_nesting)
      throw Mistake{Phase::lookup, type.def->name_place,
                    fmt::format("'{}' extends itself", type.def->name)};
    if (!type.def) return;  // a predefined type adds nothing
    if (type.def->form == ast::Class::Form::alias) {
      Modifiers all = merged(mods, make_modifier(type.def->modification, type.env), c_.files);
      all = merged(all, type.constraint, c_.files);
      redeclared_classes(all);
      return inherit(c_.find_class(type.def->base, type.env), all, depth + 1);
    }
    const Scope* scope = c_.make_scope(type.def, &i_, type.env);
    for (const ast::Element& e : type.def->elements)
      if (e.kind == ast::Element::Kind::class_ && e.class_->prefixes.redeclare)
        i_.classes.emplace(e.class_->name, ClassRef{e.class_, scope});
    if (const ClassRef base = c_.extended(type))
      inherit(base, merged(mods, make_modifier(type.def->modification, scope), c_.files),
              depth + 1);
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
        throw Mistake{
            Phase::instantiate, component.place,
            fmt::format("'{}' is declared twice in {}", component.name,
                        Library::full_name(scope->cls)),
            fmt::format("the other one is in {}",
                        c_.files.seen_from(component.place, known->second->component->place))};
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
        throw Mistake{
            Phase::modify, m->place,
            fmt::format("{} has no element '{}'", Library::full_name(real.def), name),
            fmt::format("{}It has: {}",
                        near.empty() ? std::string() : fmt::format("did you mean '{}'? ", near),
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

// Classes that hold two of the next double with each line of a file.
constexpr std::size_t max_instances = 1'000'000;

Instance* Context::new_instance(Instance* parent, std::string name) {
  if (instances.size() >= max_instances)
    throw Mistake{Phase::instantiate, parent ? parent->place() : Place{},
                  fmt::format("the model has more than {} components", max_instances)};
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

}  // namespace daedalus::modelica
