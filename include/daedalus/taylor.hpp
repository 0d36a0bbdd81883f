// SPDX-License-Identifier: BSD-3-Clause
// Truncated power series in one variable with normalised coefficients,
//   x(tau) = sum_{k=0}^{K} c_k tau^k,  c_k = x^(k)(0) / k!,
// over S = double or a Dual: then every coefficient carries its own derivatives.
// Source: Griewank and Walther, Evaluating Derivatives (SIAM, 2nd edition 2008), section 13.2,
// tables 13.1 and 13.2; the power also in Jorba and Zou, Experimental Mathematics 14 (2005) 99-117.
//
// As in Dual no multiplication is skipped: a NaN reaches whatever depends on it structurally.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <limits>
#include <type_traits>

#include <daedalus/detail/unroll.hpp>
#include <daedalus/dual.hpp>

namespace daedalus {

template <class S, int K>
struct Taylor {
  static_assert(K >= 1);
  std::array<S, K + 1> c{};

  constexpr Taylor() = default;
  template <class U>
  requires ScalarOf<U, S>
  constexpr Taylor(const U& value) { c[0] = static_cast<S>(value); }
  constexpr explicit Taylor(const std::array<S, K + 1>& coefficients) : c(coefficients) {}

  constexpr Taylor& operator+=(const Taylor& b) { return *this = *this + b; }
  constexpr Taylor& operator-=(const Taylor& b) { return *this = *this - b; }
  constexpr Taylor& operator*=(const Taylor& b) { return *this = *this * b; }
  constexpr Taylor& operator/=(const Taylor& b) { return *this = *this / b; }
  template <ScalarOf<S> U>
  constexpr Taylor& operator+=(const U& b) {
    return *this = *this + b;
  }
  template <ScalarOf<S> U>
  constexpr Taylor& operator-=(const U& b) {
    return *this = *this - b;
  }
  template <ScalarOf<S> U>
  constexpr Taylor& operator*=(const U& b) {
    return *this = *this * b;
  }
  template <ScalarOf<S> U>
  constexpr Taylor& operator/=(const U& b) {
    return *this = *this / b;
  }
};

using Taylor2 = Taylor<double, 2>;
using Taylor2Dual = Taylor<Dual4, 2>;

template <class S, int K>
inline constexpr bool is_differentiable<Taylor<S, K>> = true;

template <class S, int K>
constexpr double value_of(const Taylor<S, K>& x) {
  return value_of(x.c[0]);
}

template <class S, int K>
constexpr const S& leading_part(const Taylor<S, K>& x) {
  return x.c[0];
}
template <class S, int K>
constexpr Taylor<S, K> with_leading_part(Taylor<S, K> x, const S& value) {
  x.c[0] = value;
  return x;
}

namespace detail {

// Coefficient k of a b, leaving out the terms with a_0 ... a_{from-1}.
template <class S, int K>
constexpr S product_coefficient(const Taylor<S, K>& a, const Taylor<S, K>& b, int k, int from = 0) {
  S sum = a.c[from] * b.c[k - from];
  DAEDALUS_UNROLL
  for (int j = from + 1; j <= k; ++j) sum = sum + a.c[j] * b.c[k - j];
  return sum;
}

// Coefficient k >= 1 of v, where v' = w u':  k v_k = sum_{j=1}^{k} j u_j w_{k-j}.
template <class S, int K>
constexpr S integral_coefficient(const Taylor<S, K>& u, const Taylor<S, K>& w, int k) {
  S sum = u.c[1] * w.c[k - 1];
  DAEDALUS_UNROLL
  for (int j = 2; j <= k; ++j) sum = sum + u.c[j] * w.c[k - j] * static_cast<double>(j);
  return k == 1 ? sum : S(sum * (1.0 / k));
}

// v with v(0) = value and v' = slope u'.
template <class S, int K>
constexpr Taylor<S, K> integrate(const S& value, const Taylor<S, K>& slope, const Taylor<S, K>& u) {
  Taylor<S, K> v(value);
  DAEDALUS_UNROLL
  for (int k = 1; k <= K; ++k) v.c[k] = integral_coefficient(u, slope, k);
  return v;
}

template <class S, int K>
constexpr bool is_constant(const Taylor<S, K>& x) {
  bool all = is_constant(x.c[0]);
  for (int k = 1; k <= K; ++k) all = all && vanishes(x.c[k]);
  return all;
}

template <class S, int K>
constexpr Taylor<S, K> mark_derivatives(const Taylor<S, K>& taken, const Taylor<S, K>& other) {
  Taylor<S, K> r(mark_derivatives(taken.c[0], other.c[0]));
  for (int k = 1; k <= K; ++k) r.c[k] = mark(taken.c[k], other.c[k]);
  return r;
}

// A function that is piecewise constant: zero times the coefficients, for the sake of NaN.
template <class S, int K>
constexpr Taylor<S, K> flat(const S& value, const Taylor<S, K>& x) {
  Taylor<S, K> r(value);
  for (int k = 1; k <= K; ++k) r.c[k] = x.c[k] * 0.0;
  return r;
}

}  // namespace detail

// ---- arithmetic ----

template <class S, int K>
constexpr Taylor<S, K> operator+(const Taylor<S, K>& a) {
  return a;
}
template <class S, int K>
constexpr Taylor<S, K> operator-(const Taylor<S, K>& a) {
  Taylor<S, K> r;
  for (int k = 0; k <= K; ++k) r.c[k] = -a.c[k];
  return r;
}

template <class S, int K>
constexpr Taylor<S, K> operator+(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  Taylor<S, K> r;
  DAEDALUS_UNROLL
  for (int k = 0; k <= K; ++k) r.c[k] = a.c[k] + b.c[k];
  return r;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator+(const Taylor<S, K>& a, const U& b) {
  Taylor<S, K> r = a;
  r.c[0] = static_cast<S>(a.c[0] + b);
  return r;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator+(const U& a, const Taylor<S, K>& b) {
  return b + a;
}

template <class S, int K>
constexpr Taylor<S, K> operator-(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  Taylor<S, K> r;
  DAEDALUS_UNROLL
  for (int k = 0; k <= K; ++k) r.c[k] = a.c[k] - b.c[k];
  return r;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator-(const Taylor<S, K>& a, const U& b) {
  Taylor<S, K> r = a;
  r.c[0] = static_cast<S>(a.c[0] - b);
  return r;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator-(const U& a, const Taylor<S, K>& b) {
  Taylor<S, K> r;
  r.c[0] = static_cast<S>(a - b.c[0]);
  for (int k = 1; k <= K; ++k) r.c[k] = -b.c[k];
  return r;
}

template <class S, int K>
constexpr Taylor<S, K> operator*(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  Taylor<S, K> r;
  DAEDALUS_UNROLL
  for (int k = 0; k <= K; ++k) r.c[k] = detail::product_coefficient(a, b, k);
  return r;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator*(const Taylor<S, K>& a, const U& b) {
  Taylor<S, K> r;
  DAEDALUS_UNROLL
  for (int k = 0; k <= K; ++k) r.c[k] = static_cast<S>(a.c[k] * b);
  return r;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator*(const U& a, const Taylor<S, K>& b) {
  return b * a;
}

template <class S, int K>
constexpr Taylor<S, K> operator/(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  const S inverse = 1.0 / b.c[0];
  Taylor<S, K> q(a.c[0] / b.c[0]);
  DAEDALUS_UNROLL
  for (int k = 1; k <= K; ++k) {
    q.c[k] = (a.c[k] - detail::product_coefficient(b, q, k, 1)) * inverse;
  }
  return q;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator/(const Taylor<S, K>& a, const U& b) {
  const auto inverse = 1.0 / b;
  Taylor<S, K> r(static_cast<S>(a.c[0] / b));
  for (int k = 1; k <= K; ++k) r.c[k] = static_cast<S>(a.c[k] * inverse);
  return r;
}
template <class S, int K, ScalarOf<S> U>
constexpr Taylor<S, K> operator/(const U& a, const Taylor<S, K>& b) {
  const S inverse = 1.0 / b.c[0];
  Taylor<S, K> q(static_cast<S>(a / b.c[0]));
  DAEDALUS_UNROLL
  for (int k = 1; k <= K; ++k) q.c[k] = -detail::product_coefficient(b, q, k, 1) * inverse;
  return q;
}

// ---- comparison of the values ----

template <class S, int K>
constexpr bool operator==(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  return a.c[0] == b.c[0];
}
template <class S, int K, ScalarOf<S> U>
constexpr bool operator==(const Taylor<S, K>& a, const U& b) {
  return a.c[0] == b;
}
template <class S, int K>
constexpr std::partial_ordering operator<=>(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  return a.c[0] <=> b.c[0];
}
template <class S, int K, ScalarOf<S> U>
constexpr std::partial_ordering operator<=>(const Taylor<S, K>& a, const U& b) {
  return a.c[0] <=> b;
}

// ---- what linear algebra asks of a real number ----

template <class S, int K>
constexpr Taylor<S, K> conj(const Taylor<S, K>& x) {
  return x;
}
template <class S, int K>
constexpr Taylor<S, K> real(const Taylor<S, K>& x) {
  return x;
}
template <class S, int K>
constexpr Taylor<S, K> imag(const Taylor<S, K>&) {
  return {};
}
template <class S, int K>
constexpr Taylor<S, K> abs2(const Taylor<S, K>& x) {
  return x * x;
}

}  // namespace daedalus

#include <daedalus/detail/taylor_functions.hpp>

namespace Eigen {

template <class S, int K>
struct NumTraits<daedalus::Taylor<S, K>> : daedalus::detail::EigenTraits<daedalus::Taylor<S, K>> {
  enum {
    ReadCost = (K + 1) * int(NumTraits<S>::ReadCost),
    AddCost = (K + 1) * int(NumTraits<S>::AddCost),
    MulCost = (K + 1) * (K + 2) / 2 * (int(NumTraits<S>::MulCost) + int(NumTraits<S>::AddCost))
  };
};

}  // namespace Eigen
