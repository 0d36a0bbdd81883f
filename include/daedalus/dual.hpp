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
template <class T>
concept NumberWithDerivatives = is_differentiable<T>;
template <class... T>
concept SomeWithDerivatives = (is_differentiable<T> || ...);

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

#include <daedalus/detail/dual_functions.hpp>

#include <daedalus/detail/cmath.hpp>
#include <daedalus/detail/dual_eigen.hpp>
#include <daedalus/detail/qualified_calls.hpp>
