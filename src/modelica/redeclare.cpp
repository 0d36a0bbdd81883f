// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/redeclare.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus::modelica {
namespace {

// Names of public components, inherited ones included.
void public_names(Context& c, const ClassRef& type, std::vector<std::string>& names) {
  const ClassRef t = c.resolved(type);
  if (!t.def) return;
  if (const ClassRef base = c.extended(t)) public_names(c, base, names);
  for (const ast::Element& e : t.def->elements) {
    if (e.kind == ast::Element::Kind::extends)
      public_names(c, c.find_class(e.extends->base, c.scope_of(t)), names);
    else if (e.kind == ast::Element::Kind::component && !e.component->prefixes.protected_)
      names.push_back(e.component->name);
  }
}

std::vector<std::string> lacking(Context& c, const ClassRef& by, const ClassRef& old) {
  std::vector<std::string> wanted, given, missing;
  public_names(c, old, wanted);
  public_names(c, by, given);
  for (const std::string& name : wanted)
    if (std::find(given.begin(), given.end(), name) == given.end()) missing.push_back(name);
  return missing;
}

void check(Context& c, const std::string& name, const Place& place, const ClassRef& by,
           const ClassRef& old) {
  const ClassRef new_class = c.resolved(by), old_class = c.resolved(old);
  if (!old_class.def || !new_class.def) return;
  const std::vector<std::string> missing = lacking(c, new_class, old_class);
  if (missing.empty()) return;
  const std::string list = fmt::format("'{}'", fmt::join(missing, "', '"));
  throw Mistake{Phase::modify, place,
                fmt::format("'{}' cannot be {}: it lacks {} of the constraining class {}", name,
                            new_class.def->name, list, old_class.def->name),
                fmt::format("'{}' lacks {} of the constraining class {}", new_class.def->name, list,
                            old_class.def->name)};
}

}  // namespace

void check_replacement(Context& c, Instance&, const ClassRef& in, const std::string& name,
                       const Modifier& by) {
  const ClassRef old = c.member_class(in, name);
  if (!old)
    throw Mistake{Phase::modify, by.place,
                  fmt::format("{} has no class '{}'", Library::full_name(in.def), name)};
  if (!old.def->prefixes.replaceable && !old.def->prefixes.redeclare)
    throw Mistake{Phase::modify, by.place, fmt::format("'{}' is not replaceable", name),
                  fmt::format("write 'replaceable' before it in {}",
                              c.files.seen_from(by.place, old.def->place))};
  const ClassRef constraint =
      old.def->constraint.parts.empty() ? old : c.find_class(old.def->constraint, old.env);
  check(c, name, by.place, {by.class_, by.scope}, constraint);
}

void check_component_replacement(Context& c, const Instance& child, const ClassRef& old,
                                 const ClassRef& by) {
  if (!child.component->prefixes.replaceable && !child.component->prefixes.redeclare)
    throw Mistake{Phase::modify, child.modifiers->place,
                  fmt::format("'{}' is not replaceable", child.component->name),
                  fmt::format("write 'replaceable' before it in {}",
                              c.files.seen_from(child.modifiers->place, child.component->place))};
  check(c, child.component->name, child.modifiers->place, by, old);
}

}  // namespace daedalus::modelica
