// SPDX-License-Identifier: BSD-3-Clause
// The picture of a mechanism: shapes of bodies, or boxes of their inertia; joints and springs.
#include <Eigen/Eigenvalues>
#include <cmath>

#include "mechanism/assembly.hpp"
#include "mechanism/curve.hpp"
#include "mechanism/description.hpp"

namespace daedalus::mechanism {
namespace {

constexpr double joint_size = 0.03;        // of the characteristic length
constexpr double planar_thickness = 0.05;  // likewise

using Shared = std::shared_ptr<const Plan>;

View<double> state_view(const Plan& plan, const StateView& state) {
  View<double> x;
  x.plan = &plan;
  x.q = state.q().data();
  return x;
}
PointOf point_of(const Shared& plan, const Place& at) {
  return [plan, at](const StateView& state) {
    const View<double> x = state_view(*plan, state);
    return Eigen::Vector3d(x.position(at.body) + x.rotation(at.body) * at.s);
  };
}
PoseOf pose_of(const Shared& plan, const Place& at) {
  return [plan, at](const StateView& state) {
    const View<double> x = state_view(*plan, state);
    const Eigen::Matrix3d R = x.rotation(at.body);
    return Pose{x.position(at.body) + R * at.s, R * at.axes};
  };
}

Body drawn(const Shared& plan, int body, const std::string& name, const BodyShape& shape) {
  const Eigen::Vector3d com = plan->body(body).com;
  Place at{body, shape.position.vector() - com, shape.rotation.matrix(), 0.0};
  const std::vector<double>& s = shape.size;
  const auto number = [&](std::size_t k) { return k < s.size() ? s[k] : 0.0; };
  const auto pairs = [&](std::size_t from) {
    std::vector<std::array<double, 2>> list;
    for (std::size_t k = from; k + 1 < s.size(); k += 2) list.push_back({s[k], s[k + 1]});
    return list;
  };
  Body made;
  switch (shape.shape) {
    case Shape::sphere:
      made = shapes::sphere(name, number(0), point_of(plan, at));
      break;
    case Shape::cylinder:
      made = shapes::cylinder(name, number(0), number(1), pose_of(plan, at));
      break;
    case Shape::rod: {
      Place from = at, to = at;
      from.s = shape.from.vector() - com;
      to.s = shape.to.vector() - com;
      made = shapes::rod(name, number(0), point_of(plan, from), point_of(plan, to));
      break;
    }
    case Shape::plate:
      made = shapes::plate(name, pairs(1), number(0), pose_of(plan, at));
      break;
    case Shape::revolved:
      made = shapes::revolved(name, pairs(0), pose_of(plan, at));
      break;
    default:
      made = shapes::box(name, {number(0), number(1), number(2)}, pose_of(plan, at));
  }
  made.colour = shape.colour;
  return made;
}

// A box with the same mass and inertia.
Body inertia_box(const Shared& plan, int number) {
  const PlanBody& b = plan->body(number);
  const double least = joint_size * plan->length;
  if (b.point)
    return shapes::sphere(b.name, least, point_of(plan, {number, {0.0, 0.0, 0.0}, {}, 0.0}));
  Place at;
  at.body = number;
  Eigen::Vector3d edges;
  if (plan->planar()) {
    const double edge = std::sqrt(6.0 * b.J(2, 2) / b.mass);
    edges << edge, edge, planar_thickness * plan->length;
  } else {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solved(b.J);
    const Eigen::Vector3d J = solved.eigenvalues();
    for (int k = 0; k < 3; ++k)
      edges[k] = std::sqrt(std::max(0.0, 6.0 * (J.sum() - 2.0 * J[k]) / b.mass));
    at.axes = solved.eigenvectors();
    if (at.axes.determinant() < 0.0) at.axes.col(2) = -at.axes.col(2);
  }
  for (int k = 0; k < 3; ++k) edges[k] = std::max(edges[k], 0.2 * least);
  return shapes::box(b.name, edges, pose_of(plan, at));
}

void draw_body(const Description& d, const Shared& plan, int number, Scene& scene) {
  const RigidBody& described = d.bodies[static_cast<std::size_t>(number)];
  for (std::size_t k = 0; k < described.shapes.size(); ++k)
    scene.bodies.push_back(
        drawn(plan, number, k == 0 ? described.name : described.name + " " + std::to_string(k + 1),
              described.shapes[k]));
  if (!described.shapes.empty()) return;
  scene.bodies.push_back(inertia_box(plan, number));
}

// A thin rod from the centre of mass of a body without shapes to the point of its joint.
void draw_arm(const Description& d, const Shared& plan, const PlanJoint& j, const Place& at,
              Scene& scene) {
  const double radius = 0.3 * joint_size * plan->length;
  if (at.body < 0 || at.s.norm() < radius) return;
  const RigidBody& described = d.bodies[static_cast<std::size_t>(at.body)];
  if (!described.shapes.empty()) return;
  Place centre;
  centre.body = at.body;
  scene.bodies.push_back(shapes::rod(described.name + " to " + j.name, radius,
                                     point_of(plan, centre), point_of(plan, at)));
}

// A curve as rods between its points.
void draw_curve(const Shared& plan, const PlanJoint& j, Scene& scene) {
  const PlanCurve& curve = plan->curves[static_cast<std::size_t>(plan->coordinate(j.length).curve)];
  // Smooth to the eye.
  constexpr int pieces = 60;
  const auto at = [&](int k) {
    Place p = j.A;
    p.s += j.A.axes * curve_point<double>(*plan, curve, curve.length * k / pieces);
    return p;
  };
  for (int k = 0; k < pieces; ++k)
    scene.bodies.push_back(shapes::rod(j.name + " " + std::to_string(k + 1),
                                       0.2 * joint_size * plan->length, point_of(plan, at(k)),
                                       point_of(plan, at(k + 1))));
}

void draw_joint(const Shared& plan, const PlanJoint& j, Scene& scene) {
  const double size = joint_size * plan->length;
  switch (j.type) {
    case JointType::revolute:
    case JointType::cylindrical:
    case JointType::screw:
      scene.bodies.push_back(shapes::cylinder(j.name, size, 3.0 * size, pose_of(plan, j.B)));
      return;
    case JointType::spherical:
    case JointType::universal:
      scene.bodies.push_back(shapes::sphere(j.name, size, point_of(plan, j.B)));
      return;
    case JointType::distance:
      scene.bodies.push_back(
          shapes::rod(j.name, 0.4 * size, point_of(plan, j.A), point_of(plan, j.B)));
      return;
    case JointType::point_on_curve:
      return draw_curve(plan, j, scene);
    default:
      return;
  }
}

}  // namespace

Scene make_scene(const Description& d, const std::shared_ptr<const Plan>& plan,
                 const Eigen::VectorXd&) {
  Scene scene;
  if (plan->gravity.norm() > 0.0) scene.up = -plan->gravity.normalized();
  if (plan->planar()) {
    scene.up = {0.0, 1.0, 0.0};
    scene.view = {0.0, 0.0, 1.0};
  }
  for (int k = 0; k < static_cast<int>(plan->bodies.size()); ++k) draw_body(d, plan, k, scene);
  for (const PlanJoint& j : plan->joints)
    if (j.kind == JointClass::joint) {
      draw_arm(d, plan, j, j.A, scene);
      draw_arm(d, plan, j, j.B, scene);
      draw_joint(plan, j, scene);
    }
  for (const PlanForce& f : plan->forces)
    if (f.kind == PlanForce::Kind::spring)
      scene.bodies.push_back(shapes::spring(f.name, joint_size * plan->length, point_of(plan, f.A),
                                            point_of(plan, f.B)));
  return scene;
}

}  // namespace daedalus::mechanism
