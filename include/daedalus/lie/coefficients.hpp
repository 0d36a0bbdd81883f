// SPDX-License-Identifier: BSD-3-Clause
// Coefficient functions of rotations, as functions of u = a^2, a = |w|:
//   phi_m(u) = sum_k (-u)^k / (2k + m)!:  phi_0 = cos a,  phi_1 = sin a / a,
//   phi_2 = (1 - cos a) / a^2,  phi_3 = (a - sin a) / a^3,
//   kappa(u) = (1 - (a/2) cot(a/2)) / a^2 = sum_k |B_2k| u^(k-1) / (2k)!.
// They are analytic in u, so they hold for dual numbers and Taylor series at w = 0 too. The closed
// forms cancel for small a, those of the derivatives still at a = 1; here series are used up to
// a = pi, for kappa after its pole at a = 2 pi has been taken out.
// Claim: relative error below 1e-14 for a in [0, pi], first and second derivatives included; phi_0
// and phi_1 next to their zeros absolute, 1e-15. Recurrences beyond:
//   2 u phi_m' = phi_{m-1} - m phi_m,   kappa = -phi_2' / phi_2.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <daedalus/dual.hpp>
#include <daedalus/taylor.hpp>

namespace daedalus::lie {

namespace detail {

// Constants are as precise as the numbers they meet.
template <class S>
using Constant = std::conditional_t<std::is_same_v<S, long double>, long double, double>;

inline constexpr int terms = 17;          // 1e-21 for u = 10 and the second derivative
inline constexpr int terms_if_small = 9;  // 1e-22 for u = 1/4
inline constexpr double small = 0.25;
inline constexpr double series_up_to = 10.0;  // just above pi^2

// Coefficients of the derivative of the given order of phi_m.
template <class C, int m, int order>
constexpr std::array<C, terms> entire_coefficients() {
  std::array<C, terms> c{};
  for (int n = 0; n < terms; ++n) {
    const int k = n + order;
    long double value = k % 2 == 0 ? 1.0L : -1.0L;
    for (int i = 2; i <= 2 * k + m; ++i) value /= i;
    for (int i = 0; i < order; ++i) value *= k - i;
    c[static_cast<std::size_t>(n)] = static_cast<C>(value);
  }
  return c;
}

// |B_2k| / (2k)!, k = 1, 2, ...
inline constexpr std::array<long double, 10> cotangent_coefficients{
    8.333333333333333333333e-2L,  1.388888888888888888889e-3L,  3.306878306878306878307e-5L,
    8.267195767195767195767e-7L,  2.087675698786809897921e-8L,  5.284190138687493184848e-10L,
    1.338253653068467883283e-11L, 3.389680296322582866830e-13L, 8.586062056277844564136e-15L,
    2.174868698558061873042e-16L};
// The same less 2 / (2 pi)^(2k): what is left of kappa without its pole at a = 2 pi. The terms fall
// like (u / (4 pi)^2)^k, and all of them are positive.
inline constexpr std::array<long double, 20> remaining_coefficients{
    3.267274151216444761139e-2L,  1.056411070533469902448e-4L,  5.637370282876845302614e-7L,
    3.357141926657451360089e-9L,  2.074287290416604553669e-11L, 1.300048213869897396491e-13L,
    8.196052055691008598398e-16L, 5.180118196169724315179e-18L, 3.277539174701791839820e-20L,
    2.074740187859360451721e-22L, 1.313624180716653377764e-24L, 8.318003195189264091425e-27L,
    5.267262996834230872835e-29L, 3.335484298822144331260e-31L, 2.112206332318388545683e-33L,
    1.337566409321524445682e-35L, 8.470227328650246642672e-38L, 5.363831046655698646314e-40L,
    3.396684826649780699200e-42L, 2.150975551183256736797e-44L};
inline constexpr long double pole = 39.47841760435743447534L;  // (2 pi)^2

template <class C, int order, std::size_t count>
constexpr std::array<C, count - 1> derivative(const std::array<long double, count>& of) {
  std::array<C, count - 1> c{};
  for (std::size_t n = 0; n < count - 1; ++n)
    c[n] = static_cast<C>(of[n + order] * (order == 0 ? 1.0L : static_cast<long double>(n + 1)));
  return c;
}

template <class S, class Table>
S horner(const S& u, const Table& c, int count) {
  S sum(c[static_cast<std::size_t>(count - 1)]);
  for (int k = count - 2; k >= 0; --k) sum = sum * u + c[static_cast<std::size_t>(k)];
  return sum;
}

// Beyond the series: phi_m = (1 / (m-2)! - phi_{m-2}) / u and the recurrence of the derivatives.
template <int m, int order, class S>
S entire_closed(const S& u) {
  using std::cos, std::sin, std::sqrt;
  using C = Constant<S>;
  if constexpr (order > 0 && m == 0) {
    return C(-0.5) * entire_closed<1, order - 1>(u);
  } else if constexpr (order > 0) {
    return (entire_closed<m - 1, order - 1>(u) -
            C(m + 2 * (order - 1)) * entire_closed<m, order - 1>(u)) /
           (C(2) * u);
  } else if constexpr (m == 0) {
    return cos(sqrt(u));
  } else if constexpr (m == 1) {
    const S a = sqrt(u);
    return sin(a) / a;
  } else {
    return (C(m < 4 ? 1.0 : m == 4 ? 0.5 : 1.0 / 6.0) - entire_closed<m - 2, 0>(u)) / u;
  }
}

}  // namespace detail

// The derivative of the given order of phi_m, m = 0 ... 5.
template <int m, int order = 0, class S>
S entire(const S& u) {
  static_assert(m >= 0 && m <= 5 && order >= 0);
  static constexpr auto table = detail::entire_coefficients<detail::Constant<S>, m, order>();
  const double value = value_of(u);
  if (value < detail::small) return detail::horner(u, table, detail::terms_if_small);
  if (value < detail::series_up_to) return detail::horner(u, table, detail::terms);
  return detail::entire_closed<m, order>(u);
}

template <class S>
S sine_quotient(const S& u) {
  return entire<1>(u);
}
template <class S>
S cosine_quotient(const S& u) {
  return entire<2>(u);
}
template <class S>
S cubic_quotient(const S& u) {
  return entire<3>(u);
}
// kappa (order 0) or its derivative (order 1).
template <int order = 0, class S>
S cotangent_quotient(const S& u) {
  static_assert(order == 0 || order == 1);
  using C = detail::Constant<S>;
  if (value_of(u) < detail::small) {
    static constexpr auto table = detail::derivative<C, order>(detail::cotangent_coefficients);
    return detail::horner(u, table, 9);
  }
  if (value_of(u) < detail::series_up_to) {
    static constexpr auto table = detail::derivative<C, order>(detail::remaining_coefficients);
    const S inverse = C(1) / (static_cast<C>(detail::pole) - u);
    const S rest = detail::horner(u, table, 19);
    if constexpr (order == 0) return C(2) * inverse + rest;
    return C(2) * inverse * inverse + rest;
  }
  const S c = cosine_quotient(u);
  const S kappa = -entire<2, 1>(u) / c;
  if constexpr (order == 0) return kappa;
  return kappa * kappa - entire<2, 2>(u) / c;
}

}  // namespace daedalus::lie
