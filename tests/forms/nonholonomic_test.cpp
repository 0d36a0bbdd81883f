// SPDX-License-Identifier: BSD-3-Clause
// Velocity-level rows A(t, q) v + a(t, q) = 0, alone and together with holonomic ones.
#include <catalogue/catalogue.hpp>

#include "forms/support.hpp"

namespace daedalus::nonholonomic_test {
namespace {

using namespace forms_test;

struct MethodOf {
  const char *method, *formulation;
};
const MethodOf first_order[] = {
    {"implicit-euler", "index1"}, {"implicit-euler", "index2"}, {"half-explicit-euler", "index2"}};

TEST(Nonholonomic, KnifeEdgeFollowsItsClosedForm) {
  const problems::Entry& entry = *problems::find_problem("knife-edge");
  const Problem p = entry.problem();
  const auto exact = entry.exact(1.0, {});
  const auto error = [&](const Solution& s) {
    EXPECT_TRUE(s.ok()) << s.message();
    double worst = 0.0;
    for (const auto& [name, value] : exact)
      worst = std::max(worst, std::abs(s.end()[name] - value));
    return worst;
  };
  for (const std::string method : {"rodas4", "rk4"})
    EXPECT_LT(error(solve(p, {0.0, 1.0}, tight(method))), 1e-7) << method;
  for (const MethodOf& m : first_order) {
    const double a = error(solve(p, {0.0, 1.0}, fixed(m.method, 0.01, m.formulation)));
    const double b = error(solve(p, {0.0, 1.0}, fixed(m.method, 0.005, m.formulation)));
    EXPECT_NEAR(a / b, 2.0, 0.3) << m.method << " " << m.formulation;
  }
}

// A vertical disc of radius 1 rolling on a belt that moves with u(t) = sin t in x:
//   x' = cos(phi) theta' + u,  y' = sin(phi) theta'.  q = (x, y, theta, phi); phi' = w constant.
// Balance of momentum with forces (l1, l2) at the contact: along the heading
// x'' cos + y'' sin = theta'' + u' cos(phi); J theta'' = -(that) m => (J + m) theta'' = -m cos(phi)
// u'.
MultibodyProblem rolling(bool plain) {
  const double m = 2.0, J = 1.0;
  MultibodyProblem p;
  p.name = "rolling disc";
  p.space = euclidean(4);
  p.nonholonomic_count = 2;
  p.mass = autodiff([=](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 16; ++i) M(i % 4, i / 4) = 0.0;
    M(0, 0) = M(1, 1) = m;
    M(2, 2) = J;
    M(3, 3) = 0.5;
  });
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    for (int i = 0; i < 4; ++i) f[i] = 0.0;
  });
  const auto A = [](const auto&, const auto& q, auto& out) {
    using std::cos;
    using std::sin;
    for (int i = 0; i < 8; ++i) out(i % 2, i / 2) = 0.0;
    out(0, 0) = out(1, 1) = 1.0;
    out(0, 2) = -cos(q[3]);
    out(1, 2) = -sin(q[3]);
  };
  const auto a = [](const auto& t, const auto&, auto& out) {
    using std::sin;
    out[0] = -sin(t);
    out[1] = 0.0;
  };
  if (plain) {
    p.nonholonomic_matrix = [A](double t, In q, MatrixOut out) { A(t, q, out); };
    p.nonholonomic_offset = [a](double t, In q, Out out) { a(t, q, out); };
  } else {
    p.nonholonomic_matrix = autodiff(A);
    p.nonholonomic_offset = autodiff(a);
  }
  p.q0 = vec({0.0, 0.0, 0.0, 0.0});
  p.v0 = vec({1.5, 0.0, 1.5, 0.7});
  return p;
}
// theta' = 1.5 - 2/3 int cos(w s) cos(s) ds; positions by Simpson's rule (error far below 1e-10).
VectorXd rolling_exact(double t) {
  const double w = 0.7;
  const auto spin = [w](double s) {
    const double integral =
        0.5 * (std::sin((w + 1) * s) / (w + 1) + std::sin((w - 1) * s) / (w - 1));
    return 1.5 - 2.0 / 3.0 * integral;
  };
  const auto rates = [&](double s) {
    return Eigen::Vector3d(std::cos(w * s) * spin(s) + std::sin(s), std::sin(w * s) * spin(s),
                           spin(s));
  };
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  const int n = 2000;
  const double h = t / n;
  for (int i = 0; i < n; ++i)
    sum += h / 6.0 * (rates(i * h) + 4.0 * rates((i + 0.5) * h) + rates((i + 1) * h));
  VectorXd x(8);
  x << sum, w * t, rates(t), w;
  return x;
}

TEST(Nonholonomic, ADiscRollsOnAMovingBelt) {
  const VectorXd exact = rolling_exact(2.0);
  for (const bool plain : {false, true})
    for (const std::string method : {"rodas4", "rk4"}) {
      const VectorXd end = end_of(rolling(plain), {0.0, 2.0}, tight(method, plain ? 1e-7 : 1e-9));
      EXPECT_LT(distance(end.head(8), exact), plain ? 1e-5 : 1e-7) << method << " plain " << plain;
    }
  for (const MethodOf& m : first_order)
    EXPECT_NEAR(
        ratio(rolling(false), {0.0, 2.0}, fixed(m.method, 0.01, m.formulation), exact, 0, 8), 2.0,
        0.2)
        << m.method << " " << m.formulation;
}

// Holonomic and nonholonomic rows together: a skate on a sloping plane z = x / 2, with z as fourth
// coordinate. Compared with the skate that knows the slope: kinetic energy (1 + 1/4) u^2 / 2 in x.
TEST(Nonholonomic, BesideAHolonomicRow) {
  const auto A = [](int n) {
    return autodiff([n](const auto&, const auto& q, auto& out) {
      using std::cos;
      using std::sin;
      for (int i = 0; i < n; ++i) out(0, i) = 0.0;
      out(0, 0) = -sin(q[2]);
      out(0, 1) = cos(q[2]);
    });
  };
  MultibodyProblem full;
  full.name = "skate with height";
  full.space = euclidean(4);
  full.constraint_count = 1;
  full.nonholonomic_count = 1;
  full.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = f[1] = f[2] = 0.0;
    f[3] = -9.81;
  });
  full.constraint = autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[3] - 0.5 * q[0]; });
  full.nonholonomic_matrix = A(4);
  full.q0 = vec({0.0, 0.0, 0.3, 0.0});
  full.v0 = vec({0.0, 0.0, 1.0, 0.0});
  MultibodyProblem reduced;
  reduced.name = "skate";
  reduced.space = euclidean(3);
  reduced.nonholonomic_count = 1;
  reduced.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 9; ++i) M(i % 3, i / 3) = i % 4 == 0 ? 1.0 : 0.0;
    M(0, 0) = 1.25;
  });
  reduced.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = -0.5 * 9.81;
    f[1] = f[2] = 0.0;
  });
  reduced.nonholonomic_matrix = A(3);
  reduced.q0 = vec({0.0, 0.0, 0.3});
  reduced.v0 = vec({0.0, 0.0, 1.0});
  const VectorXd r = end_of(reduced, {0.0, 1.5}, tight("rk4", 1e-11));
  VectorXd exact(8);
  exact << r[0], r[1], r[2], 0.5 * r[0], r[3], r[4], r[5], 0.5 * r[3];
  for (const std::string method : {"rodas4", "rk4"})
    EXPECT_LT(distance(end_of(full, {0.0, 1.5}, tight(method)).head(8), exact), 1e-7) << method;
  for (const MethodOf& m :
       {first_order[0], first_order[1], first_order[2], MethodOf{"implicit-euler", "index3"}})
    EXPECT_NEAR(ratio(full, {0.0, 1.5}, fixed(m.method, 0.01, m.formulation), exact, 0, 8), 2.0,
                0.3)
        << m.method << " " << m.formulation;
}

}  // namespace
}  // namespace daedalus::nonholonomic_test
