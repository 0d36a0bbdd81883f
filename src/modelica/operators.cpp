// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/operators.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kernel/at.hpp"

namespace daedalus::modelica {
namespace {

Base numeric_base(const Value& a, const Value& b) {
  return a.base == Base::integer && b.base == Base::integer ? Base::integer : Base::real;
}

Value empty_like(const Value& a, const Value& b, Base base) {
  Value r;
  r.base = base;
  r.variability = combined(a.variability, b.variability);
  return r;
}

Expr calculated(std::string_view op, const Expr& a, const Expr& b) {
  switch (op.back()) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return pow(a, b);
  }
}

}  // namespace

void Operators::wrong_types(const ast::Expression& e, const Value& a, const Value& b) const {
  const std::size_t wrong = a.numeric() && a.base != Base::boolean ? 1 : 0;
  const std::string text = files_.text(e.operands[wrong]->place);
  const std::string other = files_.text(e.operands[1 - wrong]->place);
  const bool boolean = (wrong == 1 ? b : a).base == Base::boolean && e.text != "and";
  throw Mistake{Phase::types, e.operands.front()->place.file >= 0 ? e.place : Place{},
                fmt::format("'{}' does not take {} and {} ('{}')", e.text, type_text(a),
                            type_text(b), text),
                boolean ? fmt::format("write 'if {} then {} else 0'", text, other)
                        : std::string("only Integer converts, to Real")};
}

void Operators::wrong_shapes(const ast::Expression& e, const Value& a, const Value& b) const {
  throw Mistake{Phase::types, e.place,
                fmt::format("'{}' does not take {} and {}: {}", e.text, type_text(a), type_text(b),
                            files_.text(e.place)),
                e.text == "*" ? "the inner dimensions of a product must agree"
                              : "the shapes must agree; '.+', '.*' take a scalar and an array"};
}

Value Operators::binary(const ast::Expression& e, const Value& a, const Value& b) const {
  const std::string& op = e.text;
  if (op == "and" || op == "or") return logic(e, a, b);
  if (op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "<>")
    return relation(e, a, b);
  if (op == "+" && a.base == Base::string && b.base == Base::string && a.scalar() && b.scalar())
    return string_value(a.s.front() + b.s.front());
  if (!a.numeric() || !b.numeric()) wrong_types(e, a, b);
  if (op == "+" || op == "-") return sum(e, a, b);
  if (op == "*") return product(e, a, b);
  if (op == "/" && !b.scalar()) wrong_shapes(e, a, b);
  if (op == "^") return power(e, a, b);
  return elementwise(e, a, b);
}

Value Operators::sum(const ast::Expression& e, const Value& a, const Value& b) const {
  if (a.shape != b.shape) wrong_shapes(e, a, b);
  return elementwise(e, a, b);
}

Value Operators::elementwise(const ast::Expression& e, const Value& a, const Value& b) const {
  if (!a.scalar() && !b.scalar() && a.shape != b.shape) wrong_shapes(e, a, b);
  const char op = e.text.back();
  Value r = empty_like(a, b, op == '/' || op == '^' ? Base::real : numeric_base(a, b));
  r.shape = a.scalar() ? b.shape : a.shape;
  const std::size_t n = at(size_of(r.shape));
  r.e.reserve(n);
  for (std::size_t k = 0; k < n; ++k)
    r.e.push_back(calculated(e.text, a.e[a.scalar() ? 0 : k], b.e[b.scalar() ? 0 : k]));
  return r;
}

Value Operators::product(const ast::Expression& e, const Value& a, const Value& b) const {
  if (a.scalar() || b.scalar()) return elementwise(e, a, b);
  return matrix_product(e, a, b);
}

// Vectors are rows on the left and columns on the right.
Value Operators::matrix_product(const ast::Expression& e, const Value& a, const Value& b) const {
  if (a.shape.size() > 2 || b.shape.size() > 2 || a.shape.back() != b.shape.front())
    wrong_shapes(e, a, b);
  const int rows = a.shape.size() == 2 ? a.shape[0] : 1, inner = a.shape.back();
  const int columns = b.shape.size() == 2 ? b.shape[1] : 1;
  Value r = empty_like(a, b, numeric_base(a, b));
  if (a.shape.size() == 2) r.shape.push_back(rows);
  if (b.shape.size() == 2) r.shape.push_back(columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      Expr total = 0.0;
      for (int k = 0; k < inner; ++k)
        total += a.e[at(i * inner + k)] * b.e[at(k * columns + j)];
      r.e.push_back(total);
    }
  return r;
}

Value Operators::power(const ast::Expression& e, const Value& a, const Value& b) const {
  if (a.scalar() && b.scalar()) {
    Value r = elementwise(e, a, b);
    return r;
  }
  const bool square = a.shape.size() == 2 && a.shape[0] == a.shape[1];
  if (!square || !b.scalar() || !b.e.front().is_number() || b.e.front().number() < 0.0)
    wrong_shapes(e, a, b);
  Value r = empty_like(a, b, a.base);
  r.shape = a.shape;
  for (int i = 0; i < a.shape[0]; ++i)
    for (int j = 0; j < a.shape[0]; ++j) r.e.emplace_back(i == j ? 1.0 : 0.0);
  for (int k = 0; k < static_cast<int>(b.e.front().number()); ++k) r = matrix_product(e, r, a);
  return r;
}

Value Operators::negated(const ast::Expression& e, const Value& a) const {
  if (!a.numeric())
    throw Mistake{Phase::types, e.place, fmt::format("'-' does not take {} ('{}')", type_text(a),
                                                     files_.text(e.operands.front()->place)),
                  a.base == Base::boolean ? "write 'not' for Boolean" : ""};
  Value r = a;
  for (Expr& x : r.e) x = -x;
  return r;
}

Value Operators::inverted(const ast::Expression& e, const Value& a) const {
  if (a.base != Base::boolean)
    throw Mistake{Phase::types, e.place, fmt::format("'not' does not take {} ('{}')", type_text(a),
                                                     files_.text(e.operands.front()->place))};
  Value r = a;
  for (Expr& x : r.e) x = !x;
  return r;
}

Value Operators::logic(const ast::Expression& e, const Value& a, const Value& b) const {
  if (a.base != Base::boolean || b.base != Base::boolean) wrong_types(e, a, b);
  if (a.shape != b.shape) wrong_shapes(e, a, b);
  Value r = a;
  r.variability = combined(a.variability, b.variability);
  for (std::size_t k = 0; k < r.e.size(); ++k)
    r.e[k] = e.text == "and" ? a.e[k] && b.e[k] : a.e[k] || b.e[k];
  return r;
}

Value Operators::relation(const ast::Expression& e, const Value& a, const Value& b) const {
  const std::string& op = e.text;
  if (!a.scalar() || !b.scalar()) wrong_shapes(e, a, b);
  if (a.base == Base::string && b.base == Base::string) {
    const int c = a.s.front().compare(b.s.front());
    const bool holds = op == "==" ? c == 0 : op == "<>" ? c != 0 : op == "<" ? c < 0
                     : op == "<=" ? c <= 0 : op == ">" ? c > 0 : c >= 0;
    return boolean_value(holds ? 1.0 : 0.0);
  }
  const bool same = a.base == b.base && a.type == b.type;
  if (!(a.numeric() && b.numeric()) && !same) wrong_types(e, a, b);
  const Expr &x = a.e.front(), &y = b.e.front();
  const bool equality = op == "==" || op == "<>";
  const Variability both = combined(a.variability, b.variability);
  if (equality && events_ && (a.base == Base::real || b.base == Base::real) &&
      both == Variability::continuous)
    throw Mistake{Phase::types, e.place, fmt::format("no '{}' between Real", op),
                  "continuous quantities are equal for no time: compare with an interval, as in "
                  "abs(a - b) < eps"};
  Expr r = op == "<"    ? x < y
           : op == "<=" ? x <= y
           : op == ">"  ? x > y
           : op == ">=" ? x >= y
           : op == "==" ? x == y
                        : x != y;
  if (!events_) r = no_event(r);
  return boolean_value(r, std::min(both, Variability::discrete));
}

Value Operators::selected(const ast::Expression& e, const Expr& condition, Variability v,
                          const Value& a, const Value& b) const {
  const bool numbers = a.numeric() && b.numeric();
  if ((!numbers && (a.base != b.base || a.type != b.type)) || a.shape != b.shape)
    throw Mistake{Phase::types, e.place,
                  fmt::format("the branches of this if are {} and {}", type_text(a), type_text(b)),
                  "both branches need the same type and shape"};
  Value r = a;
  r.base = numbers ? numeric_base(a, b) : a.base;
  r.variability = combined(v, combined(a.variability, b.variability));
  for (std::size_t k = 0; k < r.e.size(); ++k) r.e[k] = select(condition, a.e[k], b.e[k]);
  if (a.base == Base::string && a.s != b.s)
    throw Mistake{Phase::types, e.place, "a String cannot depend on variables",
                  "use a parameter for the condition"};
  for (std::size_t m = 0; m < r.members.size(); ++m)
    r.members[m].second =
        selected(e, condition, v, a.members[m].second, b.members[m].second);
  return r;
}

}  // namespace daedalus::modelica
