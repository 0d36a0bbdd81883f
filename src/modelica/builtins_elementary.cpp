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

// f(a, b) for each pair of elements.
template <class Of>
Value paired(const BuiltinCall& b, bool keeps_integer, Of&& f) {
  b.arguments(2);
  Value x = numeric_argument(b, 0), y = numeric_argument(b, 1);
  Value r = x.scalar() ? y : x;
  if (!x.scalar() && !y.scalar() && x.shape != y.shape)
    throw Mistake{
        Phase::types, b.call.place,
        fmt::format("{} does not take {} and {}", b.call.plain_name(), type_text(x), type_text(y))};
  r.base = keeps_integer && x.base == Base::integer && y.base == Base::integer ? Base::integer
                                                                               : Base::real;
  r.variability = combined(x.variability, y.variability);
  for (std::size_t k = 0; k < r.e.size(); ++k)
    r.e[k] = f(r, x.e[x.scalar() ? 0 : k], y.e[y.scalar() ? 0 : k]);
  return r;
}

Builtin of_two(Expr (*f)(const Expr&, const Expr&)) {
  return [f](const BuiltinCall& b) {
    return paired(b, false, [f](const Value&, const Expr& x, const Expr& y) { return f(x, y); });
  };
}

// floor and its kin jump. Of continuous arguments, where events are made, they are held in between.
struct Rounding {
  const BuiltinCall& b;
  bool held;

  Rounding(const BuiltinCall& call, Variability v)
      : b(call),
        held(v == Variability::continuous && call.c.no_events == 0 && call.c.in_functions == 0 &&
             call.c.held_floor) {}
  Expr down(const Expr& x) const {
    return held && !x.is_number() ? b.c.held_floor(x, b.call.place) : floor(x);
  }
  Expr up(const Expr& x) const { return held && !x.is_number() ? -down(-x) : ceil(x); }
  Expr to_zero(const Expr& x) const {
    return held && !x.is_number() ? select(x >= 0.0, down(x), up(x)) : trunc(x);
  }
};

Expr quotient(const Rounding& r, const Expr& a, const Expr& b) { return r.to_zero(a / b); }
Expr remainder(const Rounding& r, const Expr& a, const Expr& b) { return a - r.to_zero(a / b) * b; }
Expr modulo(const Rounding& r, const Expr& a, const Expr& b) {
  return r.held ? a - r.down(a / b) * b : mod(a, b);
}

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

Builtin rounded(Expr (Rounding::*f)(const Expr&) const, Base base) {
  return [f, base](const BuiltinCall& b) {
    b.arguments(1);
    Value v = numeric_argument(b, 0);
    v.base = base;
    const Rounding r(b, v.variability);
    for (Expr& e : v.e) e = (r.*f)(e);
    if (r.held) v.variability = Variability::discrete;
    return v;
  };
}

// `whole`: the result changes at events only.
Builtin divided(Expr (*f)(const Rounding&, const Expr&, const Expr&), bool whole) {
  return [f, whole](const BuiltinCall& b) {
    bool held = false;
    Value v = paired(b, true, [&](const Value& result, const Expr& x, const Expr& y) {
      const Rounding r(b, result.variability);
      held = r.held;
      return f(r, x, y);
    });
    if (held && whole) v.variability = Variability::discrete;
    return v;
  };
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
  t["div"] = divided(quotient, true);
  t["mod"] = divided(modulo, false);
  t["rem"] = divided(remainder, false);
  t["floor"] = rounded(&Rounding::down, Base::real);
  t["ceil"] = rounded(&Rounding::up, Base::real);
  t["integer"] = rounded(&Rounding::down, Base::integer);
  t["Integer"] = as_integer;
  t["String"] = as_string;
}

}  // namespace daedalus::modelica
