// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include <daedalus/lie/s3.hpp>
#include <daedalus/mechanism/parts.hpp>
#include <daedalus/types.hpp>

namespace daedalus {

Rotation Rotation::quaternion(double p0, double p1, double p2, double p3) {
  s3::Quaternion<double> p(p0, p1, p2, p3);
  if (!(p.norm() > 0.0)) throw InvalidArgument("rotation: the quaternion is zero");
  return Rotation(s3::rotation<double>(p / p.norm()));
}

Rotation Rotation::about(const Triple& axis, double angle) {
  const double norm = axis.vector().norm();
  if (!(norm > 0.0)) throw InvalidArgument("rotation: the axis is zero");
  return Rotation(so3::exp<double>(axis.vector() * (angle / norm)));
}

Rotation Rotation::rpy(double roll, double pitch, double yaw) {
  return Rotation(about({0.0, 0.0, 1.0}, yaw).matrix() * about({0.0, 1.0, 0.0}, pitch).matrix() *
                  about({1.0, 0.0, 0.0}, roll).matrix());
}

}  // namespace daedalus
