// SPDX-License-Identifier: BSD-3-Clause
// MultibodyProblem with q' = T(t, q) v: polar coordinates, quaternions, and the same model in
// coordinates without T.
#include "forms/support.hpp"

namespace daedalus::kinematics_test {
namespace {

using namespace forms_test;

constexpr double gravity = 9.81;

struct MethodOf {
  const char *method, *formulation;
};
// Order 4 first, order 1 after it.
const MethodOf accurate[] = {{"rodas4", "index1"}, {"rk4", "index1"}};
const MethodOf first_order[] = {{"implicit-euler", "index1"},
                                {"implicit-euler", "index2"},
                                {"implicit-euler", "index3"},
                                {"half-explicit-euler", "index2"}};

// A free particle: q = (r, phi), v Cartesian.
const auto polar = autodiff([](const auto&, const auto& q, auto& T) {
  using std::cos;
  using std::sin;
  T(0, 0) = cos(q[1]);
  T(0, 1) = sin(q[1]);
  T(1, 0) = -sin(q[1]) / q[0];
  T(1, 1) = cos(q[1]) / q[0];
});

TEST(Kinematics, AFreeParticleInPolarCoordinatesMovesOnALine) {
  MultibodyProblem p;
  p.name = "free particle";
  p.space = euclidean(2);
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) { f[0] = f[1] = 0.0; });
  p.kinematics = polar;
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({0.25, 0.5});
  const double x = 1.0 + 0.25 * 2.0, y = 0.5 * 2.0;
  const VectorXd exact = vec({std::hypot(x, y), std::atan2(y, x), 0.25, 0.5});
  for (const MethodOf& m : accurate)
    EXPECT_LT(distance(end_of(p, {0.0, 2.0}, tight(m.method, 1e-9, m.formulation)), exact), 1e-7)
        << m.method;
  for (const MethodOf& m : first_order)
    EXPECT_NEAR(ratio(p, {0.0, 2.0}, fixed(m.method, 0.01, m.formulation), exact, 0, 2), 2.0, 0.2)
        << m.method << " " << m.formulation;
}

// The pendulum with q = (r, phi), v Cartesian and g = r - 1: the multiplier is the force in the
// rod.
MultibodyProblem polar_pendulum(bool given) {
  MultibodyProblem p;
  p.name = "polar pendulum";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = 0.0;
    f[1] = -gravity;
  });
  p.kinematics = polar;
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[0] - 1.0; });
  if (given) {
    p.constraint_jacobian = [](double, In, MatrixOut G) { G << 1.0, 0.0; };
    p.constraint_time_derivative = [](double, In, Out g) { g[0] = 0.0; };
    // d/dt (cos phi u + sin phi v) at constant (u, v), phi' = (cos phi v - sin phi u) / r
    p.acceleration_term = [](double, In q, In v, Out k) {
      const double w = std::cos(q[1]) * v[1] - std::sin(q[1]) * v[0];
      k[0] = w * w / q[0];
    };
  }
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({0.0, 0.0});
  return p;
}
MultibodyProblem cartesian_pendulum() {
  MultibodyProblem p;
  p.name = "cartesian pendulum";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = polar_pendulum(false).force;
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) {
    using std::sqrt;
    g[0] = sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
  });
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({0.0, 0.0});
  return p;
}

TEST(Kinematics, TheConstrainedSystemIsTheSameInBothCoordinates) {
  const VectorXd c = end_of(cartesian_pendulum(), {0.0, 1.0}, tight("rodas4", 1e-11));
  VectorXd exact = c;
  exact[0] = 1.0;
  exact[1] = std::atan2(c[1], c[0]);
  for (const bool given : {false, true}) {
    const MultibodyProblem p = polar_pendulum(given);
    for (const MethodOf& m : accurate) {
      const VectorXd end = end_of(p, {0.0, 1.0}, tight(m.method, 1e-9, m.formulation));
      EXPECT_LT(distance(end, exact), given ? 2e-6 : 1e-6) << m.method << " given " << given;
    }
    for (const MethodOf& m : first_order) {
      const VectorXd end = end_of(p, {0.0, 1.0}, fixed(m.method, 5e-4, m.formulation));
      EXPECT_LT(distance(end.head(4), exact.head(4)), 2e-2) << m.method << " " << m.formulation;
      EXPECT_LT(std::abs(end[4] - exact[4]), 0.2) << m.method << " " << m.formulation;
    }
  }
}

// Unit quaternion q' = 1/2 q * (0, omega), four coordinates and three velocities. Symmetric body
// without torque: omega_3 is constant and (omega_1, omega_2) turns with k = (J3 - J1) / J1 omega_3.
TEST(Kinematics, QuaternionsOfAFreeSymmetricTop) {
  const double J1 = 2.0, J3 = 3.0;
  MultibodyProblem p;
  p.name = "free top";
  p.space = euclidean(4);
  p.velocity_count = 3;
  p.mass = autodiff([=](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 9; ++i) M(i % 3, i / 3) = 0.0;
    M(0, 0) = M(1, 1) = J1;
    M(2, 2) = J3;
  });
  p.force = autodiff([=](const auto&, const auto&, const auto& w, auto& f) {
    f[0] = (J1 - J3) * w[1] * w[2];
    f[1] = (J3 - J1) * w[0] * w[2];
    f[2] = 0.0;
  });
  p.kinematics = autodiff([](const auto&, const auto& q, auto& T) {
    const int sign[4][3] = {{-1, -1, -1}, {1, -1, 1}, {1, 1, -1}, {-1, 1, 1}};
    const int from[4][3] = {{1, 2, 3}, {0, 3, 2}, {3, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) T(i, j) = 0.5 * sign[i][j] * q[from[i][j]];
  });
  p.q0 = vec({1.0, 0.0, 0.0, 0.0});
  p.v0 = vec({0.4, 0.0, 1.5});
  const double t = 3.0, k = (J3 - J1) / J1 * 1.5;
  const auto momentum = [&](const VectorXd& x) {  // in space
    const Eigen::Quaterniond r(x[0], x[1], x[2], x[3]);
    return Eigen::Vector3d(r * Eigen::Vector3d(J1 * x[4], J1 * x[5], J3 * x[6]));
  };
  for (const MethodOf& m : accurate) {
    const VectorXd end = end_of(p, {0.0, t}, tight(m.method, 1e-10, m.formulation));
    EXPECT_NEAR(end[4], 0.4 * std::cos(k * t), 1e-7) << m.method;
    EXPECT_NEAR(end[5], 0.4 * std::sin(k * t), 1e-7);
    EXPECT_NEAR(end[6], 1.5, 1e-9);
    EXPECT_NEAR(end.head(4).norm(), 1.0, 1e-7);
    VectorXd start(7);
    start << p.q0, p.v0;
    EXPECT_LT((momentum(end) - momentum(start)).norm(), 1e-6) << m.method;
  }
}

// T may depend on t: a turntable, q in the turning frame, v in the fixed one. q = Q(t)^T x.
TEST(Kinematics, MayDependOnTime) {
  MultibodyProblem p;
  p.name = "stretching frame";
  p.space = euclidean(1);
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) { f[0] = 0.0; });
  p.kinematics = autodiff([](const auto& t, const auto&, auto& T) { T(0, 0) = 2.0 * t; });
  p.constraint_count = 0;
  p.q0 = vec({0.0});
  p.v0 = vec({1.5});
  for (const MethodOf& m : accurate)
    EXPECT_NEAR(end_of(p, {0.0, 2.0}, tight(m.method, 1e-9, m.formulation))[0], 6.0, 1e-8)
        << m.method;  // 1.5 t^2
}

}  // namespace
}  // namespace daedalus::kinematics_test
