// SPDX-License-Identifier: BSD-3-Clause
// Expressions as written become values.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/reach.hpp"
#include "kernel/at.hpp"
#include "modelica/functions.hpp"
#include "modelica/operators.hpp"

namespace daedalus::modelica {

using ast::Expression;
using ast::Kind;

namespace {

Value array_value(Context& c, const Expression& e, const Env& env) {
  std::vector<Value> parts;
  for (const Expression* o : e.operands) {
    parts.push_back(c.evaluate(*o, env));
    const Value &first = parts.front(), &last = parts.back();
    const bool fits = first.shape == last.shape &&
                      (first.base == last.base || (first.numeric() && last.numeric()));
    if (!fits)
      throw Mistake{
          Phase::types, o->place,
          fmt::format("elements of an array are {} and {}", type_text(first), type_text(last)),
          "all elements need the same type and shape"};
  }
  return stacked(parts);
}

// A matrix out of anything: vectors are columns.
Value as_matrix(const Value& v) {
  Value m = v;
  while (m.shape.size() < 2) m.shape.push_back(1);
  return m;
}

Value joined_columns(Context& c, const Expression& e, std::size_t first, int count,
                     const Env& env) {
  std::vector<Value> parts;
  for (int k = 0; k < count; ++k)
    parts.push_back(as_matrix(c.evaluate(*e.operands[first + at(k)], env)));
  Value r = parts.front();
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Value& p = parts[k];
    if (p.shape[0] != r.shape[0])
      throw Mistake{Phase::types, e.operands[first + k]->place,
                    fmt::format("parts of a matrix have {} and {} rows", r.shape[0], p.shape[0])};
    Value next = r;
    next.e.clear();
    for (int i = 0; i < r.shape[0]; ++i) {
      for (int j = 0; j < r.shape[1]; ++j) next.e.push_back(r.e[at(i * r.shape[1] + j)]);
      for (int j = 0; j < p.shape[1]; ++j) next.e.push_back(p.e[at(i * p.shape[1] + j)]);
    }
    next.shape[1] += p.shape[1];
    next.variability = combined(r.variability, p.variability);
    if (p.base == Base::real) next.base = Base::real;
    r = std::move(next);
  }
  return r;
}

Value matrix_value(Context& c, const Expression& e, const Env& env) {
  Value all;
  std::size_t first = 0;
  for (std::size_t row = 0; row < e.row_sizes.size(); ++row) {
    Value r = joined_columns(c, e, first, e.row_sizes[row], env);
    first += at(e.row_sizes[row]);
    if (row == 0) {
      all = std::move(r);
      continue;
    }
    if (r.shape[1] != all.shape[1])
      throw Mistake{
          Phase::types, e.place,
          fmt::format("rows of a matrix have {} and {} columns", all.shape[1], r.shape[1])};
    all.e.insert(all.e.end(), r.e.begin(), r.e.end());
    all.shape[0] += r.shape[0];
    all.variability = combined(all.variability, r.variability);
    if (r.base == Base::real) all.base = Base::real;
  }
  return all;
}

Value range_value(Context& c, const Expression& e, const Env& env) {
  std::vector<double> limits;
  Base base = Base::integer;
  const ast::Class* type = nullptr;
  Variability variability = Variability::constant;
  for (const Expression* o : e.operands) {
    const Value v = c.evaluate(*o, env);
    if (v.base == Base::real) base = Base::real;
    if (v.base == Base::enumeration || v.base == Base::boolean) base = v.base, type = v.type;
    limits.push_back(c.number(v, o->place, "a range"));
    variability = combined(variability, v.variability);
  }
  const double first = limits.front(), last = limits.back();
  const double step = limits.size() == 3 ? limits[1] : 1.0;
  if (step == 0.0) throw Mistake{Phase::expand, e.place, "the step of this range is zero"};
  Value r;
  r.base = base;
  r.type = type;
  r.variability = variability;
  const double count = std::floor((last - first) / step + 1e-9) + 1.0;
  if (count > 1e8)
    throw Mistake{Phase::expand, e.place, fmt::format("this range has {:.3g} numbers", count)};
  for (int k = 0; k < static_cast<int>(count); ++k) r.e.emplace_back(first + k * step);
  r.shape = {static_cast<int>(r.e.size())};
  return r;
}

Value choice_value(Context& c, const Expression& e, const Env& env) {
  // From the last branch backwards; branches behind a known true condition are not looked at.
  struct Branch {
    Expr condition;
    Variability v;
    Value value;
  };
  std::vector<Branch> branches;
  std::size_t k = 0;
  bool closed = false;
  for (; k + 1 < e.operands.size() && !closed; k += 2) {
    const Value condition = c.evaluate(*e.operands[k], env);
    if (condition.base != Base::boolean || !condition.scalar())
      throw Mistake{Phase::types, e.operands[k]->place,
                    fmt::format("a condition is Boolean; this is {}", type_text(condition))};
    const Expr& x = condition.e.front();
    if (x.is_number(0.0)) continue;
    branches.push_back({x, condition.variability, c.evaluate(*e.operands[k + 1], env)});
    closed = x.is_number();
  }
  Value r = closed ? branches.back().value : c.evaluate(*e.operands.back(), env);
  if (closed) branches.pop_back();
  const Operators operators(c.files, c.no_events == 0);
  for (std::size_t b = branches.size(); b-- > 0;) {
    if (branches[b].value.shape != r.shape && branches[b].v <= Variability::parameter)
      c.make_structural(branches[b].condition);
    r = operators.selected(e, branches[b].condition, branches[b].v, branches[b].value, r);
  }
  return r;
}

Value comprehension(Context& c, const Expression& e, const Env& env, std::size_t iterator) {
  // The last iterator is the outermost one.
  const std::size_t k = e.iterators.size() - 1 - iterator;
  std::vector<Value> values, results;
  c.iteration(e.iterators[k], env, values);
  Frame frame;
  frame.up = env.frame;
  frame.variables.emplace_back(e.iterators[k].name, Value{});
  for (const Value& v : values) {
    frame.variables.front().second = v;
    results.push_back(iterator + 1 == e.iterators.size()
                          ? c.evaluate(*e.operands.front(), {env.scope, &frame})
                          : comprehension(c, e, {env.scope, &frame}, iterator + 1));
  }
  return stacked(results);
}

Value call_value(Context& c, const Expression& e, const Env& env) {
  const std::string name = e.plain_name();
  bool known = false;
  if (e.parts.size() == 1) {
    Value v = c.builtin(e.parts.front().name, e, env, known);
    if (known) return v;
  }
  std::vector<std::string> parts;
  for (const ast::Part& p : e.parts) parts.push_back(p.name);
  const bool handed = parts.size() == 1 && env.frame && env.frame->find_function(name);
  const ClassRef f = handed ? ClassRef{} : c.find_class(parts, e.global, env.scope);
  if (!f && !handed) c.unknown_name(e, env, 0);
  const ClassRef real = c.resolved(f);
  if (real.def && real.def->kind == ast::ClassKind::record) return c.record(f, e, env);
  if (is_external_object(real)) return external_object(c, real, e, env);
  std::vector<Value> results = c.call(f, e, env);
  if (results.empty())
    throw Mistake{Phase::types, e.place, fmt::format("'{}' has no result", name)};
  return std::move(results.front());
}

}  // namespace

Value Context::evaluate(const Expression& e, const Env& env) {
  const Operators operators(files, no_events == 0);
  switch (e.kind) {
    case Kind::number:
      return e.integer ? integer_value(e.value) : real_value(e.value);
    case Kind::string:
      return string_value(e.text);
    case Kind::boolean:
      return boolean_value(e.value);
    case Kind::end:
      if (end_sizes.empty())
        throw Mistake{Phase::types, e.place, "'end' stands outside of subscripts"};
      return integer_value(end_sizes.back());
    case Kind::reference:
      return reference(e, env);
    case Kind::call:
      return call_value(*this, e, env);
    case Kind::negate:
      return operators.negated(e, evaluate(*e.operands.front(), env));
    case Kind::plus:
      return evaluate(*e.operands.front(), env);
    case Kind::invert:
      return operators.inverted(e, evaluate(*e.operands.front(), env));
    case Kind::binary: {
      const Value a = evaluate(*e.operands[0], env);
      // The other side need not exist: size(a, 1) > 0 and a[1] > 0.
      if (a.base == Base::boolean && a.scalar() && a.e.front().is_number(e.text == "or" ? 1 : 0) &&
          (e.text == "and" || e.text == "or"))
        return a;
      return operators.binary(e, a, evaluate(*e.operands[1], env));
    }
    case Kind::choice:
      return choice_value(*this, e, env);
    case Kind::range:
      return range_value(*this, e, env);
    case Kind::array:
      return array_value(*this, e, env);
    case Kind::comprehension:
      return comprehension(*this, e, env, 0);
    case Kind::matrix:
      return matrix_value(*this, e, env);
    case Kind::tuple:
      if (e.operands.size() == 1) return evaluate(*e.operands.front(), env);
      throw Mistake{Phase::types, e.place, "a list of results stands only left of '='"};
    case Kind::subscripted: {
      ast::Part p;
      p.subscripts.assign(e.operands.begin() + 1, e.operands.end());
      p.place = e.place;
      return chosen(evaluate(*e.operands.front(), env), p, env);
    }
    default:
      throw Mistake{Phase::types, e.place, "this has no value here"};
  }
}

double Context::number(const Value& v, const Place& place, std::string_view what) {
  if (!v.scalar() || v.e.size() != 1)
    throw Mistake{Phase::types, place,
                  fmt::format("{} is a number; this is {}", what, type_text(v))};
  if (v.e.front().is_number()) return v.e.front().number();
  if (v.variability > Variability::parameter)
    throw Mistake{Phase::expand, place,
                  fmt::format("{} depends on variables: '{}'", what, files.text(place)),
                  "it must follow from parameters and constants"};
  make_structural(v.e.front());
  throw Restart{};
}

int Context::integer(const Expression& e, const Env& env, std::string_view what) {
  const Value v = evaluate(e, env);
  const double n = number(v, e.place, what);
  if (n != std::floor(n) || std::abs(n) > 1e9)
    throw Mistake{Phase::types, e.place, fmt::format("{} is {}, not an Integer", what, n)};
  return static_cast<int>(n);
}

Expr Context::scalar(const Expression& e, const Env& env, bool boolean) {
  const Value v = evaluate(e, env);
  if (!v.scalar() || v.e.size() != 1 || (boolean ? v.base != Base::boolean : !v.numeric()))
    throw Mistake{
        Phase::types, e.place,
        fmt::format("this is {}; a {} is needed", type_text(v), boolean ? "Boolean" : "number")};
  return v.e.front();
}

bool Context::condition(const Expression& e, const Env& env, std::string_view what) {
  const Value v = evaluate(e, env);
  if (v.base != Base::boolean)
    throw Mistake{Phase::types, e.place,
                  fmt::format("{} is Boolean; this is {}", what, type_text(v))};
  return number(v, e.place, what) != 0.0;
}

// The parameters that the formula reads are taken for good from now on.
void Context::make_structural(const Expr& e) {
  bool grew = false;
  for (const int node : graph::reached(*graph, {e.node()})) {
    if (graph->node(node).op != graph::Op::input ||
        graph->kind(node) != graph::InputKind::parameter)
      continue;
    const int k = graph->number(node);
    if (k >= static_cast<int>(by_parameter.size()) || !by_parameter[at(k)]) continue;
    grew = structural->insert(by_parameter[at(k)]->path()).second || grew;
  }
  if (grew) throw Restart{};
  throw InvalidArgument("modelica: '" + text(e, 100) + "' has no value");
}

std::vector<int> Context::iteration(const ast::Iterator& i, const Env& env,
                                    std::vector<Value>& values) {
  if (!i.range)
    throw Mistake{Phase::expand, i.place, fmt::format("the range of '{}' is not given", i.name),
                  fmt::format("write 'for {} in 1:n'", i.name)};
  Value v;
  if (i.range->kind == Kind::reference) {
    // A type stands for all its literals.
    std::vector<std::string> parts;
    for (const ast::Part& p : i.range->parts) parts.push_back(p.name);
    if (!(env.frame && env.frame->find(parts.front())) &&
        !(parts.size() == 1 && find_component(parts.front(), env.scope, i.place))) {
      const ClassRef t = resolved(find_class(parts, i.range->global, env.scope));
      if (t.def && t.def->form == ast::Class::Form::enumeration) {
        for (std::size_t k = 0; k < t.def->literals.size(); ++k) {
          Value l = integer_value(static_cast<double>(k + 1));
          l.base = Base::enumeration;
          l.type = t.def;
          values.push_back(std::move(l));
        }
        return {};
      }
      if (t.base == Base::boolean) {
        values = {boolean_value(0.0), boolean_value(1.0)};
        return {};
      }
    }
  }
  v = evaluate(*i.range, env);
  if (v.shape.size() != 1)
    throw Mistake{Phase::expand, i.range->place,
                  fmt::format("'{}' runs over a vector; this is {}", i.name, type_text(v))};
  for (std::size_t k = 0; k < v.e.size(); ++k) {
    Value one;
    one.base = v.base;
    one.type = v.type;
    one.variability = v.e[k].is_number() ? Variability::constant : v.variability;
    one.e = {v.e[k]};
    values.push_back(std::move(one));
  }
  return {};
}

}  // namespace daedalus::modelica
