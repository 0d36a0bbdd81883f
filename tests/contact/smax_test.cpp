// SPDX-License-Identifier: BSD-3-Clause
// Smooth maximum and global search: values against quadrature by hand, derivatives over all scalars
// against each other and against differences, overflow, misuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <catalogue/disc_hyperbola.hpp>
#include <daedalus/contact.hpp>

namespace daedalus::smax_test {
namespace {

using problems::disc_hyperbola_model::Disc;
using problems::disc_hyperbola_model::rim;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Waves {
  double offset = 0.0;
  template <class S, class P>
  auto operator()(const S& s, const P& p) const {
    using std::cos, std::sin;
    return offset + p[0] * s - p[1] * s * s + 0.3 * cos(3.0 * s + p[2] * p[0]) +
           sin(p[2] * s) * p[1];
  }
};

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// N = 1: one point, weight 1: smax is zeta there. N = 2: ln((e^a + e^b)/2) by hand.
TEST(Smax, IsTheLogarithmOfTheMean) {
  const auto line = [](const auto& s, const auto& p) { return s * p[0]; };
  const ContactFamily one(ContactGrid::uniform(0.0, 2.0, 1), 0.5, line);
  EXPECT_DOUBLE_EQ(one.smax(std::array{3.0}), 6.0);
  const ContactFamily two(ContactGrid({0.0, 1.0, 4.0}), 0.5, line);
  const double expected = 0.5 * std::log((1.0 * std::exp(2.0) + 3.0 * std::exp(8.0)) / 4.0);
  EXPECT_NEAR(two.smax(std::array{1.0}), expected, 1e-14);
  // The wrong weights 1/2, 1/2 would be seen.
  EXPECT_GT(std::abs(0.5 * std::log((std::exp(2.0) + std::exp(8.0)) / 2.0) - expected), 0.1);
  const double w = 3.0 * std::exp(8.0) / (std::exp(2.0) + 3.0 * std::exp(8.0));
  EXPECT_NEAR(two.attack(std::array{1.0}), 1.0 * (1.0 - w) + 4.0 * w, 1e-14);
}

// Values of a program of its own with the integral instead of a sum, a = 0.4, rho = 0.8.
TEST(Smax, OfTheDisc) {
  const std::vector<std::array<double, 3>> rows{
      {0.2, 1.225391, 3.337}, {0.02, 1.243408, 27.603}, {0.005, 1.255826, 118.17}};
  for (const auto& [nu, value, curvature] : rows) {
    const auto e = ContactFamily(rim(0.8, 24), nu, Disc{}).expansion(std::array{0.0});
    EXPECT_NEAR(e.value, value, 6e-7) << nu;
    EXPECT_NEAR(e.gradient[0], 0.0, 1e-12) << nu;  // even in q1
    EXPECT_NEAR(e.hessian[0][0], curvature, 5e-5 * curvature + 5e-4) << nu;
  }
}

// Dual numbers, series and series over dual numbers see the derivatives of the formulas: weighted
// means and covariances; the third derivative against a difference of the second.
TEST(Smax, DerivativesOverAllScalars) {
  const ContactFamily f(ContactGrid::uniform(-2.0, 2.0, 200), 0.05, Waves{});
  const std::array<double, 3> p{0.1, 0.4, 0.7};
  const auto e = f.expansion(p);
  std::array<Dual4, 3> x;
  for (int j = 0; j < 3; ++j)
    x[static_cast<std::size_t>(j)] = Dual4::variable(p[static_cast<std::size_t>(j)], j);
  const Dual4 d = f.smax(x);
  EXPECT_NEAR(d.v, e.value, 1e-15);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(d.d[j], e.gradient[j], 1e-13);
  const std::array<double, 3> w{0.3, -0.8, 0.5};
  std::array<Taylor2Dual, 3> curve;
  for (std::size_t j = 0; j < 3; ++j) {
    curve[j] = Taylor2Dual(x[j]);
    curve[j].c[1] = Dual4(w[j]);
  }
  const Taylor2Dual z = f.smax(curve);
  double first = 0.0, second = 0.0;
  for (std::size_t j = 0; j < 3; ++j) {
    first += e.gradient[j] * w[j];
    for (std::size_t k = 0; k < 3; ++k) second += e.hessian[j][k] * w[j] * w[k];
  }
  EXPECT_NEAR(z.c[1].v, first, 1e-13);
  EXPECT_NEAR(2.0 * z.c[2].v, second, 1e-11);
  for (std::size_t j = 0; j < 3; ++j) {
    std::array<double, 3> up = p, down = p;
    up[j] += 1e-5;
    down[j] -= 1e-5;
    const auto a = f.expansion(up), b = f.expansion(down);
    double third = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        third += (a.hessian[i][k] - b.hessian[i][k]) / 2e-5 * w[i] * w[k];
    EXPECT_NEAR(2.0 * z.c[2].d[j], third, 1e-6 * std::abs(third) + 1e-6);
  }
  // The mean of zeta_00 alone, without the covariance, is far from it.
  const auto mean = f.smooth(p, [](double s, const auto& at) {
    return std::array<double, 1>{-0.3 * at[2] * at[2] * std::cos(3.0 * s + at[2] * at[0])};
  });
  EXPECT_GT(std::abs(mean.mean[0] - e.hessian[0][0]), 0.05);
}

// Derivatives that the user gives replace those found.
TEST(Smax, TakesGivenDerivatives) {
  const auto line = [](const auto& s, const auto& p) { return s * p[0]; };
  const ContactFamily f(ContactGrid::uniform(-1.0, 1.0, 10), 0.3, line);
  const auto given = f.expansion(std::array{0.4}, [](double s, const auto& p) {
    ContactExpansion<1> e;
    e.value = s * p[0];
    e.gradient = {s};
    return e;
  });
  const auto found = f.expansion(std::array{0.4});
  EXPECT_DOUBLE_EQ(given.hessian[0][0], found.hessian[0][0]);
  EXPECT_DOUBLE_EQ(given.gradient[0], f.attack(std::array{0.4}));
}

// A functor may keep numbers per grid point.
struct Stored {
  std::vector<double> squares;
  template <class P>
  auto operator()(int i, double s, const P& p) const {
    return s * p[0] - squares[static_cast<std::size_t>(i)];
  }
  template <class S, class P>
  auto operator()(const S& s, const P& p) const {
    return s * p[0] - s * s;
  }
};
TEST(Smax, CallsTheFormWithNumbersOfPoints) {
  const ContactGrid grid = ContactGrid::uniform(-1.0, 1.0, 50);
  Stored stored;
  for (int i = 0; i < grid.size(); ++i) stored.squares.push_back(grid.point(i) * grid.point(i));
  const ContactFamily f(grid, 0.1, stored);
  const ContactFamily plain(grid, 0.1,
                            [](const auto& s, const auto& p) { return s * p[0] - s * s; });
  EXPECT_DOUBLE_EQ(f.smax(std::array{0.3}), plain.smax(std::array{0.3}));
  EXPECT_NEAR(f.rigid(std::array{0.3}).s, 0.15, 1e-15);
}

TEST(Smax, DoesNotOverflow) {
  const ContactGrid grid = ContactGrid::uniform(-2.0, 2.0, 200);
  const ContactFamily low(grid, 2e-5, Waves{}), high(grid, 2e-5, Waves{0.5});  // 0.5/nu = 2.5e4
  const std::array<double, 3> p{0.1, 0.4, 0.7};
  EXPECT_NEAR(high.smax(p) - low.smax(p), 0.5, 2e-16 * 4);
  EXPECT_TRUE(std::isinf(std::exp(high.smax(p) / 2e-5)));  // what a plain sum would meet
}

TEST(Smax, PassesOverPointsThatCannotTouchAndReportsNan) {
  const auto half = [](const auto& s, const auto& p) {
    using R = std::decay_t<decltype(s * p[0])>;
    return s < 0.0 ? R(-std::numeric_limits<double>::infinity()) : R(-s * p[0]);
  };
  const ContactFamily f(ContactGrid({-1.0, -0.5, 0.5, 1.0}), 1.0, half);
  EXPECT_NEAR(f.smax(std::array{1.0}), std::log((std::exp(-0.5) + 0.5 * std::exp(-1.0)) / 2.0),
              1e-15);
  EXPECT_TRUE(std::isfinite(f.smax(std::array{Dual4::variable(1.0, 0)}).d[0]));
  const ContactFamily bad(ContactGrid::uniform(-1.0, 1.0, 4), 1.0,
                          [](const auto& s, const auto& p) {
                            using std::sqrt;
                            return sqrt(s - p[0]);
                          });
  EXPECT_TRUE(std::isnan(bad.smax(std::array{0.0})));
  EXPECT_TRUE(std::isnan(bad.rigid(std::array{0.0}).value));
}

TEST(Rigid, FindsTheHigherOfTwoHills) {
  const ContactFamily f(rim(0.8, 24), 0.02, Disc{});
  const Disc disc;
  for (const double side : {-1.0, 1.0}) {
    const RigidContact r = f.rigid(std::array{side * 1e-9});
    EXPECT_NEAR(r.s, side * disc.contact_at_jump(), 1e-8);
    EXPECT_TRUE(r.interior);
    EXPECT_LT(r.curvature, 0.0);
  }
  EXPECT_NEAR(f.rigid(std::array{-1.0}).value, 2.1817998, 5e-8);
  EXPECT_NEAR(f.rigid(std::array{-1.0}).s - 1.0, -1.5565716, 5e-8);
  // A grid whose highest point lies on the lower hill.
  const ContactFamily coarse(ContactGrid({-0.8, -0.49, -0.2, 0.2, 0.33, 0.8}), 0.02, Disc{});
  EXPECT_GT(coarse.rigid(std::array{1e-3}).s, 0.0);
}

TEST(Rigid, EndsOfTheInterval) {
  const ContactFamily f(ContactGrid::uniform(-1.0, 2.0, 30), 0.1,
                        [](const auto& s, const auto& p) { return s * p[0]; });
  EXPECT_EQ(f.rigid(std::array{1.0}).s, 2.0);
  EXPECT_FALSE(f.rigid(std::array{1.0}).interior);
  EXPECT_EQ(f.rigid(std::array{-1.0}).s, -1.0);
}

// The lead changes its sign at the jump, towards the side on which the rival is.
TEST(Rigid, LeadOverTheRival) {
  const ContactFamily f(rim(0.8, 24), 0.02, Disc{});
  const double s = f.rigid(std::array{-1e-6}).s;
  EXPECT_GT(f.lead(s, std::array{-1e-6}), 0.0);
  EXPECT_LT(f.lead(s, std::array{1e-6}), 0.0);
  EXPECT_LT(f.lead(s, std::array{1e-6}, ContactSide::right), 0.0);
  EXPECT_GT(f.lead(s, std::array{1e-6}, ContactSide::left), 0.1);  // nobody there
  // d lead/dq1 = -2 slope_at_jump.
  EXPECT_NEAR(f.lead(s, std::array{-1e-6}), 2e-6 * Disc{}.slope_at_jump(), 1e-11);
  EXPECT_GT(f.rival(s, std::array{0.0}).s, 0.0);
  const double far = f.rigid(std::array{-1.0}).s;
  EXPECT_FALSE(std::isfinite(f.rival(far, std::array{-1.0}).value));
}

TEST(Rigid, SlopeOverScalars) {
  const ContactFamily f(rim(0.8, 24), 0.02, Disc{});
  const Dual4 slope = f.slope(Dual4::variable(0.3, 0), std::array{Dual4::variable(-0.5, 1)});
  const double xi = -0.2, ground = 0.16 / std::pow(xi * xi + 0.16, 1.5),
               rim_part = 0.64 / std::pow(0.64 - 0.09, 1.5);
  EXPECT_NEAR(slope.v, -0.3 / std::sqrt(0.64 - 0.09) + xi / std::sqrt(xi * xi + 0.16), 1e-14);
  EXPECT_NEAR(slope.d[0], ground - rim_part, 1e-13);
  EXPECT_NEAR(slope.d[1], ground, 1e-13);
}

TEST(ContactMisuse, NamesValueAndPosition) {
  using testing::AllOf, testing::HasSubstr;
  const auto grid = [](std::vector<double> points) {
    return message_of([&] { ContactGrid g(std::move(points)); });
  };
  EXPECT_THAT(grid({}), HasSubstr("0 points"));
  EXPECT_THAT(grid({1.0}), HasSubstr("1 points"));
  EXPECT_THAT(grid({0.0, 1.0, not_a_number}), AllOf(HasSubstr("point 2"), HasSubstr("nan")));
  EXPECT_THAT(grid({0.0, 2.0, 1.5}), AllOf(HasSubstr("point 2"), HasSubstr("1.5 after 2")));
  EXPECT_THAT(message_of([] { (void)ContactGrid::uniform(0.0, 1.0, 5000); }), HasSubstr("5000"));
  EXPECT_THAT(message_of([] { (void)ContactGrid(0.0, 1.0, {0.5}, {-1.0}); }),
              AllOf(HasSubstr("weight 0"), HasSubstr("s = 0.5"), HasSubstr("-1")));
  EXPECT_THAT(message_of([] { (void)ContactGrid(0.0, 1.0, {1.5}, {1.0}); }), HasSubstr("1.5"));
  EXPECT_THAT(message_of([] {
                (void)ContactGrid::graded({0.0, 1.0}, {3, 4});
              }),
              HasSubstr("2 numbers of intervals"));
  for (const double nu : {0.0, -1e-5, not_a_number})
    EXPECT_THAT(
        message_of([&] { ContactFamily f(ContactGrid::uniform(0.0, 1.0, 5), nu, Waves{}); }),
        HasSubstr("nu is"));
}

// Degree 2 n - 1 is integrated exactly by n points.
TEST(ContactGridTest, GaussPointsAreExact) {
  for (const int n : {1, 2, 5, 16}) {
    const ContactGrid g = ContactGrid::gauss({-1.0, 2.0}, n);
    for (int k = 0; k < 2 * n && k < 12; ++k) {
      double sum = 0.0;
      for (int i = 0; i < g.size(); ++i) sum += 3.0 * g.weight(i) * std::pow(g.point(i), k);
      EXPECT_NEAR(sum, (std::pow(2.0, k + 1) - std::pow(-1.0, k + 1)) / (k + 1),
                  1e-13 * std::pow(2.0, k))
          << n << ' ' << k;
    }
  }
  EXPECT_NE(ContactGrid::uniform(0.0, 1.0, 5).hash(), ContactGrid::uniform(0.0, 1.0, 6).hash());
}

}  // namespace
}  // namespace daedalus::smax_test
