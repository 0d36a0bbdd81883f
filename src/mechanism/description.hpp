// SPDX-License-Identifier: BSD-3-Clause
// What a user has told a Mechanism, in the order it was told.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <daedalus/mechanism.hpp>

#include "mechanism/plan.hpp"

namespace daedalus::mechanism {

struct MarkerDescription {
  std::string name{};
  BodyId body{};
  Triple position{};
  Rotation rotation{};
};
enum class CouplerType { none, gear, rack, linear };
struct JointDescription {
  JointType type = JointType::fixed;
  std::string name{};
  BodyId first{}, second{};
  JointOptions options{};
  CouplerType coupler = CouplerType::none;
  std::vector<std::pair<JointId, double>> terms{};
  double constant = 0.0;
};
struct DriveDescription {
  std::string name{};
  JointId joint{};
  TimeFunction value{};
  bool rate = false;
  CoordinateOf coordinate = CoordinateOf::automatic;
};
struct ForceDescription {
  PlanForce::Kind kind{};
  std::string name{};
  BodyId first{}, second{};
  JointId joint{};
  ForceOptions given{};
  SpringOptions spring{};
  JointSpringOptions joint_spring{};
  BushingOptions bushing{};
  DragOptions drag{};
  FrictionOptions friction{};
  CallbackOptions callback{};
  std::shared_ptr<const ForceLaw> law{};
};
struct LimitDescription {
  std::string name{};
  JointId joint{};
  LimitOptions options{};
};
struct ArgumentDescription {
  JointId joint{};
  bool rate = false;
  CoordinateOf coordinate = CoordinateOf::automatic;
};

struct Description {
  std::string name{};
  MechanismSpace space = MechanismSpace::r3xso3;
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  std::vector<RigidBody> bodies{};
  std::vector<MarkerDescription> markers{};
  std::vector<JointDescription> joints{};
  std::vector<DriveDescription> drives{};
  std::vector<ForceDescription> forces{};
  std::vector<LimitDescription> limits{};
  std::vector<ArgumentDescription> arguments{};
  std::unordered_set<std::string> names{};  // of parts, each behind its kind

  bool planar() const { return space == MechanismSpace::planar; }
  std::string body_name(BodyId id) const {
    return id.number < 0 ? "ground" : bodies[static_cast<std::size_t>(id.number)].name;
  }
  const JointDescription& joint(JointId id) const {
    return joints[static_cast<std::size_t>(id.number)];
  }
};

// Checks of single parts; they throw InvalidArgument.
void check_body(const Description& d, const RigidBody& body);
void check_joint(const Description& d, const JointDescription& joint);
void check_joint_id(const Description& d, const std::string& name, JointId joint);
void check_body_id(const Description& d, const std::string& name, BodyId body);
void check_name(const std::string& what, const std::string& name);

// The plan at the guess, with all rows.
Plan make_plan(const Description& d, const AssemblyOptions& options);
// Pieces of it.
Place place_at(const Description& d, const Plan& plan, BodyId body, const Eigen::Vector3d& point,
               const Eigen::Matrix3d& frame);
Place place_of(const Description& d, const Plan& plan, MarkerId marker);
// The place nearest to y on a curve, from there.
double nearest_on_curve(const Plan& plan, const PlanCurve& curve, const Eigen::Vector3d& y,
                        double from);
int add_curve(const JointDescription& joint, Plan& plan);
void add_joint(const Description& d, const JointDescription& joint, Plan& plan);
void add_coupler(const Description& d, const JointDescription& joint, Plan& plan);
void add_drive(const Description& d, const DriveDescription& drive, double t0, Plan& plan);
void add_forces(const Description& d, Plan& plan);
void follow_limited_angles(const Description& d, Plan& plan);
double characteristic_length(const Plan& plan);
// The coordinate of a joint that is meant; throws where there is none or more than one.
int coordinate_of(const Plan& plan, JointId joint, CoordinateOf which, const std::string& asker);
// The same, and its value is needed beyond half a turn.
int followed_coordinate(Plan& plan, JointId joint, CoordinateOf which, const std::string& asker);

}  // namespace daedalus::mechanism
