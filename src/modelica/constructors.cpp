// SPDX-License-Identifier: BSD-3-Clause
// Signatures of functions, and constructors: of records and of external objects.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/functions.hpp"

namespace daedalus::modelica {
namespace {

constexpr int max_alias_depth = 100;  // of aliases

const double unset = std::numeric_limits<double>::quiet_NaN();

}  // namespace

const Value* FunctionArgument::find(const std::string& name) const {
  for (const auto& b : bound)
    if (b.first == name) return &b.second;
  return nullptr;
}

Value empty_value(Context& c, Instance& member, Frame& frame) {
  const ClassRef type = c.find_class(member.component->type, member.declared_in);
  ClassRef t = type;
  Value v;
  Shape shape;
  for (const auto* list : {&member.component->dimensions, &member.component->type_dimensions})
    for (const ast::Expression* e : *list)
      shape.push_back(
          e->kind == ast::Kind::colon ? 0 : c.integer(*e, {member.declared_in, &frame}, "a size"));
  for (int k = 0; t.def && t.def->form == ast::Class::Form::alias && k < max_alias_depth; ++k) {
    for (const ast::Expression* e : t.def->base_dimensions)
      shape.push_back(c.integer(*e, {t.env, nullptr}, "a size"));
    t = c.find_class(t.def->base, t.env);
  }
  v.shape = shape;
  if (t.def && t.def->form == ast::Class::Form::enumeration) {
    v.base = Base::enumeration;
    v.type = t.def;
  } else if (t.def) {
    v.base = Base::record;
    v.type = t.def;
    Instance* members = c.package_of(t);
    for (Instance* m : members->children) {
      Value inner = empty_value(c, *m, frame);
      inner.shape.insert(inner.shape.begin(), shape.begin(), shape.end());
      inner.e.assign(inner.base == Base::string ? 0 : at(size_of(inner.shape)), Expr(unset));
      v.members.emplace_back(m->name, std::move(inner));
    }
    return v;
  } else {
    v.base = t.base;
  }
  if (v.base == Base::string)
    v.s.assign(at(size_of(shape)), "");
  else
    v.e.assign(at(size_of(shape)), Expr(unset));
  return v;
}

Signature signature_of(Instance& function) {
  Signature s;
  for (Instance* m : function.children) {
    const ast::Prefixes& p = m->component->prefixes;
    (p.input ? s.inputs : p.output ? s.outputs : s.locals).push_back(m);
  }
  return s;
}

std::vector<const ast::Expression*> matched(const Signature& s, const ast::Expression& call,
                                            const FunctionArgument* bound) {
  const auto is_bound = [&](std::size_t i) { return bound && bound->find(s.inputs[i]->name); };
  std::vector<const ast::Expression*> given(s.inputs.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.names[k].empty()) {
      while (next < given.size() && is_bound(next)) ++next;
      if (next >= given.size())
        throw Mistake{
            Phase::types, call.place,
            fmt::format("{} expects {} argument{}, {} are given", call.plain_name(), given.size(),
                        given.size() == 1 ? "" : "s", call.operands.size())};
      given[next++] = call.operands[k];
      continue;
    }
    std::size_t i = 0;
    while (i < s.inputs.size() && s.inputs[i]->name != call.names[k]) ++i;
    if (i == s.inputs.size()) {
      std::vector<std::string> names;
      for (const Instance* m : s.inputs) names.push_back(m->name);
      const std::string near = near_name(call.names[k], names);
      throw Mistake{Phase::types, call.operands[k]->place,
                    fmt::format("{} has no input '{}'", call.plain_name(), call.names[k]),
                    near.empty() ? "" : fmt::format("did you mean '{}'?", near)};
    }
    given[i] = call.operands[k];
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!given[i] && !is_bound(i) && !(s.inputs[i]->modifiers && s.inputs[i]->modifiers->value))
      throw Mistake{Phase::types, call.place,
                    fmt::format("{} expects {} arguments, {} {} given: '{}' is missing",
                                call.plain_name(), given.size(), call.operands.size(),
                                call.operands.size() == 1 ? "is" : "are", s.inputs[i]->name)};
  return given;
}

Value Context::record(const ClassRef& type, const ast::Expression& call, const Env& env) {
  Instance* members = package_of(type);
  Value v;
  v.base = Base::record;
  v.type = resolved(type).def;
  Frame frame;
  std::size_t next = 0;
  std::vector<std::string> unused;
  for (Instance* m : members->children) {
    const ast::Expression* given = nullptr;
    for (std::size_t k = 0; k < call.operands.size(); ++k)
      if (call.names[k] == m->name) given = call.operands[k];
    if (!given && next < call.operands.size() && call.names[next].empty())
      given = call.operands[next++];
    Value value;
    if (given) {
      value = evaluate(*given, env);
    } else if (m->modifiers && m->modifiers->value) {
      value = m->modifiers->member.empty()
                  ? evaluate(*m->modifiers->value, {m->modifiers->scope, &frame})
                  : bound_value(m->modifiers);
    } else {
      value = attribute(*m, "start");
      if (value.base == Base::nothing)
        throw Mistake{Phase::types, call.place,
                      fmt::format("'{}' of {} has no value", m->name, call.plain_name())};
    }
    const Value wanted = empty_value(*this, *m, frame);
    if (wanted.base == Base::real && value.base == Base::integer) value.base = Base::real;
    v.variability = combined(v.variability, value.variability);
    frame.variables.emplace_back(m->name, value);
    v.members.emplace_back(m->name, std::move(value));
  }
  for (const std::string& name : call.names)
    if (!name.empty() && !v.member(name))
      throw Mistake{Phase::types, call.place,
                    fmt::format("{} has no member '{}'", call.plain_name(), name)};
  return v;
}

bool is_external_object(const ClassRef& type) {
  return type.def &&
         std::any_of(type.def->elements.begin(), type.def->elements.end(), [](const auto& e) {
           return e.kind == ast::Element::Kind::extends &&
                  e.extends->base.parts == std::vector<std::string>{"ExternalObject"};
         });
}

Value external_object(Context& c, const ClassRef& type, const ast::Expression& call,
                      const Env& env) {
  const Signature s = signature_of(*c.package_of(c.member_class(type, "constructor")));
  const auto given = matched(s, call, nullptr);
  Value v;
  v.base = Base::record;
  v.type = type.def;
  v.variability = Variability::parameter;
  Frame frame;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Modifiers& usual = s.inputs[i]->modifiers;
    v.members.emplace_back(
        s.inputs[i]->name,
        given[i] ? c.evaluate(*given[i], env) : c.evaluate(*usual->value, {usual->scope, &frame}));
  }
  return v;
}

}  // namespace daedalus::modelica
