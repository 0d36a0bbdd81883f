// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "mechanism/assembly.hpp"
#include "mechanism/forces.hpp"

namespace daedalus {

using namespace mechanism;

namespace {

View<double> view_of_state(const Plan& plan, const StateView& state) {
  View<double> x;
  x.plan = &plan;
  x.q = state.q().data();
  x.v = state.v().data();
  x.followed = x.q + plan.positions;
  return x;
}

Eigen::Vector3d point_at(const View<double>& x, const Place& p) {
  return x.position(p.body) + x.rotation(p.body) * p.s;
}

int joint_coordinate(const Plan& plan, JointId joint, CoordinateOf which) {
  if (joint.number < 0 || joint.number >= static_cast<int>(plan.joints.size()))
    throw InvalidArgument(fmt::format("there is no joint number {}", joint.number));
  const PlanJoint& j = plan.joints[static_cast<std::size_t>(joint.number)];
  const int k = which == CoordinateOf::length                  ? j.length
                : which == CoordinateOf::angle || j.angle >= 0 ? j.angle
                                                               : j.length;
  if (k < 0) throw InvalidArgument(fmt::format("joint '{}' has no such coordinate", j.name));
  return k;
}

}  // namespace

BodyState Assembled::state_of(const StateView& state, BodyId body) const {
  const View<double> x = view_of_state(*plan_, state);
  if (body.number < 0) return {};
  const PlanBody& b = plan_->body(body.number);
  BodyState s;
  s.rotation = x.rotation(body.number);
  const Eigen::Vector3d arm = s.rotation * b.com;
  s.position = x.position(body.number) - arm;
  s.angular_velocity_body = x.spin(body.number);
  const Eigen::Vector3d omega = s.rotation * s.angular_velocity_body;
  s.velocity = x.velocity(body.number, s.rotation) - omega.cross(arm);
  return s;
}

Eigen::Vector3d Assembled::marker(const StateView& state, MarkerId marker) const {
  return point_at(view_of_state(*plan_, state),
                  plan_->markers.at(static_cast<std::size_t>(marker.number)));
}

bool Assembled::has_coordinate(JointId joint) const {
  const PlanJoint& j = plan_->joints.at(static_cast<std::size_t>(joint.number));
  return j.length >= 0 || j.angle >= 0;
}

double Assembled::coordinate(const StateView& state, JointId joint, CoordinateOf which) const {
  View<double> x = view_of_state(*plan_, state);
  const std::vector<double> near = coordinates_at(*plan_, x.q, state.t());
  x.near = near.data();
  return coordinate_value<double>(x, joint_coordinate(*plan_, joint, which));
}
double Assembled::rate(const StateView& state, JointId joint, CoordinateOf which) const {
  return coordinate_rate<double>(view_of_state(*plan_, state),
                                 joint_coordinate(*plan_, joint, which));
}

double Assembled::effort(const StateView& state, DriveId drive) const {
  const int joint = plan_->drives.at(static_cast<std::size_t>(drive.number));
  const In lambda = state.lambda();
  for (std::size_t k = 0; k < plan_->rows.size(); ++k)
    if (plan_->rows[k].joint == joint) return -plan_->rows[k].scale * lambda[static_cast<int>(k)];
  for (std::size_t k = 0; k < plan_->nonholonomic.size(); ++k)
    if (plan_->nonholonomic[k].joint == joint)
      return -plan_->nonholonomic[k].scale * lambda[plan_->holonomic() + static_cast<int>(k)];
  return 0.0;
}

Energies Assembled::energies(const StateView& state) const {
  const View<double> x = view_of_state(*plan_, state);
  Energies e{kinetic_energy<double>(x), potential_energy<double>(x)};
  // Springs by a table: the integral of the force, by Simpson's rule.
  constexpr int panels = 400;
  for (const PlanForce& f : plan_->forces) {
    if (f.kind != PlanForce::Kind::spring || f.force_length < 0) continue;
    const Pair<double> p(x, f.A, f.B);
    const double stretch = p.d.norm() - f.rest, h = stretch / panels;
    const TimeFunction& law = plan_->profiles[static_cast<std::size_t>(f.force_length)];
    for (int k = 0; k < panels; ++k)
      e.potential += h / 6.0 * (law(h * k) + 4.0 * law(h * (k + 0.5)) + law(h * (k + 1)));
  }
  return e;
}

}  // namespace daedalus
