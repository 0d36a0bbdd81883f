// SPDX-License-Identifier: BSD-3-Clause
// Elementary functions, powers and functions of two arguments of dual numbers; a part of
// <daedalus/dual.hpp>.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include <daedalus/dual.hpp>

namespace daedalus {

// ---- elementary functions ----

template <class S, int N>
Dual<S, N> sin(const Dual<S, N>& x) {
  using std::cos, std::sin;
  return detail::chain<S, N>(sin(x.v), cos(x.v), x);
}
template <class S, int N>
Dual<S, N> cos(const Dual<S, N>& x) {
  using std::cos, std::sin;
  return detail::chain<S, N>(cos(x.v), -sin(x.v), x);
}
template <class S, int N>
Dual<S, N> tan(const Dual<S, N>& x) {
  using std::tan;
  const S t = tan(x.v);
  return detail::chain<S, N>(t, 1.0 + t * t, x);
}
template <class S, int N>
Dual<S, N> asin(const Dual<S, N>& x) {
  using std::asin, std::sqrt;
  return detail::chain<S, N>(asin(x.v), 1.0 / sqrt((1.0 - x.v) * (1.0 + x.v)), x);
}
template <class S, int N>
Dual<S, N> acos(const Dual<S, N>& x) {
  using std::acos, std::sqrt;
  return detail::chain<S, N>(acos(x.v), -1.0 / sqrt((1.0 - x.v) * (1.0 + x.v)), x);
}
template <class S, int N>
Dual<S, N> atan(const Dual<S, N>& x) {
  using std::atan;
  return detail::chain<S, N>(atan(x.v), 1.0 / (1.0 + x.v * x.v), x);
}
template <class S, int N>
Dual<S, N> sinh(const Dual<S, N>& x) {
  using std::cosh, std::sinh;
  return detail::chain<S, N>(sinh(x.v), cosh(x.v), x);
}
template <class S, int N>
Dual<S, N> cosh(const Dual<S, N>& x) {
  using std::cosh, std::sinh;
  return detail::chain<S, N>(cosh(x.v), sinh(x.v), x);
}
template <class S, int N>
Dual<S, N> tanh(const Dual<S, N>& x) {
  using std::tanh;
  return detail::chain<S, N>(tanh(x.v), detail::squared_hyperbolic_secant(x.v), x);
}
template <class S, int N>
Dual<S, N> exp(const Dual<S, N>& x) {
  using std::exp;
  const S e = exp(x.v);
  return detail::chain<S, N>(e, e, x);
}
template <class S, int N>
Dual<S, N> expm1(const Dual<S, N>& x) {
  using std::exp, std::expm1;
  return detail::chain<S, N>(expm1(x.v), exp(x.v), x);
}
template <class S, int N>
Dual<S, N> log(const Dual<S, N>& x) {
  using std::log;
  return detail::chain<S, N>(log(x.v), 1.0 / x.v, x);
}
template <class S, int N>
Dual<S, N> log1p(const Dual<S, N>& x) {
  using std::log1p;
  return detail::chain<S, N>(log1p(x.v), 1.0 / (1.0 + x.v), x);
}
template <class S, int N>
Dual<S, N> sqrt(const Dual<S, N>& x) {
  using std::sqrt;
  const S root = sqrt(x.v);
  return detail::chain<S, N>(root, 0.5 / root, x);
}
template <class S, int N>
Dual<S, N> cbrt(const Dual<S, N>& x) {
  using std::cbrt;
  const S root = cbrt(x.v);
  return detail::chain<S, N>(root, 1.0 / (3.0 * root * root), x);
}
template <class S, int N>
Dual<S, N> erf(const Dual<S, N>& x) {
  using std::erf, std::exp;
  constexpr double two_over_root_pi = 2.0 * std::numbers::inv_sqrtpi;
  return detail::chain<S, N>(erf(x.v), two_over_root_pi * exp(-x.v * x.v), x);
}

// At zero the slope of the positive side.
template <class S, int N>
constexpr Dual<S, N> abs(const Dual<S, N>& x) {
  return x.v < 0.0 ? -x : x;
}
template <class S, int N>
constexpr Dual<S, N> fabs(const Dual<S, N>& x) {
  return abs(x);
}
template <class S, int N>
Dual<S, N> floor(const Dual<S, N>& x) {
  using std::floor;
  return detail::chain<S, N>(floor(x.v), S(0), x);
}
template <class S, int N>
Dual<S, N> ceil(const Dual<S, N>& x) {
  using std::ceil;
  return detail::chain<S, N>(ceil(x.v), S(0), x);
}
template <class S, int N>
Dual<S, N> round(const Dual<S, N>& x) {
  using std::round;
  return detail::chain<S, N>(round(x.v), S(0), x);
}
template <class S, int N>
bool isfinite(const Dual<S, N>& x) {
  return std::isfinite(value_of(x));
}
template <class S, int N>
bool isnan(const Dual<S, N>& x) {
  return std::isnan(value_of(x));
}

// ---- powers ----

namespace detail {

// Slope of a^b in the direction of b, without the factor db: a^b log(a). For a < 0 there is none
// (a^b is real for whole b only) and for a = 0, b <= 0 it is infinite or undefined.
template <class S>
struct ExponentSlope {
  S slope{};
  bool exists = true;
};
template <class S>
ExponentSlope<S> exponent_slope(const S& base, const S& exponent, const S& power) {
  using std::log;
  if (base > 0.0) return {power * log(base), true};
  if (base == 0.0 && exponent > 0.0) return {power * 0.0, true};
  return {S(std::numeric_limits<double>::quiet_NaN()), false};
}
// A constant exponent is no reason for a NaN where the slope does not exist.
template <class S, int N>
void add_exponent_part(Dual<S, N>& r, const ExponentSlope<S>& e, const Dual<S, N>& b) {
  for (int i = 0; i < N; ++i) {
    if (e.exists || !vanishes(b.d[i])) r.d[i] = r.d[i] + e.slope * b.d[i];
  }
}
// p x^(p-1), from x^p where that is safe.
template <class S>
S power_slope(const S& x, const S& p, const S& power) {
  using std::pow;
  if (vanishes(p)) return 0.0 * power;
  const double size = std::fabs(value_of(power));
  const bool safe = size >= std::numeric_limits<double>::min() &&
                    size <= std::numeric_limits<double>::max() && x != 0.0;
  return safe ? S(p * power / x) : S(p * pow(x, p - 1.0));
}

}  // namespace detail

template <class S, int N, class U>
requires std::is_floating_point_v<U> Dual<S, N> pow(const Dual<S, N>& x, const U& exponent) {
  using std::pow;
  const double p = static_cast<double>(exponent);
  const S power = pow(x.v, p);
  return detail::chain<S, N>(power, detail::power_slope<S>(x.v, S(p), power), x);
}
template <class S, int N, class I>
requires std::is_integral_v<I> Dual<S, N> pow(const Dual<S, N>& x, const I& exponent) {
  if (exponent > static_cast<I>(detail::max_squaring_exponent) || exponent < I(0))
    return pow(x, static_cast<double>(exponent));
  const int n = static_cast<int>(exponent);
  if (n == 0) return detail::chain<S, N>(S(1), S(0), x);
  const S lower = detail::natural_power(x.v, n - 1);
  return detail::chain<S, N>(lower * x.v, static_cast<double>(n) * lower, x);
}
template <class S, int N>
Dual<S, N> pow(const Dual<S, N>& a, const Dual<S, N>& b) {
  using std::pow;
  const S power = pow(a.v, b.v);
  Dual<S, N> r = detail::chain<S, N>(power, detail::power_slope<S>(a.v, b.v, power), a);
  detail::add_exponent_part(r, detail::exponent_slope<S>(a.v, b.v, power), b);
  return r;
}
template <class S, int N, class U>
requires std::is_arithmetic_v<U> Dual<S, N> pow(const U& base, const Dual<S, N>& b) {
  using std::pow;
  const double a = static_cast<double>(base);
  const S power = pow(a, b.v);
  Dual<S, N> r(power);
  detail::add_exponent_part(r, detail::exponent_slope<S>(S(a), b.v, power), b);
  return r;
}

// ---- functions of two arguments; a plain number is a constant ----

template <class S, int N>
Dual<S, N> atan2(const Dual<S, N>& y, const Dual<S, N>& x) {
  using std::atan2, std::hypot;
  const S inverse = 1.0 / hypot(x.v, y.v);
  return detail::chain<S, N>(atan2(y.v, x.v), x.v * inverse * inverse, y,
                             -(y.v * inverse * inverse), x);
}
template <class S, int N>
Dual<S, N> hypot(const Dual<S, N>& x, const Dual<S, N>& y) {
  using std::hypot;
  const S h = hypot(x.v, y.v);
  return detail::chain<S, N>(h, x.v / h, x, y.v / h, y);
}
template <class S, int N>
constexpr Dual<S, N> min(const Dual<S, N>& a, const Dual<S, N>& b) {
  return b < a ? detail::mark_derivatives(b, a) : detail::mark_derivatives(a, b);
}
template <class S, int N>
constexpr Dual<S, N> max(const Dual<S, N>& a, const Dual<S, N>& b) {
  return a < b ? detail::mark_derivatives(b, a) : detail::mark_derivatives(a, b);
}
// As in the C library a NaN argument gives way to the other one.
template <class S, int N>
constexpr Dual<S, N> fmin(const Dual<S, N>& a, const Dual<S, N>& b) {
  return a != a ? b : min(a, b);
}
template <class S, int N>
constexpr Dual<S, N> fmax(const Dual<S, N>& a, const Dual<S, N>& b) {
  return a != a ? b : max(a, b);
}

#define DAEDALUS_MIXED_ARGUMENTS(function)                         \
  template <class S, int N, ScalarOf<S> U>                         \
  constexpr Dual<S, N> function(const Dual<S, N>& a, const U& b) { \
    return function(a, Dual<S, N>(b));                             \
  }                                                                \
  template <class S, int N, ScalarOf<S> U>                         \
  constexpr Dual<S, N> function(const U& a, const Dual<S, N>& b) { \
    return function(Dual<S, N>(a), b);                             \
  }
DAEDALUS_MIXED_ARGUMENTS(atan2)
DAEDALUS_MIXED_ARGUMENTS(hypot)
DAEDALUS_MIXED_ARGUMENTS(min)
DAEDALUS_MIXED_ARGUMENTS(max)
DAEDALUS_MIXED_ARGUMENTS(fmin)
DAEDALUS_MIXED_ARGUMENTS(fmax)
#undef DAEDALUS_MIXED_ARGUMENTS

}  // namespace daedalus
