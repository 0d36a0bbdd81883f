// SPDX-License-Identifier: BSD-3-Clause
// Forces that depend on lambda (Coulomb friction), and singular mass matrices.
#include "forms/support.hpp"

namespace daedalus::friction_test {
namespace {

using namespace forms_test;

constexpr double gravity = 9.81, mu = 0.3;

struct MethodOf {
  const char *method, *formulation;
};
const MethodOf first_order[] = {{"implicit-euler", "index1"},
                                {"implicit-euler", "index2"},
                                {"implicit-euler", "index3"},
                                {"half-explicit-euler", "index2"}};

// A block on an incline: g = y cos a - x sin a, normal force N = -lambda > 0, friction mu N against
// the motion down the slope. Speed v(t) = -(g sin a - mu g cos a) t.
TEST(Friction, BlockOnAnIncline) {
  const double a = 0.6, s = std::sin(a), c = std::cos(a);
  MultibodyProblem p;
  p.name = "incline";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    M(0, 0) = M(1, 1) = 2.0;
    M(0, 1) = M(1, 0) = 0.0;
  });
  p.force = autodiff([=](const auto&, const auto&, const auto&, const auto& lambda, auto& f) {
    f[0] = -mu * lambda[0] * c;  // uphill, along (c, s)
    f[1] = -2.0 * gravity - mu * lambda[0] * s;
  });
  p.constraint = autodiff([=](const auto&, const auto& q, auto& g) { g[0] = q[1] * c - q[0] * s; });
  p.q0 = vec({0.0, 0.0});
  p.v0 = vec({0.0, 0.0});
  const double along = -(gravity * s - mu * gravity * c);
  VectorXd exact(5);
  exact << 0.5 * along * c, 0.5 * along * s, along * c, along * s, -2.0 * gravity * c;
  for (const std::string method : {"rodas4", "rk4"})
    EXPECT_LT(distance(end_of(p, {0.0, 1.0}, tight(method, 1e-9)), exact), 1e-10) << method;
  for (const MethodOf& m : first_order) {
    const VectorXd end = end_of(p, {0.0, 1.0}, fixed(m.method, 0.01, m.formulation));
    // Constant acceleration: velocities and the multiplier are exact, positions off by h a / 2.
    EXPECT_LT(distance(end.tail(3), exact.tail(3)), 1e-8) << m.method << " " << m.formulation;
    EXPECT_NEAR(distance(end.head(2), exact.head(2)), 0.005 * std::abs(along) * c, 1e-3)
        << m.method << " " << m.formulation;
  }
  // A plain force with lambda: friction is recognised by its values.
  p.force = [=](double, In, In, In lambda, Out f) {
    f << -mu * lambda[0] * c, -2.0 * gravity - mu * lambda[0] * s;
  };
  for (const std::string method : {"rodas4", "rk4"})
    EXPECT_LT(distance(end_of(p, {0.0, 1.0}, tight(method, 1e-8)), exact), 1e-6) << method;
}

// A point mass on y = x^2 / 2, where the normal force changes. In arc length:
// v' = -g sin th - mu (g cos th + kappa v^2), x' = v cos th, tan th = x, kappa = (1 + x^2)^(-3/2).
VectorXd parabola_exact(double t) {
  SemiExplicitProblem p;
  p.name = "arc length";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    using std::sqrt;
    const auto w = sqrt(1.0 + y[0] * y[0]);
    const auto normal = gravity / w + y[1] * y[1] / (w * w * w);
    f[0] = y[1] / w;
    f[1] = -gravity * y[0] / w - mu * normal;
  });
  p.y0 = vec({-1.0, 2.0});
  const VectorXd y = end_of(p, {0.0, t}, tight("rodas4", 1e-12));
  const double w = std::sqrt(1.0 + y[0] * y[0]);
  VectorXd x(5);
  // G = (-x, 1): the normal force is -lambda w.
  x << y[0], 0.5 * y[0] * y[0], y[1] / w, y[1] * y[0] / w,
      -(gravity / w + y[1] * y[1] / (w * w * w)) / w;
  return x;
}
MultibodyProblem parabola() {
  MultibodyProblem p;
  p.name = "parabola";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = autodiff([](const auto&, const auto&, const auto& v, const auto& lambda, auto& f) {
    using std::sqrt;
    // |G^T lambda| v / |v|: on the curve |(-x, 1)| = |v| / |u|.
    const auto speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    const auto push = mu * lambda[0] * speed / v[0];
    f[0] = push * v[0] / speed;
    f[1] = -gravity + push * v[1] / speed;
  });
  p.constraint =
      autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1] - 0.5 * q[0] * q[0]; });
  p.q0 = vec({-1.0, 0.5});
  p.v0 = vec({std::sqrt(2.0), -std::sqrt(2.0)});
  return p;
}

TEST(Friction, PointMassOnAParabola) {
  const VectorXd exact = parabola_exact(0.5);
  for (const std::string method : {"rodas4", "rk4"})
    EXPECT_LT(distance(end_of(parabola(), {0.0, 0.5}, tight(method, 1e-9)), exact), 1e-6) << method;
  for (const MethodOf& m : first_order) {
    const Options o = fixed(m.method, 2e-3, m.formulation);
    EXPECT_NEAR(ratio(parabola(), {0.0, 0.5}, o, exact, 0, 4), 2.0, 0.2)
        << m.method << " " << m.formulation;
    EXPECT_NEAR(ratio(parabola(), {0.0, 0.5}, o, exact, 4, 1), 2.0, 0.3)
        << m.method << " " << m.formulation;
  }
}

// Without friction the same curve is another motion: the test above sees the lambda in f.
TEST(Friction, MattersHere) {
  MultibodyProblem p = parabola();
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = 0.0;
    f[1] = -gravity;
  });
  EXPECT_GT(distance(end_of(p, {0.0, 0.5}, tight("rk4")), parabola_exact(0.5)), 0.1);
}

// Pendulum with the massless angle as third coordinate: x = sin phi, y = -cos phi. M = diag(1, 1,
// 0) is singular, [M G^T; G 0] is not.
MultibodyProblem massless_angle(bool plain) {
  MultibodyProblem p;
  p.name = "massless angle";
  p.space = euclidean(3);
  p.constraint_count = 2;
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 9; ++i) M(i % 3, i / 3) = i == 0 || i == 4 ? 1.0 : 0.0;
  });
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = 0.0;
    f[1] = -gravity;
    f[2] = 0.0;
  });
  const auto g = [](const auto&, const auto& q, auto& out) {
    using std::cos;
    using std::sin;
    out[0] = q[0] - sin(q[2]);
    out[1] = q[1] + cos(q[2]);
  };
  if (plain)
    p.constraint = [g](double t, In q, Out out) { g(t, q, out); };
  else
    p.constraint = autodiff(g);
  p.q0 = vec({1.0, 0.0, 0.5 * EIGEN_PI});
  p.v0 = vec({0.0, 0.0, 0.0});
  return p;
}
VectorXd angle_exact(double t) {
  SemiExplicitProblem p;
  p.name = "angle";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    using std::sin;
    f[0] = y[1];
    f[1] = -gravity * sin(y[0]);
  });
  p.y0 = vec({0.5 * EIGEN_PI, 0.0});
  const VectorXd y = end_of(p, {0.0, t}, tight("rodas4", 1e-12));
  VectorXd x(6);
  x << std::sin(y[0]), -std::cos(y[0]), y[0], std::cos(y[0]) * y[1], std::sin(y[0]) * y[1], y[1];
  return x;
}

TEST(SingularMass, AMasslessCoordinate) {
  const VectorXd exact = angle_exact(1.0);
  for (const std::string method : {"rodas4", "rk4"}) {
    EXPECT_LT(distance(end_of(massless_angle(false), {0.0, 1.0}, tight(method)).head(6), exact),
              1e-7)
        << method;
  }
  EXPECT_LT(distance(end_of(massless_angle(true), {0.0, 1.0}, tight("rk4", 1e-7)).head(6), exact),
            1e-4);
  for (const MethodOf& m : first_order)
    EXPECT_NEAR(
        ratio(massless_angle(false), {0.0, 1.0}, fixed(m.method, 1e-3, m.formulation), exact, 0, 6),
        2.0, 0.2)
        << m.method << " " << m.formulation;
}

TEST(SingularMass, IsRefusedWhereTheSaddlePointMatrixIsSingularToo) {
  MultibodyProblem p = massless_angle(false);
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 9; ++i) M(i % 3, i / 3) = 0.0;
  });
  const Solution s = solve(p, {0.0, 1.0}, tight("rk4"));
  EXPECT_EQ(s.status(), Status::singular_matrix) << s.message();
}

}  // namespace
}  // namespace daedalus::friction_test
