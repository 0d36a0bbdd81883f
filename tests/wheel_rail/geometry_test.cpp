// SPDX-License-Identifier: BSD-3-Clause
// Profiles and geometry of wheel and rail: closed forms, jumps of the contact point, derivatives
// against automatic differentiation.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/wheel_rail/geometry.hpp>

namespace daedalus::wheel_rail_geometry_test {
namespace {

WheelRail wear(double r0 = 0.5) { return {Profile::s1002(r0), Rail(Profile::uic60())}; }
QuasiElasticOnline online() { return {wear(), wear_profile_grid(), 2e-5}; }
RailPose<double> at(double xi_v, double phi = 0.025, double psi = 0.0) {
  return {xi_v * 1e-3, phi, psi, 0.0};
}

TEST(Profile, S1002IsTheStandardsCurve) {
  const Profile p = Profile::s1002(0.46);
  EXPECT_NEAR(p.value(0.0), 0.46, 1e-15);
  EXPECT_NEAR(p.value(-55e-3), 0.46 + 28e-3, 1e-12);  // flange height 28 mm
  // Rounded coefficients: steps of at most 1.2e-4 mm in value, none in slope beyond 2e-4.
  for (const double s : {32.15796, -26.0, -35.0, -38.426669071, -39.764473993, -49.662510381}) {
    const double e = 1e-12, x = s * 1e-3;
    EXPECT_LT(std::abs(p.jet(x + e).value - p.jet(x - e).value), 1.3e-7) << s;
    EXPECT_LT(std::abs(p.jet(x + e).first - p.jet(x - e).first), 3e-4) << s;
  }
}

TEST(Profile, Uic60JoinsItsArcs) {
  const Profile p = Profile::uic60();
  EXPECT_NEAR(p.value(10.228e-3), 0.174404e-3, 1e-9);
  EXPECT_NEAR(p.value(26.0265e-3), 2.302524e-3, 1e-9);
  EXPECT_NEAR(p.value(-37e-3), 34.3037527e-3, 1e-8);  // flank of slope 20
  for (const double v : {10.228e-3, 26.0265e-3}) {
    EXPECT_NEAR(p.jet(v - 1e-12).first, p.jet(v + 1e-12).first, 1e-9);
    EXPECT_GT(p.jet(v + 1e-12).second - p.jet(v - 1e-12).second, 5.0);  // curvature jumps
  }
}

TEST(Profile, DerivativesOfAllPieces) {
  const std::vector<double> x{-30e-3, -20e-3, -5e-3, 8e-3, 20e-3, 33e-3};
  std::vector<double> y;
  for (const double v : x) y.push_back(0.3 - std::sqrt(0.09 - v * v));
  const Profile spline = Profile::measured("worn", x, y);
  for (const Profile& p : {Profile::s1002(0.5), Profile::uic60(), Profile::circle(0.3, 0.05),
                           spline, Profile::cone(0.5, -0.0262)})
    for (double u = -59.3e-3; u < 60e-3; u += 3.7e-3) {
      if (u < p.low() || u > p.high()) continue;
      Taylor2 place(u);
      place.c[1] = 1.0;
      const ProfileJet j = p.jet(u);
      const Taylor2 f = p.value(place), f1 = p.slope(place);
      const double scale = 1.0 + std::abs(j.second);
      EXPECT_NEAR(f.c[0], j.value, 1e-14) << p.name() << u;
      EXPECT_NEAR(f.c[1], j.first, 1e-11) << p.name() << u;
      EXPECT_NEAR(2.0 * f.c[2], j.second, 1e-9 * scale) << p.name() << u;
      EXPECT_NEAR(2.0 * f1.c[2], j.third, 1e-9 * (1.0 + std::abs(j.third))) << p.name() << u;
    }
  // The spline passes through its points and keeps two derivatives.
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(spline.value(x[i]), y[i], 1e-16);
  EXPECT_NEAR(spline.jet(8e-3 - 1e-13).second, spline.jet(8e-3 + 1e-13).second, 1e-9);
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Profile, BadInputNamesProfileValueAndPosition) {
  const std::string backwards = message_of([] {
    Profile::measured("worn left", {0.0, 0.01, 0.005}, {0.0, 0.0, 0.0});
  });
  EXPECT_NE(backwards.find("'worn left': point 3 at 0.005"), std::string::npos) << backwards;
  const std::string nan = message_of([] {
    Profile::measured("worn", {0.0, 0.01, 0.02}, {0.0, NAN, 0.0});
  });
  EXPECT_NE(nan.find("'worn': point 2 is (0.01, nan)"), std::string::npos) << nan;
  const std::string nu = message_of([] { QuasiElasticOnline(wear(), wear_profile_grid(), 0.0); });
  EXPECT_NE(nu.find("wheel 'S1002' on rail 'UIC60': nu = 0"), std::string::npos) << nu;
  const std::string grid = message_of(
      [] { QuasiElasticOnline(wear(), ContactGrid::uniform(-80e-3, 40e-3, 100), 2e-5); });
  EXPECT_NE(grid.find("'S1002'"), std::string::npos) << grid;
}

// zeta, gradient and Hessian in closed form against nested dual numbers, psi included.
TEST(Geometry, DerivativesAgreeWithAutomaticDifferentiation) {
  using Inner = Dual<double, 5>;
  using Outer = Dual<Inner, 5>;
  const Rail changing(Profile::uic60(), Profile::circle(0.3, 0.06), 1.0, 6.0);
  double worst = 0.0, wrong = 0.0;
  for (const WheelRail& g : {wear(), WheelRail(Profile::s1002(0.5), changing)})
    for (const double s : {-36.2e-3, -28e-3, -4e-3, 11e-3, 35e-3})
      for (const double psi : {0.0, 0.01, -0.03}) {
        const RailPose<double> p{11e-3, 0.0243, psi, 2.7};
        std::array<Outer, 5> x;
        const std::array<double, 5> values{p[0], p[1], p[2], p[3], s};
        for (std::size_t i = 0; i < 5; ++i) {
          x[i] = Outer(Inner::variable(values[i], static_cast<int>(i)));
          x[i].d[i] = Inner(1.0);
        }
        const Outer z = g.zeta(x[4], RailPose<Outer>{x[0], x[1], x[2], x[3]});
        const WheelRail::Expansion e = g.expansion(s, p);
        EXPECT_NEAR(e.zeta, z.v.v, 1e-15);
        for (std::size_t i = 0; i < 5; ++i) {
          worst = std::max(worst, std::abs(e.gradient[i] - z.v.d[i]));
          for (std::size_t j = 0; j < 5; ++j) {
            const double exact = z.d[i].d[j], scale = std::max(1.0, std::abs(exact));
            worst = std::max(worst, std::abs(e.hessian[i][j] - exact) / scale);
            // A wrong variant, without the curve's own motion, must be seen.
            if (psi != 0.0 && i == 2 && j == 2)
              wrong = std::max(wrong, std::abs(e.hessian[i][j] * 1.0001 - exact) / scale);
          }
        }
      }
  EXPECT_LT(worst, 1e-8);
  EXPECT_GT(wrong, 1e-6);
}

// One contact: value, gradient, Hessian, point of attack, curvatures by automatic differentiation
// of the same weighted means.
TEST(QuasiElastic, MeansAndCovariancesAgreeWithAutomaticDifferentiation) {
  const QuasiElasticOnline contact = online();
  for (const RailPose<double>& p :
       {at(9.7, 0.024, 0.02), at(14.0, 0.026, -0.03), at(15.8, 0.025, 0.01)}) {
    RailContact c;
    ASSERT_TRUE(contact.evaluate(p, true, c));
    for (std::size_t k = 0; k < 3; ++k) {
      RailPose<Taylor2Dual> x;
      for (std::size_t i = 0; i < 4; ++i) x[i] = Taylor2Dual(p[i]);
      x[k].c[1] = Dual4(1.0);
      for (std::size_t i = 0; i < 4; ++i) x[i].c[0] = Dual4::variable(p[i], static_cast<int>(i));
      const Taylor2Dual z = contact.series(x);
      EXPECT_NEAR(z.c[0].v, c.value, 1e-15);
      EXPECT_NEAR(z.c[1].v, c.gradient[k], 1e-12);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(z.c[1].d[j], c.hessian[k][j], 1e-8 * (1.0 + std::abs(c.hessian[k][j])));
    }
    // Point of attack and curvatures by central differences of the values.
    const double h = 1e-7;
    for (std::size_t k = 0; k < 3; ++k) {
      RailPose<double> plus = p, minus = p;
      plus[k] += h;
      minus[k] -= h;
      RailContact a, b;
      contact.evaluate(plus, false, a);
      contact.evaluate(minus, false, b);
      EXPECT_NEAR((a.s - b.s) / (2 * h), c.s_gradient[k], 1e-5 * (1.0 + std::abs(c.s_gradient[k])));
      for (const std::size_t m : {0U, 1U, 3U})
        EXPECT_NEAR((a.curvature[m] - b.curvature[m]) / (2 * h), c.curvature_gradient[m][k],
                    2e-5 * (10.0 + std::abs(c.curvature_gradient[m][k])));
    }
  }
}

// Table of Arnold's section 4.3 computed independently: S1002 on UIC60, phi = 0.025.
TEST(QuasiElastic, HeightsPointsAndCurvaturesOfTheTable) {
  struct Row {
    double xi_v, largest, s_rigid, smooth, s, slope, wheel_y, rail_y;
  };
  const QuasiElasticOnline contact = online();
  const QuasiElasticOnline fine(wear(), ContactGrid::uniform(-45e-3, 40e-3, 3400), 2e-5);
  for (const Row& r : {Row{0.0, 499.9606, 16.944, 499.9054, 16.736, -0.01414, 1.00, 3.34},
                       Row{9.1, 499.8323, 4.616, 499.7940, 2.501, 0.00359, -2.67, 3.83},
                       Row{9.64, 499.8315, 2.362, 499.7981, -0.351, 0.01239, -3.21, 4.54},
                       Row{9.7, 499.8317, -7.756, 499.7989, -0.704, 0.01354, -3.28, 4.65},
                       Row{14.65, 500.1454, -28.626, 500.0972, -20.854, 0.15182, -14.51, 22.98},
                       Row{15.5, 500.4130, -30.326, 500.3372, -30.355, 0.36706, -48.3, 74.6}}) {
    const RailPose<double> p = at(r.xi_v);
    RailContact c;
    ASSERT_TRUE(contact.evaluate(p, false, c));
    const RigidContact rigid = contact.rigid(p);
    EXPECT_NEAR(rigid.value * 1e3, r.largest, 1e-4) << r.xi_v;
    EXPECT_NEAR(rigid.s * 1e3, r.s_rigid, 3e-3) << r.xi_v;
    EXPECT_NEAR(c.value * 1e3, r.smooth, 1e-4) << r.xi_v;
    EXPECT_NEAR(c.s * 1e3, r.s, 2e-3) << r.xi_v;
    EXPECT_NEAR(c.gradient[0], r.slope, 1e-5) << r.xi_v;
    EXPECT_NEAR(c.curvature[0], 2.0, r.s > -15.0 ? 0.01 : 0.16) << r.xi_v;  // 1/r0 on the tread
    EXPECT_NEAR(c.curvature[1], r.wheel_y, 6e-3 * (1.0 + std::abs(r.wheel_y))) << r.xi_v;
    // The curvature of the rail jumps where its arcs meet, so the coarse rule is off by some per
    // cent.
    RailContact f;
    ASSERT_TRUE(fine.evaluate(p, false, f));
    EXPECT_NEAR(f.curvature[3], r.rail_y, 3e-3 * (1.0 + r.rail_y)) << r.xi_v;
    EXPECT_NEAR(c.curvature[3], r.rail_y, 0.04 * r.rail_y) << r.xi_v;
  }
}

// x-dependent rails: zeta_x and pure regions.
// Spline table against the sum over the grid, around the root of the flange. With knots over xi_v
// itself (yaw_shift = 0) the parabola in psi is wrong there: at psi_0 = 1 degree the flange touches
// earlier.
TEST(QuasiElastic, TableFollowsTheFlangeInYaw) {
  const QuasiElasticOnline contact = online();
  TableRange range;
  range.places = {14.8e-3, 15.5e-3, 16.5e-3};
  range.intervals = {7, 28};
  range.phi_low = 0.0242, range.phi_high = 0.0258;
  range.phi_intervals = 4;
  TableRange naive = range;
  naive.yaw_shift = 0.0;
  const QuasiElasticTable table(contact, range), unmoved(contact, naive);
  double worst = 0.0, wrong = 0.0;
  for (double xi_v = 15.3; xi_v < 16.2; xi_v += 0.05)
    for (const double psi : {0.0, 2e-3, 3e-3, -3e-3}) {
      RailContact exact, a, b;
      ASSERT_TRUE(contact.evaluate(at(xi_v, 0.0249, psi), false, exact));
      ASSERT_TRUE(table.evaluate(at(xi_v, 0.0249, psi), false, a));
      ASSERT_TRUE(unmoved.evaluate(at(xi_v, 0.0249, psi), false, b));
      worst = std::max(worst, std::abs(a.value - exact.value));
      wrong = std::max(wrong, std::abs(b.value - exact.value));
    }
  EXPECT_LT(worst, 1e-6);
  EXPECT_GT(wrong, 3e-6);
  // Gradient and Hessian by differences of the table itself; both ways to evaluate agree.
  const RailPose<double> p = at(15.9, 0.0247, 2.5e-3);
  RailContact c, plain;
  ASSERT_TRUE(table.evaluate(p, true, c));
  ASSERT_TRUE(table.evaluate(p, false, plain));
  const double h = 1e-7;
  for (std::size_t k = 0; k < 3; ++k) {
    RailPose<double> plus = p, minus = p;
    plus[k] += h;
    minus[k] -= h;
    RailContact up, down;
    table.evaluate(plus, false, up);
    table.evaluate(minus, false, down);
    EXPECT_NEAR(plain.gradient[k], c.gradient[k], 1e-12);
    EXPECT_NEAR((up.value - down.value) / (2 * h), c.gradient[k], 1e-6);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR((up.gradient[j] - down.gradient[j]) / (2 * h), c.hessian[k][j],
                  1e-4 * (1.0 + std::abs(c.hessian[k][j])));
  }
  range.intervals = {7};
  EXPECT_NE(message_of([&] { QuasiElasticTable(contact, range); }).find("places 0.0148"),
            std::string::npos);
}

TEST(Rail, ChangesAlongTheTrack) {
  const Rail rail(Profile::uic60(), Profile::circle(0.3, 0.06), 0.0, 5.0);
  const double v = 14e-3;
  EXPECT_EQ(rail.value(v, -1.0), Profile::uic60().value(v));
  EXPECT_EQ(rail.value(v, 5.5), Profile::circle(0.3, 0.06).value(v));
  const double h = 1e-5;
  const Rail::Jet j = rail.jet(v, 1.9);
  EXPECT_NEAR(j.x, (rail.value(v, 1.9 + h) - rail.value(v, 1.9 - h)) / (2 * h), 1e-11);
  EXPECT_NEAR(j.xx, (rail.jet(v, 1.9 + h).x - rail.jet(v, 1.9 - h).x) / (2 * h), 1e-10);
  EXPECT_NEAR(j.xv, (rail.jet(v + h, 1.9).x - rail.jet(v - h, 1.9).x) / (2 * h), 1e-8);
}

TEST(WheelRail, LevelLinesAreOneIntervalThoughTheDistanceHasTwoMinima) {
  const QuasiElasticOnline contact = online();
  const RailPose<double> p = at(9.64);
  const double xi_w = -contact.rigid(p).value;
  // Distances at the published ends of the level lines 20 um and 100 um.
  for (const double s : {-9.81, 8.74})
    EXPECT_NEAR(contact.geometry().distance(s * 1e-3, 0.0, p, xi_w) * 1e6, 20.0, 0.3);
  for (const double s : {-12.76, 14.15})
    EXPECT_NEAR(contact.geometry().distance(s * 1e-3, 0.0, p, xi_w) * 1e6, 100.0, 0.5);
}

}  // namespace
}  // namespace daedalus::wheel_rail_geometry_test
