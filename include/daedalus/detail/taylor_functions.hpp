// SPDX-License-Identifier: BSD-3-Clause
// Elementary functions, powers and functions of two arguments of Taylor series; a part of
// <daedalus/taylor.hpp>.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include <daedalus/detail/unroll.hpp>
#include <daedalus/taylor.hpp>

namespace daedalus {

// ---- elementary functions ----

namespace detail {

// Solution of s' = c u', c' = sign s u': sine and cosine (-1), hyperbolic ones (+1).
template <class S, int K>
struct SinePair {
  Taylor<S, K> s, c;
};
template <class S, int K>
SinePair<S, K> sine_pair(const S& s0, const S& c0, double sign, const Taylor<S, K>& u) {
  SinePair<S, K> r{Taylor<S, K>(s0), Taylor<S, K>(c0)};
  DAEDALUS_UNROLL
  for (int k = 1; k <= K; ++k) {
    r.s.c[k] = integral_coefficient(u, r.c, k);
    r.c.c[k] = integral_coefficient(u, r.s, k) * sign;
  }
  return r;
}

// Solution of v' = w u' with w = w0 + sign (v^2 - v_0^2): tangents.
template <class S, int K>
Taylor<S, K> tangent(const S& v0, const S& w0, double sign, const Taylor<S, K>& u) {
  Taylor<S, K> v(v0), w(w0);
  for (int k = 1; k <= K; ++k) {
    v.c[k] = integral_coefficient(u, w, k);
    w.c[k] = product_coefficient(v, v, k) * sign;
  }
  return v;
}

// Solution of v' = v u'.
template <class S, int K>
Taylor<S, K> exponential(const S& v0, const Taylor<S, K>& u) {
  Taylor<S, K> v(v0);
  DAEDALUS_UNROLL
  for (int k = 1; k <= K; ++k) v.c[k] = integral_coefficient(u, v, k);
  return v;
}

// Solution of v^2 = u.
template <class S, int K>
Taylor<S, K> square_root(const S& v0, const Taylor<S, K>& u) {
  const S half_inverse = 0.5 / v0;
  Taylor<S, K> v(v0);
  for (int k = 1; k <= K; ++k) {
    S rest = u.c[k];
    for (int j = 1; j < k; ++j) rest = rest - v.c[j] * v.c[k - j];
    v.c[k] = rest * half_inverse;
  }
  return v;
}

// Solution of u v' = p u' v:  k u_0 v_k = sum_{j=1}^{k} (p j - k + j) u_j v_{k-j}.
template <class S, int K>
Taylor<S, K> power(const S& v0, double p, const Taylor<S, K>& u) {
  const S inverse = 1.0 / u.c[0];
  Taylor<S, K> v(v0);
  for (int k = 1; k <= K; ++k) {
    S sum = u.c[k] * v.c[0] * (p * k);
    for (int j = 1; j < k; ++j) sum = sum + u.c[j] * v.c[k - j] * (p * j - (k - j));
    v.c[k] = sum * inverse * (1.0 / k);
  }
  return v;
}

// The same by composition, sum_m binomial(p, m) u_0^(p-m) (u - u_0)^m: at u_0 = 0 the recurrence
// divides by zero although the leading coefficients exist. A vanishing binomial coefficient ends
// the sum of a whole power; u_0^(p-m) is infinite there and must not be formed.
template <class S, int K>
Taylor<S, K> power_at_zero(double p, const Taylor<S, K>& u) {
  using std::pow;
  Taylor<S, K> shift = u, shift_power(1.0), v(pow(u.c[0], p));
  shift.c[0] = S(0);
  double binomial = 1.0;
  for (int m = 1; m <= K; ++m) {
    binomial *= (p - (m - 1)) / m;
    shift_power = shift_power * shift;
    const S factor = binomial == 0.0 ? S(0) : S(pow(u.c[0], p - m) * binomial);
    for (int k = m; k <= K; ++k) v.c[k] = v.c[k] + shift_power.c[k] * factor;
  }
  return v;
}

}  // namespace detail

template <class S, int K>
Taylor<S, K> sin(const Taylor<S, K>& x) {
  using std::cos, std::sin;
  return detail::sine_pair<S, K>(sin(x.c[0]), cos(x.c[0]), -1.0, x).s;
}
template <class S, int K>
Taylor<S, K> cos(const Taylor<S, K>& x) {
  using std::cos, std::sin;
  return detail::sine_pair<S, K>(sin(x.c[0]), cos(x.c[0]), -1.0, x).c;
}
template <class S, int K>
Taylor<S, K> tan(const Taylor<S, K>& x) {
  using std::tan;
  const S t = tan(x.c[0]);
  return detail::tangent<S, K>(t, 1.0 + t * t, 1.0, x);
}
template <class S, int K>
Taylor<S, K> asin(const Taylor<S, K>& x) {
  using std::asin;
  return detail::integrate<S, K>(asin(x.c[0]), 1.0 / sqrt((1.0 - x) * (1.0 + x)), x);
}
template <class S, int K>
Taylor<S, K> acos(const Taylor<S, K>& x) {
  using std::acos;
  return detail::integrate<S, K>(acos(x.c[0]), -1.0 / sqrt((1.0 - x) * (1.0 + x)), x);
}
template <class S, int K>
Taylor<S, K> atan(const Taylor<S, K>& x) {
  using std::atan;
  return detail::integrate<S, K>(atan(x.c[0]), 1.0 / (1.0 + x * x), x);
}
template <class S, int K>
Taylor<S, K> sinh(const Taylor<S, K>& x) {
  using std::cosh, std::sinh;
  return detail::sine_pair<S, K>(sinh(x.c[0]), cosh(x.c[0]), 1.0, x).s;
}
template <class S, int K>
Taylor<S, K> cosh(const Taylor<S, K>& x) {
  using std::cosh, std::sinh;
  return detail::sine_pair<S, K>(sinh(x.c[0]), cosh(x.c[0]), 1.0, x).c;
}
template <class S, int K>
Taylor<S, K> tanh(const Taylor<S, K>& x) {
  using std::tanh;
  const S slope = detail::squared_hyperbolic_secant(x.c[0]);
  return detail::tangent<S, K>(tanh(x.c[0]), slope, -1.0, x);
}
template <class S, int K>
Taylor<S, K> exp(const Taylor<S, K>& x) {
  using std::exp;
  return detail::exponential<S, K>(exp(x.c[0]), x);
}
template <class S, int K>
Taylor<S, K> expm1(const Taylor<S, K>& x) {
  using std::expm1;
  Taylor<S, K> r = exp(x);
  r.c[0] = expm1(x.c[0]);
  return r;
}
template <class S, int K>
Taylor<S, K> log(const Taylor<S, K>& x) {
  using std::log;
  return detail::integrate<S, K>(log(x.c[0]), 1.0 / x, x);
}
template <class S, int K>
Taylor<S, K> log1p(const Taylor<S, K>& x) {
  using std::log1p;
  return detail::integrate<S, K>(log1p(x.c[0]), 1.0 / (1.0 + x), x);
}
template <class S, int K>
Taylor<S, K> sqrt(const Taylor<S, K>& x) {
  using std::sqrt;
  return detail::square_root<S, K>(sqrt(x.c[0]), x);
}
template <class S, int K>
Taylor<S, K> cbrt(const Taylor<S, K>& x) {
  using std::cbrt;
  return detail::power<S, K>(cbrt(x.c[0]), 1.0 / 3.0, x);
}
template <class S, int K>
Taylor<S, K> erf(const Taylor<S, K>& x) {
  using std::erf;
  constexpr double two_over_root_pi = 2.0 * std::numbers::inv_sqrtpi;
  return detail::integrate<S, K>(erf(x.c[0]), two_over_root_pi * exp(-(x * x)), x);
}

// At zero the series of the positive side.
template <class S, int K>
constexpr Taylor<S, K> abs(const Taylor<S, K>& x) {
  return x.c[0] < 0.0 ? -x : x;
}
template <class S, int K>
constexpr Taylor<S, K> fabs(const Taylor<S, K>& x) {
  return abs(x);
}
template <class S, int K>
Taylor<S, K> floor(const Taylor<S, K>& x) {
  using std::floor;
  return detail::flat<S, K>(floor(x.c[0]), x);
}
template <class S, int K>
Taylor<S, K> ceil(const Taylor<S, K>& x) {
  using std::ceil;
  return detail::flat<S, K>(ceil(x.c[0]), x);
}
template <class S, int K>
Taylor<S, K> round(const Taylor<S, K>& x) {
  using std::round;
  return detail::flat<S, K>(round(x.c[0]), x);
}
template <class S, int K>
bool isfinite(const Taylor<S, K>& x) {
  return std::isfinite(value_of(x));
}
template <class S, int K>
bool isnan(const Taylor<S, K>& x) {
  return std::isnan(value_of(x));
}

// ---- powers ----

template <class S, int K, class U>
requires std::is_floating_point_v<U> Taylor<S, K> pow(const Taylor<S, K>& x, const U& exponent) {
  using std::pow;
  const double p = static_cast<double>(exponent);
  if (x.c[0] == 0.0) return detail::power_at_zero<S, K>(p, x);
  return detail::power<S, K>(pow(x.c[0], p), p, x);
}
template <class S, int K, class I>
requires std::is_integral_v<I> Taylor<S, K> pow(const Taylor<S, K>& x, const I& exponent) {
  using std::pow;
  if (exponent > static_cast<I>(detail::max_squaring_exponent) || exponent < I(0))
    return pow(x, static_cast<double>(exponent));
  const int n = static_cast<int>(exponent);
  if (n == 0) return detail::flat<S, K>(pow(x.c[0], 0), x);
  return detail::natural_power(x, n);
}
template <class S, int K, class U>
requires std::is_arithmetic_v<U> Taylor<S, K> pow(const U& base, const Taylor<S, K>& b) {
  using std::pow;
  const double a = static_cast<double>(base);
  const S power = pow(a, b.c[0]);
  if (a > 0.0) return detail::exponential<S, K>(power, b * std::log(a));
  if (a == 0.0 && b.c[0] > 0.0) return detail::flat<S, K>(power, b);
  Taylor<S, K> r(power);
  for (int k = 1; k <= K; ++k) {
    if (!detail::vanishes(b.c[k])) r.c[k] = S(std::numeric_limits<double>::quiet_NaN());
  }
  return r;
}
// A base that is not positive admits a constant exponent, a constant base zero any positive one;
// elsewhere the logarithm answers with NaN.
template <class S, int K>
Taylor<S, K> pow(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  using std::pow;
  if (!(a.c[0] > 0.0)) {
    if (detail::is_constant(b)) return pow(a, value_of(b));
    if (detail::is_constant(a)) return pow(value_of(a), b);
  }
  return detail::exponential<S, K>(pow(a.c[0], b.c[0]), b * log(a));
}

// ---- functions of two arguments; a plain number is a constant ----

template <class S, int K>
Taylor<S, K> atan2(const Taylor<S, K>& y, const Taylor<S, K>& x) {
  using std::atan2;
  const Taylor<S, K> inverse = 1.0 / (x * x + y * y);
  const Taylor<S, K> slope_y = x * inverse, slope_x = -(y * inverse);
  Taylor<S, K> r(atan2(y.c[0], x.c[0]));
  for (int k = 1; k <= K; ++k) {
    r.c[k] =
        detail::integral_coefficient(y, slope_y, k) + detail::integral_coefficient(x, slope_x, k);
  }
  return r;
}
template <class S, int K>
Taylor<S, K> hypot(const Taylor<S, K>& x, const Taylor<S, K>& y) {
  using std::hypot;
  return detail::square_root<S, K>(hypot(x.c[0], y.c[0]), x * x + y * y);
}
template <class S, int K>
constexpr Taylor<S, K> min(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  return b < a ? detail::mark_derivatives(b, a) : detail::mark_derivatives(a, b);
}
template <class S, int K>
constexpr Taylor<S, K> max(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  return a < b ? detail::mark_derivatives(b, a) : detail::mark_derivatives(a, b);
}
// As in the C library a NaN argument gives way to the other one.
template <class S, int K>
constexpr Taylor<S, K> fmin(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  return a != a ? b : min(a, b);
}
template <class S, int K>
constexpr Taylor<S, K> fmax(const Taylor<S, K>& a, const Taylor<S, K>& b) {
  return a != a ? b : max(a, b);
}

#define DAEDALUS_MIXED_ARGUMENTS(function)                             \
  template <class S, int K, ScalarOf<S> U>                             \
  constexpr Taylor<S, K> function(const Taylor<S, K>& a, const U& b) { \
    return function(a, Taylor<S, K>(b));                               \
  }                                                                    \
  template <class S, int K, ScalarOf<S> U>                             \
  constexpr Taylor<S, K> function(const U& a, const Taylor<S, K>& b) { \
    return function(Taylor<S, K>(a), b);                               \
  }
DAEDALUS_MIXED_ARGUMENTS(atan2)
DAEDALUS_MIXED_ARGUMENTS(hypot)
DAEDALUS_MIXED_ARGUMENTS(min)
DAEDALUS_MIXED_ARGUMENTS(max)
DAEDALUS_MIXED_ARGUMENTS(fmin)
DAEDALUS_MIXED_ARGUMENTS(fmax)
#undef DAEDALUS_MIXED_ARGUMENTS

}  // namespace daedalus

#undef DAEDALUS_UNROLL
