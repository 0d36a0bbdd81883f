// SPDX-License-Identifier: BSD-3-Clause
// Joints as rows.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mechanism/description.hpp"
#include "mechanism/rows.hpp"

namespace daedalus::mechanism {
namespace {

constexpr double full_turn = 2.0 * std::numbers::pi;

// Third axis along z, first one across.
Eigen::Matrix3d frame_about(const Eigen::Vector3d& axis) {
  const Eigen::Vector3d e3 = axis.normalized();
  int smallest = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(e3[k]) < std::abs(e3[smallest])) smallest = k;
  const Eigen::Vector3d e1 = Eigen::Vector3d::Unit(smallest).cross(e3).normalized();
  Eigen::Matrix3d frame;
  frame << e1, e3.cross(e1), e3;
  return frame;
}
// In the plane: third axis along, second one out of the plane.
Eigen::Matrix3d planar_frame(const Eigen::Vector3d& along) {
  const Eigen::Vector3d e3 = along.normalized(), out = Eigen::Vector3d::UnitZ();
  Eigen::Matrix3d frame;
  frame << out.cross(e3), out, e3;
  return frame;
}

Eigen::Matrix3d frame_of(const Description& d, const JointDescription& j) {
  const JointOptions& o = j.options;
  const bool along = j.type == JointType::prismatic || j.type == JointType::point_on_line;
  if (d.planar()) return along ? planar_frame(o.axis.vector()) : Eigen::Matrix3d::Identity();
  if (j.type == JointType::rolling_disc || j.type == JointType::wheel)
    return frame_about(o.normal.vector());
  if (!o.axis.given() || o.axis.vector().isZero(0.0)) return Eigen::Matrix3d::Identity();
  if (j.type != JointType::universal) return frame_about(o.axis.vector());
  const Eigen::Vector3d e3 = o.axis.vector().normalized(), e1 = o.axis2.vector().normalized();
  Eigen::Matrix3d frame;
  frame << e1, e3.cross(e1).normalized(), e3;
  return frame;
}

void place(const Description& d, const JointDescription& j, const Plan& plan, PlanJoint& p) {
  const JointOptions& o = j.options;
  if (o.marker.number >= 0) {
    p.A = place_of(d, plan, o.marker);
    p.B = place_of(d, plan, o.marker2);
    if (d.planar() && (j.type == JointType::prismatic || j.type == JointType::point_on_line)) {
      p.A.axes = planar_frame(p.A.axes.col(0));
      p.B.axes = planar_frame(p.B.axes.col(0));
    }
    return;
  }
  const Eigen::Matrix3d frame = frame_of(d, j);
  const bool disc = j.type == JointType::rolling_disc || j.type == JointType::wheel;
  const Eigen::Vector3d at = o.at.vector();
  const bool centre = (disc || j.type == JointType::point_on_curve) && j.second.number >= 0;
  const Eigen::Vector3d other = disc && o.centre.given() ? o.centre.vector()
                                : o.at2.given()          ? o.at2.vector()
                                : centre                 ? plan.body(j.second.number).x
                                                         : at;
  p.A = place_at(d, plan, j.first, at, frame);
  p.B = place_at(d, plan, j.second, other, disc ? frame_about(o.axis.vector()) : frame);
}

struct RowMaker {
  Plan& plan;
  int joint;
  void operator()(RowKind kind, const char* name, int i = 0, int k = 0) const {
    Row row;
    row.kind = kind;
    row.name = name;
    row.i = i;
    row.j = k;
    row.joint = joint;
    row.angular = kind == RowKind::dot || kind == RowKind::angle_drive || kind == RowKind::turn;
    plan.rows.push_back(std::move(row));
  }
  void point() const {
    (*this)(RowKind::point, "x", 0), (*this)(RowKind::point, "y", 1);
    if (!plan.planar()) (*this)(RowKind::point, "z", 2);
  }
  void orientation() const {
    if (plan.planar()) return (*this)(RowKind::turn, "r");
    (*this)(RowKind::dot, "r3", 0, 1), (*this)(RowKind::dot, "r1", 1, 2);
    (*this)(RowKind::dot, "r2", 2, 0);
  }
  void across() const {
    if (plan.planar()) return (*this)(RowKind::offset, "n", 0);
    (*this)(RowKind::offset, "n1", 0), (*this)(RowKind::offset, "n2", 1);
  }
  void axes() const {
    if (plan.planar()) return (*this)(RowKind::turn, "r");
    (*this)(RowKind::dot, "t1", 0, 2), (*this)(RowKind::dot, "t2", 1, 2);
  }
};

void add_rows(JointType type, const RowMaker& row) {
  switch (type) {
    case JointType::fixed:
      return row.point(), row.orientation();
    case JointType::revolute:
      row.point();
      if (!row.plan.planar()) row.axes();
      return;
    case JointType::prismatic:
      return row.across(), row.orientation();
    case JointType::cylindrical:
    case JointType::screw:
      return row.across(), row.axes();
    case JointType::spherical:
      return row.point();
    case JointType::universal:
      return row.point(), row(RowKind::dot, "c", 2, 0);
    case JointType::planar:
      return row(RowKind::offset, "n", 2), row(RowKind::dot, "t1", 2, 0),
             row(RowKind::dot, "t2", 2, 1);
    case JointType::point_on_line:
      return row.across();
    case JointType::point_on_plane:
      return row(RowKind::offset, "n", 2);
    case JointType::parallel:
      return row.axes();
    case JointType::orientation:
      return row.orientation();
    case JointType::perpendicular:
      return row(RowKind::dot, "c", 2, 2);
    case JointType::distance:
      return row(RowKind::distance, "l");
    case JointType::point_on_surface:
      return row(RowKind::surface, "n");
    case JointType::point_on_curve:
      row(RowKind::curve, "n1", 0);
      if (!row.plan.planar()) row(RowKind::curve, "n2", 1);
      return;
    case JointType::rolling_disc:
      return row(RowKind::rolling, "height");
    case JointType::knife_edge:
    case JointType::wheel:
      return;
  }
}

int add_coordinate(Plan& plan, const PlanJoint& joint, CoordinateKind kind, double turns) {
  PlanCoordinate c;
  c.kind = kind;
  c.A = joint.A;
  c.B = joint.B;
  c.name = joint.name;
  c.start = full_turn * turns;
  plan.coordinates.push_back(std::move(c));
  return static_cast<int>(plan.coordinates.size()) - 1;
}

void add_coordinates(Plan& plan, PlanJoint& p, double turns) {
  const CoordinateKind angle = plan.planar() ? CoordinateKind::turn : CoordinateKind::angle;
  const bool slides = p.type == JointType::prismatic || p.type == JointType::cylindrical ||
                      p.type == JointType::screw || p.type == JointType::point_on_line;
  const bool turns_about = p.type == JointType::revolute || p.type == JointType::cylindrical ||
                           p.type == JointType::screw;
  if (slides) p.length = add_coordinate(plan, p, CoordinateKind::length, 0.0);
  if (turns_about) p.angle = add_coordinate(plan, p, angle, turns);
  if (p.type == JointType::distance)
    p.length = add_coordinate(plan, p, CoordinateKind::distance, 0.0);
}

// The place on its curve that is nearest at the guess, found among points between the knots.
void add_curve_coordinate(const JointDescription& j, Plan& plan, PlanJoint& p, int first) {
  const int number = add_curve(j, plan);
  const PlanCurve& curve = plan.curves.back();
  p.length = add_coordinate(plan, p, CoordinateKind::curve, 0.0);
  PlanCoordinate& c = plan.coordinates.back();
  c.curve = number;
  c.followed = plan.followed_count();
  plan.followed.push_back(p.length);
  const auto frame_of_guess = [&](const Place& at) {
    const Eigen::Matrix3d R =
        at.body < 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : plan.body(at.body).R;
    const Eigen::Vector3d x = at.body < 0 ? Eigen::Vector3d(0.0, 0.0, 0.0) : plan.body(at.body).x;
    return std::pair(Eigen::Vector3d(x + R * at.s), Eigen::Matrix3d(R * at.axes));
  };
  const auto [from, axes] = frame_of_guess(p.A);
  const Eigen::Vector3d y = axes.transpose() * (frame_of_guess(p.B).first - from);
  // Between two points of a spline there are at most two nearest places.
  constexpr int per_point = 8;
  const int samples = per_point * static_cast<int>(j.options.curve.size());
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= samples; ++k) {
    const double s = curve.length * k / samples;
    const double miss = (curve_point<double>(plan, curve, s) - y).norm();
    if (miss < nearest) nearest = miss, c.start = s;
  }
  c.start = nearest_on_curve(plan, curve, y, c.start);
  if (curve.closed) c.start += curve.length * j.options.turns;
  for (std::size_t k = static_cast<std::size_t>(first); k < plan.rows.size(); ++k)
    plan.rows[k].terms = {{1.0, p.length}};
}

// Blades and discs.
void add_velocity_rows(const Description& d, const JointDescription& j, const Plan& at_guess,
                       const PlanJoint& p, Plan& plan) {
  NonholonomicRow row;
  row.A = p.A;
  row.B = p.B;
  row.joint = static_cast<int>(plan.joints.size());
  const auto in_body = [&](const Place& place, const Eigen::Vector3d& v) -> Eigen::Vector3d {
    return place.body < 0 ? v : Eigen::Vector3d(at_guess.body(place.body).R.transpose() * v);
  };
  if (j.type == JointType::knife_edge) {
    row.kind = NonholonomicKind::knife_edge;
    row.name = "across";
    const Eigen::Vector3d across = j.options.across.vector();
    if (!(across.norm() > 0.0))
      throw InvalidArgument(fmt::format("joint '{}': across is zero", j.name));
    row.direction = in_body(p.B, across.normalized());
    plan.nonholonomic.push_back(row);
    return;
  }
  row.kind = NonholonomicKind::rolling;
  row.radius = j.options.radius;
  row.upright = j.type == JointType::wheel;
  const Eigen::Matrix3d frame = frame_of(d, j);
  row.normal = in_body(p.A, frame.col(2));
  for (int k = 0; k < 2; ++k) {
    row.name = k == 0 ? "roll1" : "roll2";
    row.across = k == 1;
    plan.nonholonomic.push_back(row);
  }
}

double distance_of(const Plan& plan, const JointDescription& j, const PlanJoint& p) {
  if (j.options.length) return *j.options.length;
  const auto point = [&](const Place& q) -> Eigen::Vector3d {
    return q.body < 0 ? q.s : Eigen::Vector3d(plan.body(q.body).x + plan.body(q.body).R * q.s);
  };
  const double length = (point(p.B) - point(p.A)).norm();
  if (!(length > 0.0))
    throw InvalidArgument(fmt::format(
        "joint '{}' (distance): length is {}, the two points coincide at the guess; give length or "
        "use a spherical joint",
        j.name, length));
  return length;
}

void add_group(Plan& plan, const PlanJoint& p, int first) {
  plan.joints.back().group = static_cast<int>(plan.groups.size());
  plan.groups.push_back({p.A, p.B, first, static_cast<int>(plan.rows.size()) - first});
}

}  // namespace

void add_joint(const Description& d, const JointDescription& j, Plan& plan) {
  PlanJoint p;
  p.name = j.name;
  p.type = j.type;
  place(d, j, plan, p);
  const int first = static_cast<int>(plan.rows.size());
  const RowMaker row{plan, static_cast<int>(plan.joints.size())};
  add_rows(j.type, row);
  add_coordinates(plan, p, j.options.turns);
  if (j.type == JointType::distance)
    plan.rows.back().constant = p.constant = distance_of(plan, j, p);
  if (j.type == JointType::rolling_disc) plan.rows.back().constant = j.options.radius;
  if (j.type == JointType::point_on_surface) {
    plan.profiles.push_back(j.options.surface);
    plan.rows.back().profile = static_cast<int>(plan.profiles.size()) - 1;
  }
  if (j.type == JointType::point_on_curve) add_curve_coordinate(j, plan, p, first);
  if (j.type == JointType::rolling_disc || j.type == JointType::point_on_surface ||
      j.type == JointType::point_on_curve)
    plan.analytic = false;
  if (j.type == JointType::rolling_disc || j.type == JointType::knife_edge ||
      j.type == JointType::wheel)
    add_velocity_rows(d, j, plan, p, plan);
  plan.joints.push_back(p);
  if (j.type == JointType::screw) {
    const JointId self{static_cast<int>(plan.joints.size()) - 1};
    const int angle = followed_coordinate(plan, self, CoordinateOf::angle, "screw");
    row(RowKind::combination, "p");
    plan.rows.back().terms = {{1.0, p.length}, {-j.options.pitch / full_turn, angle}};
    plan.joints.back().constant = j.options.pitch;
  }
  add_group(plan, p, first);
}

void add_coupler(const Description&, const JointDescription& j, Plan& plan) {
  PlanJoint p;
  p.name = j.name;
  p.kind = JointClass::coupler;
  const int first = static_cast<int>(plan.rows.size());
  const RowMaker row{plan, static_cast<int>(plan.joints.size())};
  row(RowKind::combination, "c");
  Row& made = plan.rows.back();
  made.constant = j.constant;
  made.angular = true;
  for (const auto& [joint, factor] : j.terms) {
    const int k = followed_coordinate(plan, joint, CoordinateOf::automatic,
                                      fmt::format("coupler '{}'", j.name));
    made.terms.push_back({factor, k});
    const CoordinateKind kind = plan.coordinate(k).kind;
    if (kind != CoordinateKind::angle && kind != CoordinateKind::turn) made.angular = false;
    if (kind == CoordinateKind::distance) plan.analytic = false;
  }
  // Its reaction is that on the last joint; gears and racks keep that one in front.
  const Term& shown = j.coupler == CouplerType::linear ? made.terms.back() : made.terms.front();
  p.A = plan.coordinate(shown.coordinate).A;
  p.B = plan.coordinate(shown.coordinate).B;
  plan.joints.push_back(p);
  add_group(plan, p, first);
}

void add_drive(const Description& d, const DriveDescription& drive, double t0, Plan& plan) {
  const std::string asker = fmt::format("drive '{}'", drive.name);
  const int k = coordinate_of(plan, drive.joint, drive.coordinate, asker);
  const PlanCoordinate c = plan.coordinate(k);
  if (!std::isfinite(drive.value(t0) + drive.value.rate(t0) + drive.value.acceleration(t0)))
    throw InvalidArgument(fmt::format(
        "{} is {} at t = {:.6g}, its rate {}, its second derivative {}; allowed: finite numbers",
        asker, drive.value(t0), t0, drive.value.rate(t0), drive.value.acceleration(t0)));
  const PlanJoint& driven = plan.joints[static_cast<std::size_t>(drive.joint.number)];
  plan.profiles.push_back(drive.value);
  const int profile = static_cast<int>(plan.profiles.size()) - 1;
  PlanJoint p;
  p.name = drive.name;
  p.kind = JointClass::drive;
  p.A = c.A;
  p.B = c.B;
  p.type = driven.type;
  const int self = static_cast<int>(plan.joints.size());
  plan.drives.push_back(self);
  plan.drive_names.push_back(drive.name);
  if (drive.rate) {
    NonholonomicRow row;
    row.kind = NonholonomicKind::rate;
    row.name = "drive";
    row.A = c.A;
    row.B = c.B;
    row.coordinate = k;
    row.profile = profile;
    row.joint = self;
    plan.nonholonomic.push_back(row);
  } else if (c.kind == CoordinateKind::distance) {
    if (!(drive.value(t0) > 0.0))
      throw InvalidArgument(
          fmt::format("{} asks for a length of {}; allowed: positive", asker, drive.value(t0)));
    for (Row& row : plan.rows)
      if (row.joint == drive.joint.number) row.profile = profile;
    plan.drives.back() = drive.joint.number;
  } else {
    const int first = static_cast<int>(plan.rows.size());
    const RowMaker row{plan, self};
    row(c.kind == CoordinateKind::length  ? RowKind::length_drive
        : c.kind == CoordinateKind::turn  ? RowKind::turn
        : c.kind == CoordinateKind::curve ? RowKind::combination
                                          : RowKind::angle_drive,
        "drive");
    if (c.kind == CoordinateKind::curve) plan.rows.back().terms = {{1.0, k}};
    plan.rows.back().profile = profile;
    plan.coordinates[static_cast<std::size_t>(k)].drive = profile;
    plan.joints.push_back(p);
    add_group(plan, p, first);
    return;
  }
  (void)d;
  plan.joints.push_back(p);
}

}  // namespace daedalus::mechanism
