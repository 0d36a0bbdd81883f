// A number that writes down how it was computed, so that a callable can be evaluated afterwards in
// Taylor arithmetic of any order, together with its derivatives (src/function/graph.hpp). The
// library needs it for derivatives of equations with respect to time of order two and more;
// comparisons see the value, so that what is written down is the branch taken at that point.
// Everything but the value is done in the library: a callable over this type is cheap to compile.
#pragma once

#include <compare>

#include <daedalus/dual.hpp>

namespace daedalus {

class Graph;

struct Recorded {
  double v = 0.0;
  Graph* graph = nullptr;  // null: a constant
  int node = -1;

  constexpr Recorded() = default;
  template <class U>
  requires std::is_arithmetic_v<U>
  constexpr Recorded(U value) : v(static_cast<double>(value)) {}
  constexpr Recorded(double value, Graph* g, int n) : v(value), graph(g), node(n) {}

  Recorded& operator+=(const Recorded& b);
  Recorded& operator-=(const Recorded& b);
  Recorded& operator*=(const Recorded& b);
  Recorded& operator/=(const Recorded& b);
};

template <>
inline constexpr bool is_differentiable<Recorded> = true;
constexpr double value_of(const Recorded& x) { return x.v; }

Recorded operator+(const Recorded& a, const Recorded& b);
Recorded operator-(const Recorded& a, const Recorded& b);
Recorded operator*(const Recorded& a, const Recorded& b);
Recorded operator/(const Recorded& a, const Recorded& b);
Recorded operator-(const Recorded& a);
inline Recorded operator+(const Recorded& a) { return a; }

// Comparisons of what depends on an input are written down as well: where they turn out otherwise,
// the callable may take another branch.
namespace detail {
void note_comparison(const Recorded& a, const Recorded& b);
}
inline bool operator==(const Recorded& a, const Recorded& b) {
  if (a.graph || b.graph) detail::note_comparison(a, b);
  return a.v == b.v;
}
inline std::partial_ordering operator<=>(const Recorded& a, const Recorded& b) {
  if (a.graph || b.graph) detail::note_comparison(a, b);
  return a.v <=> b.v;
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
Recorded exp(const Recorded& x);
Recorded expm1(const Recorded& x);
Recorded log(const Recorded& x);
Recorded log1p(const Recorded& x);
Recorded sqrt(const Recorded& x);
Recorded cbrt(const Recorded& x);
Recorded erf(const Recorded& x);
namespace detail {
Recorded power(const Recorded& x, double exponent);
Recorded power(const Recorded& x, long exponent);
Recorded power(double base, const Recorded& exponent);
}  // namespace detail
// The same derivatives with the value of the C library.
Recorded with_leading_part(const Recorded& x, double value);
constexpr double leading_part(const Recorded& x) { return x.v; }
Recorded pow(const Recorded& x, const Recorded& exponent);
template <class U>
requires std::is_arithmetic_v<U> Recorded pow(const Recorded& x, const U& exponent) {
  if constexpr (std::is_integral_v<U>)
    return detail::power(x, static_cast<long>(exponent));
  else
    return detail::power(x, static_cast<double>(exponent));
}
template <class U>
requires std::is_arithmetic_v<U> Recorded pow(const U& base, const Recorded& exponent) {
  return detail::power(static_cast<double>(base), exponent);
}
Recorded atan2(const Recorded& y, const Recorded& x);
Recorded hypot(const Recorded& x, const Recorded& y);
Recorded floor(const Recorded& x);
Recorded ceil(const Recorded& x);
Recorded round(const Recorded& x);
bool isfinite(const Recorded& x);
bool isnan(const Recorded& x);

// Comparisons that choose a branch, as those of the callable itself do.
inline Recorded abs(const Recorded& x) { return x < Recorded(0.0) ? -x : x; }
inline Recorded fabs(const Recorded& x) { return abs(x); }
inline Recorded min(const Recorded& a, const Recorded& b) { return b < a ? b : a; }
inline Recorded max(const Recorded& a, const Recorded& b) { return a < b ? b : a; }
inline Recorded fmin(const Recorded& a, const Recorded& b) { return a != a ? b : min(a, b); }
inline Recorded fmax(const Recorded& a, const Recorded& b) { return a != a ? b : max(a, b); }

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
