// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/scene.hpp>

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace daedalus {
namespace {

// A point and a quaternion.
constexpr int pose_numbers = 7;

void need_length(const std::string& body, const char* field, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw InvalidArgument(
        fmt::format("body '{}': {} is {}, allowed: a positive length", body, field, value));
}

template <class Of>
void need_place(const std::string& body, const Of& place) {
  if (!place) throw InvalidArgument(fmt::format("body '{}': its place is not given", body));
}

Body at_pose(std::string name, Shape shape, std::vector<double> size, PoseOf pose) {
  need_place(name, pose);
  Body body{.name = std::move(name), .shape = shape, .size = std::move(size)};
  body.motion_count = pose_numbers;
  body.motion = [pose = std::move(pose)](const StateView& s, double* out) {
    const Pose p = pose(s);
    const Eigen::Quaterniond turn(p.rotation);
    for (int i = 0; i < 3; ++i) out[i] = p.position[i];
    out[3] = turn.w();
    out[4] = turn.x();
    out[5] = turn.y();
    out[6] = turn.z();
  };
  return body;
}

Body between(std::string name, Shape shape, double radius, PointOf from, PointOf to) {
  need_length(name, "radius", radius);
  need_place(name, from);
  need_place(name, to);
  Body body{.name = std::move(name), .shape = shape, .size = {radius}, .motion_count = 6};
  body.motion = [from = std::move(from), to = std::move(to)](const StateView& s, double* out) {
    const Eigen::Vector3d a = from(s), b = to(s);
    for (int i = 0; i < 3; ++i) {
      out[i] = a[i];
      out[3 + i] = b[i];
    }
  };
  return body;
}

std::vector<double> flat(const std::string& name, const char* field,
                         const std::vector<std::array<double, 2>>& points, std::size_t least) {
  if (points.size() < least)
    throw InvalidArgument(fmt::format("body '{}': {} has {} points, allowed: at least {}", name,
                                      field, points.size(), least));
  std::vector<double> numbers;
  for (const std::array<double, 2>& p : points) {
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]))
      throw InvalidArgument(
          fmt::format("body '{}': {} has the point ({}, {})", name, field, p[0], p[1]));
    numbers.insert(numbers.end(), p.begin(), p.end());
  }
  return numbers;
}

}  // namespace

std::string_view to_string(Shape shape) {
  constexpr std::array<std::string_view, 8> names{"sphere",   "box", "cylinder", "plate",
                                                  "revolved", "rod", "spring",   "curve"};
  return names[static_cast<std::size_t>(shape)];
}

namespace shapes {

PointOf fixed_point(double x, double y, double z) {
  return [x, y, z](const StateView&) { return Eigen::Vector3d(x, y, z); };
}

Eigen::Matrix3d planar_rotation(double angle) {
  Eigen::Matrix3d R;
  R << std::cos(angle), -std::sin(angle), 0.0, std::sin(angle), std::cos(angle), 0.0, 0.0, 0.0, 1.0;
  return R;
}

Body sphere(std::string name, double radius, PointOf centre) {
  need_length(name, "radius", radius);
  need_place(name, centre);
  Body body{.name = std::move(name), .shape = Shape::sphere, .size = {radius}, .motion_count = 3};
  body.motion = [centre = std::move(centre)](const StateView& s, double* out) {
    const Eigen::Vector3d p = centre(s);
    for (int i = 0; i < 3; ++i) out[i] = p[i];
  };
  return body;
}

Body box(std::string name, const Eigen::Vector3d& edges, PoseOf pose) {
  for (int i = 0; i < 3; ++i) need_length(name, "an edge", edges[i]);
  return at_pose(std::move(name), Shape::box, {edges[0], edges[1], edges[2]}, std::move(pose));
}

Body cylinder(std::string name, double radius, double length, PoseOf pose) {
  need_length(name, "radius", radius);
  need_length(name, "length", length);
  return at_pose(std::move(name), Shape::cylinder, {radius, length}, std::move(pose));
}

Body plate(std::string name, const std::vector<std::array<double, 2>>& outline, double thickness,
           PoseOf pose) {
  need_length(name, "thickness", thickness);
  std::vector<double> size = flat(name, "outline", outline, 3);
  size.insert(size.begin(), thickness);
  return at_pose(std::move(name), Shape::plate, std::move(size), std::move(pose));
}

Body revolved(std::string name, const std::vector<std::array<double, 2>>& profile, PoseOf pose) {
  std::vector<double> size = flat(name, "profile", profile, 2);
  return at_pose(std::move(name), Shape::revolved, std::move(size), std::move(pose));
}

Body rod(std::string name, double radius, PointOf from, PointOf to) {
  return between(std::move(name), Shape::rod, radius, std::move(from), std::move(to));
}

Body spring(std::string name, double radius, PointOf from, PointOf to) {
  return between(std::move(name), Shape::spring, radius, std::move(from), std::move(to));
}

Body curve(std::string name, double radius, double bead, int points,
           std::function<void(const StateView&, Eigen::Vector3d* points)> place) {
  need_length(name, "radius", radius);
  need_place(name, place);
  if (points < 2)
    throw InvalidArgument(
        fmt::format("body '{}': it has {} points, allowed: at least 2", name, points));
  Body body{.name = std::move(name), .shape = Shape::curve, .size = {radius, bead}};
  body.motion_count = 3 * points;
  body.motion = [place = std::move(place), points](const StateView& s, double* out) {
    std::vector<Eigen::Vector3d> at(static_cast<std::size_t>(points));
    place(s, at.data());
    for (const Eigen::Vector3d& p : at)
      for (int i = 0; i < 3; ++i) *out++ = p[i];
  };
  return body;
}

}  // namespace shapes
}  // namespace daedalus
