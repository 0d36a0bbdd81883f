// SPDX-License-Identifier: BSD-3-Clause
// Expressions as data. An Expr is a small value (a node of a graph, or a plain number) that is
// computed with like a double; what comes out is not a number but a formula, which the library
// evaluates, differentiates, analyses, prints and turns into machine code.
//
//   graph::Graph g;                                   // owns all nodes; see <daedalus/graph.hpp>
//   const Expr x = g.state("x"), k = g.parameter("k");
//   const Expr f = -k * x + select(x > 0.0, sin(g.time()), 0.0);
//   text(f);                                          // "if x > 0 then sin(time) - k*x else ..."
//
// Rules.
// - Equal expressions are one node (hash consing): building x*y twice gives the same Expr.
// - Numbers are folded: 2.0*Expr(3.0) is the number 6. x + 0, x*1, x - x, 0*x, -(-x) and the like
//   are simplified. Parameters stay inputs and are never folded.
// - Comparisons and logic give Exprs with the values 1 (true) and 0 (false), never a bool. There is
//   no short circuit: use select(). lhs == rhs is a comparison, too; model builders take a root
//   of this kind as the equation lhs = rhs.
// - select(c, a, b) evaluates c and then only the branch it needs.
// - A comparison that depends on t, y or y' is a relation: a model holds its outcome as a mode
//   during a step and changes it at located events (graph/relations.hpp). Inside no_event(e) it is
//   compared wherever e is evaluated.
// - Expressions of two graphs cannot be mixed: InvalidArgument.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace daedalus {

namespace graph {
class Graph;
}

class Expr {
 public:
  constexpr Expr() = default;  // the number zero
  template <class U>
  requires std::is_arithmetic_v<U>
  constexpr Expr(U value) : value_(static_cast<double>(value)) {}
  Expr(graph::Graph& graph, int node);  // a constant node becomes a number

  constexpr bool is_number() const { return graph_ == nullptr; }
  constexpr bool is_number(double value) const { return is_number() && value_ == value; }
  constexpr double number() const { return value_; }  // of a number
  constexpr graph::Graph* graph() const { return graph_; }
  constexpr int node() const { return node_; }  // -1: a number
  // The same formula; == would be a comparison of values.
  constexpr bool same(const Expr& b) const {
    return graph_ == b.graph_ && node_ == b.node_ && (graph_ || value_ == b.value_);
  }

  Expr& operator+=(const Expr& b);
  Expr& operator-=(const Expr& b);
  Expr& operator*=(const Expr& b);
  Expr& operator/=(const Expr& b);

 private:
  graph::Graph* graph_ = nullptr;
  int node_ = -1;
  double value_ = 0.0;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
inline Expr operator+(const Expr& a) { return a; }

Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator==(const Expr& a, const Expr& b);
Expr operator!=(const Expr& a, const Expr& b);
Expr operator&&(const Expr& a, const Expr& b);
Expr operator||(const Expr& a, const Expr& b);
Expr operator!(const Expr& a);

// a where the condition is not zero, else b.
Expr select(const Expr& condition, const Expr& a, const Expr& b);
// The same value; relations inside make no events.
Expr no_event(const Expr& x);
// The value an input had before the present event.
Expr pre(const Expr& input);
// dx/dt: of a state its derivative input, of any other expression the total derivative by the
// chain rule (der(x*y) is der(x)*y + x*der(y)). Of parameters and modes zero.
Expr der(const Expr& x);
// `value` where the condition holds; elsewhere the evaluation fails with the message.
Expr asserted(const Expr& condition, const Expr& value, std::string_view message);

Expr sqrt(const Expr& x);
Expr cbrt(const Expr& x);
Expr exp(const Expr& x);
Expr exp2(const Expr& x);
Expr expm1(const Expr& x);
Expr log(const Expr& x);
Expr log2(const Expr& x);
Expr log10(const Expr& x);
Expr log1p(const Expr& x);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr tanh(const Expr& x);
Expr asinh(const Expr& x);
Expr acosh(const Expr& x);
Expr atanh(const Expr& x);
Expr erf(const Expr& x);
Expr erfc(const Expr& x);
Expr abs(const Expr& x);   // slope at zero: 1
Expr sign(const Expr& x);  // -1, 0 or 1
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
Expr round(const Expr& x);  // halves away from zero
Expr trunc(const Expr& x);
Expr pow(const Expr& x, const Expr& exponent);
Expr atan2(const Expr& y, const Expr& x);
Expr hypot(const Expr& x, const Expr& y);
Expr mod(const Expr& x, const Expr& y);  // x - floor(x/y)*y: the sign of y
Expr copysign(const Expr& x, const Expr& y);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
inline Expr fabs(const Expr& x) { return abs(x); }
inline Expr fmin(const Expr& a, const Expr& b) { return min(a, b); }
inline Expr fmax(const Expr& a, const Expr& b) { return max(a, b); }

// Any elementary function by its name in the text form ("sin", "atan2", "min", "pow", ...); for
// parsers. Arguments of the wrong number and unknown names throw InvalidArgument;
// function_arity() is 0 for unknown names.
Expr function(std::string_view name, std::span<const Expr> arguments);
int function_arity(std::string_view name);
std::span<const std::string_view> function_names();  // sorted

// Infix notation with as few parentheses as reading it back needs:
//   + - * / ^   < <= > >= == <>   and or not   f(x, y)   if c then a else b
//   der(x)  pre(x)  no_event(e)  assert(condition, value, "message")
// A sign binds like + and -: -x*y is -(x*y), -x^2 is -(x^2). ^ does not associate: a^(b^c),
// (a^b)^c. Numbers have as many digits as they need to be read back bit for bit. Subexpressions
// used twice are written twice; a text that would be longer than `max_length` ends in "...".
std::string text(const Expr& x, std::size_t max_length = 100'000);
// The same as LaTeX mathematics: fractions, roots, \sin, cases, Greek names, subscripts after _.
std::string latex(const Expr& x, std::size_t max_length = 100'000);

}  // namespace daedalus
