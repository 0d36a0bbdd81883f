// SPDX-License-Identifier: BSD-3-Clause
// Recorded numbers against Taylor series of a fixed order, which are tested by themselves.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <daedalus/autodiff.hpp>

#include "function/recording.hpp"
#include "graph/series.hpp"

namespace daedalus::recorded_test {
namespace {

constexpr int order = 4;
using Series = Taylor<double, order>;

std::vector<Expr> exprs(const Recording& recording, const std::vector<Recorded>& list) {
  std::vector<Expr> all;
  for (const Recorded& x : list) all.push_back(recording.expr(x));
  return all;
}

// Every elementary function once, two arguments.
template <class S>
std::vector<S> functions(const S& x, const S& y) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::cos, std::cosh,
      std::erf, std::exp, std::expm1, std::hypot, std::log, std::log1p, std::max, std::min,
      std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  return {x + y,
          x - y,
          x * y,
          x / y,
          -x,
          sin(x),
          cos(x),
          tan(x),
          asin(0.5 * x),
          acos(0.5 * x),
          atan(x),
          sinh(x),
          cosh(x),
          tanh(x),
          exp(x),
          expm1(x),
          log(y),
          log1p(y),
          sqrt(y),
          cbrt(y),
          erf(x),
          pow(y, 2.5),
          pow(x, 3),
          pow(y, -2),
          pow(y, x),
          pow(2.0, x),
          atan2(x, y),
          atan2(y, x),
          hypot(x, y),
          abs(-y),
          min(x, y),
          max(x, y),
          2.0 / y - 1.0,
          3 * x + 1,
          pow(x, 1),
          pow(y, 0.5) * x,
          x * x / (y * y + 1.0) - exp(sin(x * y))};
}

TEST(Recorded, EverySeriesAgreesWithTaylorArithmetic) {
  Series x(0.7), y(1.3);
  x.c = {0.7, 0.4, -0.3, 0.2, 0.1};
  y.c = {1.3, -0.2, 0.5, 0.3, -0.4};
  Recording recording;
  const Recorded a = recording.input(0.7), b = recording.input(1.3);
  const auto exact = functions(x, y);
  const auto recorded = exprs(recording, functions(a, b));
  graph::Series series(recording.graph(), recorded, order);
  series.set(recording.expr(a), x.c);
  series.set(recording.expr(b), y.c);
  series.evaluate(order);
  for (std::size_t i = 0; i < exact.size(); ++i)
    for (int k = 0; k <= order; ++k)
      EXPECT_NEAR(series.coefficient(recorded[i], k), exact[i].c[static_cast<std::size_t>(k)],
                  1e-13 * (1.0 + std::abs(exact[i].c[static_cast<std::size_t>(k)])))
          << "function " << i << " coefficient " << k;
}

// Derivatives of the coefficients by the reverse sweep, against series over dual numbers.
TEST(Recorded, DerivativesOfSeriesAreExact) {
  using D = Dual<double, 2>;
  Taylor<D, order> x(D::variable(0.7, 0)), y(D::variable(1.3, 1));
  const std::array<double, order + 1> cx{0.7, 0.4, -0.3, 0.2, 0.1}, cy{1.3, -0.2, 0.5, 0.3, -0.4};
  for (int k = 1; k <= order; ++k) {
    x.c[static_cast<std::size_t>(k)] = D(cx[static_cast<std::size_t>(k)]);
    y.c[static_cast<std::size_t>(k)] = D(cy[static_cast<std::size_t>(k)]);
  }
  Recording recording;
  const Recorded a = recording.input(0.7), b = recording.input(1.3);
  const auto exact = functions(x, y);
  const auto recorded = exprs(recording, functions(a, b));
  graph::Series series(recording.graph(), recorded, order);
  series.set(recording.expr(a), cx);
  series.set(recording.expr(b), cy);
  series.evaluate(order);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    std::array<std::array<double, order + 1>, 2> found{};
    series.derivatives(recorded[i], order, [&](int node, int k, double value) {
      found[node == a.node ? 0 : 1][static_cast<std::size_t>(k)] = value;
    });
    for (std::size_t k = 0; k <= order; ++k)
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_NEAR(found[j][k], exact[i].c[k].d[j], 1e-12 * (1.0 + std::abs(exact[i].c[k].d[j])))
            << "function " << i << " by " << j << " coefficient " << k;
  }
}

// The gradient written down as nodes is differentiated once more.
TEST(Recorded, GradientCanBeDifferentiatedAgain) {
  Recording recording;
  const std::vector<Recorded> x{recording.input(0.4), recording.input(1.1)};
  const std::vector<Recorded> g{x[0] * x[0] * sin(x[1]), x[1] / x[0]};
  const std::vector<Recorded> weight{2.0, recording.input(3.0)};
  const auto gradient = recording.gradient(g, weight, x);
  EXPECT_NEAR(gradient[0].v, 4.0 * 0.4 * std::sin(1.1) - 3.0 * 1.1 / 0.16, 1e-13);
  EXPECT_NEAR(gradient[1].v, 2.0 * 0.16 * std::cos(1.1) + 3.0 / 0.4, 1e-13);
  const auto first = exprs(recording, gradient);
  graph::Series series(recording.graph(), first, 0);
  series.set(recording.expr(x[0]), std::array{0.4});
  series.set(recording.expr(x[1]), std::array{1.1});
  series.set(recording.expr(weight[1]), std::array{3.0});
  series.evaluate(0);
  double mixed = 0.0;
  series.derivatives(first[0], 0, [&](int node, int, double value) {
    if (node == x[1].node) mixed = value;
  });
  EXPECT_NEAR(mixed, 4.0 * 0.4 * std::cos(1.1) - 3.0 / 0.16, 1e-13);
}

// A recording holds as long as its guards do; kinks and rounding are part of it.
TEST(Recorded, ComparisonsAreGuards) {
  const auto f = [](const auto& x) {
    using std::abs, std::floor;
    using S = std::decay_t<decltype(x)>;
    return x < 1.0 ? S(x * x + abs(x) + floor(x)) : S(3.0 * x);
  };
  Recording recording;
  const Recorded x = recording.input(0.5);
  const Recorded y = f(x);
  ASSERT_EQ(recording.guards().size(), 1u);
  EXPECT_TRUE(recording.guards()[0].outcome);
  EXPECT_TRUE(recording.holds_elsewhere());
  const std::vector<Expr> wanted{recording.expr(y), recording.guards()[0].condition};
  graph::Series series(recording.graph(), wanted, 0);
  for (const double at : {-2.3, -0.5, 0.0, 0.99, 1.0, 4.0}) {
    series.set(recording.expr(x), std::array{at});
    series.evaluate(0);
    const bool holds = series.coefficient(wanted[1], 0) != 0.0;
    EXPECT_EQ(holds, at < 1.0);
    if (holds) {
      EXPECT_EQ(series.coefficient(wanted[0], 0), f(at)) << at;
    }
  }
}

TEST(Recorded, ReadingAValueBindsARecordingToItsPoint) {
  Recording recording;
  const Recorded x = recording.input(0.5);
  EXPECT_EQ(value_of(x), 0.5);
  EXPECT_FALSE(recording.holds_elsewhere());
}

}  // namespace
}  // namespace daedalus::recorded_test
