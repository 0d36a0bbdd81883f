// SPDX-License-Identifier: BSD-3-Clause
// Classes by name: innermost scope first, in each the elements of the class with what it inherits,
// then its imports.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/nearest.hpp"
#include "modelica/context.hpp"

namespace daedalus::modelica {
namespace {

constexpr int max_extends_depth = 100;  // of classes that extend each other

Base predefined(const std::string& name) {
  if (name == "Real") return Base::real;
  if (name == "Integer") return Base::integer;
  if (name == "Boolean") return Base::boolean;
  if (name == "String") return Base::string;
  return Base::nothing;
}

ClassRef declared(const ast::Class* c, const Scope* scope) {
  return {c, scope, Base::nothing, make_modifier(c->constraint_modification, scope)};
}

struct Count {
  explicit Count(int& n) : count(n) { ++count; }
  ~Count() { --count; }
  int& count;
};

}  // namespace

std::string near_name(const std::string& typed, const std::vector<std::string>& known) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  for (const std::string& name : known)
    if (name != typed && lower(name) == lower(typed)) return name;
  return nearest_name(typed, known);
}

const Scope* Context::static_scope(const ast::Class* cls) {
  if (!cls) return nullptr;
  const Scope*& known = static_scopes[cls];
  if (known) return known;
  const Scope* outer = static_scope(cls->parent);
  return static_scopes[cls] = make_scope(cls, nullptr, outer);
}

const Scope* Context::scope_of(const ClassRef& c) {
  if (c.env == static_scope(c.def->parent)) return static_scope(c.def);
  const Scope*& known = body_scopes[{c.def, c.env}];
  if (!known) known = make_scope(c.def, nullptr, c.env);
  return known;
}

ClassRef Context::resolved(ClassRef c) {
  for (int k = 0; c.def && c.def->form == ast::Class::Form::alias; ++k) {
    if (k > max_extends_depth)
      throw Mistake{Phase::lookup, c.def->name_place,
                    fmt::format("'{}' stands for itself", c.def->name)};
    c = find_class(c.def->base, c.env);
  }
  return c;
}

ClassRef Context::member_class(const ClassRef& of, const std::string& name) {
  if (!of.def) return {};
  const Count guard(lookup_depth);
  if (lookup_depth > max_extends_depth)
    throw Mistake{Phase::lookup, of.def->name_place,
                  fmt::format("'{}' extends itself", of.def->name)};
  if (of.def->form == ast::Class::Form::alias) {
    // package Water = Medium(redeclare model Fluid = ...): what is redeclared comes first.
    if (const ast::Argument* a = ast::find(of.def->modification, name))
      if (a->class_) return {a->class_, of.env};
    return member_class(find_class(of.def->base, of.env), name);
  }
  if (const ast::Class* c = library.member(of.def, name)) return declared(c, scope_of(of));
  for (const ast::Element& e : of.def->elements)
    if (e.kind == ast::Element::Kind::extends) {
      const ClassRef base = find_class(e.extends->base, scope_of(of));
      if (const ClassRef found = member_class(base, name)) return found;
    }
  return {};
}

// Of 'model extends X': the X that the class around it inherits.
ClassRef Context::extended(const ClassRef& c) {
  if (!c.def || !c.def->class_extends || !c.env) return {};
  for (const ast::Element& e : c.env->cls->elements)
    if (e.kind == ast::Element::Kind::extends)
      if (const ClassRef found = member_class(find_class(e.extends->base, c.env), c.def->name))
        return found;
  throw Mistake{Phase::lookup, c.def->name_place,
                fmt::format("there is no inherited class '{}' to extend", c.def->name),
                fmt::format("{} inherits none of this name", Library::full_name(c.env->cls))};
}

ClassRef Context::imported(const ast::Class* cls, const std::string& name) {
  for (const bool all : {false, true})
    for (const ast::Element& e : cls->elements) {
      if (e.kind != ast::Element::Kind::import || e.import.alias.empty() != all) continue;
      if (!all && e.import.alias != name) continue;
      std::vector<std::string> parts = e.import.name.parts;
      const ast::Class* top = library.top(parts.front());
      if (!top)
        throw Mistake{Phase::load, e.import.name.place,
                      fmt::format("there is no class '{}' in the libraries{}", e.import.name.text(),
                                  library.folders().empty()
                                      ? std::string()
                                      : fmt::format(": {}", fmt::join(library.folders(), ", "))),
                      "give the folder that holds it by --library or MODELICAPATH"};
      if (all) parts.push_back(name);
      ClassRef c{top, nullptr};
      for (std::size_t k = 1; k < parts.size() && c; ++k) c = member_class(c, parts[k]);
      if (c) return c;
    }
  return {};
}

ClassRef Context::find_simple(const std::string& name, const Scope* scope, bool with_inherited) {
  for (const Scope* s = scope; s; s = s->outer) {
    const bool fixed = !s->instance && (with_inherited || s != scope);
    if (fixed)
      if (const auto known = class_memo.find({s, name}); known != class_memo.end())
        return known->second;
    ClassRef found;
    if (s->instance)
      if (const auto r = s->instance->classes.find(name); r != s->instance->classes.end())
        return r->second;
    if (const ast::Class* c = library.member(s->cls, name)) {
      found = declared(c, s);
    } else if (with_inherited || s != scope) {
      for (const ast::Element& e : s->cls->elements) {
        if (e.kind != ast::Element::Kind::extends || found) continue;
        const ClassRef base = find_class(e.extends->base, s);
        found = member_class(base, name);
      }
    }
    if (!found) found = imported(s->cls, name);
    if (found) {
      if (fixed && !s->instance) class_memo[{s, name}] = found;
      return found;
    }
    if (s->cls->encapsulated) break;
  }
  if (const Base base = predefined(name); base != Base::nothing) return {nullptr, nullptr, base};
  if (const ast::Class* c = library.top(name)) return {c, nullptr};
  return {};
}

ClassRef Context::find_class(const std::vector<std::string>& parts, bool global,
                             const Scope* scope) {
  ClassRef c;
  if (global) {
    const ast::Class* top = library.top(parts.front());
    c = top ? ClassRef{top, nullptr} : ClassRef{};
  } else {
    c = find_simple(parts.front(), scope);
  }
  for (std::size_t k = 1; k < parts.size() && c; ++k) c = member_class(c, parts[k]);
  return c;
}

std::vector<std::string> Context::visible_classes(const Scope* scope) {
  std::vector<std::string> names;
  const auto add = [&](const ast::Class* c) {
    for (std::string& n : library.member_names(c)) names.push_back(std::move(n));
  };
  for (const Scope* s = scope; s; s = s->outer) {
    add(s->cls);
    for (const ast::Element& e : s->cls->elements) {
      if (e.kind == ast::Element::Kind::extends) {
        if (const ClassRef base = find_class(e.extends->base.parts, false, s); base.def)
          add(base.def);
      } else if (e.kind == ast::Element::Kind::import) {
        if (!e.import.alias.empty()) names.push_back(e.import.alias);
        if (const ClassRef c = find_class(e.import.name.parts, true, nullptr);
            c.def && e.import.alias.empty())
          add(c.def);
      }
    }
  }
  for (std::string& n : library.top_names()) names.push_back(std::move(n));
  return names;
}

ClassRef Context::find_class(const ast::Name& name, const Scope* scope) {
  const Count guard(lookup_depth);
  if (lookup_depth > max_extends_depth)
    throw Mistake{Phase::lookup, name.place,
                  fmt::format("'{}' extends itself, or stands for itself", name.text())};
  // The base of a class is not looked for among what the class inherits.
  const bool of_extends =
      scope &&
      std::any_of(scope->cls->elements.begin(), scope->cls->elements.end(), [&](const auto& e) {
        return e.kind == ast::Element::Kind::extends && &e.extends->base == &name;
      });
  ClassRef c;
  if (of_extends && !name.global) {
    c = find_simple(name.parts.front(), scope, false);
    for (std::size_t k = 1; k < name.parts.size() && c; ++k) c = member_class(c, name.parts[k]);
  } else {
    c = find_class(name.parts, name.global, scope);
  }
  if (c) return c;
  const std::string text = name.text();
  std::string hint;
  if (name.parts.size() == 1) {
    const std::string near = near_name(text, visible_classes(scope));
    if (!near.empty()) {
      hint = fmt::format("did you mean '{}'?", near);
      if (const ClassRef found = find_class({near}, false, scope); found.def) {
        const std::string full = Library::full_name(found.def);
        if (full != near) hint = fmt::format("did you mean '{}' ({})?", near, full);
      }
    }
  } else {
    ClassRef around = name.global ? find_class({name.parts.front()}, true, scope)
                                  : find_simple(name.parts.front(), scope);
    std::size_t k = 1;
    for (; k + 1 <= name.parts.size() && around.def; ++k) {
      const ClassRef next = member_class(around, name.parts[k]);
      if (!next) break;
      around = next;
    }
    if (around.def && k < name.parts.size()) {
      const std::string near = near_name(name.parts[k], library.member_names(resolved(around).def));
      if (!near.empty()) hint = fmt::format("did you mean '{}'?", near);
    } else if (!around) {
      hint = library.folders().empty()
                 ? std::string("give the folder of its library by --library or MODELICAPATH")
                 : fmt::format("the libraries in {} do not have it",
                               fmt::join(library.folders(), ", "));
    }
  }
  throw Mistake{Phase::lookup, name.place,
                fmt::format("there is no class '{}'{}", text,
                            scope ? " in " + Library::full_name(scope->cls) : std::string()),
                hint};
}

Instance* Context::package_of(const ClassRef& c) {
  Instance*& known = packages[{c.def, c.env}];
  if (known) return known;
  Instance* p = new_instance(nullptr, Library::full_name(c.def));
  known = p;
  p->base = Base::nothing;
  p->state = Instance::State::ready;
  populate(*p, c, nullptr);
  return p;
}

}  // namespace daedalus::modelica
