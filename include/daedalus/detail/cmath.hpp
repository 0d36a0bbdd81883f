// SPDX-License-Identifier: BSD-3-Clause
// What of <cmath> is a combination of functions that all numbers with derivatives have: one text
// for dual numbers, Taylor series and recorded numbers. The value itself comes from the C library,
// so that a branch on it is the branch of the plain callable. A part of <daedalus/dual.hpp>.
// Not here: tgamma and lgamma, whose derivatives the C library does not have.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include <daedalus/dual.hpp>

namespace daedalus {

// Part zero of a number, and the number with another one.
template <class S, int N>
constexpr const S& leading_part(const Dual<S, N>& x) {
  return x.v;
}
template <class S, int N>
constexpr Dual<S, N> with_leading_part(Dual<S, N> x, const S& value) {
  x.v = value;
  return x;
}

namespace detail {

// The number type of a mixture with plain numbers.
template <class... T>
struct NumberOf;
template <class A, class... Rest>
struct NumberOf<A, Rest...>
    : std::conditional_t<is_differentiable<A>, std::type_identity<A>, NumberOf<Rest...>> {};
template <>
struct NumberOf<> {};
template <class T>
inline constexpr bool number_or_plain = is_differentiable<T> || std::is_arithmetic_v<T>;
// Stricter than what refuses qualified calls (qualified_calls.hpp), hence preferred to it.
template <class T>
concept Argument = NumberWithDerivatives<T> && number_or_plain<T>;
template <class... T>
concept Mixture = SomeWithDerivatives<T...> &&(number_or_plain<T>&&...);

inline constexpr double ln_2 = std::numbers::ln2, ln_10 = std::numbers::ln10;

}  // namespace detail

template <detail::Argument T>
T log10(const T& x) {
  using std::log10;
  return with_leading_part(log(x) * (1.0 / detail::ln_10), log10(leading_part(x)));
}
template <detail::Argument T>
T log2(const T& x) {
  using std::log2;
  return with_leading_part(log(x) * (1.0 / detail::ln_2), log2(leading_part(x)));
}
template <detail::Argument T>
T exp2(const T& x) {
  using std::exp2;
  return with_leading_part(exp(x * detail::ln_2), exp2(leading_part(x)));
}
template <detail::Argument T>
T asinh(const T& x) {
  using std::asinh;
  const T size = x < 0.0 ? T(-x) : x;
  const T root = log(size + hypot(size, T(1.0)));
  return with_leading_part(x < 0.0 ? T(-root) : root, asinh(leading_part(x)));
}
template <detail::Argument T>
T acosh(const T& x) {
  using std::acosh;
  return with_leading_part(log(x + sqrt((x - 1.0) * (x + 1.0))), acosh(leading_part(x)));
}
template <detail::Argument T>
T atanh(const T& x) {
  using std::atanh;
  return with_leading_part(0.5 * (log1p(x) - log1p(-x)), atanh(leading_part(x)));
}
template <detail::Argument T>
T erfc(const T& x) {
  using std::erfc;
  return with_leading_part(1.0 - erf(x), erfc(leading_part(x)));
}

// Piecewise constant; floor keeps the structural dependence.
template <detail::Argument T>
T trunc(const T& x) {
  using std::trunc;
  return with_leading_part(floor(x), trunc(leading_part(x)));
}
template <detail::Argument T>
T rint(const T& x) {
  using std::rint;
  return with_leading_part(floor(x), rint(leading_part(x)));
}
template <detail::Argument T>
T nearbyint(const T& x) {
  return rint(x);
}
template <detail::Argument T>
bool isinf(const T& x) {
  return std::isinf(value_of(x));
}
template <detail::Argument T>
bool signbit(const T& x) {
  return std::signbit(value_of(x));
}
template <detail::Argument T>
T ldexp(const T& x, int exponent) {
  return x * std::ldexp(1.0, exponent);
}

template <class A, class B>
requires detail::Mixture<A, B>
typename detail::NumberOf<A, B>::type copysign(const A& a, const B& b) {
  using T = typename detail::NumberOf<A, B>::type;
  const bool turned = std::signbit(static_cast<double>(value_of(T(a)))) !=
                      std::signbit(static_cast<double>(value_of(T(b))));
  return turned ? T(-T(a)) : T(a);
}
template <class A, class B>
requires detail::Mixture<A, B>
typename detail::NumberOf<A, B>::type fdim(const A& a, const B& b) {
  using T = typename detail::NumberOf<A, B>::type;
  const T difference = T(a) - T(b);
  return difference > 0.0 ? difference : difference * 0.0;
}
// a - n b with a whole n, which does not change nearby.
template <class A, class B>
requires detail::Mixture<A, B>
typename detail::NumberOf<A, B>::type fmod(const A& a, const B& b) {
  using T = typename detail::NumberOf<A, B>::type;
  using std::fmod;
  const T x(a), y(b);
  return with_leading_part(x - std::trunc(value_of(x) / value_of(y)) * y,
                           fmod(leading_part(x), leading_part(y)));
}
template <class A, class B>
requires detail::Mixture<A, B>
typename detail::NumberOf<A, B>::type remainder(const A& a, const B& b) {
  using T = typename detail::NumberOf<A, B>::type;
  using std::remainder;
  const T x(a), y(b);
  return with_leading_part(x - std::rint(value_of(x) / value_of(y)) * y,
                           remainder(leading_part(x), leading_part(y)));
}
template <class A, class B, class C>
requires detail::Mixture<A, B, C>
typename detail::NumberOf<A, B, C>::type fma(const A& a, const B& b, const C& c) {
  using T = typename detail::NumberOf<A, B, C>::type;
  using std::fma;
  const T x(a), y(b), z(c);
  return with_leading_part(x * y + z, fma(leading_part(x), leading_part(y), leading_part(z)));
}
template <class A, class B, class C>
requires detail::Mixture<A, B, C>
typename detail::NumberOf<A, B, C>::type hypot(const A& a, const B& b, const C& c) {
  using T = typename detail::NumberOf<A, B, C>::type;
  using std::hypot;
  const T x(a), y(b), z(c);
  return with_leading_part(hypot(hypot(x, y), z),
                           hypot(leading_part(x), leading_part(y), leading_part(z)));
}

}  // namespace daedalus
