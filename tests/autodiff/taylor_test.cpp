// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of f(u(tau)) for every elementary function against Cauchy's integral
//   c_k = (1 / 2 pi i) \oint f(u(z)) / z^(k+1) dz,
// by the trapezoidal rule in long double, which converges geometrically for analytic f
// (Lyness and Moler, SIAM J. Numer. Anal. 4 (1967) 202-210).
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "daedalus/taylor.hpp"

namespace daedalus::taylor_test {
namespace {

using Real = long double;
using Complex = std::complex<Real>;

constexpr std::array<double, 5> tail{0.7, -0.4, 0.3, 0.15, -0.2};
constexpr std::array<double, 5> other_tail{-0.3, 0.5, 0.1, -0.25, 0.35};

template <class S, int K>
Taylor<S, K> series(double start, const std::array<double, 5>& higher) {
  Taylor<S, K> u(start);
  for (int k = 1; k <= K; ++k) u.c[k] = S(higher[k - 1]);
  return u;
}

// The truncation at degree K does not touch the coefficients up to K.
Complex polynomial(double start, const std::array<double, 5>& higher, int degree, Complex z) {
  Complex sum = 0, power = 1;
  for (int k = 1; k <= degree; ++k) sum += Complex(higher[k - 1]) * (power *= z);
  return Complex(start) + sum;
}

Complex erf_series(Complex z) {
  Complex term = z, sum = z;
  for (int n = 1; n < 200; ++n) {
    term *= -z * z / Complex(n);
    sum += term / Complex(2 * n + 1);
  }
  return sum * Complex(2 / std::sqrt(std::numbers::pi_v<Real>));
}

// One formula for both worlds: `f(u, w)` in series, `g(u, w)` in complex numbers.
struct Rule {
  const char* name;
  Taylor<double, 2> (*low)(const Taylor<double, 2>&, const Taylor<double, 2>&);
  Taylor<double, 5> (*high)(const Taylor<double, 5>&, const Taylor<double, 5>&);
  Complex (*exact)(Complex, Complex);
  std::vector<double> points;
};

template <int K>
double worst_error(const Rule& rule) {
  constexpr int samples = 256;
  constexpr Real radius = 0.2L;
  double worst = 0.0;
  for (const double start : rule.points) {
    const auto u = series<double, K>(start, tail), w = series<double, K>(0.9, other_tail);
    Taylor<double, K> r;
    if constexpr (K == 2) r = rule.low(u, w);
    if constexpr (K == 5) r = rule.high(u, w);
    std::array<Complex, K + 1> exact{};
    for (int n = 0; n < samples; ++n) {
      const Complex z = std::polar(radius, 2 * std::numbers::pi_v<Real> * n / samples);
      const Complex f =
          rule.exact(polynomial(start, tail, K, z), polynomial(0.9, other_tail, K, z));
      Complex power = 1;
      for (int k = 0; k <= K; ++k, power *= z) exact[k] += f / power / Complex(samples);
    }
    Real largest = 0;
    for (const Complex& c : exact) largest = std::max(largest, std::fabs(c.real()));
    for (int k = 0; k <= K; ++k) {
      const Real scale = std::max({std::fabs(exact[k].real()), 1e-2L * largest, 1e-3L});
      const double relative = static_cast<double>(std::fabs(r.c[k] - exact[k].real()) / scale);
      worst = std::isfinite(relative) ? std::fmax(worst, relative) : INFINITY;
    }
  }
  return worst;
}

template <class F>
constexpr Rule rule(const char* name, F f, Complex (*exact)(Complex, Complex),
                    std::vector<double> points) {
  return {name, f, f, exact, std::move(points)};
}

const std::vector<double> everywhere{-2.3, -1.0, -0.4, 0.0, 0.6, 1.9};
const std::vector<double> positive{0.5, 1.0, 7.25, 3e4};
const std::vector<double> inside{-0.6, 0.0, 0.3, 0.55};
const std::vector<double> nonzero{-3.0, -0.5, 0.5, 2.0};

std::vector<Rule> rules() {
  using C = Complex;
  return {
      rule(
          "product", [](auto& u, auto& w) { return u * w - 2 * u + w; },
          [](C u, C w) { return u * w - C(2) * u + w; }, everywhere),
      rule(
          "quotient", [](auto& u, auto& w) { return u / w + 1.0 / w - w / 3; },
          [](C u, C w) { return u / w + C(1) / w - w / C(3); }, everywhere),
      rule(
          "sin", [](auto& u, auto&) { return sin(u); }, [](C u, C) { return std::sin(u); },
          everywhere),
      rule(
          "cos", [](auto& u, auto&) { return cos(u); }, [](C u, C) { return std::cos(u); },
          everywhere),
      rule(
          "tan", [](auto& u, auto&) { return tan(u); }, [](C u, C) { return std::tan(u); }, inside),
      rule(
          "asin", [](auto& u, auto&) { return asin(u); }, [](C u, C) { return std::asin(u); },
          inside),
      rule(
          "acos", [](auto& u, auto&) { return acos(u); }, [](C u, C) { return std::acos(u); },
          inside),
      rule(
          "atan", [](auto& u, auto&) { return atan(u); }, [](C u, C) { return std::atan(u); },
          everywhere),
      rule(
          "sinh", [](auto& u, auto&) { return sinh(u); }, [](C u, C) { return std::sinh(u); },
          everywhere),
      rule(
          "cosh", [](auto& u, auto&) { return cosh(u); }, [](C u, C) { return std::cosh(u); },
          everywhere),
      rule(
          "tanh", [](auto& u, auto&) { return tanh(u); }, [](C u, C) { return std::tanh(u); },
          everywhere),
      rule(
          "exp", [](auto& u, auto&) { return exp(u); }, [](C u, C) { return std::exp(u); },
          everywhere),
      rule(
          "expm1", [](auto& u, auto&) { return expm1(u); },
          [](C u, C) { return std::exp(u) - C(1); }, everywhere),
      rule(
          "log", [](auto& u, auto&) { return log(u); }, [](C u, C) { return std::log(u); },
          positive),
      rule(
          "log1p", [](auto& u, auto&) { return log1p(u); },
          [](C u, C) { return std::log(C(1) + u); }, {-0.4, 0.0, 3.0}),
      rule(
          "sqrt", [](auto& u, auto&) { return sqrt(u); }, [](C u, C) { return std::sqrt(u); },
          positive),
      rule(
          "cbrt", [](auto& u, auto&) { return cbrt(u); },
          [](C u, C) {
            return u.real() < 0 ? -std::pow(-u, C(1) / C(3)) : std::pow(u, C(1) / C(3));
          },
          nonzero),
      rule(
          "erf", [](auto& u, auto&) { return erf(u); }, [](C u, C) { return erf_series(u); },
          everywhere),
      rule(
          "abs", [](auto& u, auto&) { return abs(u); },
          [](C u, C) { return u.real() < 0 ? -u : u; }, nonzero),
      rule(
          "u^2.5", [](auto& u, auto&) { return pow(u, 2.5); },
          [](C u, C) { return std::pow(u, C(2.5)); }, positive),
      rule(
          "u^2.0", [](auto& u, auto&) { return pow(u, 2.0); }, [](C u, C) { return u * u; },
          everywhere),
      rule(
          "u^3", [](auto& u, auto&) { return pow(u, 3); }, [](C u, C) { return u * u * u; },
          everywhere),
      rule(
          "u^-2", [](auto& u, auto&) { return pow(u, -2); }, [](C u, C) { return C(1) / (u * u); },
          nonzero),
      rule(
          "u^11", [](auto& u, auto&) { return pow(u, 11); }, [](C u, C) { return std::pow(u, 11); },
          nonzero),
      rule(
          "1.7^u", [](auto& u, auto&) { return pow(1.7, u); },
          [](C u, C) { return std::exp(u * C(std::log(Real(1.7)))); }, everywhere),
      rule(
          "u^w", [](auto& u, auto& w) { return pow(u, w); },
          [](C u, C w) { return std::pow(u, w); }, {0.5, 1.0, 7.25}),
      rule(
          "hypot", [](auto& u, auto& w) { return hypot(u, w); },
          [](C u, C w) { return std::sqrt(u * u + w * w); }, everywhere),
      rule(
          "atan2 right", [](auto& u, auto& w) { return atan2(u, w); },
          [](C u, C w) { return std::atan(u / w); }, everywhere),
      rule(
          "atan2 left", [](auto& u, auto& w) { return atan2(u, -w); },
          [](C u, C w) {
            return C(u.real() < 0 ? -1 : 1) * C(std::numbers::pi_v<Real>) - std::atan(u / w);
          },
          nonzero),
      rule(
          "atan2 upper", [](auto& u, auto& w) { return atan2(w, u); },
          [](C u, C w) { return C(std::numbers::pi_v<Real> / 2) - std::atan(u / w); }, everywhere),
      rule(
          "atan2 lower", [](auto& u, auto& w) { return atan2(-w, u); },
          [](C u, C w) { return std::atan(u / w) - C(std::numbers::pi_v<Real> / 2); }, everywhere),
  };
}

TEST(Taylor, CoefficientsOfAllFunctionsAgreeWithCauchysIntegral) {
  for (const Rule& r : rules()) {
    EXPECT_LT(worst_error<2>(r), 1e-13) << r.name;
    EXPECT_LT(worst_error<5>(r), 1e-13) << r.name;
  }
}

TEST(Taylor, CheckerCatchesWrongRules) {
  // Forgets that the exponential's own coefficients enter: right to first order only.
  const Rule first_order = rule(
      "exp",
      [](auto& u, auto&) {
        auto r = u * std::exp(u.c[0]);
        r.c[0] = std::exp(u.c[0]);
        return r;
      },
      [](Complex u, Complex) { return std::exp(u); }, everywhere);
  EXPECT_GT(worst_error<2>(first_order), 1e-2);
  // Derivatives instead of normalised coefficients.
  const Rule unscaled = rule(
      "sin",
      [](auto& u, auto&) {
        auto r = sin(u);
        r.c[2] *= 2;
        return r;
      },
      [](Complex u, Complex) { return std::sin(u); }, everywhere);
  EXPECT_GT(worst_error<2>(unscaled), 1e-1);
  EXPECT_GT(worst_error<5>(unscaled), 1e-1);
}

// The derivative of f(u(tau + s)) with respect to s is the derivative with respect to tau, so the
// series over Dual with direction u' must give (k + 1) times the next coefficient.
template <class F>
double shift_error(F f, double start) {
  const auto u = series<double, 3>(start, tail), w = series<double, 3>(0.9, other_tail);
  const auto exact = f(u, w);
  Taylor2Dual du, dw;
  for (int k = 0; k <= 2; ++k) {
    du.c[k] = Dual4(u.c[k], {0, 0, (k + 1) * u.c[k + 1], 0});
    dw.c[k] = Dual4(w.c[k], {0, 0, (k + 1) * w.c[k + 1], 0});
  }
  const Taylor2Dual r = f(du, dw);
  double worst = 0.0, largest = 0.0;
  for (int k = 0; k <= 3; ++k) largest = std::fmax(largest, std::fabs(exact.c[k]));
  for (int k = 0; k <= 2; ++k) {
    const double value = std::fabs(r.c[k].v - exact.c[k]);
    const double slope = std::fabs(r.c[k].d[2] - (k + 1) * exact.c[k + 1]);
    worst = std::fmax(worst, std::isfinite(value + slope) ? (value + slope) / largest : INFINITY);
    for (const int i : {0, 1, 3}) worst = r.c[k].d[i] == 0.0 ? worst : INFINITY;
  }
  return worst;
}

TEST(Taylor, OverDualEveryFunctionDifferentiatesItsCoefficients) {
  const auto all = [](double start) {
    double e = 0.0;
    const auto check = [&](auto f) { e = std::fmax(e, shift_error(f, start)); };
    check([](auto& u, auto& w) { return u * w / (2.0 + u * u) - 1.0 / w + w / 3.0; });
    check([](auto& u, auto&) { return sin(u) * cos(u) + tan(u) + sinh(u) - cosh(u) + tanh(u); });
    check([](auto& u, auto&) { return asin(u) - 3 * acos(u) + atan(u) + erf(u); });
    check([](auto& u, auto&) { return exp(u) + expm1(u) + log1p(u); });
    check([](auto& u, auto&) { return pow(u, 2) + pow(u, 3.0) - pow(u, 11) + pow(1.7, u); });
    check([](auto& u, auto& w) { return atan2(u, w) + atan2(w, u) + hypot(u, w) + abs(u); });
    check([](auto& u, auto& w) { return max(u, w) + fmin(u, 0.1) - fmax(u, -3) + floor(u); });
    if (start > 0) {
      check([](auto& u, auto& w) { return log(u) + sqrt(u) + pow(u, 2.5) + pow(u, w); });
    }
    if (start != 0) {
      check([](auto& u, auto&) { return cbrt(u) + pow(u, -3) + pow(u, -2.0); });
    }
    return e;
  };
  for (const double start : {-0.6, -0.3, 0.0, 0.2, 0.6}) EXPECT_LT(all(start), 1e-13) << start;
  // Control: a rule whose derivative part is lost.
  const auto lossy = [](auto& u, auto&) {
    auto r = sin(u);
    r.c[1] = value_of(r.c[1]);
    return r;
  };
  EXPECT_GT(shift_error(lossy, 0.2), 1e-2);
}

TEST(Taylor, PowersAtZero) {
  const auto u = series<double, 5>(0.0, tail);
  const auto square = u * u;
  // Not bit by bit: a compiler may contract a product and a sum while it folds constants.
  for (int k = 0; k <= 5; ++k) {
    EXPECT_NEAR(pow(u, 2).c[k], square.c[k], 1e-16);
    EXPECT_NEAR(pow(u, 2.0).c[k], square.c[k], 1e-16);
    EXPECT_NEAR(pow(u, (Taylor<double, 5>(2))).c[k], square.c[k], 1e-16);
  }
  EXPECT_EQ(pow(u, 0).c, (Taylor<double, 5>(1).c));
  EXPECT_EQ(pow(u, 0.0).c, (Taylor<double, 5>(1).c));
  EXPECT_EQ(pow(u, 1.0).c, u.c);
  EXPECT_EQ(pow(u, 12).c, (Taylor<double, 5>(0).c));
  EXPECT_DOUBLE_EQ(pow(u, 3).c[3], 0.7 * 0.7 * 0.7);
  // tau^2.5: coefficients below the exponent exist, those above are infinite.
  const auto root = pow(u, 2.5);
  for (int k = 0; k <= 2; ++k) EXPECT_EQ(root.c[k], 0.0);
  EXPECT_EQ(root.c[3], INFINITY);
  // A negative base takes a constant whole exponent, a base zero a positive exponent.
  const auto negative = series<double, 5>(-1.5, tail);
  const auto cube = negative * negative * negative;
  for (int k = 0; k <= 5; ++k) {
    EXPECT_NEAR(pow(negative, (Taylor<double, 5>(3))).c[k], cube.c[k], 1e-13);
  }
  EXPECT_EQ(pow(0.0, series<double, 5>(2.0, tail)).c, (Taylor<double, 5>(0).c));
  EXPECT_TRUE(std::isnan(pow(-1.0, series<double, 5>(2.0, tail)).c[1]));
  EXPECT_EQ(pow(-1.0, (Taylor<double, 5>(2.0))).c[1], 0.0);
}

TEST(Taylor, SelectionRoundingAndComparison) {
  const auto u = series<double, 2>(1.25, tail), w = series<double, 2>(2.0, other_tail);
  EXPECT_EQ(max(u, w).c, w.c);
  EXPECT_EQ(fmin(u, w).c, u.c);
  EXPECT_EQ(max(u, 3.0).c, Taylor2(3).c);
  EXPECT_EQ(floor(u).c, Taylor2(1).c);
  EXPECT_EQ(ceil(u).c, Taylor2(2).c);
  EXPECT_EQ(round(u).c, Taylor2(1).c);
  EXPECT_EQ(abs(series<double, 2>(0.0, tail)).c[1], 0.7);
  EXPECT_TRUE(u < w && u <= 1.25 && 1 < u && w == 2 && u != w && isfinite(u) && !isnan(u));
  Taylor2 v = u;
  v *= v;
  EXPECT_EQ(v.c, (u * u).c);
  static_assert((Taylor2(3.0) * 2 - 1).c[0] == 5.0 && value_of(Taylor2Dual(1.5)) == 1.5);
}

}  // namespace
}  // namespace daedalus::taylor_test
