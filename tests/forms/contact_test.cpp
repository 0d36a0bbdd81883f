// SPDX-License-Identifier: BSD-3-Clause
// Dynamic variables c' = d(t, q, v, c, lambda) and contact coordinates s with h(t, q, s) = 0,
// compared with models that have neither.
#include "forms/support.hpp"

namespace daedalus {
namespace {

using namespace forms_test;

constexpr double gravity = 9.81;

struct MethodOf {
  const char *method, *formulation;
};
const MethodOf accurate[] = {{"rodas4", "index1"}, {"rk4", "index1"}};
const MethodOf first_order[] = {{"implicit-euler", "index1"},
                                {"implicit-euler", "index2"},
                                {"implicit-euler", "index3"},
                                {"half-explicit-euler", "index2"}};

// A bead on the parabola y = x^2 / 2 pushed by an actuator of first order: c1' = (sin t - c1) /
// 0.2; c2 adds up the multiplier: c2' = lambda.
MultibodyProblem actuated() {
  MultibodyProblem p;
  p.name = "actuated bead";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.dynamic_count = 2;
  p.force = autodiff([](const auto& x, auto& f) {
    f[0] = x.c[0];
    f[1] = -gravity + 0.0 * x.v[0];
  });
  p.constraint =
      autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1] - 0.5 * q[0] * q[0]; });
  p.dynamics = autodiff(
      [](const auto& t, const auto&, const auto&, const auto& c, const auto& lambda, auto& d) {
        using std::sin;
        d[0] = (sin(t) - c[0]) / 0.2;
        d[1] = lambda[0];
      });
  p.q0 = vec({0.5, 0.125});
  p.v0 = vec({0.0, 0.0});
  p.c0 = vec({0.3, 0.0});
  return p;
}
// x'' (1 + x^2) = c - x x'^2 - g x; lambda = -(g + x'^2 + x x'').
VectorXd actuated_exact(double t) {
  SemiExplicitProblem p;
  p.name = "reduced";
  p.f = autodiff([](const auto& time, const auto& y, const auto&, auto& f) {
    using std::sin;
    const auto a = (y[2] - y[0] * y[1] * y[1] - gravity * y[0]) / (1.0 + y[0] * y[0]);
    f[0] = y[1];
    f[1] = a;
    f[2] = (sin(time) - y[2]) / 0.2;
    f[3] = -(gravity + y[1] * y[1] + y[0] * a);
  });
  p.y0 = vec({0.5, 0.0, 0.3, 0.0});
  const VectorXd y = end_of(p, {0.0, t}, tight("rodas4", 1e-12));
  const double a = (y[2] - y[0] * y[1] * y[1] - gravity * y[0]) / (1.0 + y[0] * y[0]);
  VectorXd x(7);
  x << y[0], 0.5 * y[0] * y[0], y[1], y[0] * y[1], y[2], y[3], -(gravity + y[1] * y[1] + y[0] * a);
  return x;
}

TEST(DynamicVariables, AgreeWithTheReducedFirstOrderModel) {
  const VectorXd exact = actuated_exact(1.0);
  for (const MethodOf& m : accurate)
    EXPECT_LT(distance(end_of(actuated(), {0.0, 1.0}, tight(m.method)), exact), 1e-7) << m.method;
  for (const MethodOf& m : first_order) {
    const Options o = fixed(m.method, 2e-3, m.formulation);
    EXPECT_NEAR(ratio(actuated(), {0.0, 1.0}, o, exact, 0, 4), 2.0, 0.3)
        << m.method << " " << m.formulation;
    EXPECT_NEAR(ratio(actuated(), {0.0, 1.0}, o, exact, 4, 1), 2.0, 0.3)
        << m.method << " " << m.formulation;
    EXPECT_LT(std::abs(end_of(actuated(), {0.0, 1.0}, o)[5] - exact[5]), 0.05)
        << m.method << " " << m.formulation;
  }
}

TEST(DynamicVariables, AreNamedAndClassified) {
  MultibodyProblem p = actuated();
  p.c_names = {"thrust", "impulse"};
  const Solution s = solve(p, {0.0, 0.1}, tight("rk4"));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.end().c().size(), 2);
  EXPECT_EQ(s.end()["impulse"], s.end().c()[1]);
  EXPECT_EQ(s.end()["impulse"], s.end().y()[5]);
}

// The bead touches the curve gamma(s) = (s, s^2 / 2) at the foot point: h = (q - gamma) . gamma',
// g = (q - gamma) . n with n = (-s, 1). On the curve G = n, the same as that of y - x^2 / 2.
MultibodyProblem with_contact(bool moving) {
  MultibodyProblem p;
  p.name = "contact point";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.contact_count = 1;
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = 0.0;
    f[1] = -gravity;
  });
  const double rise = moving ? 0.4 : 0.0;  // the curve moves up with rise t^2
  p.contact = autodiff([rise](const auto& t, const auto& q, const auto& s, auto& h) {
    h[0] = (q[0] - s[0]) + (q[1] - 0.5 * s[0] * s[0] - rise * t * t) * s[0];
  });
  p.constraint = autodiff([rise](const auto& t, const auto& q, const auto& s, auto& g) {
    g[0] = -s[0] * (q[0] - s[0]) + (q[1] - 0.5 * s[0] * s[0] - rise * t * t);
  });
  p.q0 = vec({1.0, 0.5});
  p.v0 = vec({0.0, 0.0});
  p.s0 = vec({0.9});  // a guess; the start solves h = 0
  return p;
}
MultibodyProblem eliminated(bool moving) {
  MultibodyProblem p = with_contact(moving);
  p.name = "eliminated";
  p.contact_count = 0;
  p.contact = {};
  p.s0 = VectorXd();
  const double rise = moving ? 0.4 : 0.0;
  p.constraint = autodiff([rise](const auto& t, const auto& q, auto& g) {
    g[0] = q[1] - 0.5 * q[0] * q[0] - rise * t * t;
  });
  return p;
}

TEST(Contact, AgreesWithTheEliminatedSystem) {
  for (const bool moving : {false, true}) {
    const VectorXd e = end_of(eliminated(moving), {0.0, 1.0}, tight("rodas4", 1e-12));
    VectorXd exact(6);
    exact << e.head(4), e[0], e[4];  // s is the foot point: s = x
    for (const MethodOf& m : accurate)
      EXPECT_LT(distance(end_of(with_contact(moving), {0.0, 1.0}, tight(m.method)), exact), 1e-6)
          << m.method << " moving " << moving;
    for (const MethodOf& m : first_order) {
      const Options o = fixed(m.method, 1e-3, m.formulation);
      EXPECT_NEAR(ratio(with_contact(moving), {0.0, 1.0}, o, exact, 0, 4), 2.0, 0.3)
          << m.method << " " << m.formulation << " moving " << moving;
      const VectorXd end = end_of(with_contact(moving), {0.0, 1.0}, o);
      EXPECT_LT(std::abs(end[4] - end[0]), 0.05) << m.method << " " << m.formulation;
      EXPECT_LT(std::abs(end[5] - exact[5]), 0.2) << m.method << " " << m.formulation;
    }
  }
}

TEST(Contact, TheStartSolvesForTheContactCoordinate) {
  const Solution s = solve(with_contact(false), {0.0, 0.0}, tight("rk4"));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.start().s()[0], 1.0, 1e-12);
}

TEST(Contact, PlainCallablesAreRefusedByName) {
  MultibodyProblem p = with_contact(false);
  p.contact = [](double, In q, In s, Out h) { h[0] = q[0] - s[0]; };
  try {
    solve(p, {0.0, 1.0}, tight("rk4"));
    FAIL() << "a plain contact function was accepted";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("contact"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace daedalus
