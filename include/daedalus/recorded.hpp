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

constexpr bool operator==(const Recorded& a, const Recorded& b) { return a.v == b.v; }
constexpr std::partial_ordering operator<=>(const Recorded& a, const Recorded& b) {
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
Recorded pow(const Recorded& x, double exponent);
Recorded pow(const Recorded& x, int exponent);
Recorded pow(const Recorded& x, const Recorded& exponent);
Recorded pow(double base, const Recorded& exponent);
Recorded atan2(const Recorded& y, const Recorded& x);
Recorded hypot(const Recorded& x, const Recorded& y);
Recorded floor(const Recorded& x);
Recorded ceil(const Recorded& x);
Recorded round(const Recorded& x);
bool isfinite(const Recorded& x);
bool isnan(const Recorded& x);

inline Recorded abs(const Recorded& x) { return x.v < 0.0 ? -x : x; }
inline Recorded fabs(const Recorded& x) { return abs(x); }
inline Recorded min(const Recorded& a, const Recorded& b) { return b < a ? b : a; }
inline Recorded max(const Recorded& a, const Recorded& b) { return a < b ? b : a; }
inline Recorded fmin(const Recorded& a, const Recorded& b) { return a != a ? b : min(a, b); }
inline Recorded fmax(const Recorded& a, const Recorded& b) { return a != a ? b : max(a, b); }

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
