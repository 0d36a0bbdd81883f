// SPDX-License-Identifier: BSD-3-Clause
// What a mechanism is made of: descriptions of bodies, joints, forces, limits. Lengths in metres,
// masses in kilograms, angles in radians.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/mechanism/time_function.hpp>
#include <daedalus/scene.hpp>

namespace daedalus {

// A point or a direction; two numbers in the plane. Not given: given() is false.
class Triple {
 public:
  Triple() = default;
  Triple(double x, double y, double z = 0.0) : value_(x, y, z), given_(true) {}
  Triple(const Eigen::Vector3d& value) : value_(value), given_(true) {}  // NOLINT
  bool given() const { return given_; }
  const Eigen::Vector3d& vector() const { return value_; }  // zero if not given

 private:
  Eigen::Vector3d value_ = Eigen::Vector3d::Zero();
  bool given_ = false;
};

// The axes of a frame as columns.
class Rotation {
 public:
  Rotation() = default;
  explicit Rotation(const Eigen::Matrix3d& matrix) : matrix_(matrix) {}
  static Rotation quaternion(double p0, double p1, double p2, double p3);
  static Rotation rpy(double roll, double pitch, double yaw);  // Rz(yaw) Ry(pitch) Rx(roll)
  static Rotation about(const Triple& axis, double angle);
  static Rotation planar(double angle) { return about({0.0, 0.0, 1.0}, angle); }
  const Eigen::Matrix3d& matrix() const { return matrix_; }

 private:
  Eigen::Matrix3d matrix_ = Eigen::Matrix3d::Identity();
};

// About the centre of mass, axes of the body frame; xy, xz, yz are entries of the matrix.
struct Inertia {
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;
};
inline Inertia diagonal(double xx, double yy, double zz) { return {xx, yy, zz, 0.0, 0.0, 0.0}; }
inline Inertia planar_inertia(double zz) { return {zz, zz, zz, 0.0, 0.0, 0.0}; }

// A shape that moves with its body, placed in the body frame.
struct BodyShape {
  Shape shape = Shape::box;
  // box: three edges; sphere, cylinder (radius, length), rod (radius): numbers in this order;
  // plate: thickness, then pairs (x, y); revolved: pairs (radius, z).
  std::vector<double> size{};
  Triple position{};
  Rotation rotation{};
  Triple from{}, to{};  // of a rod
  std::string colour{};
};

struct RigidBody {
  std::string name{};
  double mass = 0.0;
  Inertia inertia{};
  Triple com{};       // centre of mass in the body frame
  Triple position{};  // of the body frame in ground; a guess where joints are to be assembled
  Rotation rotation{};
  Triple velocity{}, angular_velocity{};  // of the frame's origin, in ground axes; a guess
  bool point = false;                     // a point mass without rotation
  double weight = 1.0;                    // heavy bodies are moved less by the assembly
  bool hold = false;                      // the assembly does not move it
  std::vector<BodyShape> shapes{};
};

// Numbers of parts, as the builder gave them out.
struct BodyId {
  int number = -1;  // -1: ground
};
struct MarkerId {
  int number = -1;  // -1: none
};
struct JointId {
  int number = -1;
};
struct DriveId {
  int number = -1;
};

enum class JointType {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  screw,
  spherical,
  universal,
  planar,
  point_on_line,
  point_on_plane,
  parallel,
  orientation,
  perpendicular,
  distance,
  point_on_surface,
  point_on_curve,
  rolling_disc,
  knife_edge,
  wheel
};
std::string_view to_string(JointType type);

struct JointOptions {
  Triple at{}, at2{};              // in ground at the guess; at2: of the second body, if it differs
  Triple axis{}, axis2{};          // axis2: second axis of a universal joint, on the second body
  MarkerId marker{}, marker2{};    // in place of points and axes
  std::optional<double> length{};  // of a distance joint; otherwise that of the guess
  double pitch = 0.0;              // metres per turn of a screw, its sign is the hand
  double radius = 0.0;             // of a disc or wheel
  Triple normal{}, centre{}, across{};
  TimeFunction
      surface{};  // formula in arguments 0 and 1: height over the plane of the first marker
  std::optional<double> rate{};  // of its coordinate at the start
  double turns = 0.0;            // full turns of its angle at the start
  // Points of a curve in the frame of the first marker (at `at`, axes of ground), on which the
  // point at2 of the second body stays; without at2 its centre of mass. Closed: without the first
  // point again at the end.
  std::vector<Triple> curve{};
  bool closed = false;
};

// Which coordinate of a joint: the only one, or of a cylindrical joint the length or the angle.
enum class CoordinateOf { automatic, length, angle };

enum class ForceFrame { ground, body };
struct ForceOptions {
  BodyId body{}, reaction_body{};  // reaction_body: takes the opposite force; ground by standard
  Triple at{};                     // in ground at the guess
  MarkerId marker{};
  std::vector<TimeFunction> value{};  // three (in the plane two) components, or one about `axis`
  Triple axis{};                      // of a torque, moves with reaction_body
  ForceFrame frame = ForceFrame::ground;
};

struct SpringOptions {
  Triple at{}, at2{};
  MarkerId marker{}, marker2{};
  double stiffness = 0.0, damping = 0.0;
  double rest_length = 0.0;
  std::optional<TimeFunction> force_length{};  // of x = length - rest_length, in place of stiffness
  std::optional<TimeFunction> force_rate{};    // of the rate of the length, in place of damping
};

struct JointSpringOptions {
  double stiffness = 0.0, damping = 0.0;
  double rest = 0.0;  // value of the coordinate without force
  CoordinateOf coordinate = CoordinateOf::automatic;
};

struct BushingOptions {
  Triple at{};
  MarkerId marker{}, marker2{};
  Eigen::Matrix<double, 6, 6> stiffness = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 6> damping = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> preload = Eigen::Matrix<double, 6, 1>::Zero();
};

struct DragOptions {
  BodyId body{};
  Triple at{};
  double coefficient = 0.0;  // rho c_d A / 2, or of a rotational drag N m s^2
  bool rotational = false;
  Triple wind{};
};

struct FrictionOptions {
  double coefficient = 0.0;
  double normal = 0.0;         // constant normal force
  bool from_reaction = false;  // the normal force is the joint's reaction across its coordinate
  double radius = 1.0;         // of a bearing, with from_reaction
  double slip = 0.0;           // speed where friction is fully developed; 0: 1e-3 m/s or 1e-2 rad/s
  CoordinateOf coordinate = CoordinateOf::automatic;
};

// A force law of one's own between two points: Mechanism::callback.
struct CallbackOptions {
  Triple at{}, at2{};  // of the first and the second body; at2 is `at` if not given
  MarkerId marker{}, marker2{};
};

enum class LimitAction { record, stop, bounce };
struct LimitOptions {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  LimitAction action = LimitAction::record;
  double restitution = 0.0;
  CoordinateOf coordinate = CoordinateOf::automatic;
};

// q_i = (x, R) or (x, p) per body; in the plane (x, y, phi).
enum class MechanismSpace { r3xso3, se3, r3xs3, s3_semidirect, planar };

enum class Redundant { drop, refuse };
enum class SingularStart { refuse, allow };
struct AssemblyOptions {
  double t0 = 0.0;
  Redundant redundant = Redundant::drop;
  SingularStart singular_start = SingularStart::refuse;
  double rank_tolerance = 1e-9;
  bool shared_reactions = false;  // least-squares reactions in redundant loops
  int max_iterations = 50;
};

}  // namespace daedalus
