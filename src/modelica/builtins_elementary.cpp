// SPDX-License-Identifier: BSD-3-Clause
// Elementary functions, element by element, and conversions.
#include <cmath>

#include <fmt/format.h>

#include "kernel/at.hpp"
#include "modelica/builtins.hpp"

namespace daedalus::modelica {
namespace {

Value numeric_argument(const BuiltinCall& b, std::size_t k) {
  Value v = b.argument(k);
  if (!v.numeric())
    throw Mistake{Phase::types, b.operand(k).place,
                  fmt::format("{} does not take {} ('{}')", b.call.plain_name(), type_text(v),
                              b.c.files.text(b.operand(k).place)),
                  v.base == Base::boolean ? "write 'if ... then 1 else 0'" : ""};
  return v;
}

Builtin of_one(Expr (*f)(const Expr&), bool keeps_integer = false) {
  return [f, keeps_integer](const BuiltinCall& b) {
    b.arguments(1);
    Value v = numeric_argument(b, 0);
    if (!keeps_integer) v.base = Base::real;
    for (Expr& e : v.e) e = f(e);
    return v;
  };
}

Builtin of_two(Expr (*f)(const Expr&, const Expr&), bool keeps_integer = false) {
  return [f, keeps_integer](const BuiltinCall& b) {
    b.arguments(2);
    Value x = numeric_argument(b, 0), y = numeric_argument(b, 1);
    Value r = x.scalar() ? y : x;
    if (!x.scalar() && !y.scalar() && x.shape != y.shape)
      throw Mistake{Phase::types, b.call.place,
                    fmt::format("{} does not take {} and {}", b.call.plain_name(), type_text(x),
                                type_text(y))};
    r.base = keeps_integer && x.base == Base::integer && y.base == Base::integer ? Base::integer
                                                                                 : Base::real;
    r.variability = combined(x.variability, y.variability);
    for (std::size_t k = 0; k < r.e.size(); ++k)
      r.e[k] = f(x.e[x.scalar() ? 0 : k], y.e[y.scalar() ? 0 : k]);
    return r;
  };
}

Expr quotient(const Expr& a, const Expr& b) { return trunc(a / b); }
Expr remainder(const Expr& a, const Expr& b) { return a - trunc(a / b) * b; }
Expr modulo(const Expr& a, const Expr& b) { return mod(a, b); }

// A whole number as it is, otherwise so many significant digits.
std::string number_text(double x, int digits) { return fmt::format("{:.{}g}", x, digits); }

Value as_string(const BuiltinCall& b) {
  const Value v = b.argument(0);
  if (v.base == Base::string) return v;
  if (!v.scalar() || v.e.empty())
    throw Mistake{Phase::types, b.call.place, fmt::format("String does not take {}", type_text(v))};
  if (!v.e.front().is_number()) return string_value("<" + b.c.files.text(b.operand(0).place) + ">");
  const double x = v.e.front().number();
  if (v.base == Base::boolean) return string_value(x != 0.0 ? "true" : "false");
  if (v.base == Base::enumeration)
    return string_value(v.type->literals[at(static_cast<int>(x) - 1)].name);
  int digits = 6;
  for (std::size_t k = 1; k < b.call.operands.size(); ++k)
    if (b.call.names[k] == "significantDigits")
      digits = b.c.integer(*b.call.operands[k], b.env, "significantDigits");
  return string_value(v.base == Base::integer ? fmt::format("{:.0f}", x) : number_text(x, digits));
}

Value as_integer(const BuiltinCall& b) {
  b.arguments(1);
  Value v = b.argument(0);
  if (v.base != Base::enumeration && v.base != Base::boolean)
    throw Mistake{Phase::types, b.call.place, fmt::format("Integer does not take {}", type_text(v)),
                  "integer(x) rounds a Real down"};
  v.base = Base::integer;
  v.type = nullptr;
  return v;
}

// floor and its kin jump: a whole number that changes at events only.
Value whole(const BuiltinCall& b, Expr (*f)(const Expr&), Base base) {
  b.arguments(1);
  Value v = numeric_argument(b, 0);
  v.base = base;
  for (Expr& e : v.e) e = f(e);
  return v;
}

}  // namespace

void add_elementary(std::unordered_map<std::string, Builtin>& t) {
  t["sin"] = of_one(daedalus::sin);
  t["cos"] = of_one(daedalus::cos);
  t["tan"] = of_one(daedalus::tan);
  t["asin"] = of_one(daedalus::asin);
  t["acos"] = of_one(daedalus::acos);
  t["atan"] = of_one(daedalus::atan);
  t["sinh"] = of_one(daedalus::sinh);
  t["cosh"] = of_one(daedalus::cosh);
  t["tanh"] = of_one(daedalus::tanh);
  t["exp"] = of_one(daedalus::exp);
  t["log"] = of_one(daedalus::log);
  t["log10"] = of_one(daedalus::log10);
  t["sqrt"] = of_one(daedalus::sqrt);
  t["abs"] = of_one(daedalus::abs, true);
  t["sign"] = of_one(daedalus::sign, true);
  t["atan2"] = of_two(daedalus::atan2);
  t["div"] = of_two(quotient, true);
  t["mod"] = of_two(modulo, true);
  t["rem"] = of_two(remainder, true);
  t["floor"] = [](const BuiltinCall& b) { return whole(b, daedalus::floor, Base::real); };
  t["ceil"] = [](const BuiltinCall& b) { return whole(b, daedalus::ceil, Base::real); };
  t["integer"] = [](const BuiltinCall& b) { return whole(b, daedalus::floor, Base::integer); };
  t["Integer"] = as_integer;
  t["String"] = as_string;
}

}  // namespace daedalus::modelica
