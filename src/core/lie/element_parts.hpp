// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a state as vectors, rotations and quaternions, and which kinds of elements have which.
#pragma once

#include <daedalus/lie/element.hpp>
#include <daedalus/lie/se3.hpp>

namespace daedalus::lie {

using Vector3 = so3::Vector<double>;
using Vector6 = se3::Vector<double>;
using Rotation = so3::Matrix<double>;
using Quaternion = s3::Quaternion<double>;

inline Eigen::Map<const Vector3> three(const double* x) { return Eigen::Map<const Vector3>(x); }
inline Vector6 six(const double* x) { return Eigen::Map<const Vector6>(x); }
inline Eigen::Map<const Rotation> rotation(const double* x) {
  return Eigen::Map<const Rotation>(x);
}
inline Eigen::Map<const Quaternion> quaternion(const double* x) {
  return Eigen::Map<const Quaternion>(x);
}

inline bool turns_only(SpaceKind kind) { return kind == SpaceKind::so3 || kind == SpaceKind::s3; }
inline bool has_matrix(SpaceKind kind) { return kind == SpaceKind::so3 || kind == SpaceKind::se3; }

}  // namespace daedalus::lie
