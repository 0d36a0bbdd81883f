// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "mechanism/assembly.hpp"
#include "mechanism/forces.hpp"
#include "mechanism/linearise.hpp"
#include "mechanism/nonholonomic.hpp"

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

// Generalised force on a body, in ground axes and body axes, from tangent coordinates.
void add_reaction(const View<double>& x, int body, const Eigen::VectorXd& f, const Place& at,
                  double sign, Wrench& w) {
  const PlanBody& b = x.plan->body(body);
  const Eigen::Matrix3d R = x.rotation(body);
  Eigen::Vector3d F = Eigen::Vector3d::Zero(), M = F;
  if (x.plan->planar()) {
    F << f[b.v], f[b.v + 1], 0.0;
    M << 0.0, 0.0, f[b.v + 2];
  } else {
    F = f.segment<3>(b.v);
    if (x.plan->body_velocities() && !b.point) F = R * F;
    if (!b.point) M = R * f.segment<3>(b.v + 3);
  }
  const Eigen::Vector3d arm = R * at.s;
  w.force += sign * F;
  w.moment += sign * (M - arm.cross(F));
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

// -G^T lambda of one joint.
Eigen::VectorXd generalised_reaction(const Plan& plan, const StateView& state, int joint) {
  const View<double> x = view_of_state(plan, state);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(plan.velocities);
  const In lambda = state.lambda();
  std::vector<Group> groups;
  for (const Group& group : plan.groups)
    if (group.count > 0 && plan.rows[static_cast<std::size_t>(group.first)].joint == joint)
      groups.push_back(group);
  Linearisation rows(plan, groups, plan.rows);
  rows.evaluate(state.t(), state.q(), coordinates_at(plan, state.q().data()));
  for (const RowEntry& e : rows.entries()) f[e.column] -= lambda[e.row] * e.value;
  for (std::size_t k = 0; k < plan.nonholonomic.size(); ++k) {
    const NonholonomicRow& row = plan.nonholonomic[k];
    if (row.joint != joint) continue;
    const Pair<double> p(x, row.A, row.B);
    const double factor = -row.scale * lambda[plan.holonomic() + static_cast<int>(k)];
    add_gradient<double>(x, p, nonholonomic_gradient<double>(x, row, p), factor,
                         [&](int column, double value) { f[column] += value; });
  }
  return f;
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
  return coordinate_value<double>(view_of_state(*plan_, state),
                                  joint_coordinate(*plan_, joint, which));
}
double Assembled::rate(const StateView& state, JointId joint, CoordinateOf which) const {
  return coordinate_rate<double>(view_of_state(*plan_, state),
                                 joint_coordinate(*plan_, joint, which));
}

Wrench Assembled::reaction(const StateView& state, JointId joint) const {
  const PlanJoint& j = plan_->joints.at(static_cast<std::size_t>(joint.number));
  Wrench w;
  if (!plan_->unknown.empty() && plan_->unknown[static_cast<std::size_t>(joint.number)]) {
    w.known = false;
    return w;
  }
  const View<double> x = view_of_state(*plan_, state);
  const Eigen::VectorXd f = generalised_reaction(*plan_, state, joint.number);
  if (j.B.body >= 0)
    add_reaction(x, j.B.body, f, j.B, 1.0, w);
  else if (j.A.body >= 0)
    add_reaction(x, j.A.body, f, j.A, -1.0, w);
  return w;
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
