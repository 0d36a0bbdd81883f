// SPDX-License-Identifier: BSD-3-Clause
// Operators over values: which types and shapes they take, and what comes out.
#pragma once

#include <string>

#include "modelica/value.hpp"

namespace daedalus::modelica {

// Of values with the text of the operands, for messages. `events`: comparisons make events.
struct Operand {
  const Value& value;
  const ast::Expression& written;
};

class Operators {
 public:
  Operators(const Files& files, bool events) : files_(files), events_(events) {}
  Value binary(const ast::Expression& e, const Value& a, const Value& b) const;
  Value negated(const ast::Expression& e, const Value& a) const;
  Value inverted(const ast::Expression& e, const Value& a) const;
  Value selected(const ast::Expression& e, const Expr& condition, Variability v, const Value& a,
                 const Value& b) const;

 private:
  Value sum(const ast::Expression& e, const Value& a, const Value& b) const;
  Value product(const ast::Expression& e, const Value& a, const Value& b) const;
  Value matrix_product(const ast::Expression& e, const Value& a, const Value& b) const;
  Value elementwise(const ast::Expression& e, const Value& a, const Value& b) const;
  Value power(const ast::Expression& e, const Value& a, const Value& b) const;
  Value relation(const ast::Expression& e, const Value& a, const Value& b) const;
  Value logic(const ast::Expression& e, const Value& a, const Value& b) const;
  [[noreturn]] void wrong_types(const ast::Expression& e, const Value& a, const Value& b) const;
  [[noreturn]] void wrong_shapes(const ast::Expression& e, const Value& a, const Value& b) const;

  const Files& files_;
  bool events_;
};

}  // namespace daedalus::modelica
