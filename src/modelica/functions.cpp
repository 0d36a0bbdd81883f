// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions written in Modelica: arguments, local variables, body, results.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/functions.hpp"
#include "modelica/intrinsics.hpp"
#include "modelica/statements.hpp"

namespace daedalus::modelica {
namespace {

constexpr int max_call_depth = 100;  // of calls in each other

class Call {
 public:
  Call(Context& c, const ClassRef& function, const ast::Expression& call,
       const FunctionArgument* bound = nullptr)
      : c_(c),
        f_(function),
        call_(call),
        bound_(bound),
        instance_(*c.package_of(function)),
        signature_(signature_of(instance_)),
        functions_(signature_.inputs.size()) {}

  std::vector<Value> run(const Env& env) {
    const auto given = matched(signature_, call_, bound_);
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] && takes_function(*signature_.inputs[i]))
        functions_[i] = function_argument(*given[i], env);
      arguments.push_back(given[i] && !functions_[i] ? c_.evaluate(*given[i], env) : Value{});
    }
    if (const Shape shape = extra_shape(given, arguments); !shape.empty())
      return by_elements(given, arguments, shape);
    return body(given, arguments);
  }

 private:
  bool takes_function(const Instance& input) const {
    const ClassRef t = c_.resolved(c_.find_class(input.component->type, input.declared_in));
    return t.def && t.def->kind == ast::ClassKind::function;
  }

  // The name of a function, one that was handed over, or function f(a = 2).
  std::shared_ptr<const FunctionArgument> function_argument(const ast::Expression& e,
                                                            const Env& env) const {
    if (e.kind != ast::Kind::reference && e.kind != ast::Kind::function)
      throw Mistake{Phase::types, e.place, "a function is needed here",
                    "write its name, or function f(a = ...)"};
    if (env.frame && e.parts.size() == 1)
      if (const auto known = env.frame->find_function(e.parts.front().name)) return known;
    std::vector<std::string> parts;
    for (const ast::Part& p : e.parts) parts.push_back(p.name);
    FunctionArgument f;
    f.function = c_.find_class(parts, e.global, env.scope);
    if (!f.function) c_.unknown_name(e, env, 0);
    const ClassRef real = c_.resolved(f.function);
    if (!real.def || real.def->kind != ast::ClassKind::function)
      throw Mistake{Phase::types, e.place, fmt::format("'{}' is no function", e.plain_name())};
    for (std::size_t k = 0; k < e.operands.size(); ++k)
      f.bound.emplace_back(e.names[k], c_.evaluate(*e.operands[k], env));
    return std::make_shared<const FunctionArgument>(std::move(f));
  }

  int declared_rank(const Instance& m) const {
    std::size_t rank = m.component->dimensions.size() + m.component->type_dimensions.size();
    ClassRef t = c_.find_class(m.component->type, m.declared_in);
    for (int k = 0; t.def && t.def->form == ast::Class::Form::alias && k < max_call_depth; ++k) {
      rank += t.def->base_dimensions.size();
      t = c_.find_class(t.def->base, t.env);
    }
    return static_cast<int>(rank);
  }

  // A function of scalars takes arrays element by element.
  Shape extra_shape(const std::vector<const ast::Expression*>& given,
                    const std::vector<Value>& arguments) const {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i] || functions_[i] || arguments[i].base == Base::record) continue;
      const int rank = declared_rank(*signature_.inputs[i]);
      const int extra = static_cast<int>(arguments[i].shape.size()) - rank;
      if (extra < 0)
        throw Mistake{
            Phase::types, given[i]->place,
            fmt::format("'{}' of {} has {} dimension{}; this is {}", signature_.inputs[i]->name,
                        call_.plain_name(), rank, rank == 1 ? "" : "s", type_text(arguments[i]))};
      if (extra > 0) return {arguments[i].shape.begin(), arguments[i].shape.begin() + extra};
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
        if (given[i] && !functions_[i] && one[i].base != Base::record &&
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
    if (++c_.call_depth > max_call_depth) {
      c_.call_depth = 0;
      throw Mistake{Phase::types, call_.place,
                    fmt::format("calls of {} are nested more than {} deep", call_.plain_name(),
                                max_call_depth),
                    "a recursion has to end by numbers, not by variables"};
    }
    ++c_.no_events;
    ++c_.in_functions;
    Frame frame;
    for (std::size_t i = 0; i < signature_.inputs.size(); ++i) {
      Instance& m = *signature_.inputs[i];
      if (functions_[i]) {
        frame.functions.emplace_back(m.name, functions_[i]);
        continue;
      }
      const Value* fixed = bound_ ? bound_->find(m.name) : nullptr;
      Value v = given[i] ? std::move(arguments[i])
                : fixed  ? *fixed
                         : c_.evaluate(*m.modifiers->value, {m.modifiers->scope, &frame});
      frame.variables.emplace_back(m.name, v);  // its own sizes may name it: A[:, size(A, 1)]
      v = typed(m, std::move(v), frame, given[i] ? given[i]->place : m.place());
      frame.variables.back().second = std::move(v);
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
  const FunctionArgument* bound_;
  Instance& instance_;
  Signature signature_;
  std::vector<std::shared_ptr<const FunctionArgument>> functions_;  // by input
};

}  // namespace

std::vector<Value> Context::call(const ClassRef& function, const ast::Expression& call,
                                 const Env& env) {
  if (env.frame && call.parts.size() == 1)
    if (const auto handed = env.frame->find_function(call.parts.front().name))
      return Call(*this, handed->function, call, handed.get()).run(env);
  const ClassRef real = resolved(function);
  if (!real.def || real.def->kind != ast::ClassKind::function)
    throw Mistake{Phase::types, call.place, fmt::format("'{}' is no function", call.plain_name())};
  return Call(*this, function, call).run(env);
}

}  // namespace daedalus::modelica
