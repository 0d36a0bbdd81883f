// SPDX-License-Identifier: BSD-3-Clause
// Taylor series of dual numbers by the recorded graph agree with those of the callable itself, on
// both sides of its branches and in every mode.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <daedalus/autodiff.hpp>

#include "function/series_callable.hpp"

namespace daedalus::series_callable_test {
namespace {

using F = Function<slot::StateVector>;
constexpr int n = 3;

// Elementary functions, a branch, a kink, a mode.
template <class S>
void formula(const S& t, const S* y, double mode, S* out) {
  using std::exp, std::sin, std::abs, std::pow;
  out[0] = y[0] < 0.5 ? S(sin(y[0] * y[1]) + t * y[2]) : S(exp(-y[0]) * y[2]);
  out[1] = pow(abs(y[1]) + 0.3, 2.5) / (1.0 + y[2] * y[2]);
  out[2] = mode > 0.0 ? S(y[0] * y[1] * y[2]) : S(y[0] + t);
}

F function() {
  return autodiff([](const auto& x, auto& out) {
    using S = std::decay_t<decltype(x.t)>;
    const S y[] = {x.y[0], x.y[1], x.y[2]};
    S r[n];
    formula(x.t, y, x.modes[0], r);
    for (int i = 0; i < n; ++i) out[i] = r[i];
  });
}

struct Fan {
  std::array<Taylor2Dual, n> y;
  Taylor2Dual t;
  std::vector<double> modes{1.0};

  Arguments<Taylor2Dual> arguments() const {
    Arguments<Taylor2Dual> a;
    a.t = t;
    a.x[0] = y.data();
    a.n[0] = n;
    a.modes = modes.data();
    a.mode_count = 1;
    return a;
  }
};

class Random {
 public:
  Taylor2Dual number(double value) {
    Taylor2Dual x{Dual4(value)};
    for (Dual4& c : x.c)
      for (double& d : c.d) d = uniform_(engine_);
    x.c[1].v = uniform_(engine_);
    x.c[2].v = uniform_(engine_);
    return x;
  }
  Fan fan() {
    Fan f;
    for (Taylor2Dual& y : f.y) y = number(uniform_(engine_));
    f.t = number(uniform_(engine_));
    return f;
  }

 private:
  std::mt19937 engine_{7};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

double distance(const Taylor2Dual& a, const Taylor2Dual& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    most = std::max(most, std::abs(a.c[k].v - b.c[k].v) / (1.0 + std::abs(b.c[k].v)));
    for (std::size_t j = 0; j < 4; ++j)
      most = std::max(most, std::abs(a.c[k].d[j] - b.c[k].d[j]) / (1.0 + std::abs(b.c[k].d[j])));
  }
  return most;
}

void expect_the_same(SeriesCallable& series, const F& f, const Fan& at) {
  std::array<Taylor2Dual, n> found, exact;
  formula(at.t, at.y.data(), at.modes[0], exact.data());
  ASSERT_EQ(series(f, at.arguments(), found.data(), n), Eval::ok);
  for (std::size_t i = 0; i < n; ++i) EXPECT_LT(distance(found[i], exact[i]), 1e-12) << i;
}

TEST(SeriesCallable, AgreesWithTheCallableInAllBranches) {
  const F f = function();
  SeriesCallable series;
  Random random;
  for (int k = 0; k < 200; ++k) {
    Fan at = random.fan();
    at.modes[0] = k % 3 == 0 ? -1.0 : 1.0;
    expect_the_same(series, f, at);
  }
  // One per branch and mode, however often they alternate.
  EXPECT_EQ(series.recordings(), 4);
}

TEST(SeriesCallable, ValuesThatAreReadAreReadEachTime) {
  const F f = autodiff([](const auto& x, auto& out) {
    using S = std::decay_t<decltype(x.t)>;
    for (int i = 0; i < n; ++i) out[i] = value_of(x.y[0]) * x.y[i] + S(0.0);
  });
  SeriesCallable series;
  Random random;
  for (int k = 0; k < 5; ++k) {
    const Fan at = random.fan();
    std::array<Taylor2Dual, n> found;
    ASSERT_EQ(series(f, at.arguments(), found.data(), n), Eval::ok);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_LT(distance(found[i], at.y[0].c[0].v * at.y[i]), 1e-14);
  }
  EXPECT_EQ(series.recordings(), 5);
}

TEST(SeriesCallable, RejectionsAreHandedOn) {
  const F f = autodiff([](const auto& x, auto& out) {
    for (int i = 0; i < n; ++i) out[i] = x.y[i];
    return x.y[0] < 0.0 ? Eval::reject : Eval::ok;
  });
  SeriesCallable series;
  Random random;
  int rejected = 0;
  for (int k = 0; k < 20; ++k) {
    const Fan at = random.fan();
    std::array<Taylor2Dual, n> found;
    const Eval e = series(f, at.arguments(), found.data(), n);
    EXPECT_EQ(e, at.y[0].c[0].v < 0.0 ? Eval::reject : Eval::ok);
    rejected += e == Eval::reject;
  }
  EXPECT_GT(rejected, 3);
}

}  // namespace
}  // namespace daedalus::series_callable_test
