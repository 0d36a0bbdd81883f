// SPDX-License-Identifier: BSD-3-Clause
// What a TimeFunction is inside: a piecewise polynomial, an oscillation, or a formula as a list of
// operations; each evaluated over every number type of the library.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <daedalus/graph.hpp>
#include <daedalus/mechanism/time_function.hpp>
#include <daedalus/types.hpp>

namespace daedalus::mechanism {

// Powers of t - knots[i] on piece i; the first and the last piece reach beyond the ends.
struct PiecewisePolynomial {
  std::vector<double> knots{0.0};
  std::vector<std::vector<double>> pieces{};  // one more than knots with hold: see profile.cpp
  double period = 0.0;                        // > 0: repeated
  bool only_inside = false;                   // outside of the knots: rejected
};
struct Oscillation {
  double offset = 0.0, amplitude = 0.0, omega = 0.0, phase = 0.0;
};
// Node k of the list is value, input or operation on earlier nodes.
struct Formula {
  struct Step {
    graph::Op op = graph::Op::constant;
    int a = -1, b = -1, c = -1;
    double value = 0.0;
    int argument = -2;  // of an input: -1 time, k >= 0 argument k
  };
  std::vector<Step> steps{};
  std::string text{};
  int max_argument = -1;
  bool uses_time = false;
};
// A formula is evaluated on the stack.
inline constexpr int max_formula_steps = 256;

// The function and its first two derivatives.
struct ProfileData {
  enum class Kind { pieces, oscillation, formula } kind = Kind::pieces;
  std::array<PiecewisePolynomial, 3> pieces{};
  Oscillation oscillation{};
  std::array<Formula, 3> formula{};
  bool smooth = true;
  std::vector<double> break_times{};
  std::string written{};  // as a file says it
};

template <class S>
S evaluate(const PiecewisePolynomial& p, S t) {
  const double at = value_of(t);
  if (p.period > 0.0) t = t - p.period * std::floor((at - p.knots.front()) / p.period);
  const double x = value_of(t);
  if (p.only_inside && (x < p.knots.front() || x > p.knots.back()))
    throw Reject("a table was asked for a time outside of its own");
  const auto next = std::upper_bound(p.knots.begin(), p.knots.end(), x);
  const auto piece = static_cast<std::size_t>(next - p.knots.begin());
  const std::vector<double>& c = p.pieces[piece];
  S sum(c.back());
  if (c.size() == 1) return sum;
  const S u = t - p.knots[piece == 0 ? 0 : piece - 1];
  for (std::size_t k = c.size() - 1; k-- > 0;) sum = sum * u + c[k];
  return sum;
}

// Whether formula_step knows the operation.
constexpr bool formula_has(graph::Op op) {
  using graph::Op;
  switch (op) {
    case Op::erf:
    case Op::erfc:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::mod:
    case Op::copysign:
      return false;
    default:
      return op <= Op::select;
  }
}

// Functions that are not there for all numbers, by those that are.
template <class S>
S composed_step(graph::Op op, const S& a, const S& b) {
  using graph::Op;
  using std::exp, std::log, std::pow, std::sqrt;
  constexpr double ln_2 = std::numbers::ln2, ln_10 = std::numbers::ln10;
  const bool negative = value_of(a) < 0.0;
  const auto truth = [](bool holds) { return S(holds ? 1.0 : 0.0); };
  // clang-format off
  switch (op) {
    case Op::cbrt: return negative ? S(-pow(S(-a), 1.0 / 3.0)) : S(pow(a, 1.0 / 3.0));
    case Op::exp2: return exp(ln_2 * a);
    case Op::expm1: return exp(a) - 1.0;
    case Op::log2: return log(a) / ln_2;
    case Op::log10: return log(a) / ln_10;
    case Op::log1p: return log(1.0 + a);
    case Op::asinh: return negative ? S(-log(sqrt(a * a + 1.0) - a)) : S(log(sqrt(a * a + 1.0) + a));
    case Op::acosh: return log(a + sqrt(a * a - 1.0));
    case Op::atanh: return 0.5 * log((1.0 + a) / (1.0 - a));
    case Op::hypot: return sqrt(a * a + b * b);
    case Op::sign: return S(negative ? -1.0 : value_of(a) > 0.0 ? 1.0 : 0.0);
    case Op::equal: return truth(value_of(a) == value_of(b));
    case Op::not_equal: return truth(value_of(a) != value_of(b));
    case Op::logical_and: return truth(value_of(a) != 0.0 && value_of(b) != 0.0);
    case Op::logical_or: return truth(value_of(a) != 0.0 || value_of(b) != 0.0);
    case Op::logical_not: return truth(value_of(a) == 0.0);
    default: throw InvalidArgument("a formula has an operation that it cannot have");
  }
  // clang-format on
}

template <class S>
S formula_step(const Formula::Step& s, const std::array<S, max_formula_steps>& w) {
  using graph::Op;
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp,
      std::log, std::max, std::min, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  const auto arg = [&](int k) -> const S& { return w[static_cast<std::size_t>(k < 0 ? 0 : k)]; };
  const S &a = arg(s.a), &b = arg(s.b);
  // clang-format off
  switch (s.op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::negate: return -a;
    case Op::sqrt: return sqrt(a);
    case Op::exp: return exp(a);
    case Op::log: return log(a);
    case Op::sin: return sin(a);
    case Op::cos: return cos(a);
    case Op::tan: return tan(a);
    case Op::asin: return asin(a);
    case Op::acos: return acos(a);
    case Op::atan: return atan(a);
    case Op::sinh: return sinh(a);
    case Op::cosh: return cosh(a);
    case Op::tanh: return tanh(a);
    case Op::abs: return abs(a);
    case Op::atan2: return atan2(a, b);
    case Op::min: return b < a ? b : a;
    case Op::max: return a < b ? b : a;
    case Op::less: return S(a < b ? 1.0 : 0.0);
    case Op::less_equal: return S(a <= b ? 1.0 : 0.0);
    case Op::greater: return S(a > b ? 1.0 : 0.0);
    case Op::greater_equal: return S(a >= b ? 1.0 : 0.0);
    case Op::select: return value_of(a) != 0.0 ? b : arg(s.c);
    case Op::power: break;
    default: return composed_step<S>(s.op, a, b);
  }
  // clang-format on
  // A constant exponent keeps negative bases; whole ones are powers.
  if (s.argument == 0) return pow(a, s.value);
  return exp(b * log(a));
}

template <class S>
S evaluate(const Formula& f, const S& t, const S* arguments) {
  std::array<S, max_formula_steps> w;
  for (std::size_t k = 0; k < f.steps.size(); ++k) {
    const Formula::Step& s = f.steps[k];
    if (s.op == graph::Op::input)
      w[k] = s.argument < 0 ? t : arguments[s.argument];
    else
      w[k] = s.op == graph::Op::constant ? S(s.value) : formula_step<S>(s, w);
  }
  return w[f.steps.size() - 1];
}

template <class S>
S evaluate(const Oscillation& o, const S& t, int order) {
  using std::cos, std::sin;
  const S phase = o.omega * t + o.phase;
  switch (order) {
    case 0:
      return o.offset + o.amplitude * sin(phase);
    case 1:
      return o.amplitude * o.omega * cos(phase);
    default:
      return -o.amplitude * o.omega * o.omega * sin(phase);
  }
}

// The derivative of order 0, 1 or 2; derivatives of formulas with arguments are not there.
template <class S>
S evaluate(const ProfileData& p, const S& t, const S* arguments = nullptr, int order = 0) {
  const auto k = static_cast<std::size_t>(order);
  switch (p.kind) {
    case ProfileData::Kind::pieces:
      return evaluate<S>(p.pieces[k], t);
    case ProfileData::Kind::oscillation:
      return evaluate<S>(p.oscillation, t, order);
    case ProfileData::Kind::formula:
      break;
  }
  return evaluate<S>(p.formula[k], t, arguments);
}

}  // namespace daedalus::mechanism
