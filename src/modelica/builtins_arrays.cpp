// SPDX-License-Identifier: BSD-3-Clause
// Functions that make, measure and reduce arrays.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/builtins.hpp"

namespace daedalus::modelica {
namespace {

// Sizes from a file are checked before memory is asked for.
constexpr long max_elements = 100'000'000;

Value filled(const BuiltinCall& b, const Value& with, std::size_t first) {
  Value r = with;
  r.shape.clear();
  long count = 1;
  for (std::size_t k = first; k < b.call.operands.size(); ++k) {
    r.shape.push_back(b.integer(k));
    count *= std::max(0, r.shape.back());
  }
  if (count > max_elements)
    throw Mistake{Phase::expand, b.call.place, fmt::format("an array of {} elements", count)};
  if (!with.e.empty()) r.e.assign(static_cast<std::size_t>(count), with.e.front());
  if (!with.s.empty()) r.s.assign(static_cast<std::size_t>(count), with.s.front());
  return r;
}

// x[:, size(x, 1)]: sizes in front are known while those behind are found.
const Shape* known_part(const BuiltinCall& b) {
  const ast::Expression& e = b.operand(0);
  if (e.kind != ast::Kind::reference || e.parts.size() != 1 || e.global || b.env.frame ||
      !b.env.scope || !b.env.scope->instance)
    return nullptr;
  const auto& names = b.env.scope->instance->by_name;
  const auto found = names.find(e.parts.front().name);
  if (found == names.end() || found->second->state != Instance::State::expanding) return nullptr;
  return &found->second->shape;
}

Value size_value(const BuiltinCall& b) {
  if (b.call.operands.size() == 2)
    if (const Shape* part = known_part(b)) {
      const int d = b.integer(1);
      if (d >= 1 && d <= static_cast<int>(part->size())) return integer_value((*part)[at(d - 1)]);
    }
  const Value v = b.argument(0);
  Shape shape = v.shape;
  // Records keep their elements in their members.
  if (b.call.operands.size() == 2) {
    const int d = b.integer(1);
    if (d < 1 || d > static_cast<int>(shape.size()))
      throw Mistake{Phase::types, b.call.place,
                    fmt::format("{} has no dimension {}", type_text(v), d)};
    return integer_value(shape[at(d - 1)]);
  }
  Value r = integer_value(0);
  r.e.clear();
  for (const int n : shape) r.e.emplace_back(n);
  r.shape = {static_cast<int>(shape.size())};
  return r;
}

Value identity(const BuiltinCall& b) {
  const int n = std::max(0, std::min(10'000, b.integer(0)));
  Value r = integer_value(0);
  r.shape = {n, n};
  r.e.assign(at(n * n), Expr(0.0));
  for (int i = 0; i < n; ++i) r.e[at(i * n + i)] = 1.0;
  return r;
}

Value diagonal(const BuiltinCall& b) {
  const Value v = b.argument(0);
  if (v.shape.size() != 1 || !v.numeric())
    throw Mistake{Phase::types, b.call.place,
                  fmt::format("diagonal takes a vector; this is {}", type_text(v))};
  const int n = v.shape[0];
  Value r = v;
  r.shape = {n, n};
  r.e.assign(at(n * n), Expr(0.0));
  for (int i = 0; i < n; ++i) r.e[at(i * n + i)] = v.e[at(i)];
  return r;
}

Value linspace(const BuiltinCall& b) {
  b.arguments(3);
  const Expr first = b.c.scalar(b.operand(0), b.env, false),
             last = b.c.scalar(b.operand(1), b.env, false);
  const int n = b.integer(2);
  Value r = real_value(0.0, combined(b.argument(0).variability, b.argument(1).variability));
  r.e.clear();
  for (int k = 0; k < n; ++k)
    r.e.push_back(first + (last - first) * (double(k) / std::max(1, n - 1)));
  r.shape = {n};
  return r;
}

Value transposed(const BuiltinCall& b) {
  const Value v = b.argument(0);
  if (v.shape.size() != 2 || v.e.empty())
    throw Mistake{Phase::types, b.call.place,
                  fmt::format("transpose takes a matrix; this is {}", type_text(v))};
  Value r = v;
  std::swap(r.shape[0], r.shape[1]);
  for (int i = 0; i < v.shape[0]; ++i)
    for (int j = 0; j < v.shape[1]; ++j) r.e[at(j * v.shape[0] + i)] = v.e[at(i * v.shape[1] + j)];
  return r;
}

Value three_vector(const BuiltinCall& b, std::size_t k) {
  Value v = b.argument(k);
  if (v.shape != Shape{3} || !v.numeric())
    throw Mistake{Phase::types, b.operand(k).place,
                  fmt::format("{} takes Real[3]; this is {}", b.call.plain_name(), type_text(v))};
  return v;
}

Value cross(const BuiltinCall& b) {
  const Value x = three_vector(b, 0), y = three_vector(b, 1);
  Value r = x;
  r.base = Base::real;
  r.variability = combined(x.variability, y.variability);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    r.e[k] = x.e[i] * y.e[j] - x.e[j] * y.e[i];
  }
  return r;
}

Value skew(const BuiltinCall& b) {
  const Value x = three_vector(b, 0);
  Value r = x;
  r.shape = {3, 3};
  r.e = {0.0, -x.e[2], x.e[1], x.e[2], 0.0, -x.e[0], -x.e[1], x.e[0], 0.0};
  return r;
}

Value outer_product(const BuiltinCall& b) {
  b.arguments(2);
  const Value x = b.argument(0), y = b.argument(1);
  Value r = real_value(0.0, combined(x.variability, y.variability));
  r.shape = {static_cast<int>(x.e.size()), static_cast<int>(y.e.size())};
  r.e.clear();
  for (const Expr& p : x.e)
    for (const Expr& q : y.e) r.e.push_back(p * q);
  return r;
}

Value symmetric(const BuiltinCall& b) {
  Value r = b.argument(0);
  if (r.shape.size() != 2 || r.shape[0] != r.shape[1] || !r.numeric())
    throw Mistake{Phase::types, b.call.place,
                  fmt::format("symmetric takes a square matrix; this is {}", type_text(r))};
  for (int i = 0; i < r.shape[0]; ++i)
    for (int j = 0; j < i; ++j) r.e[at(i * r.shape[1] + j)] = r.e[at(j * r.shape[1] + i)];
  return r;
}

Value reshaped(const BuiltinCall& b, int rank) {
  Value v = b.argument(0);
  Shape large;
  for (const int n : v.shape)
    if (n != 1) large.push_back(n);
  if (rank == 0) {
    if (v.e.size() != 1)
      throw Mistake{Phase::types, b.call.place,
                    fmt::format("scalar does not take {}", type_text(v))};
    v.shape.clear();
    return v;
  }
  if (rank == 1) {
    v.shape = {static_cast<int>(std::max(v.e.size(), v.s.size()))};
    return v;
  }
  while (v.shape.size() < 2) v.shape.push_back(1);
  return v;
}

Value cat(const BuiltinCall& b) {
  const int d = b.integer(0) - 1;
  Value r = b.argument(1);
  for (std::size_t k = 2; k < b.call.operands.size(); ++k) {
    const Value v = b.argument(k);
    Shape x = r.shape, y = v.shape;
    if (x.size() != y.size() || d < 0 || d >= static_cast<int>(x.size()))
      throw Mistake{Phase::types, b.call.place,
                    fmt::format("cat does not take {} and {}", type_text(r), type_text(v))};
    int outer = 1, inner = 1;
    for (int i = 0; i < d; ++i) outer *= x[at(i)];
    for (std::size_t i = at(d) + 1; i < x.size(); ++i) inner *= x[i];
    Value next = r;
    next.e.clear();
    next.s.clear();
    for (int o = 0; o < outer; ++o)
      for (const Value* p : {static_cast<const Value*>(&r), &v}) {
        const int length = p->shape[at(d)] * inner;
        for (int i = 0; i < length; ++i) {
          if (!p->e.empty()) next.e.push_back(p->e[at(o * length + i)]);
          if (!p->s.empty()) next.s.push_back(p->s[at(o * length + i)]);
        }
      }
    next.shape[at(d)] = x[at(d)] + y[at(d)];
    next.variability = combined(r.variability, v.variability);
    if (v.base == Base::real && r.base == Base::integer) next.base = Base::real;
    r = std::move(next);
  }
  return r;
}

Value reduced(const BuiltinCall& b, Expr (*f)(const Expr&, const Expr&), double empty) {
  Value v;
  if (!b.call.iterators.empty()) {
    ast::Expression all = b.call;
    all.kind = ast::Kind::comprehension;
    v = b.c.evaluate(all, b.env);
  } else if (b.call.operands.size() == 2) {
    std::vector<Value> both{b.argument(0), b.argument(1)};
    v = stacked(both);
  } else {
    v = b.argument(0);
  }
  if (!v.numeric() && v.base != Base::enumeration && v.base != Base::boolean)
    throw Mistake{Phase::types, b.call.place,
                  fmt::format("{} does not take {}", b.call.plain_name(), type_text(v))};
  Value r = v;
  r.shape.clear();
  // Of several arrays as elements (sum of vectors) the elements are reduced together.
  std::size_t inner = 1;
  if (!b.call.iterators.empty() && v.shape.size() > b.call.iterators.size()) {
    r.shape.assign(v.shape.begin() + static_cast<long>(b.call.iterators.size()), v.shape.end());
    inner = at(size_of(r.shape));
  }
  r.e.assign(inner, Expr(empty));
  for (std::size_t k = 0; k < v.e.size(); ++k)
    r.e[k % inner] = k < inner ? v.e[k] : f(r.e[k % inner], v.e[k]);
  return r;
}

// Of two scalars, outside noEvent: a relation, whose side holds during a step. Where a variable is
// limited by what depends on it (an amplifier with feedback) the sides are then found at the event.
Value extreme(const BuiltinCall& b, bool least) {
  const bool choice = b.call.iterators.empty() && b.call.operands.size() == 2 && b.c.no_events == 0;
  if (least)
    return choice ? reduced(
                        b, [](const Expr& x, const Expr& y) { return select(x <= y, x, y); },
                        std::numeric_limits<double>::infinity())
                  : reduced(b, daedalus::min, std::numeric_limits<double>::infinity());
  return choice ? reduced(
                      b, [](const Expr& x, const Expr& y) { return select(x >= y, x, y); },
                      -std::numeric_limits<double>::infinity())
                : reduced(b, daedalus::max, -std::numeric_limits<double>::infinity());
}

Expr added(const Expr& a, const Expr& b) { return a + b; }
Expr multiplied(const Expr& a, const Expr& b) { return a * b; }

}  // namespace

void add_array_functions(std::unordered_map<std::string, Builtin>& t) {
  t["size"] = size_value;
  t["ndims"] = [](const BuiltinCall& b) {
    return integer_value(static_cast<double>(b.argument(0).shape.size()));
  };
  t["zeros"] = [](const BuiltinCall& b) { return filled(b, integer_value(0), 0); };
  t["ones"] = [](const BuiltinCall& b) { return filled(b, integer_value(1), 0); };
  t["fill"] = [](const BuiltinCall& b) { return filled(b, b.argument(0), 1); };
  t["identity"] = identity;
  t["diagonal"] = diagonal;
  t["linspace"] = linspace;
  t["transpose"] = transposed;
  t["cross"] = cross;
  t["skew"] = skew;
  t["outerProduct"] = outer_product;
  t["symmetric"] = symmetric;
  t["scalar"] = [](const BuiltinCall& b) { return reshaped(b, 0); };
  t["vector"] = [](const BuiltinCall& b) { return reshaped(b, 1); };
  t["matrix"] = [](const BuiltinCall& b) { return reshaped(b, 2); };
  t["cat"] = cat;
  t["sum"] = [](const BuiltinCall& b) { return reduced(b, added, 0.0); };
  t["product"] = [](const BuiltinCall& b) { return reduced(b, multiplied, 1.0); };
  t["min"] = [](const BuiltinCall& b) { return extreme(b, true); };
  t["max"] = [](const BuiltinCall& b) { return extreme(b, false); };
}

}  // namespace daedalus::modelica
