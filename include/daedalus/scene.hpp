// SPDX-License-Identifier: BSD-3-Clause
// What moves: bodies with simple shapes whose places follow from the state of a run. A scene is
// drawn by the report of the tool (`daedalus report`); the library only evaluates it. Lengths are
// those of the model.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/event.hpp>

namespace daedalus {

// Where a body is: origin of its frame, and the axes of its frame as columns.
struct Pose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
};
using PoseOf = std::function<Pose(const StateView&)>;
using PointOf = std::function<Eigen::Vector3d(const StateView&)>;

enum class Shape { sphere, box, cylinder, plate, revolved, rod, spring, curve };
std::string_view to_string(Shape shape);

// One body. `motion` writes `motion_count` numbers for a state: position and unit quaternion
// (x, y, z; p0, p1, p2, p3) of a frame, or points one after another. Made by the functions below.
struct Body {
  std::string name{};
  Shape shape = Shape::sphere;
  std::vector<double> size{};
  int motion_count = 0;
  std::function<void(const StateView&, double* out)> motion{};
  std::string colour{};  // "#rrggbb"; empty: chosen by the page
  bool trail = false;    // the path of its origin, or of its last point, is drawn as well
};

struct Scene {
  std::vector<Body> bodies{};
  Eigen::Vector3d up{0.0, 0.0, 1.0};
  Eigen::Vector3d view{1.0, -1.6, 0.8};  // from the scene to the eye when the page opens
  std::optional<double> ground{};        // height of a floor along `up`
};

// Makers of bodies; misuse throws InvalidArgument that names the body.
namespace shapes {

PointOf fixed_point(double x, double y, double z = 0.0);
// Rotation by an angle about the third axis: frames of planar mechanisms.
Eigen::Matrix3d planar_rotation(double angle);

Body sphere(std::string name, double radius, PointOf centre);
// Edges along the axes of its frame, which is in its middle.
Body box(std::string name, const Eigen::Vector3d& edges, PoseOf pose);
// About the third axis of its frame, which is in its middle.
Body cylinder(std::string name, double radius, double length, PoseOf pose);
// An outline (x, y) in its frame, as thick as given, half of it on either side of the frame.
Body plate(std::string name, const std::vector<std::array<double, 2>>& outline, double thickness,
           PoseOf pose);
// A profile of pairs (radius, z), turned about the third axis of its frame: wheels, tops.
Body revolved(std::string name, const std::vector<std::array<double, 2>>& profile, PoseOf pose);
// A round rod, or a coil of that radius, between two points.
Body rod(std::string name, double radius, PointOf from, PointOf to);
Body spring(std::string name, double radius, PointOf from, PointOf to);
// A tube through so many points, with a ball of radius `bead` in each unless it is 0.
Body curve(std::string name, double radius, double bead, int points,
           std::function<void(const StateView&, Eigen::Vector3d* points)> place);

}  // namespace shapes
}  // namespace daedalus
