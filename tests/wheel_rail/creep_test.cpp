// SPDX-License-Identifier: BSD-3-Clause
// Hertz' ellipse and creep forces.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/types.hpp>
#include <daedalus/wheel_rail/creep.hpp>

namespace daedalus::creep_test {
namespace {

TEST(Hertz, KnownEllipses) {
  struct Row {
    double A, B, N, a, b, approach;  // mm, um; direct integration of the half-space potential
  };
  for (const Row& r : {Row{1.0, 1.0 / 0.6, 1e5, 7.5882, 5.4003, 106.186},
                       Row{1.0, 1.0 / 0.6, 1e4, 3.5221, 2.5066, 22.877},
                       Row{1.0, 0.62, 9e4, 6.2182, 8.5492, 83.981},
                       Row{1.0, 10.0, 9e4, 9.1466, 2.0328, 124.985}}) {
    const ContactEllipse<double> e = hertz(r.A, r.B, r.N, ContactMaterial{});
    EXPECT_NEAR(e.a * 1e3, r.a, 1e-4);
    EXPECT_NEAR(e.b * 1e3, r.b, 1e-4);
    EXPECT_NEAR(e.approach * 1e6, r.approach, 1e-3);
  }
  // Spheres: a^3 = 3 N R/(4 E*), approach a^2/R; A = B = 1/(2 R).
  const double R = 0.3, N = 5e4, E = ContactMaterial{}.modulus();
  const ContactEllipse<double> ball = hertz(0.5 / R, 0.5 / R, N, ContactMaterial{});
  EXPECT_NEAR(ball.a, std::cbrt(0.75 * N * R / E), 1e-15);
  EXPECT_NEAR(ball.b, ball.a, 1e-15);
  EXPECT_NEAR(ball.approach, ball.a * ball.a / R, 1e-15);
}

TEST(Hertz, DerivativesAgainstDifferences) {
  const std::array<double, 3> x{1.0, 4.3, 7e4};
  const auto e = [](double A, double B, double N) { return hertz(A, B, N, ContactMaterial{}); };
  const auto d = hertz(Dual4::variable(x[0], 0), Dual4::variable(x[1], 1), Dual4::variable(x[2], 2),
                       ContactMaterial{});
  for (std::size_t k = 0; k < 3; ++k) {
    auto plus = x, minus = x;
    const double h = 1e-5 * x[k];
    plus[k] += h;
    minus[k] -= h;
    const auto p = e(plus[0], plus[1], plus[2]), m = e(minus[0], minus[1], minus[2]);
    EXPECT_NEAR(d.a.d[k] / d.a.v, (p.a - m.a) / (2 * h) / d.a.v, 1e-9 / x[k]);
    EXPECT_NEAR(d.b.d[k] / d.b.v, (p.b - m.b) / (2 * h) / d.b.v, 1e-9 / x[k]);
    EXPECT_NEAR(d.approach.d[k] / d.approach.v, (p.approach - m.approach) / (2 * h) / d.approach.v,
                1e-9 / x[k]);
  }
}

CreepModel law(CreepLaw kind, int along = 20, int across = 21) {
  CreepModel m;
  m.law = kind;
  m.friction = 0.3;
  m.cells_along = along;
  m.cells_across = across;
  return m;
}

TEST(Creep, SmallCreepagesGiveTheLinearTheory) {
  const double N = 1e5;
  const auto e = hertz(1.0, 1.0 / 0.6, N, ContactMaterial{});
  for (const Creepage<double>& u :
       {Creepage<double>{1e-6, 0.0, 0.0}, Creepage<double>{0.0, 1e-6, 0.0},
        Creepage<double>{0.0, 0.0, 1e-4}}) {
    const auto exact = law(CreepLaw::linear).force(e, N, u);
    const double size = std::hypot(exact[0], exact[1]);
    ASSERT_GT(size, 1.0);
    const auto smooth = law(CreepLaw::tanh).force(e, N, u);
    EXPECT_NEAR(std::hypot(smooth[0] - exact[0], smooth[1] - exact[1]) / size, 0.0, 1e-4);
    // The last cell of a strip is cut to zero: an error of about one cell in twenty, and half of it
    // with twice as many.
    const auto coarse = law(CreepLaw::fastsim).force(e, N, u);
    const auto fine = law(CreepLaw::fastsim, 80, 81).force(e, N, u);
    EXPECT_LT(std::hypot(coarse[0] - exact[0], coarse[1] - exact[1]) / size, 0.11);
    EXPECT_LT(std::hypot(fine[0] - exact[0], fine[1] - exact[1]) / size, 0.03);
  }
}

TEST(Creep, LargeCreepagesGiveFullSliding) {
  const double N = 1e5;
  const auto e = hertz(1.0, 1.0 / 0.6, N, ContactMaterial{});
  for (const CreepLaw kind : {CreepLaw::tanh, CreepLaw::fastsim}) {
    const auto f = law(kind, 60, 61).force(e, N, Creepage<double>{0.05, 0.02, 0.0});
    EXPECT_NEAR(std::hypot(f[0], f[1]) / (0.3 * N), 1.0, 2e-3);
    EXPECT_NEAR(f[1] / f[0], 0.4, 0.05);
  }
}

// Directional derivatives, also of FASTSIM away from the borders of sliding.
TEST(Creep, DerivativesAgainstDifferences) {
  const std::array<double, 6> x{7e-3, 5e-3, 9e4, 4e-4, -3e-4, 0.08};
  for (const CreepLaw kind : {CreepLaw::linear, CreepLaw::tanh, CreepLaw::fastsim}) {
    const CreepModel m = law(kind);
    const auto run = [&](auto a, auto b, auto N, auto u, auto v, auto w) {
      using S = decltype(a);
      return m.force(ContactEllipse<S>{a, b, S(0.0)}, N, Creepage<S>{u, v, w});
    };
    for (std::size_t k = 0; k < 6; ++k) {
      std::array<Dual4, 6> y;
      for (std::size_t i = 0; i < 6; ++i) y[i] = Dual4(x[i]);
      y[k] = Dual4::variable(x[k], 0);
      const auto d = run(y[0], y[1], y[2], y[3], y[4], y[5]);
      auto plus = x, minus = x;
      const double h = 1e-7 * std::abs(x[k]);
      plus[k] += h;
      minus[k] -= h;
      const auto p = run(plus[0], plus[1], plus[2], plus[3], plus[4], plus[5]);
      const auto q = run(minus[0], minus[1], minus[2], minus[3], minus[4], minus[5]);
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_NEAR(d[j].d[0] * x[k], (p[j] - q[j]) / (2 * h) * x[k], 2e-4 * std::abs(d[0].v))
            << static_cast<int>(kind) << ' ' << k;
    }
  }
}

TEST(Creep, WithoutFrictionThereIsNoForce) {
  CreepModel creep;
  creep.friction = 0.0;
  const ContactEllipse<Dual4> e{Dual4::variable(6e-3, 0), Dual4(4e-3), Dual4(0.0)};
  const Creepage<Dual4> u{Dual4::variable(1e-3, 1), Dual4::variable(-2e-3, 2), Dual4(0.1)};
  for (const CreepLaw law : {CreepLaw::tanh, CreepLaw::fastsim}) {
    creep.law = law;
    for (const Dual4& f : creep.force(e, Dual4::variable(9e4, 3), u)) {
      EXPECT_EQ(f.v, 0.0);
      for (const double d : f.d) EXPECT_EQ(d, 0.0);
    }
  }
}

TEST(Creep, PoissonNumberIsChecked) { EXPECT_THROW(KalkerCoefficients(0.7), InvalidArgument); }

}  // namespace
}  // namespace daedalus::creep_test
