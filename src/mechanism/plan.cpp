// SPDX-License-Identifier: BSD-3-Clause
#include "mechanism/plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mechanism/description.hpp"

namespace daedalus::mechanism {
namespace {

constexpr double min_length = 1e-6;  // metres; below, a mechanism has no extent of its own

Eigen::Matrix3d inertia_of(const RigidBody& b) {
  const Inertia& i = b.inertia;
  Eigen::Matrix3d J;
  J << i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz;
  return J;
}

PlanBody body_of(const RigidBody& b) {
  PlanBody p;
  p.name = b.name;
  p.mass = b.mass;
  p.point = b.point;
  p.weight = b.weight;
  p.hold = b.hold;
  p.com = b.com.vector();
  p.u = b.velocity.vector();
  p.x = b.position.vector();
  if (b.point) return p;
  p.J = inertia_of(b);
  p.R = b.rotation.matrix();
  const Eigen::Vector3d arm = p.R * p.com, omega = b.angular_velocity.vector();
  p.x += arm;
  p.u += omega.cross(arm);
  p.omega = p.R.transpose() * omega;
  return p;
}

void add_bodies(const Description& d, Plan& plan) {
  std::vector<Space::Block> blocks;
  const auto block = [&](SpaceKind kind, int count) { blocks.push_back({kind, count, 0, 0}); };
  for (const RigidBody& b : d.bodies) {
    PlanBody p = body_of(b);
    p.q = plan.positions;
    p.v = plan.velocities;
    const bool flat = plan.planar() || b.point;
    plan.velocities += flat ? 3 : 6;
    const bool quaternions =
        plan.space == MechanismSpace::r3xs3 || plan.space == MechanismSpace::s3_semidirect;
    plan.positions += flat ? 3 : quaternions ? 7 : 12;
    plan.bodies.push_back(std::move(p));
    if (flat) {
      block(SpaceKind::euclidean, 3);
    } else if (plan.space == MechanismSpace::se3) {
      block(SpaceKind::se3, 1);
    } else if (plan.space == MechanismSpace::s3_semidirect) {
      block(SpaceKind::s3_semidirect, 1);
    } else {
      block(SpaceKind::euclidean, 3);
      block(quaternions ? SpaceKind::s3 : SpaceKind::so3, 1);
    }
  }
  plan.configuration = plan.planar() ? euclidean(plan.positions) : Space(std::move(blocks));
}

}  // namespace

Place place_at(const Description& d, const Plan& plan, BodyId body, const Eigen::Vector3d& point,
               const Eigen::Matrix3d& frame) {
  Place place;
  place.body = body.number;
  place.s = point;
  place.axes = frame;
  if (body.number < 0) return place;
  const PlanBody& b = plan.body(body.number);
  place.s = b.R.transpose() * (point - b.x);
  place.axes = b.R.transpose() * frame;
  if (d.planar()) place.angle = -std::atan2(b.R(1, 0), b.R(0, 0));
  return place;
}

Place place_of(const Description& d, const Plan& plan, MarkerId marker) {
  const MarkerDescription& m = d.markers.at(static_cast<std::size_t>(marker.number));
  Place place;
  place.body = m.body.number;
  place.s = m.position.vector();
  if (place.body >= 0) place.s -= plan.body(place.body).com;
  place.axes = m.rotation.matrix();
  if (d.planar()) place.angle = std::atan2(place.axes(1, 0), place.axes(0, 0));
  return place;
}

// The largest distance between two joint points of one body, or of one and the centre of mass; of
// mechanisms without any, the largest radius of gyration.
double characteristic_length(const Plan& plan) {
  std::vector<std::vector<Eigen::Vector3d>> points(plan.bodies.size(), {Eigen::Vector3d::Zero()});
  const auto add = [&](const Place& p) {
    if (p.body < 0) return;
    auto& list = points[static_cast<std::size_t>(p.body)];
    for (const Eigen::Vector3d& other : list)
      if (other == p.s) return;
    list.push_back(p.s);
  };
  for (const PlanJoint& j : plan.joints)
    if (j.kind == JointClass::joint) add(j.A), add(j.B);
  double longest = 0.0, gyration = 0.0;
  for (const auto& list : points)
    for (const Eigen::Vector3d& a : list)
      for (const Eigen::Vector3d& b : list) longest = std::max(longest, (a - b).norm());
  for (const PlanBody& b : plan.bodies)
    gyration = std::max(gyration, std::sqrt(b.J.trace() / (2.0 * b.mass)));
  if (longest > min_length) return longest;
  return gyration > min_length ? gyration : 1.0;
}

Plan make_plan(const Description& d, const AssemblyOptions& options) {
  if (d.bodies.empty()) throw InvalidArgument(fmt::format("mechanism '{}' has no bodies", d.name));
  Plan plan;
  plan.name = d.name;
  plan.space = d.space;
  plan.gravity = d.gravity;
  plan.shared_reactions = options.shared_reactions;
  add_bodies(d, plan);
  for (std::size_t k = 0; k < d.markers.size(); ++k)
    plan.markers.push_back(place_of(d, plan, {static_cast<int>(k)}));
  for (const JointDescription& j : d.joints)
    j.coupler == CouplerType::none ? add_joint(d, j, plan) : add_coupler(d, j, plan);
  for (const DriveDescription& drive : d.drives) add_drive(d, drive, options.t0, plan);
  add_forces(d, plan);
  follow_limited_angles(d, plan);
  plan.length = characteristic_length(plan);
  for (Row& row : plan.rows)
    if (row.angular) row.scale = plan.length;
  for (NonholonomicRow& row : plan.nonholonomic)
    if (row.kind == NonholonomicKind::rate) {
      const CoordinateKind kind = plan.coordinate(row.coordinate).kind;
      if (kind == CoordinateKind::angle || kind == CoordinateKind::turn) row.scale = plan.length;
    }
  return plan;
}

int coordinate_of(const Plan& plan, JointId joint, CoordinateOf which, const std::string& asker) {
  const PlanJoint& j = plan.joints[static_cast<std::size_t>(joint.number)];
  const bool both = j.length >= 0 && j.angle >= 0 && j.type != JointType::screw;
  int found = which == CoordinateOf::length  ? j.length
              : which == CoordinateOf::angle ? j.angle
              : j.angle >= 0                 ? j.angle
                                             : j.length;
  if (which == CoordinateOf::automatic && both)
    throw InvalidArgument(fmt::format(
        "{}: joint '{}' has a length and an angle; say which coordinate is meant", asker, j.name));
  if (found < 0)
    throw InvalidArgument(
        fmt::format("{}: joint '{}' ({}) has no such coordinate", asker, j.name,
                    j.kind == JointClass::coupler ? "a coupler" : to_string(j.type)));
  return found;
}

int followed_coordinate(Plan& plan, JointId joint, CoordinateOf which, const std::string& asker) {
  const int k = coordinate_of(plan, joint, which, asker);
  PlanCoordinate& c = plan.coordinates[static_cast<std::size_t>(k)];
  if (c.kind == CoordinateKind::angle && c.followed < 0) {
    c.followed = plan.followed_count();
    plan.followed.push_back(k);
  }
  return k;
}

}  // namespace daedalus::mechanism
