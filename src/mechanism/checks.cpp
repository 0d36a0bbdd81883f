// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "mechanism/description.hpp"

namespace daedalus {

std::string_view to_string(JointType type) {
  constexpr std::array<std::string_view, 19> names{
      "fixed",          "revolute",     "prismatic",     "cylindrical",   "screw",
      "spherical",      "universal",    "planar",        "point-on-line", "point-on-plane",
      "parallel",       "orientation",  "perpendicular", "distance",      "point-on-surface",
      "point-on-curve", "rolling-disc", "knife-edge",    "wheel"};
  return names[static_cast<std::size_t>(type)];
}

namespace mechanism {
namespace {

Eigen::Matrix3d matrix_of(const Inertia& i) {
  Eigen::Matrix3d J;
  J << i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz;
  return J;
}

// Principal moments of a body obey J_1 + J_2 >= J_3 up to rounding of what was typed in.
constexpr double triangle_slack = 1e-9;
bool triangle(const Eigen::Vector3d& m) { return m[0] + m[1] >= m[2] * (1.0 - triangle_slack); }

void check_inertia(const RigidBody& body) {
  const Eigen::Matrix3d J = matrix_of(body.inertia);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solved(J);
  const Eigen::Vector3d m = solved.eigenvalues(), axis = solved.eigenvectors().col(0);
  if (!J.allFinite() || !(m[0] > 0.0))
    throw InvalidArgument(fmt::format(
        "inertia of '{}' is not positive definite: its smallest principal moment is {:.6g} about "
        "({:.4g}, {:.4g}, {:.4g}); allowed: positive moments",
        body.name, m[0], axis[0], axis[1], axis[2]));
  if (triangle(m)) return;
  // The other sign convention for products of inertia, for one or all of them.
  Inertia flipped = body.inertia;
  flipped.xy = -flipped.xy, flipped.xz = -flipped.xz, flipped.yz = -flipped.yz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> other(matrix_of(flipped));
  const bool cures = other.eigenvalues()[0] > 0.0 && triangle(other.eigenvalues());
  throw InvalidArgument(fmt::format(
      "inertia of '{}' has the principal moments {:.6g}, {:.6g}, {:.6g}: no body has these, the "
      "largest may not exceed the sum of the others{}",
      body.name, m[0], m[1], m[2], cures ? "; off-diagonal entries: sign?" : ""));
}

bool needs_axis(JointType type) {
  switch (type) {
    case JointType::spherical:
    case JointType::distance:
    case JointType::fixed:
    case JointType::orientation:
    case JointType::knife_edge:
    case JointType::point_on_surface:
    case JointType::point_on_curve:
      return false;
    default:
      return true;
  }
}

bool in_the_plane(JointType type) {
  switch (type) {
    case JointType::fixed:
    case JointType::revolute:
    case JointType::prismatic:
    case JointType::distance:
    case JointType::point_on_line:
    case JointType::point_on_curve:
    case JointType::parallel:
    case JointType::knife_edge:
      return true;
    default:
      return false;
  }
}
bool point_like(JointType type) {
  return type == JointType::distance || type == JointType::spherical ||
         type == JointType::point_on_line || type == JointType::point_on_plane ||
         type == JointType::point_on_surface || type == JointType::point_on_curve;
}

std::string shown(const Triple& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.vector()[0], v.vector()[1], v.vector()[2]);
}

void check_axes(const Description& d, const JointDescription& joint) {
  const JointOptions& o = joint.options;
  const bool by_markers = o.marker.number >= 0;
  const bool axis_in_plane =
      !d.planar() || joint.type == JointType::prismatic || joint.type == JointType::point_on_line;
  if (!by_markers && needs_axis(joint.type) && axis_in_plane && !(o.axis.vector().norm() > 0.0))
    throw InvalidArgument(
        fmt::format("joint '{}' ({}): axis is {}; allowed: a vector that is not zero", joint.name,
                    to_string(joint.type), shown(o.axis)));
  if (joint.type == JointType::universal && !by_markers &&
      !(o.axis.vector().cross(o.axis2.vector()).norm() >
        1e-6 * o.axis.vector().norm() * o.axis2.vector().norm()))
    throw InvalidArgument(
        fmt::format("joint '{}' (universal): axis {} and axis2 {} are parallel; they must cross",
                    joint.name, shown(o.axis), shown(o.axis2)));
  if (joint.type == JointType::screw && o.pitch == 0.0)
    throw InvalidArgument(fmt::format(
        "joint '{}' (screw): pitch is 0; allowed: metres per turn, its sign is the hand",
        joint.name));
  if (o.length && !(*o.length > 0.0))
    throw InvalidArgument(
        fmt::format("joint '{}': length is {}; allowed: a positive number", joint.name, *o.length));
  const bool disc = joint.type == JointType::rolling_disc || joint.type == JointType::wheel;
  if (disc && !(o.radius > 0.0))
    throw InvalidArgument(
        fmt::format("joint '{}': radius is {}; allowed: a positive number", joint.name, o.radius));
  if (disc && !by_markers && !(o.normal.vector().norm() > 0.0))
    throw InvalidArgument(
        fmt::format("joint '{}' ({}): normal is {}; allowed: the normal of the plane, not zero",
                    joint.name, to_string(joint.type), shown(o.normal)));
}

void check_curve(const JointDescription& joint) {
  const std::vector<Triple>& points = joint.options.curve;
  // A cubic spline has four conditions.
  constexpr std::size_t least = 4;
  if (points.size() < least)
    throw InvalidArgument(
        fmt::format("joint '{}' (point-on-curve): its curve has {} points; allowed: at least {}",
                    joint.name, points.size(), least));
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::size_t next = (k + 1) % points.size();
    if (next == 0 && !joint.options.closed) break;
    if (!((points[next].vector() - points[k].vector()).norm() > 0.0))
      throw InvalidArgument(fmt::format(
          "joint '{}' (point-on-curve): points {} and {} of its curve are the same, {}{}",
          joint.name, k, next, shown(points[k]),
          next == 0 ? "; a closed curve ends before its first point" : ""));
  }
}

}  // namespace

void check_name(const std::string& what, const std::string& name) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ||
           c == ' ';
  };
  const bool good =
      !name.empty() && name != "ground" && std::all_of(name.begin(), name.end(), allowed);
  if (!good)
    throw InvalidArgument(fmt::format(
        "{} '{}': allowed are letters, digits, '-', '_', '.', and not 'ground'", what, name));
}

void check_body_id(const Description& d, const std::string& name, BodyId body) {
  if (body.number < -1 || body.number >= static_cast<int>(d.bodies.size()))
    throw InvalidArgument(fmt::format("{}: there is no body number {}; there are {}", name,
                                      body.number, d.bodies.size()));
}
void check_joint_id(const Description& d, const std::string& name, JointId joint) {
  if (joint.number < 0 || joint.number >= static_cast<int>(d.joints.size()))
    throw InvalidArgument(fmt::format("{}: there is no joint number {}; there are {}", name,
                                      joint.number, d.joints.size()));
}

void check_body(const Description& d, const RigidBody& body) {
  if (!(body.mass > 0.0) || !std::isfinite(body.mass))
    throw InvalidArgument(fmt::format(
        "body '{}' has mass {}; allowed: a positive number. Use a distance joint for a massless "
        "rod, or `point` for a mass without inertia",
        body.name, body.mass));
  if (body.point) {
    if (d.planar())
      throw InvalidArgument(fmt::format("body '{}': a point has no sense in the plane", body.name));
    return;
  }
  if (d.planar() && !(body.inertia.zz > 0.0))
    throw InvalidArgument(
        fmt::format("inertia of '{}' is not positive definite: it is {}; allowed: a "
                    "positive number",
                    body.name, body.inertia.zz));
  if (!d.planar()) check_inertia(body);
}

void check_joint(const Description& d, const JointDescription& joint) {
  check_body_id(d, "joint '" + joint.name + "'", joint.first);
  check_body_id(d, "joint '" + joint.name + "'", joint.second);
  if (joint.first.number == joint.second.number)
    throw InvalidArgument(
        fmt::format("joint '{}' joins '{}' to itself", joint.name, d.body_name(joint.first)));
  if (d.planar() && !in_the_plane(joint.type))
    throw InvalidArgument(fmt::format("joint '{}': type {} has no sense in the plane", joint.name,
                                      to_string(joint.type)));
  for (const BodyId id : {joint.first, joint.second})
    if (id.number >= 0 && d.bodies[static_cast<std::size_t>(id.number)].point &&
        !point_like(joint.type))
      throw InvalidArgument(
          fmt::format("joint '{}': '{}' is a point without rotation, which type {} needs",
                      joint.name, d.body_name(id), to_string(joint.type)));
  if ((joint.options.marker.number >= 0) != (joint.options.marker2.number >= 0))
    throw InvalidArgument(fmt::format("joint '{}': give two markers or none", joint.name));
  check_axes(d, joint);
  if (joint.type == JointType::point_on_curve) check_curve(joint);
}

}  // namespace mechanism
}  // namespace daedalus
