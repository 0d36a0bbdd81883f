// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/recorded.hpp>

#include <cmath>

#include "function/graph.hpp"

namespace daedalus {
namespace {

using Operation = Graph::Operation;

bool is(const Recorded& x, double value) { return !x.graph && x.v == value; }

Recorded combine(Operation operation, const Recorded& a, const Recorded& b) {
  return (a.graph ? a.graph : b.graph)->binary(operation, a, b);
}

// z = f(x) with dz = slope(z) dx.
template <class Slope>
Recorded unary(double value, const Recorded& x, Slope&& slope) {
  if (!x.graph) return value;
  const Recorded z = x.graph->integral(value, x);
  x.graph->set_slope(z, slope(z));
  return z;
}

// s' = c x', c' = sign s x'.
struct Pair {
  Recorded s, c;
};
Pair sine_pair(double s0, double c0, double sign, const Recorded& x) {
  if (!x.graph) return {s0, c0};
  const Recorded s = x.graph->integral(s0, x), c = x.graph->integral(c0, x);
  x.graph->set_slope(s, c);
  x.graph->set_slope(c, sign > 0.0 ? s : -s);
  return {s, c};
}

}  // namespace

Recorded operator+(const Recorded& a, const Recorded& b) {
  if (!a.graph && !b.graph) return a.v + b.v;
  if (is(a, 0.0)) return b;
  if (is(b, 0.0)) return a;
  return combine(Operation::add, a, b);
}
Recorded operator-(const Recorded& a, const Recorded& b) {
  if (!a.graph && !b.graph) return a.v - b.v;
  if (is(b, 0.0)) return a;
  return combine(Operation::subtract, a, b);
}
Recorded operator*(const Recorded& a, const Recorded& b) {
  if (!a.graph && !b.graph) return a.v * b.v;
  if (is(a, 1.0)) return b;
  if (is(b, 1.0)) return a;
  if (is(a, 0.0) || is(b, 0.0)) return 0.0;
  return combine(Operation::multiply, a, b);
}
Recorded operator/(const Recorded& a, const Recorded& b) {
  if (!a.graph && !b.graph) return a.v / b.v;
  if (is(b, 1.0)) return a;
  if (is(a, 0.0) && b.v != 0.0) return 0.0;
  return combine(Operation::divide, a, b);
}
Recorded operator-(const Recorded& a) {
  return a.graph ? combine(Operation::subtract, 0.0, a) : Recorded(-a.v);
}

Recorded& Recorded::operator+=(const Recorded& b) { return *this = *this + b; }
Recorded& Recorded::operator-=(const Recorded& b) { return *this = *this - b; }
Recorded& Recorded::operator*=(const Recorded& b) { return *this = *this * b; }
Recorded& Recorded::operator/=(const Recorded& b) { return *this = *this / b; }

Recorded sin(const Recorded& x) { return sine_pair(std::sin(x.v), std::cos(x.v), -1.0, x).s; }
Recorded cos(const Recorded& x) { return sine_pair(std::sin(x.v), std::cos(x.v), -1.0, x).c; }
Recorded sinh(const Recorded& x) { return sine_pair(std::sinh(x.v), std::cosh(x.v), 1.0, x).s; }
Recorded cosh(const Recorded& x) { return sine_pair(std::sinh(x.v), std::cosh(x.v), 1.0, x).c; }
Recorded tan(const Recorded& x) {
  return unary(std::tan(x.v), x, [](const Recorded& z) { return 1.0 + z * z; });
}
Recorded tanh(const Recorded& x) {
  return unary(std::tanh(x.v), x, [](const Recorded& z) { return (1.0 - z) * (1.0 + z); });
}
Recorded asin(const Recorded& x) {
  return unary(std::asin(x.v), x,
               [&](const Recorded&) { return 1.0 / sqrt((1.0 - x) * (1.0 + x)); });
}
Recorded acos(const Recorded& x) {
  return unary(std::acos(x.v), x,
               [&](const Recorded&) { return -1.0 / sqrt((1.0 - x) * (1.0 + x)); });
}
Recorded atan(const Recorded& x) {
  return unary(std::atan(x.v), x, [&](const Recorded&) { return 1.0 / (1.0 + x * x); });
}
Recorded exp(const Recorded& x) {
  return unary(std::exp(x.v), x, [](const Recorded& z) { return z; });
}
Recorded expm1(const Recorded& x) {
  return unary(std::expm1(x.v), x, [](const Recorded& z) { return z + 1.0; });
}
Recorded log(const Recorded& x) {
  return unary(std::log(x.v), x, [&](const Recorded&) { return 1.0 / x; });
}
Recorded log1p(const Recorded& x) {
  return unary(std::log1p(x.v), x, [&](const Recorded&) { return 1.0 / (1.0 + x); });
}
Recorded sqrt(const Recorded& x) {
  return unary(std::sqrt(x.v), x, [](const Recorded& z) { return 0.5 / z; });
}
Recorded cbrt(const Recorded& x) {
  return unary(std::cbrt(x.v), x, [](const Recorded& z) { return 1.0 / (3.0 * z * z); });
}
Recorded erf(const Recorded& x) {
  constexpr double two_over_root_pi = 1.12837916709551257390;
  return unary(std::erf(x.v), x, [&](const Recorded&) { return two_over_root_pi * exp(-(x * x)); });
}

Recorded detail::power(const Recorded& x, double p) {
  const double value = std::pow(x.v, p);
  if (!x.graph || p == 0.0) return value;
  if (p == 1.0) return x;
  // At zero x^p / x is undefined, while p x^(p-1) is not as long as p > 1.
  return unary(value, x, [&](const Recorded& z) {
    return x.v != 0.0 && std::isfinite(value) ? p * z / x : p * pow(x, p - 1.0);
  });
}
Recorded detail::power(const Recorded& x, long n) {
  if (n >= 0 && n <= max_squaring_exponent) return natural_power(x, static_cast<int>(n));
  return power(x, static_cast<double>(n));
}
Recorded pow(const Recorded& a, const Recorded& b) {
  if (!b.graph) return pow(a, b.v);
  if (!a.graph) return pow(a.v, b);
  return exp(b * log(a));
}
Recorded detail::power(double a, const Recorded& b) {
  if (!b.graph) return std::pow(a, b.v);
  if (a == 0.0 && b.v > 0.0) return 0.0;
  return exp(b * std::log(a));
}

// Up to a constant the angle is an arc tangent, of y / x or of -x / y.
Recorded atan2(const Recorded& y, const Recorded& x) {
  const double value = std::atan2(y.v, x.v);
  if (!y.graph && !x.graph) return value;
  const Recorded angle = std::fabs(x.v) >= std::fabs(y.v) ? atan(y / x) : -atan(x / y);
  return with_leading_part(angle, value);
}
Recorded with_leading_part(const Recorded& x, double value) {
  if (!x.graph || !std::isfinite(x.v)) return value;
  return x + (value - x.v);
}
void detail::note_comparison(const Recorded& a, const Recorded& b) {
  (a.graph ? a.graph : b.graph)->note_comparison(a, b);
}
Recorded hypot(const Recorded& x, const Recorded& y) { return sqrt(x * x + y * y); }
Recorded floor(const Recorded& x) { return std::floor(x.v); }
Recorded ceil(const Recorded& x) { return std::ceil(x.v); }
Recorded round(const Recorded& x) { return std::round(x.v); }
bool isfinite(const Recorded& x) { return std::isfinite(x.v); }
bool isnan(const Recorded& x) { return std::isnan(x.v); }

}  // namespace daedalus
