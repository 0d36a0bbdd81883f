// SPDX-License-Identifier: BSD-3-Clause
// q on SO(3) and SO(3) x R^3: tops with and without constraints.
#include "forms/support.hpp"

namespace daedalus::group_test {
namespace {

using namespace forms_test;
using Eigen::Matrix3d;
using Eigen::Vector3d;

VectorXd identity9() {
  VectorXd q(9);
  q << 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return q;
}
Matrix3d rotation(const VectorXd& x, int first = 0) {
  return Eigen::Map<const Matrix3d>(x.data() + first);
}

const Vector3d inertia(1.0, 2.0, 3.0);

// J w' = -w x J w; R J w is constant in space.
MultibodyProblem free_top() {
  MultibodyProblem p;
  p.name = "free top";
  p.space = so3_space();
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 9; ++i) M(i % 3, i / 3) = i % 4 == 0 ? inertia[i / 4] : 0.0;
  });
  p.force = autodiff([](const auto&, const auto&, const auto& w, auto& f) {
    f[0] = (inertia[1] - inertia[2]) * w[1] * w[2];
    f[1] = (inertia[2] - inertia[0]) * w[2] * w[0];
    f[2] = (inertia[0] - inertia[1]) * w[0] * w[1];
  });
  p.q0 = identity9();
  p.v0 = vec({0.5, -1.0, 0.8});
  return p;
}
Vector3d momentum(const VectorXd& x) {
  return rotation(x) * inertia.cwiseProduct(Vector3d(x.segment<3>(9)));
}

TEST(Rotating, AFreeTopKeepsMomentumAndEnergy) {
  const VectorXd end = end_of(free_top(), {0.0, 5.0}, tight("rk4", 1e-10));
  VectorXd start(12);
  start << identity9(), 0.5, -1.0, 0.8;
  const Vector3d w = end.segment<3>(9);
  EXPECT_LT((momentum(end) - momentum(start)).norm(), 1e-7);
  EXPECT_NEAR(w.dot(inertia.cwiseProduct(w)), 0.25 + 2.0 + 3.0 * 0.64, 1e-7);
  const Matrix3d R = rotation(end);
  EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), 1e-12);  // on the group to round-off
  EXPECT_TRUE(solve(free_top(), {0.0, 0.1}, tight("auto")).ok());       // some method fits a group
}

TEST(Rotating, OrdersOnTheGroup) {
  const VectorXd exact = end_of(free_top(), {0.0, 2.0}, tight("rk4", 1e-12));
  EXPECT_NEAR(ratio(free_top(), {0.0, 2.0}, fixed("rk4", 0.05), exact, 0, 9), 16.0, 3.0);
  EXPECT_NEAR(ratio(free_top(), {0.0, 2.0}, fixed("rk4", 0.05), exact, 9, 3), 16.0, 3.0);
  for (const auto& [method, formulation] :
       {std::pair{"implicit-euler", "index1"}, std::pair{"implicit-euler", "index3"},
        std::pair{"half-explicit-euler", "index2"}})
    EXPECT_NEAR(ratio(free_top(), {0.0, 2.0}, fixed(method, 0.005, formulation), exact, 0, 9), 2.0,
                0.2)
        << method;
}

// The heavy top (Bruels, Cardona, Arnold 2012): mass 15, centre of mass X = (0, 1, 0) in the body,
// J = diag(0.234375, 0.46875, 0.234375) about it, gravity 9.81 along -z.
const Vector3d heavy_inertia(0.234375, 0.46875, 0.234375), centre(0.0, 1.0, 0.0);
constexpr double heavy_mass = 15.0, gravity = 9.81;

// About the fixed point: (J - m X~^2) w' = -w x (..) w + X x R^T (0, 0, -m g).
MultibodyProblem heavy_top() {
  const Vector3d J(heavy_inertia[0] + heavy_mass, heavy_inertia[1], heavy_inertia[2] + heavy_mass);
  MultibodyProblem p;
  p.name = "heavy top";
  p.space = so3_space();
  p.mass = autodiff([J](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 9; ++i) M(i % 3, i / 3) = i % 4 == 0 ? J[i / 4] : 0.0;
  });
  p.force = autodiff([J](const auto&, const auto& q, const auto& w, auto& f) {
    const double weight = heavy_mass * gravity;
    // R^T e_z is the third row of R: q[2], q[5], q[8]; X x (-weight R^T e_z), X = e_y.
    f[0] = (J[1] - J[2]) * w[1] * w[2] - weight * q[8];
    f[1] = (J[2] - J[0]) * w[2] * w[0];
    f[2] = (J[0] - J[1]) * w[0] * w[1] + weight * q[2];
  });
  p.q0 = identity9();
  p.v0 = vec({0.0, 150.0, -4.61538});
  return p;
}

// R in SO(3) and x in R^3 with 0 = x - R X.
MultibodyProblem constrained_top() {
  MultibodyProblem p;
  p.name = "constrained heavy top";
  p.space = product({so3_space(), euclidean(3)});
  p.constraint_count = 3;
  p.mass = autodiff([](const auto&, const auto&, auto& M) {
    for (int i = 0; i < 36; ++i) M(i % 6, i / 6) = 0.0;
    for (int i = 0; i < 3; ++i) {
      M(i, i) = heavy_inertia[i];
      M(3 + i, 3 + i) = heavy_mass;
    }
  });
  p.force = autodiff([](const auto&, const auto&, const auto& v, auto& f) {
    const Vector3d& J = heavy_inertia;
    f[0] = (J[1] - J[2]) * v[1] * v[2];
    f[1] = (J[2] - J[0]) * v[2] * v[0];
    f[2] = (J[0] - J[1]) * v[0] * v[1];
    f[3] = f[4] = 0.0;
    f[5] = -heavy_mass * gravity;
  });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) {
    for (int i = 0; i < 3; ++i) g[i] = q[9 + i] - q[3 + i];  // R e_y is the second column
  });
  p.q0 = VectorXd(12);
  p.q0 << identity9(), centre;
  p.v0 = vec({0.0, 150.0, -4.61538, 4.61538, 0.0, 0.0});  // x' = R (w x X)
  return p;
}
double energy(const VectorXd& x) {
  const Vector3d w = x.segment<3>(12), v = x.segment<3>(15);
  return 0.5 * w.dot(heavy_inertia.cwiseProduct(w)) + 0.5 * heavy_mass * v.squaredNorm() +
         heavy_mass * gravity * x[11];
}

TEST(HeavyTop, TheConstrainedFormIsTheTopAboutItsFixedPoint) {
  const VectorXd free = end_of(heavy_top(), {0.0, 0.2}, tight("rk4", 1e-11));
  const VectorXd end = end_of(constrained_top(), {0.0, 0.2}, tight("rk4", 1e-11));
  EXPECT_LT(distance(end.head(9), free.head(9)), 1e-7);
  EXPECT_LT(distance(end.segment(12, 3), free.tail(3)), 1e-5);
  EXPECT_LT((end.segment<3>(9) - rotation(end) * centre).norm(), 1e-9);
  VectorXd start(18);
  start << constrained_top().q0, constrained_top().v0;
  EXPECT_NEAR(energy(end) / energy(start), 1.0, 1e-9);
  // Gravity has no moment about the vertical axis: that component of the momentum is kept.
  const auto vertical = [](const VectorXd& x) {
    const Vector3d spin = rotation(x) * heavy_inertia.cwiseProduct(Vector3d(x.segment<3>(12)));
    const Vector3d r = x.segment<3>(9), v = x.segment<3>(15);
    return (spin + heavy_mass * r.cross(v))[2];
  };
  EXPECT_NEAR(vertical(end), vertical(start), 1e-6 * std::abs(vertical(start)));
}

TEST(HeavyTop, FirstOrderMethodsOnTheGroup) {
  const VectorXd exact = end_of(constrained_top(), {0.0, 0.02}, tight("rk4", 1e-12));
  for (const auto& [method, formulation] :
       {std::pair{"implicit-euler", "index2"}, std::pair{"implicit-euler", "index3"},
        std::pair{"implicit-euler", "index1"}, std::pair{"half-explicit-euler", "index2"}})
    EXPECT_NEAR(
        ratio(constrained_top(), {0.0, 0.02}, fixed(method, 2e-5, formulation), exact, 0, 12), 2.0,
        0.3)
        << method << " " << formulation;
}

TEST(HeavyTop, AGivenConstraintMatrixIsInTangentCoordinates) {
  MultibodyProblem p = constrained_top();
  // d/dw (x - R exp(w) X) = R X~ (as R (w x X) = -R X~ w), identity for x.
  p.constraint_jacobian = autodiff([](const auto&, const auto& q, auto& G) {
    for (int i = 0; i < 3; ++i) {
      // X~ for X = e_y: columns e_y x e_j = (-e_z, 0, e_x)
      G(i, 0) = -q[6 + i];
      G(i, 1) = 0.0;
      G(i, 2) = q[i];
      for (int j = 0; j < 3; ++j) G(i, 3 + j) = i == j ? 1.0 : 0.0;
    }
  });
  const Options o = fixed("rk4", 1e-4);
  EXPECT_LT(distance(end_of(p, {0.0, 0.02}, o), end_of(constrained_top(), {0.0, 0.02}, o)), 1e-8);
}

// Backwards is the way back.
TEST(HeavyTop, ForwardAndBack) {
  MultibodyProblem p = heavy_top();
  const VectorXd there = end_of(p, {0.0, 0.1}, tight("rk4", 1e-11));
  p.q0 = there.head(9);
  p.v0 = there.tail(3);
  const VectorXd back = end_of(p, {0.1, 0.0}, tight("rk4", 1e-11));
  EXPECT_LT(distance(back.head(9), heavy_top().q0), 1e-6);
  EXPECT_LT(distance(back.tail(3), heavy_top().v0), 1e-6);
}

}  // namespace
}  // namespace daedalus::group_test
