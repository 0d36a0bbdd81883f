// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/recorded.hpp>

#include <cmath>
#include <limits>

#include "function/recording.hpp"
#include "function/tape.hpp"
#include "graph/operations.hpp"

namespace daedalus {
namespace {

using graph::Op;

Recorded recorded_unary(Op op, const Recorded& x) {
  const double value = graph::apply(op, x.v, 0.0);
  if (!x.recording) return value;
  if (Tape* tape = x.recording->tape()) return tape->add(*x.recording, op, x, value);
  const Expr e = x.recording->graph().make(op, x.recording->expr(x));
  return e.is_number() ? Recorded(e.number()) : Recorded(value, x.recording, e.node());
}

Recorded recorded_binary(Op op, const Recorded& a, const Recorded& b) {
  const double value = graph::apply(op, a.v, b.v);
  Recording* r = a.recording ? a.recording : b.recording;
  if (!r) return value;
  if (Tape* tape = r->tape()) return tape->add(*r, op, a, b, value);
  const Expr e = r->graph().make(op, r->expr(a), r->expr(b));
  return e.is_number() ? Recorded(e.number()) : Recorded(value, r, e.node());
}

// Both sides of a kink are in the graph; which one is taken may still be of interest.
Recorded kink(Op op, const Recorded& a, const Recorded& b) {
  const Recorded result = op == Op::abs ? recorded_unary(op, a) : recorded_binary(op, a, b);
  if (Recording* r = a.recording ? a.recording : b.recording; r && !r->tape())
    r->note_comparison(a, b);
  return result;
}

}  // namespace

Recorded operator+(const Recorded& a, const Recorded& b) { return recorded_binary(Op::add, a, b); }
Recorded operator-(const Recorded& a, const Recorded& b) {
  return recorded_binary(Op::subtract, a, b);
}
Recorded operator*(const Recorded& a, const Recorded& b) {
  return recorded_binary(Op::multiply, a, b);
}
Recorded operator/(const Recorded& a, const Recorded& b) {
  return recorded_binary(Op::divide, a, b);
}
Recorded operator-(const Recorded& a) { return recorded_unary(Op::negate, a); }

Recorded& Recorded::operator+=(const Recorded& b) { return *this = *this + b; }
Recorded& Recorded::operator-=(const Recorded& b) { return *this = *this - b; }
Recorded& Recorded::operator*=(const Recorded& b) { return *this = *this * b; }
Recorded& Recorded::operator/=(const Recorded& b) { return *this = *this / b; }

bool detail::compare(const Recorded& a, const Recorded& b, Compared how) {
  const Op op = how == Compared::less         ? Op::less
                : how == Compared::less_equal ? Op::less_equal
                                              : Op::equal;
  const bool outcome = graph::apply(op, a.v, b.v) != 0.0;
  Recording* r = a.recording ? a.recording : b.recording;
  if (r && r->tape()) {
    r->tape()->guard(r->tape()->add(*r, op, a, b, outcome ? 1.0 : 0.0), outcome);
  } else if (r) {
    r->add_guard(r->graph().make(op, r->expr(a), r->expr(b)), outcome);
    r->note_comparison(a, b);
  }
  return outcome;
}
void detail::note_value_read(const Recorded& x) { x.recording->note_value_read(); }

Recorded sin(const Recorded& x) { return recorded_unary(Op::sin, x); }
Recorded cos(const Recorded& x) { return recorded_unary(Op::cos, x); }
Recorded tan(const Recorded& x) { return recorded_unary(Op::tan, x); }
Recorded asin(const Recorded& x) { return recorded_unary(Op::asin, x); }
Recorded acos(const Recorded& x) { return recorded_unary(Op::acos, x); }
Recorded atan(const Recorded& x) { return recorded_unary(Op::atan, x); }
Recorded sinh(const Recorded& x) { return recorded_unary(Op::sinh, x); }
Recorded cosh(const Recorded& x) { return recorded_unary(Op::cosh, x); }
Recorded tanh(const Recorded& x) { return recorded_unary(Op::tanh, x); }
Recorded asinh(const Recorded& x) { return recorded_unary(Op::asinh, x); }
Recorded acosh(const Recorded& x) { return recorded_unary(Op::acosh, x); }
Recorded atanh(const Recorded& x) { return recorded_unary(Op::atanh, x); }
Recorded exp(const Recorded& x) { return recorded_unary(Op::exp, x); }
Recorded exp2(const Recorded& x) { return recorded_unary(Op::exp2, x); }
Recorded expm1(const Recorded& x) { return recorded_unary(Op::expm1, x); }
Recorded log(const Recorded& x) { return recorded_unary(Op::log, x); }
Recorded log2(const Recorded& x) { return recorded_unary(Op::log2, x); }
Recorded log10(const Recorded& x) { return recorded_unary(Op::log10, x); }
Recorded log1p(const Recorded& x) { return recorded_unary(Op::log1p, x); }
Recorded sqrt(const Recorded& x) { return recorded_unary(Op::sqrt, x); }
Recorded cbrt(const Recorded& x) { return recorded_unary(Op::cbrt, x); }
Recorded erf(const Recorded& x) { return recorded_unary(Op::erf, x); }
Recorded erfc(const Recorded& x) { return recorded_unary(Op::erfc, x); }
Recorded detail::power(const Recorded& x, const Recorded& p) {
  return recorded_binary(Op::power, x, p);
}
Recorded with_leading_part(const Recorded& x, double value) {
  if (!x.recording || !std::isfinite(x.v)) return value;
  x.recording->note_value_read();
  return x + (value - x.v);
}
Recorded fma(const Recorded& a, const Recorded& b, const Recorded& c) {
  Recorded r = a * b + c;
  r.v = std::fma(a.v, b.v, c.v);
  return r;
}
Recorded atan2(const Recorded& y, const Recorded& x) { return recorded_binary(Op::atan2, y, x); }
Recorded hypot(const Recorded& x, const Recorded& y) { return recorded_binary(Op::hypot, x, y); }
Recorded copysign(const Recorded& x, const Recorded& y) {
  return recorded_binary(Op::copysign, x, y);
}
Recorded floor(const Recorded& x) { return recorded_unary(Op::floor, x); }
Recorded ceil(const Recorded& x) { return recorded_unary(Op::ceil, x); }
Recorded round(const Recorded& x) { return recorded_unary(Op::round, x); }
Recorded trunc(const Recorded& x) { return recorded_unary(Op::trunc, x); }
Recorded abs(const Recorded& x) { return kink(Op::abs, x, 0.0); }
Recorded min(const Recorded& a, const Recorded& b) { return kink(Op::min, a, b); }
Recorded max(const Recorded& a, const Recorded& b) { return kink(Op::max, a, b); }

bool isfinite(const Recorded& x) {
  const bool outcome = std::isfinite(x.v);
  if (x.recording && x.recording->tape())
    return abs(x) <= Recorded(std::numeric_limits<double>::max());
  if (Recording* r = x.recording)
    r->add_guard(abs(r->expr(x)) <= std::numeric_limits<double>::max(), outcome);
  return outcome;
}
bool isnan(const Recorded& x) {
  const bool outcome = std::isnan(x.v);
  if (x.recording && x.recording->tape()) return !(x == x);
  if (Recording* r = x.recording) r->add_guard(r->expr(x) != r->expr(x), outcome);
  return outcome;
}

}  // namespace daedalus
