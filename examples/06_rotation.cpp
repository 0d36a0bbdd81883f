// SPDX-License-Identifier: BSD-3-Clause
// 06: rigid bodies with q on a Lie group: rotation matrices instead of angles or quaternions.
//
// Model 1  a free body: R in SO(3), body-fixed angular velocity w, R' = R skew(w),
//          J w' = (J w) x w.
// Model 2  the heavy top in absolute coordinates: q = (R, x) in SO(3) x R^3, v = (w, x'),
//          J w' = (J w) x w + ..., m x'' = m g, and the tip stays at the origin,
//          0 = x - R X, three constraints with multipliers lambda (Bruels, Cardona, Arnold 2012).
// The constraint matrix G in tangent coordinates, g_t and the second derivative of the constraint
// are found along curves q (+) e v by Taylor arithmetic: nothing is derived by hand.
//
// Model 3  the free body with a unit quaternion instead of a matrix: the same velocities.
//
// Builds on 01 (multibody form). New: Space, so3_space, s3_space, se3_space, product, power,
// automatic choice on a group, formulation and projection, invariants, the check of group axioms.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/testing/group.hpp>

using daedalus::In, daedalus::MatrixOut, daedalus::Out;

namespace {

const Eigen::Vector3d inertia(15.234375, 0.46875, 15.234375);
const Eigen::Vector3d centre(0.0, 1.0, 0.0), gravity(0.0, 0.0, -9.81);
constexpr double mass = 15.0;

Eigen::Matrix3d rotation(In q) { return Eigen::Map<const Eigen::Matrix3d>(q.data()); }

Eigen::Vector3d gyroscopic(const Eigen::Vector3d& w) { return (inertia.cwiseProduct(w)).cross(w); }

// [free]
daedalus::MultibodyProblem free_body() {
  Eigen::VectorXd identity(9);
  identity << 1, 0, 0, 0, 1, 0, 0, 0, 1;  // 3x3, column by column
  return {.name = "free body",
          .space = daedalus::so3_space(),
          .mass = [](double, In, MatrixOut M) { M = inertia.asDiagonal(); },
          .force = [](double, In, In w, Out f) { f = gyroscopic(w); },
          .q0 = identity,
          .v0 = Eigen::Vector3d(1.0, 2.0, 3.0)};
}
// [/free]

// [quaternion]
daedalus::MultibodyProblem free_body_quaternion() {
  daedalus::MultibodyProblem body = free_body();
  body.space = daedalus::s3_space();
  body.q0 = Eigen::Vector4d(1, 0, 0, 0);  // (p0, p1, p2, p3)
  return body;
}
// [/quaternion]

// [top]
daedalus::MultibodyProblem heavy_top() {
  Eigen::VectorXd q0(12), v0(6);
  q0 << 1, 0, 0, 0, 1, 0, 0, 0, 1, centre;
  const Eigen::Vector3d w0(0.0, 150.0, -4.61538);
  v0 << w0, w0.cross(centre);
  const daedalus::Invariant<daedalus::slot::VelocityTerm> total{
      "energy", [](double, In q, In v, Out e) {
        const Eigen::Vector3d w = v.head(3), u = v.tail(3), x = q.tail(3);
        e[0] = 0.5 * w.dot(inertia.cwiseProduct(w)) + 0.5 * mass * u.squaredNorm() -
               mass * gravity.dot(x);
      }};
  return {.name = "heavy top",
          .space = daedalus::product({daedalus::so3_space(), daedalus::euclidean(3)}),
          .constraint_count = 3,
          .mass =
              [](double, In, MatrixOut M) {
                M.setZero();
                M.diagonal() << inertia, mass, mass, mass;
              },
          .force = [](double, In, In v, Out f) { f << gyroscopic(v.head(3)), mass * gravity; },
          .constraint = daedalus::autodiff([](auto, const auto& q, auto& g) {
            for (int i = 0; i < 3; ++i) g[i] = q[9 + i] - q[3 + i];  // x - R (0, 1, 0)
          }),
          .q0 = q0,
          .v0 = v0,
          .invariants = {total}};
}
// [/top]

double energy(const daedalus::ModelState& s) {
  const Eigen::Vector3d w = s.v().head(3), u = s.v().tail(3), x = s.q().tail(3);
  return 0.5 * w.dot(inertia.cwiseProduct(w)) + 0.5 * mass * u.squaredNorm() -
         mass * gravity.dot(x);
}

}  // namespace

int main() {
  const daedalus::Solution body =
      daedalus::solve(free_body(), {0.0, 5.0}, {.rtol = 1e-9, .atol = 1e-9});
  // [solve]
  const daedalus::Solution top =
      daedalus::solve(heavy_top(), {0.0, 0.5},
                      {.formulation = "index1",
                       .projection = daedalus::ProjectionWhen::every_step,
                       .rtol = 1e-8,
                       .atol = 1e-8,
                       .output = daedalus::Output::dense});
  // [/solve]
  for (const daedalus::Solution* s : {&body, &top}) {
    if (!s->ok()) {
      std::cerr << s->status() << ": " << s->message() << '\n';
      return 1;
    }
    std::cout << s->choice().method << " (" << s->choice().reason << ")\n"
              << s->statistics() << '\n';
  }

  // The angular momentum R J w of the free body is constant in space, and R stays a rotation.
  const daedalus::ModelState end = body.end();
  const Eigen::Vector3d momentum =
      rotation(end.q()) * inertia.cwiseProduct(Eigen::Vector3d(end.v()));
  const double drift = (momentum - inertia.cwiseProduct(Eigen::Vector3d(1.0, 2.0, 3.0))).norm();
  const double orthogonal =
      (rotation(end.q()).transpose() * rotation(end.q()) - Eigen::Matrix3d::Identity()).norm();
  const double change = energy(top.end()) - energy(top.start());
  std::cout << "free body: momentum changed by " << drift << ", |R^T R - I| = " << orthogonal
            << "\nheavy top: x(0.3) = " << top.at(0.3).q().tail(3).transpose()
            << ", energy changed by " << change << " of " << energy(top.start())
            << ", |g| <= " << top.statistics().position_residual << '\n';

  // The same body with a quaternion ends at the same rotation, to the accuracy asked for.
  const daedalus::Solution quaternion =
      daedalus::solve(free_body_quaternion(), {0.0, 5.0}, {.rtol = 1e-9, .atol = 1e-9});
  if (!quaternion.ok()) return 1;
  const Eigen::Vector4d p = quaternion.end().q();
  const double apart = (daedalus::s3::rotation<double>(p) - rotation(end.q())).norm();
  std::cout << "quaternion: |p| - 1 = " << p.norm() - 1.0 << ", differs by " << apart << '\n';

  // [groups]
  // Two rigid bodies: q = (x, R) twice; w = (w_1, w_2) each, in the body frame.
  const daedalus::Space bodies = daedalus::power(daedalus::se3_space(), 2);
  Eigen::VectorXd q(bodies.points()), w(bodies.tangents()), back(bodies.tangents());
  w << 1, 0, 0, 0, 0, 0.5, 0, 2, 0, 0.1, 0.2, 0.3;
  bodies.identity(q.data());
  for (int step = 0; step < 3; ++step) bodies.plus(q.data(), w.data(), q.data());  // q o exp(w)
  bodies.log(q.data(), back.data());  // 3 w: exp(s w) exp(t w) = exp((s + t) w)
  bodies.for_each_element([&](const daedalus::Space::Element& e) {
    daedalus::lie::Matrix T;
    daedalus::lie::tangent(e.kind, w.data() + e.tangent, T);
    std::cout << "body at q[" << e.point << "]: x = " << q.segment(e.point, 3).transpose()
              << ", T(w) is " << T.rows() << " x " << T.cols() << '\n';
  });
  std::cout << bodies.name() << ": |log - 3 w| = " << (back - 3.0 * w).norm()
            << ", distance from the group " << bodies.defect(q.data()) << '\n';
  // [/groups]

  // [axioms]
  const daedalus::Space space = heavy_top().space;
  for (const daedalus::Space::Block& b : space.blocks())
    std::cout << (b.kind == daedalus::SpaceKind::so3 ? "SO(3)" : "R^n") << ", count " << b.count
              << ", point coordinates from " << b.point << ", tangent from " << b.tangent << '\n';
  const daedalus::testing::GroupReport report = daedalus::testing::check_group(space);
  std::cout << report.text() << '\n';
  daedalus::testing::GroupOperations wrong =
      daedalus::testing::operations_of(daedalus::so3_space());
  wrong.tangent_inverse = [](const double*, const double* v, double* out) {
    std::copy(v, v + 3, out);  // forgets that rotations do not commute
  };
  const daedalus::testing::GroupReport found = daedalus::testing::check_group(wrong);
  std::cout << found.text() << '\n';
  for (const daedalus::testing::GroupAxiom& a : found.axioms)
    if (a.error > a.allowed) std::cout << "  violated: " << a.name << '\n';
  // [/axioms]
  return drift < 1e-5 && apart < 1e-5 && (back - 3.0 * w).norm() < 1e-14 && orthogonal < 1e-12 &&
                 std::abs(change) < 1e-2 && report.ok && !found.ok &&
                 top.statistics().position_residual < 1e-9
             ? 0
             : 1;
}
