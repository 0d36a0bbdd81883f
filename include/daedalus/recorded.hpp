// SPDX-License-Identifier: BSD-3-Clause
// A number that writes down how it was computed, so that a callable becomes an expression graph
// (<daedalus/graph.hpp>): evaluated again at other points, in Taylor arithmetic of any order, with
// exact derivatives. Comparisons see the value and choose a branch, as they do for plain numbers;
// each becomes a guard, and where a guard fails the callable has to be recorded again
// (src/core/function/recording.hpp). Everything but the value is done in the library: a callable
// over this type is cheap to compile.
#pragma once

#include <daedalus/dual.hpp>

namespace daedalus {

class Recording;

struct Recorded {
  double v = 0.0;
  Recording* recording = nullptr;  // null: a constant
  int node = -1;

  constexpr Recorded() = default;
  template <class U>
  requires std::is_arithmetic_v<U>
  constexpr Recorded(U value) : v(static_cast<double>(value)) {}
  constexpr Recorded(double value, Recording* r, int n) : v(value), recording(r), node(n) {}

  Recorded& operator+=(const Recorded& b);
  Recorded& operator-=(const Recorded& b);
  Recorded& operator*=(const Recorded& b);
  Recorded& operator/=(const Recorded& b);
};

template <>
inline constexpr bool is_differentiable<Recorded> = true;

Recorded operator+(const Recorded& a, const Recorded& b);
Recorded operator-(const Recorded& a, const Recorded& b);
Recorded operator*(const Recorded& a, const Recorded& b);
Recorded operator/(const Recorded& a, const Recorded& b);
Recorded operator-(const Recorded& a);
inline Recorded operator+(const Recorded& a) { return a; }

// Comparisons of what depends on an input are written down as guards.
namespace detail {
enum class Compared { less, less_equal, equal };
bool compare(const Recorded& a, const Recorded& b, Compared how);
void note_value_read(const Recorded& x);
}  // namespace detail
inline bool operator<(const Recorded& a, const Recorded& b) {
  return detail::compare(a, b, detail::Compared::less);
}
inline bool operator>(const Recorded& a, const Recorded& b) { return b < a; }
inline bool operator<=(const Recorded& a, const Recorded& b) {
  return detail::compare(a, b, detail::Compared::less_equal);
}
inline bool operator>=(const Recorded& a, const Recorded& b) { return b <= a; }
inline bool operator==(const Recorded& a, const Recorded& b) {
  return detail::compare(a, b, detail::Compared::equal);
}
// What is done with the value is not seen: such a recording holds at its point only.
inline double value_of(const Recorded& x) {
  if (x.recording) detail::note_value_read(x);
  return x.v;
}

Recorded sin(const Recorded& x);
Recorded cos(const Recorded& x);
Recorded tan(const Recorded& x);
Recorded asin(const Recorded& x);
Recorded acos(const Recorded& x);
Recorded atan(const Recorded& x);
Recorded sinh(const Recorded& x);
Recorded cosh(const Recorded& x);
Recorded tanh(const Recorded& x);
Recorded asinh(const Recorded& x);
Recorded acosh(const Recorded& x);
Recorded atanh(const Recorded& x);
Recorded exp(const Recorded& x);
Recorded exp2(const Recorded& x);
Recorded expm1(const Recorded& x);
Recorded log(const Recorded& x);
Recorded log2(const Recorded& x);
Recorded log10(const Recorded& x);
Recorded log1p(const Recorded& x);
Recorded sqrt(const Recorded& x);
Recorded cbrt(const Recorded& x);
Recorded erf(const Recorded& x);
Recorded erfc(const Recorded& x);
namespace detail {
Recorded power(const Recorded& x, const Recorded& exponent);
}
// The same derivatives with the value of the C library. How that depends on the inputs is not
// known: such a recording holds at its point only.
Recorded with_leading_part(const Recorded& x, double value);
constexpr double leading_part(const Recorded& x) { return x.v; }
inline Recorded pow(const Recorded& x, const Recorded& exponent) {
  return detail::power(x, exponent);
}
template <class U>
requires std::is_arithmetic_v<U> Recorded pow(const Recorded& x, const U& exponent) {
  return detail::power(x, Recorded(exponent));
}
template <class U>
requires std::is_arithmetic_v<U> Recorded pow(const U& base, const Recorded& exponent) {
  return detail::power(Recorded(base), exponent);
}
Recorded atan2(const Recorded& y, const Recorded& x);
Recorded hypot(const Recorded& x, const Recorded& y);
Recorded copysign(const Recorded& x, const Recorded& y);
Recorded floor(const Recorded& x);
Recorded ceil(const Recorded& x);
Recorded round(const Recorded& x);
Recorded trunc(const Recorded& x);
Recorded fma(const Recorded& a, const Recorded& b, const Recorded& c);
bool isfinite(const Recorded& x);
bool isnan(const Recorded& x);

// Kinks are kept in the graph, both sides of them; they are no guards.
Recorded abs(const Recorded& x);
Recorded min(const Recorded& a, const Recorded& b);
Recorded max(const Recorded& a, const Recorded& b);
inline Recorded fabs(const Recorded& x) { return abs(x); }
inline Recorded fmin(const Recorded& a, const Recorded& b) { return isnan(a) ? b : min(a, b); }
inline Recorded fmax(const Recorded& a, const Recorded& b) { return isnan(a) ? b : max(a, b); }

#define DAEDALUS_MIXED_ARGUMENTS(function)                                            \
  template <class U>                                                                  \
  requires std::is_arithmetic_v<U> Recorded function(const Recorded& a, const U& b) { \
    return function(a, Recorded(b));                                                  \
  }                                                                                   \
  template <class U>                                                                  \
  requires std::is_arithmetic_v<U> Recorded function(const U& a, const Recorded& b) { \
    return function(Recorded(a), b);                                                  \
  }
DAEDALUS_MIXED_ARGUMENTS(atan2)
DAEDALUS_MIXED_ARGUMENTS(hypot)
DAEDALUS_MIXED_ARGUMENTS(min)
DAEDALUS_MIXED_ARGUMENTS(max)
DAEDALUS_MIXED_ARGUMENTS(fmin)
DAEDALUS_MIXED_ARGUMENTS(fmax)
#undef DAEDALUS_MIXED_ARGUMENTS

inline Recorded conj(const Recorded& x) { return x; }
inline Recorded real(const Recorded& x) { return x; }
inline Recorded imag(const Recorded&) { return {}; }
inline Recorded abs2(const Recorded& x) { return x * x; }

}  // namespace daedalus

namespace Eigen {

template <>
struct NumTraits<daedalus::Recorded> : daedalus::detail::EigenTraits<daedalus::Recorded> {
  enum { ReadCost = 2, AddCost = 20, MulCost = 20 };
};

}  // namespace Eigen
