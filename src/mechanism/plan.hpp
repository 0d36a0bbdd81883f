// SPDX-License-Identifier: BSD-3-Clause
// A mechanism made ready for evaluation: bodies by their centres of mass, joints as rows, forces
// with their markers. Immutable, shared by the callables of the problem.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/mechanism/force_law.hpp>
#include <daedalus/mechanism/parts.hpp>
#include <daedalus/mechanism/results.hpp>
#include <daedalus/space.hpp>

#include "mechanism/profile_data.hpp"

namespace daedalus::mechanism {

struct PlanBody {
  std::string name{};
  double mass = 0.0;
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  int q = 0, v = 0;  // offsets of its coordinates
  bool point = false;
  double weight = 1.0;
  bool hold = false;
  // The guess: centre of mass, axes, velocity of the centre, angular velocity in body axes.
  Eigen::Vector3d x = Eigen::Vector3d::Zero(), u = Eigen::Vector3d::Zero(),
                  omega = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
};

// A point and axes (columns) of a body, from its centre of mass; body -1: ground.
struct Place {
  int body = -1;
  Eigen::Vector3d s = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  double angle = 0.0;  // in the plane: of the axes against the body
};

// With d from the point of A to that of B, a_i and b_j the axes:
enum class RowKind {
  point,         // d_i
  dot,           // a_i . b_j
  offset,        // a_i . d
  distance,      // (d.d - L^2) / (2 L), L = constant or f(t)
  angle_drive,   // sin(theta - f(t))
  turn,          // phi_B - phi_A - constant - f(t), in the plane
  length_drive,  // a_3 . d - f(t)
  combination,   // sum of factors times coordinates - constant
  rolling,       // height of a disc of radius `constant` over the plane normal to a_3
  surface,       // y_3 - psi(y_1, y_2), y in the frame of A
  curve          // n_i(s).(y - r(s)), s the coordinate of the joint
};
struct Term {
  double factor = 0.0;
  int coordinate = -1;  // of Plan::coordinates
};
struct Row {
  RowKind kind = RowKind::point;
  std::string name{};
  int i = 0, j = 0;
  double scale = 1.0, constant = 0.0;
  int profile = -1;  // of Plan::profiles
  std::vector<Term> terms{};
  int joint = -1;        // that it belongs to (of Plan::joints)
  bool angular = false;  // scaled by L_c
};
// Rows between the same two places.
struct Group {
  Place A{}, B{};
  int first = 0, count = 0;  // of Plan::rows
};

enum class JointClass { joint, coupler, drive };
struct PlanJoint {
  std::string name{};
  JointType type = JointType::fixed;
  JointClass kind = JointClass::joint;
  Place A{}, B{};
  int length = -1, angle = -1;  // its coordinates in Plan::coordinates
  int group = -1;               // of Plan::groups
  double constant = 0.0;        // length of a distance joint, pitch, radius
};
enum class CoordinateKind { length, angle, turn, distance, curve };
struct PlanCoordinate {
  CoordinateKind kind = CoordinateKind::length;
  Place A{}, B{};
  int followed = -1;   // number among Plan::followed; -1: nobody asks for more than half a turn
  int curve = -1;      // of Plan::curves
  int drive = -1;      // of Plan::profiles: its value at all times
  double start = 0.0;  // unwrapped value near the start
  std::string name{};
};

// r(s) in the frame of A, from s = 0 to its length, and a direction across it; three profiles each.
struct PlanCurve {
  std::array<int, 3> point{}, across{};
  double length = 0.0;
  bool closed = false;
  std::string joint{};
};

enum class NonholonomicKind { knife_edge, rolling, rate };
struct NonholonomicRow {
  NonholonomicKind kind = NonholonomicKind::knife_edge;
  std::string name{};
  Place A{}, B{};
  Eigen::Vector3d direction = Eigen::Vector3d::Zero();  // of a knife edge, in B
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  double radius = 0.0;
  bool upright = false, across = false;  // of a disc
  int coordinate = -1, profile = -1;
  int joint = -1;
  double scale = 1.0;
};

struct PlanForce {
  enum class Kind {
    force,
    torque,
    spring,
    coordinate_spring,
    bushing,
    drag,
    friction,
    callback
  } kind{};
  std::string name{};
  Place A{}, B{};
  std::vector<int> value{};  // profiles
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();
  bool in_body = false, about_axis = false, rotational = false;
  double stiffness = 0.0, damping = 0.0, rest = 0.0;
  int force_length = -1, force_rate = -1;
  Eigen::Matrix<double, 6, 6> K = Eigen::Matrix<double, 6, 6>::Zero(), C = K;
  Eigen::Matrix<double, 6, 1> preload = Eigen::Matrix<double, 6, 1>::Zero();
  Eigen::Vector3d wind = Eigen::Vector3d::Zero();
  int coordinate = -1, joint = -1;
  double normal = 0.0, slip = 1e-3, radius = 1.0;
  bool from_reaction = false;
  std::shared_ptr<const ForceLaw> law{};
};
struct PlanArgument {
  int coordinate = -1;
  bool rate = false;
};
// A formula reads at most so many joint coordinates and rates.
inline constexpr int max_arguments = 32;

struct Plan {
  std::string name{};
  MechanismSpace space = MechanismSpace::r3xso3;
  Space configuration{};
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  std::vector<PlanBody> bodies{};
  std::vector<PlanJoint> joints{};
  std::vector<Group> groups{};
  std::vector<Row> rows{};  // kept ones, in the order of the multipliers
  std::vector<NonholonomicRow> nonholonomic{};
  std::vector<PlanCoordinate> coordinates{};
  std::vector<PlanCurve> curves{};
  // Coordinates that are positions of the problem themselves, behind those of the bodies: angles
  // whose turns count, and places on curves. The row sin(theta - phi) = 0, of a curve
  // r'(s).(y - r(s)) = 0, ties each to its joint; it has no mass. Turns are watched (give_counts).
  std::vector<int> followed{};
  std::vector<PlanForce> forces{};
  std::vector<PlanArgument> arguments{};
  std::vector<TimeFunction> profiles{};
  std::vector<Place> markers{};
  std::vector<int> drives{};  // joint of each drive; effort from its row
  std::vector<std::string> drive_names{};
  // By joint: in a redundant loop; in one of velocities, whose shares nothing determines.
  std::vector<bool> unknown{}, unknown_rates{};
  // All rows before dependent ones were dropped, for shared reactions.
  std::vector<Row> all_rows{};
  std::vector<Group> all_groups{};
  std::vector<int> kept{};     // numbers of `rows` among all
  std::vector<int> dropped{};  // the others
  bool shared_reactions = false;
  double length = 1.0;                // L_c
  int velocities = 0, positions = 0;  // of the bodies
  bool analytic = true;               // every row has its derivatives in row_derivatives.hpp

  bool planar() const { return space == MechanismSpace::planar; }
  bool body_velocities() const {  // translational velocities in body axes
    return space == MechanismSpace::se3 || space == MechanismSpace::s3_semidirect;
  }
  const ProfileData& profile(int k) const { return profiles[static_cast<std::size_t>(k)].data(); }
  const PlanBody& body(int k) const { return bodies[static_cast<std::size_t>(k)]; }
  const PlanCoordinate& coordinate(int k) const { return coordinates[static_cast<std::size_t>(k)]; }
  int followed_count() const { return static_cast<int>(followed.size()); }
  // Multipliers: rows, rows of followed angles, rows of velocities.
  int holonomic() const { return static_cast<int>(rows.size()) + followed_count(); }
};

}  // namespace daedalus::mechanism
