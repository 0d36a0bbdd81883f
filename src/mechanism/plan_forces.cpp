// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "mechanism/description.hpp"

namespace daedalus::mechanism {
namespace {

constexpr double standard_slip = 1e-3, standard_angular_slip = 1e-2;  // m/s, rad/s

int keep(Plan& plan, const TimeFunction& profile) {
  plan.profiles.push_back(profile);
  return static_cast<int>(plan.profiles.size()) - 1;
}

Place at_point(const Description& d, const Plan& plan, BodyId body, const Triple& at,
               MarkerId marker) {
  if (marker.number >= 0) return place_of(d, plan, marker);
  return place_at(d, plan, body, at.vector(), Eigen::Matrix3d::Identity());
}

// Forces on a body act at its centre of mass unless a point is given.
Triple centre_unless(const Plan& plan, BodyId body, const Triple& at) {
  return at.given() || body.number < 0 ? at : Triple(plan.body(body.number).x);
}

void give(const Description& d, const ForceDescription& f, Plan& plan, PlanForce& e) {
  const ForceOptions& o = f.given;
  const Triple at = centre_unless(plan, o.body, o.at);
  e.B = at_point(d, plan, o.body, at, o.marker);
  e.A = place_at(d, plan, o.reaction_body, at.vector(), Eigen::Matrix3d::Identity());
  e.in_body = o.frame == ForceFrame::body;
  for (const TimeFunction& value : o.value) e.value.push_back(keep(plan, value));
  if (e.kind != PlanForce::Kind::torque) return;
  e.about_axis = o.axis.given() || d.planar();
  const Eigen::Vector3d axis =
      d.planar() ? Eigen::Vector3d::UnitZ().eval() : o.axis.vector().eval();
  if (!e.about_axis) return;
  if (!(axis.norm() > 0.0)) throw InvalidArgument(fmt::format("force '{}': axis is zero", e.name));
  const Eigen::Vector3d unit = axis.normalized();
  e.axis = e.A.body < 0 ? unit : Eigen::Vector3d(plan.body(e.A.body).R.transpose() * unit);
}

void give_spring(const Description& d, const ForceDescription& f, Plan& plan, PlanForce& e) {
  const SpringOptions& o = f.spring;
  e.A = at_point(d, plan, f.first, o.at, o.marker);
  e.B = at_point(d, plan, f.second, o.at2.given() ? o.at2 : o.at, o.marker2);
  e.stiffness = o.stiffness;
  e.damping = o.damping;
  e.rest = o.rest_length;
  if (o.force_length) e.force_length = keep(plan, *o.force_length);
  if (o.force_rate) e.force_rate = keep(plan, *o.force_rate);
}

void give_friction(const ForceDescription& f, Plan& plan, PlanForce& e) {
  const FrictionOptions& o = f.friction;
  e.coordinate = coordinate_of(plan, f.joint, o.coordinate, "friction '" + f.name + "'");
  const CoordinateKind kind = plan.coordinate(e.coordinate).kind;
  if (o.from_reaction && kind == CoordinateKind::distance)
    throw InvalidArgument(fmt::format(
        "friction '{}': the reaction of joint '{}' (distance) acts along its coordinate, nothing "
        "presses across it; give 'normal' as a number",
        f.name, plan.joints[static_cast<std::size_t>(f.joint.number)].name));
  const bool length = kind != CoordinateKind::angle && kind != CoordinateKind::turn;
  e.stiffness = o.coefficient;
  e.normal = o.normal;
  e.from_reaction = o.from_reaction;
  e.radius = o.radius;
  e.joint = f.joint.number;
  e.slip = o.slip > 0.0 ? o.slip : length ? standard_slip : standard_angular_slip;
}

}  // namespace

void add_forces(const Description& d, Plan& plan) {
  for (const ArgumentDescription& a : d.arguments) {
    const int k = a.rate ? coordinate_of(plan, a.joint, a.coordinate, "an expression")
                         : followed_coordinate(plan, a.joint, a.coordinate, "an expression");
    plan.arguments.push_back({k, a.rate});
  }
  for (const ForceDescription& f : d.forces) {
    PlanForce e;
    e.kind = f.kind;
    e.name = f.name;
    switch (f.kind) {
      case PlanForce::Kind::force:
      case PlanForce::Kind::torque:
        give(d, f, plan, e);
        break;
      case PlanForce::Kind::spring:
        give_spring(d, f, plan, e);
        break;
      case PlanForce::Kind::coordinate_spring: {
        const JointSpringOptions& o = f.joint_spring;
        const std::string asker = "spring '" + f.name + "'";
        e.coordinate = o.stiffness != 0.0 ? followed_coordinate(plan, f.joint, o.coordinate, asker)
                                          : coordinate_of(plan, f.joint, o.coordinate, asker);
        e.stiffness = o.stiffness;
        e.damping = o.damping;
        e.rest = o.rest;
        break;
      }
      case PlanForce::Kind::bushing:
        e.A = at_point(d, plan, f.first, f.bushing.at, f.bushing.marker);
        e.B = at_point(d, plan, f.second, f.bushing.at, f.bushing.marker2);
        e.K = f.bushing.stiffness;
        e.C = f.bushing.damping;
        e.preload = f.bushing.preload;
        break;
      case PlanForce::Kind::drag:
        e.A.s = centre_unless(plan, f.drag.body, f.drag.at).vector();
        e.B = place_at(d, plan, f.drag.body, e.A.s, Eigen::Matrix3d::Identity());
        e.stiffness = f.drag.coefficient;
        e.rotational = f.drag.rotational;
        e.wind = f.drag.wind.vector();
        break;
      case PlanForce::Kind::friction:
        give_friction(f, plan, e);
        break;
      case PlanForce::Kind::callback:
        e.A = at_point(d, plan, f.first, f.callback.at, f.callback.marker);
        e.B = at_point(d, plan, f.second, f.callback.at2.given() ? f.callback.at2 : f.callback.at,
                       f.callback.marker2);
        e.law = f.law;
        break;
    }
    plan.forces.push_back(std::move(e));
  }
}

}  // namespace daedalus::mechanism
