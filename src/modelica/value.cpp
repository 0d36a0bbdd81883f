// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/value.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"

namespace daedalus::modelica {

int size_of(const Shape& shape) {
  long size = 1;
  for (const int n : shape) size *= std::max(0, n);
  return static_cast<int>(size);
}

const Value* Value::member(std::string_view name) const {
  for (const auto& m : members)
    if (m.first == name) return &m.second;
  return nullptr;
}

Value real_value(const Expr& e, Variability v) { return {Base::real, nullptr, {}, {e}, {}, {}, v}; }
Value integer_value(double i) {
  return {Base::integer, nullptr, {}, {Expr(i)}, {}, {}, Variability::constant};
}
Value boolean_value(const Expr& e, Variability v) {
  return {Base::boolean, nullptr, {}, {e}, {}, {}, v};
}
Value string_value(std::string text) {
  return {Base::string, nullptr, {}, {}, {std::move(text)}, {}, Variability::constant};
}

std::string type_text(const Value& v) {
  static constexpr std::string_view names[] = {"Real",   "Integer",     "Boolean", "String",
                                               "an enumeration", "a record", "nothing"};
  std::string text(names[static_cast<std::size_t>(v.base)]);
  if (v.type) text = v.type->name;
  if (!v.shape.empty()) text += fmt::format("[{}]", fmt::join(v.shape, ","));
  return text;
}

Variability combined(Variability a, Variability b) { return std::max(a, b); }

std::vector<int> positions(const Shape& shape, const std::vector<Subscript>& subs, Shape& result) {
  std::vector<int> list{0};
  result.clear();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Subscript all{true, false, {}};
    const Subscript& s = d < subs.size() ? subs[d] : all;
    const int count = s.all ? shape[d] : static_cast<int>(s.numbers.size());
    if (!s.scalar) result.push_back(count);
    std::vector<int> next;
    next.reserve(list.size() * at(std::max(count, 0)));
    for (const int base : list)
      for (int k = 0; k < count; ++k)
        next.push_back(base * shape[d] + (s.all ? k : s.numbers[at(k)] - 1));
    list = std::move(next);
  }
  return list;
}

Value subscripted(const Value& v, const std::vector<Subscript>& subs) {
  Value r;
  r.base = v.base;
  r.type = v.type;
  r.variability = v.variability;
  const std::vector<int> chosen = positions(v.shape, subs, r.shape);
  for (const int k : chosen) {
    if (!v.e.empty()) r.e.push_back(v.e[at(k)]);
    if (!v.s.empty()) r.s.push_back(v.s[at(k)]);
  }
  for (const auto& [name, member] : v.members) {
    // A member of an array of records has the dimensions of the array in front of its own.
    r.members.emplace_back(name, subscripted(member, subs));
  }
  return r;
}

Value stacked(const std::vector<Value>& values) {
  Value r;
  if (values.empty()) {
    r.shape = {0};
    return r;
  }
  r = values.front();
  r.shape.insert(r.shape.begin(), static_cast<int>(values.size()));
  for (std::size_t k = 1; k < values.size(); ++k) {
    const Value& v = values[k];
    r.e.insert(r.e.end(), v.e.begin(), v.e.end());
    r.s.insert(r.s.end(), v.s.begin(), v.s.end());
    r.variability = combined(r.variability, v.variability);
    if (v.base == Base::real) r.base = r.base == Base::integer ? Base::real : r.base;
  }
  for (std::size_t m = 0; m < r.members.size(); ++m) {
    std::vector<Value> parts;
    for (const Value& v : values)
      if (m < v.members.size()) parts.push_back(v.members[m].second);
    r.members[m].second = stacked(parts);
  }
  return r;
}

}  // namespace daedalus::modelica
