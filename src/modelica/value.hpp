// SPDX-License-Identifier: BSD-3-Clause
// What an expression of a model is worth while it is compiled: numbers where they are known,
// formulas of the graph otherwise; arrays by rows, records by members.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <daedalus/expr.hpp>

#include "modelica/ast.hpp"

namespace daedalus::modelica {

enum class Base { real, integer, boolean, string, enumeration, record, nothing };
enum class Variability { constant, parameter, discrete, continuous };

using Shape = std::vector<int>;
int size_of(const Shape& shape);

struct Member;  // of a record: name and value

struct Value {
  Base base = Base::real;
  const ast::Class* type = nullptr;  // of an enumeration or a record
  Shape shape;
  std::vector<Expr> e;          // elements by rows, the last subscript fastest; Booleans: 0, 1
  std::vector<std::string> s;   // of strings
  std::vector<Member> members;  // of a record; of an array: arrays each
  Variability variability = Variability::constant;

  bool scalar() const { return shape.empty(); }
  const Value* member(std::string_view name) const;
  bool numeric() const { return base == Base::real || base == Base::integer; }
};

// No std::pair: Clang wants its types complete inside of Value.
struct Member {
  Member() = default;
  Member(std::string name, Value value) : first(std::move(name)), second(std::move(value)) {}
  std::string first;
  Value second;
};

Value real_value(const Expr& e, Variability v = Variability::constant);
Value integer_value(double i);
Value boolean_value(const Expr& e, Variability v = Variability::constant);
Value string_value(std::string text);

// "Real[3]", "Boolean", "Resistor".
std::string type_text(const Value& value);

// Elements chosen by subscripts: each a list of numbers from 1, or all of a dimension.
struct Subscript {
  bool all = false, scalar = false;
  std::vector<int> numbers;
};
Value subscripted(const Value& value, const std::vector<Subscript>& subscripts);
// As above, for any row-major list: positions in it, and the shape of the result.
std::vector<int> positions(const Shape& shape, const std::vector<Subscript>& subscripts,
                           Shape& result);

// One array of equal values: {a, b, c}.
Value stacked(const std::vector<Value>& values);

Variability combined(Variability a, Variability b);

}  // namespace daedalus::modelica
