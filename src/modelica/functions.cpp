// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions written in Modelica: arguments, local variables, body, results.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/context.hpp"
#include "modelica/intrinsics.hpp"
#include "modelica/statements.hpp"

namespace daedalus::modelica {
namespace {

constexpr int max_depth = 100;  // of calls in each other

const double unset = std::numeric_limits<double>::quiet_NaN();

// A variable that nothing was assigned to yet.
Value empty_value(Context& c, Instance& member, Frame& frame) {
  const ClassRef type = c.find_class(member.component->type, member.declared_in);
  ClassRef t = type;
  Value v;
  Shape shape;
  for (const auto* list : {&member.component->dimensions, &member.component->type_dimensions})
    for (const ast::Expression* e : *list)
      shape.push_back(e->kind == ast::Kind::colon
                          ? 0
                          : c.integer(*e, {member.declared_in, &frame}, "a size"));
  for (int k = 0; t.def && t.def->form == ast::Class::Form::alias && k < max_depth; ++k) {
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

struct Signature {
  std::vector<Instance*> inputs, outputs, locals;
};

Signature signature_of(Instance& function) {
  Signature s;
  for (Instance* m : function.children) {
    const ast::Prefixes& p = m->component->prefixes;
    (p.input ? s.inputs : p.output ? s.outputs : s.locals).push_back(m);
  }
  return s;
}

// Arguments by input; those that are not given keep their default.
std::vector<const ast::Expression*> matched(const Context& c, const Signature& s,
                                            const ast::Expression& call) {
  std::vector<const ast::Expression*> given(s.inputs.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (call.names[k].empty()) {
      if (next >= given.size())
        throw Mistake{Phase::types, call.place,
                      fmt::format("{} expects {} argument{}, {} are given", call.plain_name(),
                                  given.size(), given.size() == 1 ? "" : "s",
                                  call.operands.size())};
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
    if (!given[i] && !(s.inputs[i]->modifiers && s.inputs[i]->modifiers->value))
      throw Mistake{Phase::types, call.place,
                    fmt::format("{} expects {} arguments, {} {} given: '{}' is missing",
                                call.plain_name(), given.size(), call.operands.size(),
                                call.operands.size() == 1 ? "is" : "are", s.inputs[i]->name)};
  (void)c;
  return given;
}

class Call {
 public:
  Call(Context& c, const ClassRef& function, const ast::Expression& call)
      : c_(c), f_(function), call_(call), instance_(*c.package_of(function)),
        signature_(signature_of(instance_)) {}

  std::vector<Value> run(const Env& env) {
    const auto given = matched(c_, signature_, call_);
    std::vector<Value> arguments;
    for (const ast::Expression* e : given) {
      if (e && e->kind == ast::Kind::function)
        throw Mistake{Phase::types, e->place, "not supported yet: a function as an argument",
                      "call the function where it is needed"};
      arguments.push_back(e ? c_.evaluate(*e, env) : Value{});
    }
    if (const Shape shape = extra_shape(given, arguments); !shape.empty())
      return by_elements(given, arguments, shape);
    return body(given, arguments);
  }

 private:
  int declared_rank(const Instance& m) const {
    std::size_t rank = m.component->dimensions.size() + m.component->type_dimensions.size();
    ClassRef t = c_.find_class(m.component->type, m.declared_in);
    for (int k = 0; t.def && t.def->form == ast::Class::Form::alias && k < max_depth; ++k) {
      rank += t.def->base_dimensions.size();
      t = c_.find_class(t.def->base, t.env);
    }
    return static_cast<int>(rank);
  }

  // A function of scalars takes arrays element by element.
  Shape extra_shape(const std::vector<const ast::Expression*>& given,
                    const std::vector<Value>& arguments) const {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i] || arguments[i].base == Base::record) continue;
      const int rank = declared_rank(*signature_.inputs[i]);
      const int extra = static_cast<int>(arguments[i].shape.size()) - rank;
      if (extra < 0)
        throw Mistake{Phase::types, given[i]->place,
                      fmt::format("'{}' of {} has {} dimension{}; this is {}",
                                  signature_.inputs[i]->name, call_.plain_name(), rank,
                                  rank == 1 ? "" : "s", type_text(arguments[i]))};
      if (extra > 0)
        return {arguments[i].shape.begin(), arguments[i].shape.begin() + extra};
    }
    return {};
  }

  std::vector<Value> by_elements(const std::vector<const ast::Expression*>& given,
                                 const std::vector<Value>& arguments, const Shape& shape) {
    std::vector<std::vector<Value>> results;
    for (int k = 0; k < size_of(shape); ++k) {
      std::vector<Subscript> subs(shape.size());
      for (std::size_t d = shape.size(), rest = at(k); d-- > 0;) {
        subs[d] = {false, true, {static_cast<int>(rest) % shape[d] + 1}};
        rest /= at(shape[d]);
      }
      std::vector<Value> one = arguments;
      for (std::size_t i = 0; i < one.size(); ++i)
        if (given[i] && one[i].base != Base::record &&
            static_cast<int>(one[i].shape.size()) > declared_rank(*signature_.inputs[i]))
          one[i] = subscripted(one[i], subs);
      std::vector<Value> r = body(given, one);
      results.resize(r.size());
      for (std::size_t j = 0; j < r.size(); ++j) results[j].push_back(std::move(r[j]));
    }
    std::vector<Value> all;
    for (const auto& list : results) {
      all.push_back(stacked(list));
      if (!list.empty()) {
        all.back().shape = shape;
        all.back().shape.insert(all.back().shape.end(), list.front().shape.begin(),
                                list.front().shape.end());
      }
    }
    return all;
  }

  std::vector<Value> body(const std::vector<const ast::Expression*>& given,
                          std::vector<Value> arguments) {
    if (++c_.call_depth > max_depth) {
      c_.call_depth = 0;
      throw Mistake{Phase::types, call_.place,
                    fmt::format("calls of {} are nested more than {} deep", call_.plain_name(),
                                max_depth),
                    "a recursion has to end by numbers, not by variables"};
    }
    ++c_.no_events;
    ++c_.in_functions;
    Frame frame;
    for (std::size_t i = 0; i < signature_.inputs.size(); ++i) {
      Instance& m = *signature_.inputs[i];
      Value v = given[i] ? std::move(arguments[i])
                         : c_.evaluate(*m.modifiers->value, {m.modifiers->scope, &frame});
      frame.variables.emplace_back(m.name, typed(m, std::move(v), frame,
                                                 given[i] ? given[i]->place : m.place()));
    }
    for (const auto* list : {&signature_.outputs, &signature_.locals})
      for (Instance* m : *list) frame.variables.emplace_back(m->name, initial(*m, frame));
    std::vector<Value> results;
    if (!intrinsic(c_, f_, frame, call_)) execute(frame);
    for (Instance* m : signature_.outputs) {
      Value* v = frame.find(m->name);
      check_assigned(*v, *m);
      results.push_back(std::move(*v));
    }
    --c_.no_events;
    --c_.in_functions;
    --c_.call_depth;
    return results;
  }

  Value typed(Instance& m, Value v, Frame& frame, const Place& place) {
    Value wanted = empty_value(c_, m, frame);
    if (wanted.base == Base::record) {
      if (v.base != Base::record)
        throw Mistake{Phase::types, place,
                      fmt::format("'{}' of {} is {}; this is {}", m.name, call_.plain_name(),
                                  wanted.type->name, type_text(v))};
      return v;
    }
    const Shape shape = v.shape;
    return c_.converted(std::move(v), wanted.base, wanted.type, shape, place,
                        fmt::format("{} of {}", m.name, call_.plain_name()));
  }

  Value initial(Instance& m, Frame& frame) {
    if (m.modifiers && m.modifiers->value) {
      Value v = c_.evaluate(*m.modifiers->value, {m.modifiers->scope, &frame});
      return typed(m, std::move(v), frame, m.place());
    }
    return empty_value(c_, m, frame);
  }

  void execute(Frame& frame) {
    if (instance_.type.def->external)
      throw Mistake{Phase::types, call_.place,
                    fmt::format("not supported yet: external function '{}'",
                                Library::full_name(instance_.type.def)),
                    "its source is not part of the model; write it in Modelica"};
    bool found = false;
    for (const Scope* s : instance_.contributions)
      for (const ast::Section& section : s->cls->sections)
        if (section.algorithm && !section.initial) {
          found = true;
          Statements(c_, s, frame).run(section.equations);
        }
    if (!found && !signature_.outputs.empty() &&
        !(signature_.outputs.front()->modifiers && signature_.outputs.front()->modifiers->value))
      throw Mistake{Phase::types, call_.place,
                    fmt::format("'{}' has no algorithm", Library::full_name(instance_.type.def)),
                    instance_.type.def->partial ? "it is partial" : ""};
  }

  void check_assigned(const Value& v, const Instance& m) const {
    for (const Expr& e : v.e)
      if (e.is_number() && e.number() != e.number())
        throw Mistake{Phase::types, m.place(),
                      fmt::format("'{}' of {} is not assigned", m.name, call_.plain_name()),
                      fmt::format("called in {}", c_.files.where(call_.place))};
    for (const auto& member : v.members) check_assigned(member.second, m);
  }

  Context& c_;
  ClassRef f_;
  const ast::Expression& call_;
  Instance& instance_;
  Signature signature_;
};

}  // namespace

std::vector<Value> Context::call(const ClassRef& function, const ast::Expression& call,
                                 const Env& env) {
  const ClassRef real = resolved(function);
  if (!real.def || real.def->kind != ast::ClassKind::function)
    throw Mistake{Phase::types, call.place,
                  fmt::format("'{}' is no function", call.plain_name())};
  return Call(*this, function, call).run(env);
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

}  // namespace daedalus::modelica
