// SPDX-License-Identifier: BSD-3-Clause
// Every function of <cmath> that has a derivative, over dual numbers, Taylor series and recorded
// numbers: values as the C library gives them, derivatives against differences of it and against
// each other.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <daedalus/autodiff.hpp>
#include <daedalus/recorded.hpp>

#include "function/recording.hpp"
#include "graph/series.hpp"

// Outside of namespace daedalus, as callables of users are.
namespace functions_test {
namespace {

using daedalus::Dual4, daedalus::Recorded, daedalus::Recording;
using daedalus::Taylor2, daedalus::Taylor2Dual;

struct Case {
  std::string name;
  std::function<double(double)> plain;
  std::function<Dual4(const Dual4&)> dual;
  std::function<Taylor2(const Taylor2&)> taylor;
  std::function<Taylor2Dual(const Taylor2Dual&)> both;
  std::function<Recorded(const Recorded&)> recorded;
  std::vector<double> at;
};

template <class F>
Case make(const std::string& name, F f, std::vector<double> at) {
  return {name, f, f, f, f, f, std::move(at)};
}

#define DAEDALUS_CASE(name, expression, ...)  \
  make(name,                                  \
       [](const auto& x) {                    \
         using namespace std;                 \
         using T = std::decay_t<decltype(x)>; \
         return T(expression);                \
       },                                     \
       {__VA_ARGS__})

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      DAEDALUS_CASE("sin", sin(x), -2.0, 0.3, 4.0),
      DAEDALUS_CASE("cos", cos(x), -2.0, 0.3, 4.0),
      DAEDALUS_CASE("tan", tan(x), -1.0, 0.3),
      DAEDALUS_CASE("asin", asin(x), -0.5, 0.3),
      DAEDALUS_CASE("acos", acos(x), -0.5, 0.3),
      DAEDALUS_CASE("atan", atan(x), -2.0, 0.3),
      DAEDALUS_CASE("sinh", sinh(x), -2.0, 0.3),
      DAEDALUS_CASE("cosh", cosh(x), -2.0, 0.3),
      DAEDALUS_CASE("tanh", tanh(x), -2.0, 0.3),
      DAEDALUS_CASE("asinh", asinh(x), -3.0, 0.02, 5.0),
      DAEDALUS_CASE("acosh", acosh(x), 1.2, 5.0),
      DAEDALUS_CASE("atanh", atanh(x), -0.7, 0.02, 0.6),
      DAEDALUS_CASE("exp", exp(x), -2.0, 0.3),
      DAEDALUS_CASE("exp2", exp2(x), -2.0, 0.3, 3.0),
      DAEDALUS_CASE("expm1", expm1(x), -2.0, 1e-3),
      DAEDALUS_CASE("log", log(x), 0.3, 7.0),
      DAEDALUS_CASE("log10", log10(x), 0.3, 1000.0),
      DAEDALUS_CASE("log2", log2(x), 0.3, 8.0),
      DAEDALUS_CASE("log1p", log1p(x), -0.5, 1e-3),
      DAEDALUS_CASE("sqrt", sqrt(x), 0.3, 7.0),
      DAEDALUS_CASE("cbrt", cbrt(x), -0.3, 7.0),
      DAEDALUS_CASE("erf", erf(x), -0.5, 0.7),
      DAEDALUS_CASE("erfc", erfc(x), -0.5, 3.0),
      DAEDALUS_CASE("abs", abs(x), -0.5, 3.0),
      DAEDALUS_CASE("fabs", fabs(x), -0.5, 3.0),
      DAEDALUS_CASE("floor", floor(x), -0.5, 3.2),
      DAEDALUS_CASE("ceil", ceil(x), -0.5, 3.2),
      DAEDALUS_CASE("round", round(x), -0.7, 3.2),
      DAEDALUS_CASE("trunc", trunc(x), -0.7, 3.2),
      DAEDALUS_CASE("rint", rint(x), -0.7, 3.2),
      DAEDALUS_CASE("nearbyint", nearbyint(x), -0.7, 3.2),
      DAEDALUS_CASE("pow 2.5", pow(x, 2.5), 0.3, 4.0),
      DAEDALUS_CASE("pow 2.5f", pow(x, 2.5f), 0.3, 4.0),
      DAEDALUS_CASE("pow 3", pow(x, 3), -0.3, 4.0),
      DAEDALUS_CASE("pow 3L", pow(x, 3L), -0.3, 4.0),
      DAEDALUS_CASE("pow -2", pow(x, -2), -0.3, 4.0),
      DAEDALUS_CASE("2 pow x", pow(2.0, x), -0.3, 4.0),
      DAEDALUS_CASE("3 pow x", pow(3, x), -0.3, 2.0),
      DAEDALUS_CASE("x pow x", pow(x, x), 0.3, 2.0),
      DAEDALUS_CASE("atan2", atan2(x, 2.0 - x), -0.3, 4.0),
      DAEDALUS_CASE("atan2 2", atan2(2.0, x), -0.3, 4.0),
      DAEDALUS_CASE("hypot", hypot(x, 2.0), -0.3, 4.0),
      DAEDALUS_CASE("hypot int", hypot(3, x), -0.3, 4.0),
      DAEDALUS_CASE("hypot 3", hypot(x, T(2.0 * x), T(1.0)), -0.3, 4.0),
      DAEDALUS_CASE("fmin", fmin(x, 1.0), -0.3, 4.0),
      DAEDALUS_CASE("fmax", fmax(x, T(x * x)), -0.3, 4.0),
      DAEDALUS_CASE("fdim", fdim(x, 1.0), -0.3, 4.0),
      DAEDALUS_CASE("fmod", fmod(x, 1.5), -2.3, 4.0),
      DAEDALUS_CASE("fmod by x", fmod(10.0, x), 0.7, 4.0),
      DAEDALUS_CASE("remainder", remainder(x, 1.5), -2.2, 4.0),
      DAEDALUS_CASE("fma", fma(x, x, 2.0), -0.3, 4.0),
      DAEDALUS_CASE("fma of constants", fma(2.0, x, 1.0), -0.3, 4.0),
      DAEDALUS_CASE("copysign", copysign(x, -1.0), -0.3, 4.0),
      DAEDALUS_CASE("copysign 3", copysign(3.0, x) * x, -0.3, 4.0),
      DAEDALUS_CASE("ldexp", ldexp(x, 3), -0.3, 4.0)};
  return all;
}
#undef DAEDALUS_CASE

// Central differences with two increments, extrapolated: errors of h^4 and of round-off over h^k.
double first_difference(const std::function<double(double)>& f, double x) {
  const auto d = [&](double h) { return (f(x + h) - f(x - h)) / (2.0 * h); };
  const double h = 2e-3 * std::max(0.05, std::min(1.0, std::abs(x)));
  return (4.0 * d(0.5 * h) - d(h)) / 3.0;
}
double second_difference(const std::function<double(double)>& f, double x) {
  const auto d = [&](double h) { return (f(x + h) - 2.0 * f(x) + f(x - h)) / (h * h); };
  const double h = 8e-3 * std::max(0.05, std::min(1.0, std::abs(x)));
  return (4.0 * d(0.5 * h) - d(h)) / 3.0;
}

TEST(Functions, ValuesAreThoseOfTheCLibrary) {
  for (const Case& c : cases())
    for (const double x : c.at) {
      const double value = c.plain(x);
      ASSERT_TRUE(std::isfinite(value)) << c.name << " at " << x;
      EXPECT_DOUBLE_EQ(c.dual(Dual4(x)).v, value) << c.name << " at " << x;
      EXPECT_DOUBLE_EQ(c.taylor(Taylor2(x)).c[0], value) << c.name << " at " << x;
      EXPECT_DOUBLE_EQ(c.both(Taylor2Dual(Dual4(x))).c[0].v, value) << c.name << " at " << x;
      Recording recording;
      EXPECT_DOUBLE_EQ(c.recorded(recording.input(x)).v, value) << c.name << " at " << x;
      EXPECT_DOUBLE_EQ(c.recorded(Recorded(x)).v, value) << c.name << " of a constant " << x;
    }
}

TEST(Functions, DerivativesAgreeWithDifferences) {
  for (const Case& c : cases())
    for (const double x : c.at) {
      const double slope = c.dual(Dual4::variable(x, 1)).d[1];
      Taylor2 curve(x);
      curve.c[1] = 1.0;
      const Taylor2 series = c.taylor(curve);
      const double scale = 1.0 + std::abs(slope) + std::abs(series.c[2]);
      EXPECT_NEAR(slope, first_difference(c.plain, x), 1e-7 * scale) << c.name << " at " << x;
      EXPECT_NEAR(2.0 * series.c[2], second_difference(c.plain, x), 1e-4 * scale)
          << c.name << " at " << x;
    }
}

// Round-off apart, as each is exact.
TEST(Functions, DerivativesAgreeWithEachOther) {
  for (const Case& c : cases())
    for (const double x : c.at) {
      const double slope = c.dual(Dual4::variable(x, 0)).d[0];
      Taylor2 curve(x);
      curve.c[1] = 1.0;
      const Taylor2 series = c.taylor(curve);
      Taylor2Dual fan(Dual4::variable(x, 2));
      fan.c[1] = Dual4(1.0);
      const Taylor2Dual both = c.both(fan);
      Recording recording;
      const Recorded input = recording.input(x);
      const std::vector<daedalus::Expr> result{recording.expr(c.recorded(input))};
      daedalus::graph::Series recorded(recording.graph(), result, 2);
      const double coefficients[] = {x, 1.0, 0.0};
      recorded.set(recording.expr(input), coefficients);
      recorded.evaluate(2);
      const double tolerance = 1e-12 * (1.0 + std::abs(slope) + std::abs(series.c[2]));
      EXPECT_NEAR(series.c[1], slope, tolerance) << c.name << " at " << x;
      EXPECT_NEAR(both.c[0].d[2], slope, tolerance) << c.name << " at " << x;
      EXPECT_NEAR(both.c[1].v, slope, tolerance) << c.name << " at " << x;
      EXPECT_NEAR(both.c[1].d[2], 2.0 * series.c[2], tolerance) << c.name << " at " << x;
      EXPECT_NEAR(recorded.coefficient(result[0], 1), slope, tolerance) << c.name << " at " << x;
      EXPECT_NEAR(recorded.coefficient(result[0], 2), series.c[2], tolerance)
          << c.name << " at " << x;
    }
}

}  // namespace
}  // namespace functions_test
