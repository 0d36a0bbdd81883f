// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "modelica/instance.hpp"

namespace daedalus::modelica {

const Modifiers* Modifier::find(std::string_view name) const {
  for (const auto& m : inner)
    if (m.first == name) return &m.second;
  return nullptr;
}

Value* Frame::find(const std::string& name) {
  for (auto& v : variables)
    if (v.first == name) return &v.second;
  return up ? up->find(name) : nullptr;
}

std::shared_ptr<const FunctionArgument> Frame::find_function(const std::string& name) const {
  for (const auto& f : functions)
    if (f.first == name) return f.second;
  return up ? up->find_function(name) : nullptr;
}

std::string joined_name(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string Instance::path() const {
  return parent ? joined_name(parent->path(), name) : std::string();
}

const Instance* Instance::top() const { return parent ? parent->top() : this; }

Variability Instance::variability() const {
  using Written = ast::Prefixes::Variability;
  if (prefixes.variability == Written::constant) return Variability::constant;
  if (prefixes.variability == Written::parameter) return Variability::parameter;
  if (discrete || prefixes.variability == Written::discrete || (simple() && base != Base::real))
    return Variability::discrete;
  return Variability::continuous;
}

namespace {

// Two lists about one name, as in a(b = 1, b.c = 2).
void add(Modifier& to, const std::string& name, Modifiers what) {
  for (auto& [known, m] : to.inner) {
    if (known != name) continue;
    const bool both_values = m->value && what->value;
    const bool both_new = (m->class_ || m->component) && (what->class_ || what->component);
    if (both_values || both_new)
      throw Mistake{Phase::modify, what->place, fmt::format("'{}' is modified twice", name),
                    "keep one of the two"};
    auto both = std::make_shared<Modifier>(m->value || m->class_ || m->component ? *m : *what);
    both->inner = m->inner;
    for (const auto& [inner_name, inner] : what->inner) add(*both, inner_name, inner);
    m = both;
    return;
  }
  to.inner.emplace_back(name, std::move(what));
}

Modifiers of_argument(const ast::Argument& a, const Scope* scope) {
  std::shared_ptr<Modifier> m;
  if (a.component || a.class_) {
    m = std::make_shared<Modifier>();
    m->class_ = a.class_;
    m->component = a.component;
    m->scope = scope;
    if (a.component)
      if (const Modifiers own = make_modifier(a.component->modification, scope)) {
        m->inner = own->inner;
        m->value = own->value;
      }
  } else if (const Modifiers own = make_modifier(a.modification, scope)) {
    m = std::make_shared<Modifier>(*own);
  } else {
    m = std::make_shared<Modifier>();
  }
  m->scope = scope;
  m->each = a.each;
  m->final_ = a.final_;
  m->place = a.place;
  // a.b.c = 1 is a(b(c = 1)).
  Modifiers result = m;
  for (std::size_t k = a.name.parts.size(); k-- > 1;) {
    auto around = std::make_shared<Modifier>();
    around->scope = scope;
    around->place = a.place;
    around->inner.emplace_back(a.name.parts[k], std::move(result));
    result = around;
  }
  return result;
}

}  // namespace

Modifiers make_modifier(const ast::Modification* m, const Scope* scope) {
  if (!m) return nullptr;
  auto r = std::make_shared<Modifier>();
  r->value = m->value;
  r->scope = scope;
  r->place = m->value ? m->value->place : m->place;
  for (const ast::Argument& a : m->arguments) add(*r, a.name.parts.front(), of_argument(a, scope));
  return r;
}

Modifiers merged(const Modifiers& outer, const Modifiers& inner, const Files& files) {
  if (!outer) return inner;
  if (!inner) return outer;
  if (inner->final_ && (outer->value || outer->class_ || outer->component)) {
    const std::string name = files.text(outer->place);
    throw Mistake{
        Phase::modify, outer->place,
        fmt::format("'{}' is final since {}", name, files.seen_from(outer->place, inner->place)),
        "remove 'final' there or this modifier"};
  }
  auto r = std::make_shared<Modifier>(*outer);
  if (!outer->value && inner->value) {
    r->value = inner->value;
    r->scope = inner->scope;
    r->subscripts = inner->subscripts;
    r->member = inner->member;
    r->each = inner->each;
    if (!outer->class_ && !outer->component) r->place = inner->place;
  }
  r->final_ = outer->final_ || inner->final_;
  if (!r->class_ && !r->component) {
    r->class_ = inner->class_;
    r->component = inner->component;
    if (r->class_ || r->component) r->scope = inner->scope;
  }
  for (const auto& [name, m] : inner->inner) {
    bool found = false;
    for (auto& [own_name, own] : r->inner)
      if (own_name == name) {
        own = merged(own, m, files);
        found = true;
      }
    if (!found) r->inner.emplace_back(name, m);
  }
  return r;
}

Modifiers indexed(const Modifiers& m, const std::vector<int>& subscripts) {
  if (!m || m->each) return m;
  auto r = std::make_shared<Modifier>(*m);
  if (r->value) r->subscripts.insert(r->subscripts.end(), subscripts.begin(), subscripts.end());
  for (auto& inner : r->inner) inner.second = indexed(inner.second, subscripts);
  return r;
}

Modifiers part(const Modifiers& m, std::string_view name) {
  if (!m) return nullptr;
  const Modifiers* found = m->find(name);
  return found ? *found : nullptr;
}

Modifiers member_of(const Modifiers& record, const std::string& name) {
  auto r = std::make_shared<Modifier>();
  r->value = record->value;
  r->scope = record->scope;
  r->subscripts = record->subscripts;
  r->member = record->member;
  r->member.push_back(name);
  r->each = record->each;
  r->place = record->place;
  return r;
}

}  // namespace daedalus::modelica
