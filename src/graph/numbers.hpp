// SPDX-License-Identifier: BSD-3-Clause
// Functions of the graph over every number type of the evaluators: plain numbers, dual numbers and
// truncated Taylor series. Most come from <cmath> and the headers of these types; the others are
// here, by value and slope.
#pragma once

#include <cmath>

#include <daedalus/dual.hpp>
#include <daedalus/taylor.hpp>

#include "graph/operations.hpp"

namespace daedalus::graph {

// f(x) with df = slope dx.
template <class S, int N>
Dual<S, N> by_slope(const S& value, const S& slope, const Dual<S, N>& x) {
  return detail::chain<S, N>(value, slope, x);
}
template <class S, int K>
Taylor<S, K> by_slope(const S& value, const Taylor<S, K>& slope, const Taylor<S, K>& x) {
  return detail::integrate(value, slope, x);
}

// Both by one call where the library has it; the same bits as one by one.
template <class S>
void sine_cosine(const S& x, S& sine, S& cosine) {
  using std::sin, std::cos;
  sine = sin(x);
  cosine = cos(x);
}
template <class S, int N>
void sine_cosine(const Dual<S, N>& x, Dual<S, N>& sine, Dual<S, N>& cosine) {
  S s, c;
  sine_cosine(x.v, s, c);
  sine = detail::chain<S, N>(s, c, x);
  cosine = detail::chain<S, N>(c, -s, x);
}

// The value without the outermost level of derivatives, and the number the slope is computed from.
template <class S, int N>
const S& inner(const Dual<S, N>& x) {
  return x.v;
}
template <class S, int K>
const S& inner(const Taylor<S, K>& x) {
  return x.c[0];
}
template <class S, int N>
const S& slope_argument(const Dual<S, N>& x) {
  return x.v;
}
template <class S, int K>
const Taylor<S, K>& slope_argument(const Taylor<S, K>& x) {
  return x;
}

#define DAEDALUS_GRAPH_FUNCTION(name, slope_of_x)                \
  inline double number_##name(double x) { return std::name(x); } \
  template <class T>                                             \
  T number_##name(const T& u) {                                  \
    using std::exp, std::hypot, std::sqrt;                       \
    const auto& x = slope_argument(u);                           \
    return by_slope(number_##name(inner(u)), (slope_of_x), u);   \
  }
inline double number_exp2(double x) { return std::exp2(x); }
template <class S, int N>
Dual<S, N> number_exp2(const Dual<S, N>& x) {
  const S value = number_exp2(x.v);
  return by_slope(value, S(0.69314718055994530942 * value), x);
}
template <class S, int K>
Taylor<S, K> number_exp2(const Taylor<S, K>& x) {  // the slope is computed from the result
  return exp(0.69314718055994530942 * x);
}
DAEDALUS_GRAPH_FUNCTION(log2, 1.0 / (0.69314718055994530942 * x))
DAEDALUS_GRAPH_FUNCTION(log10, 1.0 / (2.30258509299404568402 * x))
DAEDALUS_GRAPH_FUNCTION(asinh, 1.0 / hypot(x, 1.0))
DAEDALUS_GRAPH_FUNCTION(acosh, 1.0 / sqrt((x - 1.0) * (x + 1.0)))
DAEDALUS_GRAPH_FUNCTION(atanh, 1.0 / ((1.0 - x) * (1.0 + x)))
DAEDALUS_GRAPH_FUNCTION(erfc, -1.12837916709551257390 * exp(-(x * x)))
#undef DAEDALUS_GRAPH_FUNCTION

// Piecewise constant; a NaN passes as by a factor of zero.
inline double number_sign(double x) { return sign_of(x); }
inline double number_trunc(double x) { return std::trunc(x); }
template <class T>
T number_sign(const T& x) {
  return x * 0.0 + sign_of(value_of(x));
}
template <class T>
T number_trunc(const T& x) {
  return x * 0.0 + std::trunc(value_of(x));
}
inline double number_copysign(double x, double y) { return std::copysign(x, y); }
template <class T>
T number_copysign(const T& x, const T& y) {
  return std::signbit(value_of(x)) == std::signbit(value_of(y)) ? x : -x;
}
template <class T>
T number_mod(const T& x, const T& y) {
  return x - std::floor(value_of(x) / value_of(y)) * y;
}
template <class T>
T number_abs(const T& x) {
  using std::fabs;
  return fabs(x);
}
template <class T>
T number_min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
T number_max(const T& a, const T& b) {
  return a < b ? b : a;
}

}  // namespace daedalus::graph
