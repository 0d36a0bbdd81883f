// SPDX-License-Identifier: BSD-3-Clause
// Forward-mode automatic differentiation, N directions at once:
//   x = v + sum_i d_i eps_i,  eps_i eps_j = 0,  hence f(x) = f(v) + f'(v) sum_i d_i eps_i.
// Source: Griewank and Walther, Evaluating Derivatives (SIAM, 2nd edition 2008), chapter 3.
//
// Claim: a NaN put into d_i reaches every result that depends on x structurally, even where the
// factor f'(v) is zero, because no rule skips a multiplication; a sparsity pattern may rely on it.
// What lies behind a branch of the callable itself stays invisible: comparisons see the value only.
// A constant (all d_i zero) keeps zero derivatives wherever f' is finite.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <limits>
#include <type_traits>

namespace daedalus {

// What mixes with a differentiable number over S: plain numbers and S itself.
template <class U, class S>
concept ScalarOf = std::is_arithmetic_v<U> || std::is_same_v<U, S>;

template <class S, int N>
struct Dual {
  // The derivatives first: a copy in blocks of 16 bytes then loads what the vectorised loops
  // stored, otherwise every copy waits for a failed store-to-load forwarding (four times slower).
  std::array<S, N> d{};
  S v{};

  constexpr Dual() = default;
  template <class U>
  requires ScalarOf<U, S>
  constexpr Dual(const U& value) : v(static_cast<S>(value)) {}
  constexpr Dual(const S& value, const std::array<S, N>& derivatives) : d(derivatives), v(value) {}

  // The independent variable number `direction`.
  static constexpr Dual variable(const S& value, int direction) {
    Dual x(value);
    x.d[static_cast<std::size_t>(direction)] = S(1);
    return x;
  }

  // Through a temporary: x *= x must read x before it changes, and the loops stay free of aliasing.
  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }
  template <ScalarOf<S> U>
  constexpr Dual& operator+=(const U& b) {
    return *this = *this + b;
  }
  template <ScalarOf<S> U>
  constexpr Dual& operator-=(const U& b) {
    return *this = *this - b;
  }
  template <ScalarOf<S> U>
  constexpr Dual& operator*=(const U& b) {
    return *this = *this * b;
  }
  template <ScalarOf<S> U>
  constexpr Dual& operator/=(const U& b) {
    return *this = *this / b;
  }
};

using Dual4 = Dual<double, 4>;

template <class T>
inline constexpr bool is_differentiable = false;
template <class S, int N>
inline constexpr bool is_differentiable<Dual<S, N>> = true;

// The innermost number, without any derivative.
constexpr double value_of(double x) { return x; }
template <class S, int N>
constexpr double value_of(const Dual<S, N>& x) {
  return value_of(x.v);
}

namespace detail {

// Four derivatives as two pairs, each of which fills a register of every 64-bit processor. Written
// out: loops are vectorised only after the compiler has decided what stays in registers, so that
// every intermediate result would go through memory.
using Pair = double __attribute__((vector_size(16)));
[[gnu::always_inline]] inline Pair pair(const double* from) {
  Pair p;
  __builtin_memcpy(&p, from, sizeof p);
  return p;
}
[[gnu::always_inline]] inline Pair both(double x) { return Pair{x, x}; }
template <class S, int N>
inline constexpr bool in_pairs = std::is_same_v<S, double>&& N == 4;
[[gnu::always_inline]] inline Dual<double, 4> from_pairs(double value, Pair low, Pair high) {
  Dual<double, 4> r(value);
  __builtin_memcpy(r.d.data(), &low, sizeof low);
  __builtin_memcpy(r.d.data() + 2, &high, sizeof high);
  return r;
}

// f(x) from its value and its derivative.
template <class S, int N>
[[gnu::always_inline]] constexpr Dual<S, N> chain(const S& value, const S& slope,
                                                  const Dual<S, N>& x) {
  if constexpr (in_pairs<S, N>)
    if (!std::is_constant_evaluated()) {
      const Pair s = both(slope);
      return from_pairs(value, s * pair(x.d.data()), s * pair(x.d.data() + 2));
    }
  Dual<S, N> r(value);
  for (int i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
  return r;
}

// f(x, y) from its value and its two partial derivatives.
template <class S, int N>
[[gnu::always_inline]] constexpr Dual<S, N> chain(const S& value, const S& slope_x,
                                                  const Dual<S, N>& x, const S& slope_y,
                                                  const Dual<S, N>& y) {
  if constexpr (in_pairs<S, N>)
    if (!std::is_constant_evaluated()) {
      const Pair a = both(slope_x), b = both(slope_y);
      return from_pairs(value, a * pair(x.d.data()) + b * pair(y.d.data()),
                        a * pair(x.d.data() + 2) + b * pair(y.d.data() + 2));
    }
  Dual<S, N> r(value);
  for (int i = 0; i < N; ++i) r.d[i] = slope_x * x.d[i] + slope_y * y.d[i];
  return r;
}

// The derivatives of a times a plain number.
template <class S, int N, class U>
[[gnu::always_inline]] constexpr Dual<S, N> scaled(const S& value, const Dual<S, N>& a,
                                                   const U& b) {
  if constexpr (in_pairs<S, N> && !std::is_same_v<U, long double>)
    if (!std::is_constant_evaluated()) {
      const Pair s = both(static_cast<double>(b));
      return from_pairs(value, pair(a.d.data()) * s, pair(a.d.data() + 2) * s);
    }
  Dual<S, N> r(value);
  for (int i = 0; i < N; ++i) r.d[i] = static_cast<S>(a.d[i] * b);
  return r;
}

// Zero together with everything nested inside.
constexpr bool vanishes(double x) { return x == 0.0; }
template <class S, int N>
constexpr bool vanishes(const Dual<S, N>& x) {
  bool all = vanishes(x.v);
  for (int i = 0; i < N; ++i) all = all && vanishes(x.d[i]);
  return all;
}

template <class S, int N>
constexpr bool is_constant(const Dual<S, N>& x);
constexpr bool is_constant(double) { return true; }
template <class S, int N>
constexpr bool is_constant(const Dual<S, N>& x) {
  bool all = is_constant(x.v);
  for (int i = 0; i < N; ++i) all = all && vanishes(x.d[i]);
  return all;
}

// `taken` marked with the NaN of `other`: a minimum depends on both arguments, also where the
// slope towards one of them is zero. An infinite slope of the argument not taken must not spoil
// the result, so this is no multiplication by zero.
constexpr double mark(double taken, double other) { return other != other ? other : taken; }
template <class S, int N>
constexpr Dual<S, N> mark(const Dual<S, N>& taken, const Dual<S, N>& other) {
  Dual<S, N> r(mark(taken.v, other.v));
  for (int i = 0; i < N; ++i) r.d[i] = mark(taken.d[i], other.d[i]);
  return r;
}
// The same for derivatives only.
constexpr double mark_derivatives(double taken, double) { return taken; }
template <class S, int N>
constexpr Dual<S, N> mark_derivatives(const Dual<S, N>& taken, const Dual<S, N>& other) {
  Dual<S, N> r(mark_derivatives(taken.v, other.v));
  for (int i = 0; i < N; ++i) r.d[i] = mark(taken.d[i], other.d[i]);
  return r;
}

// x^n, n >= 0, by squaring.
template <class T>
constexpr T natural_power(T x, int n) {
  T r(1);
  bool first = true;
  for (; n > 0; n >>= 1) {
    if (n & 1) {
      r = first ? x : r * x;
      first = false;
    }
    if (n > 1) x = x * x;
  }
  return r;
}
// Beyond this exponent squaring loses more digits than the library's power.
inline constexpr int max_squaring_exponent = 8;

// 4 e^(-2|x|) / (1 + e^(-2|x|))^2 = 1 - tanh(x)^2 without cancellation or overflow.
template <class T>
T squared_hyperbolic_secant(const T& x) {
  using std::exp;
  const T e = x < 0.0 ? exp(2.0 * x) : exp(-2.0 * x);
  const T f = 1.0 / (1.0 + e);
  return 4.0 * e * f * f;
}

}  // namespace detail

// ---- arithmetic ----

template <class S, int N>
constexpr Dual<S, N> operator+(const Dual<S, N>& a) {
  return a;
}
template <class S, int N>
[[gnu::always_inline]] constexpr Dual<S, N> operator-(const Dual<S, N>& a) {
  if constexpr (detail::in_pairs<S, N>)
    if (!std::is_constant_evaluated())
      return detail::from_pairs(-a.v, -detail::pair(a.d.data()), -detail::pair(a.d.data() + 2));
  Dual<S, N> r(-a.v);
  for (int i = 0; i < N; ++i) r.d[i] = -a.d[i];
  return r;
}

template <class S, int N>
[[gnu::always_inline]] constexpr Dual<S, N> operator+(const Dual<S, N>& a, const Dual<S, N>& b) {
  if constexpr (detail::in_pairs<S, N>)
    if (!std::is_constant_evaluated())
      return detail::from_pairs(a.v + b.v, detail::pair(a.d.data()) + detail::pair(b.d.data()),
                                detail::pair(a.d.data() + 2) + detail::pair(b.d.data() + 2));
  Dual<S, N> r(a.v + b.v);
  for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
  return r;
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator+(const Dual<S, N>& a, const U& b) {
  return {static_cast<S>(a.v + b), a.d};
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator+(const U& a, const Dual<S, N>& b) {
  return {static_cast<S>(a + b.v), b.d};
}

template <class S, int N>
[[gnu::always_inline]] constexpr Dual<S, N> operator-(const Dual<S, N>& a, const Dual<S, N>& b) {
  if constexpr (detail::in_pairs<S, N>)
    if (!std::is_constant_evaluated())
      return detail::from_pairs(a.v - b.v, detail::pair(a.d.data()) - detail::pair(b.d.data()),
                                detail::pair(a.d.data() + 2) - detail::pair(b.d.data() + 2));
  Dual<S, N> r(a.v - b.v);
  for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
  return r;
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator-(const Dual<S, N>& a, const U& b) {
  return {static_cast<S>(a.v - b), a.d};
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator-(const U& a, const Dual<S, N>& b) {
  Dual<S, N> r = -b;
  r.v = static_cast<S>(a - b.v);
  return r;
}

template <class S, int N>
constexpr Dual<S, N> operator*(const Dual<S, N>& a, const Dual<S, N>& b) {
  return detail::chain<S, N>(a.v * b.v, b.v, a, a.v, b);
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator*(const Dual<S, N>& a, const U& b) {
  return detail::scaled<S, N>(static_cast<S>(a.v * b), a, b);
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator*(const U& a, const Dual<S, N>& b) {
  return b * a;
}

template <class S, int N>
constexpr Dual<S, N> operator/(const Dual<S, N>& a, const Dual<S, N>& b) {
  const S inverse = 1.0 / b.v;
  const S quotient = a.v / b.v;
  if constexpr (detail::in_pairs<S, N>)
    if (!std::is_constant_evaluated()) {
      const detail::Pair q = detail::both(quotient), s = detail::both(inverse);
      return detail::from_pairs(
          quotient, (detail::pair(a.d.data()) - q * detail::pair(b.d.data())) * s,
          (detail::pair(a.d.data() + 2) - q * detail::pair(b.d.data() + 2)) * s);
    }
  Dual<S, N> r(quotient);
  for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - quotient * b.d[i]) * inverse;
  return r;
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator/(const Dual<S, N>& a, const U& b) {
  return detail::scaled<S, N>(static_cast<S>(a.v / b), a, 1.0 / b);
}
template <class S, int N, ScalarOf<S> U>
constexpr Dual<S, N> operator/(const U& a, const Dual<S, N>& b) {
  const S quotient = static_cast<S>(a / b.v);
  return detail::chain<S, N>(quotient, -quotient / b.v, b);
}

// ---- comparison of the values ----

template <class S, int N>
constexpr bool operator==(const Dual<S, N>& a, const Dual<S, N>& b) {
  return a.v == b.v;
}
template <class S, int N, ScalarOf<S> U>
constexpr bool operator==(const Dual<S, N>& a, const U& b) {
  return a.v == b;
}
template <class S, int N>
constexpr std::partial_ordering operator<=>(const Dual<S, N>& a, const Dual<S, N>& b) {
  return a.v <=> b.v;
}
template <class S, int N, ScalarOf<S> U>
constexpr std::partial_ordering operator<=>(const Dual<S, N>& a, const U& b) {
  return a.v <=> b;
}

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
  constexpr double two_over_root_pi = 1.12837916709551257390;
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

// ---- what linear algebra asks of a real number ----

template <class S, int N>
constexpr Dual<S, N> conj(const Dual<S, N>& x) {
  return x;
}
template <class S, int N>
constexpr Dual<S, N> real(const Dual<S, N>& x) {
  return x;
}
template <class S, int N>
constexpr Dual<S, N> imag(const Dual<S, N>&) {
  return {};
}
template <class S, int N>
constexpr Dual<S, N> abs2(const Dual<S, N>& x) {
  return x * x;
}

}  // namespace daedalus

#include <daedalus/detail/cmath.hpp>
#include <daedalus/detail/dual_eigen.hpp>
#include <daedalus/detail/qualified_calls.hpp>
