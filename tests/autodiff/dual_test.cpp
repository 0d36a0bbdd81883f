// SPDX-License-Identifier: BSD-3-Clause
// Slopes of every elementary function against closed forms in long double, at points in all parts
// of the domain; directions are independent, values are those of the library function.
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "daedalus/dual.hpp"

namespace daedalus {
namespace {

using Real = long double;

struct Rule {
  const char* name;
  Dual4 (*function)(const Dual4&);
  double (*value)(double);
  Real (*slope)(Real);
  std::vector<double> points;
};

constexpr std::array<double, 4> directions{1.0, -2.5, 0.0, 1e-3};

// Largest relative error of value and derivatives; infinite where one is not finite.
double worst_error(const Rule& rule) {
  double worst = 0.0;
  for (const double x : rule.points) {
    const Dual4 r = rule.function(Dual4(x, directions));
    const double value = rule.value(x);
    const double error_of_value = std::fabs(r.v - value);
    worst = std::isfinite(error_of_value)
                ? std::fmax(worst, error_of_value / std::fmax(std::fabs(value), 1e-300))
                : INFINITY;
    for (int i = 0; i < 4; ++i) {
      const Real exact = rule.slope(x) * directions[i];
      const Real error = std::fabs(r.d[i] - exact);
      const double relative = static_cast<double>(exact == 0 ? error : error / std::fabs(exact));
      worst = std::isfinite(relative) ? std::fmax(worst, relative) : INFINITY;
    }
  }
  return worst;
}

const std::vector<double> everywhere{-3.7, -1.0, -0.3, -1e-9, 1e-9, 0.2, 1.0, 2.9, 11.5};
const std::vector<double> positive{1e-12, 0.04, 0.5, 1.0, 7.25, 3e8};
const std::vector<double> inside{-0.999, -0.5, -1e-7, 0.0, 0.3, 0.9, 0.9999999};

std::vector<Rule> rules() {
  using R = Real;
  return {
      {"sin", [](const Dual4& x) { return sin(x); }, [](double x) { return std::sin(x); },
       [](R x) { return std::cos(x); }, everywhere},
      {"cos", [](const Dual4& x) { return cos(x); }, [](double x) { return std::cos(x); },
       [](R x) { return -std::sin(x); }, everywhere},
      {"tan", [](const Dual4& x) { return tan(x); }, [](double x) { return std::tan(x); },
       [](R x) { return 1 / (std::cos(x) * std::cos(x)); }, everywhere},
      {"asin", [](const Dual4& x) { return asin(x); }, [](double x) { return std::asin(x); },
       [](R x) { return 1 / std::sqrt(1 - x * x); }, inside},
      {"acos", [](const Dual4& x) { return acos(x); }, [](double x) { return std::acos(x); },
       [](R x) { return -1 / std::sqrt(1 - x * x); }, inside},
      {"atan", [](const Dual4& x) { return atan(x); }, [](double x) { return std::atan(x); },
       [](R x) { return 1 / (1 + x * x); }, everywhere},
      {"sinh", [](const Dual4& x) { return sinh(x); }, [](double x) { return std::sinh(x); },
       [](R x) { return std::cosh(x); }, everywhere},
      {"cosh", [](const Dual4& x) { return cosh(x); }, [](double x) { return std::cosh(x); },
       [](R x) { return std::sinh(x); }, everywhere},
      {"tanh", [](const Dual4& x) { return tanh(x); }, [](double x) { return std::tanh(x); },
       [](R x) { return 1 / (std::cosh(x) * std::cosh(x)); }, everywhere},
      {"exp", [](const Dual4& x) { return exp(x); }, [](double x) { return std::exp(x); },
       [](R x) { return std::exp(x); }, everywhere},
      {"expm1",
       [](const Dual4& x) { return expm1(x); },
       [](double x) { return std::expm1(x); },
       [](R x) { return std::exp(x); },
       {-40.0, -2.0, 1e-10, 3.0}},
      {"log", [](const Dual4& x) { return log(x); }, [](double x) { return std::log(x); },
       [](R x) { return 1 / x; }, positive},
      {"log1p",
       [](const Dual4& x) { return log1p(x); },
       [](double x) { return std::log1p(x); },
       [](R x) { return 1 / (1 + x); },
       {-0.75, -1e-12, 0.0, 2.0, 1e6}},
      {"sqrt", [](const Dual4& x) { return sqrt(x); }, [](double x) { return std::sqrt(x); },
       [](R x) { return 1 / (2 * std::sqrt(x)); }, positive},
      {"cbrt", [](const Dual4& x) { return cbrt(x); }, [](double x) { return std::cbrt(x); },
       [](R x) { return 1 / (3 * std::cbrt(x) * std::cbrt(x)); }, everywhere},
      {"erf", [](const Dual4& x) { return erf(x); }, [](double x) { return std::erf(x); },
       [](R x) { return 2 * std::exp(-x * x) / std::sqrt(std::numbers::pi_v<R>); }, everywhere},
      {"abs",
       [](const Dual4& x) { return abs(x); },
       [](double x) { return std::fabs(x); },
       [](R x) { return x < 0 ? R(-1) : R(1); },
       {-2.0, -1e-300, 0.0, 1e-300, 5.0}},
      {"fabs",
       [](const Dual4& x) { return fabs(x); },
       [](double x) { return std::fabs(x); },
       [](R x) { return x < 0 ? R(-1) : R(1); },
       {-2.0, 0.0, 5.0}},
      {"floor", [](const Dual4& x) { return floor(x); }, [](double x) { return std::floor(x); },
       [](R) { return R(0); }, everywhere},
      {"ceil", [](const Dual4& x) { return ceil(x); }, [](double x) { return std::ceil(x); },
       [](R) { return R(0); }, everywhere},
      {"round", [](const Dual4& x) { return round(x); }, [](double x) { return std::round(x); },
       [](R) { return R(0); }, everywhere},
      {"x^2.5", [](const Dual4& x) { return pow(x, 2.5); },
       [](double x) { return std::pow(x, 2.5); }, [](R x) { return R(2.5) * std::pow(x, R(1.5)); },
       positive},
      {"x^-0.5", [](const Dual4& x) { return pow(x, -0.5); },
       [](double x) { return std::pow(x, -0.5); },
       [](R x) { return R(-0.5) * std::pow(x, R(-1.5)); }, positive},
      {"x^3", [](const Dual4& x) { return pow(x, 3); }, [](double x) { return x * x * x; },
       [](R x) { return 3 * x * x; }, everywhere},
      {"x^-3", [](const Dual4& x) { return pow(x, -3); },
       [](double x) { return std::pow(x, -3.0); }, [](R x) { return -3 / (x * x * x * x); },
       everywhere},
      {"x^17", [](const Dual4& x) { return pow(x, 17); },
       [](double x) { return std::pow(x, 17.0); }, [](R x) { return 17 * std::pow(x, R(16)); },
       everywhere},
      {"2^x", [](const Dual4& x) { return pow(2, x); }, [](double x) { return std::exp2(x); },
       [](R x) { return std::numbers::ln2_v<R> * std::exp2(x); }, everywhere},
      {"x^x",
       [](const Dual4& x) { return pow(x, x); },
       [](double x) { return std::pow(x, x); },
       [](R x) { return std::pow(x, x) * (std::log(x) + 1); },
       {1e-12, 0.04, 0.5, 1.0, 7.25}},
      {"quotient", [](const Dual4& x) { return (1.0 - x) / (2 + x * x); },
       [](double x) { return (1.0 - x) / (2 + x * x); },
       [](R x) { return (x * x - 2 * x - 2) / ((2 + x * x) * (2 + x * x)); }, everywhere},
      {"compound",
       [](const Dual4& x) {
         Dual4 r = x;
         r *= r;
         r += 3;
         r -= x;
         r /= 0.5;
         r *= x;
         r /= +x;
         return -r;
       },
       [](double x) { return -2 * (x * x + 3 - x); },
       [](R x) { return -2 * (2 * x - 1); },
       {-3.7, -1.0, 0.2, 2.9}},
  };
}

TEST(Dual, SlopesOfAllFunctionsAgreeWithClosedForms) {
  for (const Rule& rule : rules()) EXPECT_LT(worst_error(rule), 1e-13) << rule.name;
}

TEST(Dual, CheckerCatchesWrongRules) {
  const Rule wrong_sign{
      "cos", [](const Dual4& x) { return detail::chain(std::cos(x.v), std::sin(x.v), x); },
      [](double x) { return std::cos(x); }, [](Real x) { return -std::sin(x); }, everywhere};
  EXPECT_GT(worst_error(wrong_sign), 1.0);
  const Rule wrong_factor{"sqrt",
                          [](const Dual4& x) {
                            return detail::chain(std::sqrt(x.v), (0.5 + 1e-12) / std::sqrt(x.v), x);
                          },
                          [](double x) { return std::sqrt(x); },
                          [](Real x) { return 1 / (2 * std::sqrt(x)); }, positive};
  EXPECT_GT(worst_error(wrong_factor), 1e-12);
  // 1 - tanh^2 is the right formula and still wrong by cancellation at 11.5.
  const Rule cancelling{"tanh",
                        [](const Dual4& x) {
                          const double t = std::tanh(x.v);
                          return detail::chain(t, 1.0 - t * t, x);
                        },
                        [](double x) { return std::tanh(x); },
                        [](Real x) { return 1 / (std::cosh(x) * std::cosh(x)); }, everywhere};
  EXPECT_GT(worst_error(cancelling), 1e-9);
}

// ---- functions of two arguments ----

Dual4 first(double x) { return Dual4::variable(x, 0); }
Dual4 second(double x) { return Dual4::variable(x, 1); }

TEST(Dual, AngleInAllQuadrantsAndOnTheAxes) {
  const std::vector<std::pair<double, double>> points{{0.3, 1.2},  {2.0, -0.7}, {-0.4, -3.0},
                                                      {-5.0, 0.1}, {0.0, 2.0},  {0.0, -2.0},
                                                      {1.5, 0.0},  {-1.5, 0.0}, {1e200, 2e200}};
  for (const auto& [y, x] : points) {
    const Dual4 r = atan2(first(y), second(x));
    const Real square = Real(x) * x + Real(y) * y;
    EXPECT_EQ(r.v, std::atan2(y, x));
    EXPECT_NEAR(r.d[0] * static_cast<double>(square / std::hypot(Real(x), Real(y))),
                static_cast<double>(x / std::hypot(Real(x), Real(y))), 1e-14);
    EXPECT_NEAR(r.d[1] * static_cast<double>(square / std::hypot(Real(x), Real(y))),
                static_cast<double>(-y / std::hypot(Real(x), Real(y))), 1e-14);
    EXPECT_EQ(atan2(first(y), x).d[0], r.d[0]);
    EXPECT_EQ(atan2(y, second(x)).d[1], r.d[1]);
  }
}

TEST(Dual, LengthMinimumAndMaximum) {
  const Dual4 h = hypot(first(-3e200), second(4e200));
  EXPECT_DOUBLE_EQ(h.v, 5e200);
  EXPECT_DOUBLE_EQ(h.d[0], -0.6);
  EXPECT_DOUBLE_EQ(h.d[1], 0.8);
  EXPECT_EQ(hypot(first(3), 4).d[0], 0.6);

  EXPECT_EQ(max(first(1), second(2)).d, (std::array<double, 4>{0, 1, 0, 0}));
  EXPECT_EQ(min(first(1), second(2)).d, (std::array<double, 4>{1, 0, 0, 0}));
  EXPECT_EQ(fmax(first(1), 2.0).d[0], 0.0);
  EXPECT_EQ(fmax(first(1), 0).d[0], 1.0);
  EXPECT_EQ(fmin(0.5, second(2)).v, 0.5);
  EXPECT_EQ(fmax(Dual4(NAN), second(2)).v, 2.0);
  EXPECT_EQ(fmax(second(2), Dual4(NAN)).v, 2.0);
  // An infinite slope of the argument that is not taken stays out of the result.
  const Dual4 steep(0.0, {INFINITY, 0, -INFINITY, 0});
  EXPECT_EQ(max(steep, second(1)).d, (std::array<double, 4>{0, 1, 0, 0}));
}

TEST(Dual, PowerAtZeroAndAtNegativeBases) {
  const double expected[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (int n = 0; n < 12; ++n) {
    EXPECT_EQ(pow(first(0), n).d[0], expected[n]) << n;
    EXPECT_EQ(pow(first(0), static_cast<double>(n)).d[0], expected[n]) << n;
    EXPECT_EQ(pow(first(0), Dual4(n)).d[0], expected[n]) << n;
    EXPECT_EQ(pow(first(0), n).v, n == 0 ? 1.0 : 0.0);
    EXPECT_NEAR(pow(first(-2), Dual4(n)).d[0], n * std::pow(-2.0, n - 1), 1e-12) << n;
    EXPECT_EQ(pow(first(-2), Dual4(n)).d[1], 0.0) << n;
  }
  EXPECT_EQ(pow(first(0), 0.5).d[0], INFINITY);
  EXPECT_EQ(pow(first(0), 1.5).d[0], 0.0);
  EXPECT_EQ(pow(first(0), -1).v, INFINITY);
  EXPECT_EQ(pow(0.0, second(2)).d[1], 0.0);
  EXPECT_TRUE(std::isnan(pow(-1.0, second(2)).d[1]));
  EXPECT_EQ(pow(-1.0, second(2)).d[0], 0.0);
  // x^2 underflows, its slope does not.
  EXPECT_DOUBLE_EQ(pow(first(1e-200), 2.0).d[0], 2e-200);
  EXPECT_DOUBLE_EQ(pow(first(1e-60), 6.0).d[0], 6e-300);
}

TEST(Dual, ComparisonsSeeTheValueOnly) {
  const Dual4 a = first(1), b = second(1), c = second(2), n(NAN);
  EXPECT_TRUE(a == b && a == 1 && 1.0 == a && a != c && a != 2 && 2.0 != a);
  EXPECT_TRUE(a < c && a <= b && c > a && b >= a && a < 2 && 0 < a && a <= 1.0 && 3 >= c &&
              c > 1.5);
  EXPECT_FALSE(a < b || a > b || c < 2 || n < a || n > a || n == n || n <= 1.0);
  EXPECT_TRUE(isnan(n) && !isfinite(n) && isfinite(a) && !isnan(a));
  Dual4 marked = a;
  marked.d[0] = NAN;
  EXPECT_TRUE(isfinite(marked) && marked == 1.0);
  EXPECT_EQ(value_of(Dual<Dual4, 2>(c)), 2.0);
}

// Four derivatives are computed as two pairs, any other number one by one: the same bits.
template <class D>
std::vector<D> all_operations(const D& p, const D& q) {
  return {p + q,   p - q,   p * q, p / q,    -p,    p * 3,  p * 0.1f,      2.5 * p, p / 7,
          p / 0.3, 1.0 - p, p - 1, p * 0.1L, 4 / p, exp(p), q * p - p / q, p / 3.0L};
}

TEST(Dual, PairsOfDerivativesAreThoseOfSingleDirections) {
  const double special[] = {0.3, -0.0, 1e-310, -7e200, 0.1 + 0.2, INFINITY, 3.0, -1e-8};
  const auto same = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  };
  for (std::size_t n = 0; n < 64; ++n) {
    const double v = special[n % 8] + 0.7, w = 1.3 - 0.01 * static_cast<double>(n);
    std::array<double, 4> a{}, b{};
    for (std::size_t i = 0; i < 4; ++i) {
      a[i] = special[(n + i) % 8];
      b[i] = special[(n / 8 + 3 * i) % 8] * static_cast<double>(i + 1);
    }
    const std::vector<Dual4> pairs = all_operations(Dual4(v, a), Dual4(w, b));
    for (std::size_t i = 0; i < 4; ++i) {
      using Single = Dual<double, 1>;
      const std::vector<Single> single = all_operations(Single(v, {a[i]}), Single(w, {b[i]}));
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        EXPECT_TRUE(same(pairs[k].v, single[k].v)) << n << ' ' << k;
        EXPECT_TRUE(same(pairs[k].d[i], single[k].d[0]))
            << n << ' ' << k << ' ' << i << ": " << pairs[k].d[i] << ' ' << single[k].d[0];
      }
    }
  }
}

TEST(Dual, ArithmeticIsUsableInConstantExpressions) {
  constexpr Dual4 x = Dual4::variable(3.0, 0);
  constexpr Dual4 y = (x * x - 1) / 2.0;
  static_assert(y.v == 4.0 && y.d[0] == 3.0 && y.d[1] == 0.0 && value_of(y) == 4.0);
  static_assert(abs(-x).d[0] == 1.0 && max(x, 1.0) == x);
  EXPECT_EQ(y.d[0], 3.0);
}

TEST(Dual, NestedGivesSecondDerivatives) {
  using Second = Dual<Dual<double, 1>, 1>;
  const double x = 0.7;
  Second z(Dual<double, 1>::variable(x, 0));
  z.d[0] = Dual<double, 1>(1.0);
  const Second r = exp(z * z) + pow(z, 3) + tanh(z) + pow(z, z) * 1.0;
  const double t = std::tanh(x), p = std::pow(x, x), l = std::log(x) + 1;
  const double exact =
      (2 + 4 * x * x) * std::exp(x * x) + 6 * x - 2 * t * (1 - t * t) + p * (l * l + 1 / x);
  EXPECT_NEAR(r.d[0].d[0], exact, 1e-13 * std::fabs(exact));
  EXPECT_EQ(r.d[0].v, r.v.d[0]);
}

}  // namespace
}  // namespace daedalus
