// SPDX-License-Identifier: BSD-3-Clause
// Rotations as unit quaternions p = (p_0, p_v), in the same coordinates as SO(3): R(exp(w)) is the
// rotation exp(w), so hat, T and their derivatives are those of SO(3).
//   p o r = (p_0 r_0 - p_v . r_v, p_0 r_v + r_0 p_v + p_v x r_v),   p' = p o (0, w) / 2
//   exp(w) = (cos(a/2), sin(a/2) / a w),  a = |w|;   R(p) = I + 2 p_0 hat(p_v) + 2 hat(p_v)^2
// Arnold, Cardona, Bruels (2016), section 2.
#pragma once

#include <daedalus/lie/so3.hpp>

namespace daedalus::s3 {

inline constexpr int points = 4;
inline constexpr int tangents = 3;

template <class S>
using Vector = so3::Vector<S>;
template <class S>
using Matrix = so3::Matrix<S>;
template <class S>
using Quaternion = Eigen::Matrix<S, 4, 1>;

using so3::ad;
using so3::hat;
using so3::tangent;
using so3::tangent_derivative;
using so3::tangent_inverse;
using so3::tangent_inverse_derivative;
using so3::vee;

template <class S>
Quaternion<S> compose(const Quaternion<S>& p, const Quaternion<S>& r) {
  return Quaternion<S>(p[0] * r[0] - (p[1] * r[1] + p[2] * r[2] + p[3] * r[3]),
                       p[0] * r[1] + r[0] * p[1] + (p[2] * r[3] - p[3] * r[2]),
                       p[0] * r[2] + r[0] * p[2] + (p[3] * r[1] - p[1] * r[3]),
                       p[0] * r[3] + r[0] * p[3] + (p[1] * r[2] - p[2] * r[1]));
}
template <class S>
Quaternion<S> inverse(const Quaternion<S>& p) {
  return Quaternion<S>(p[0], -p[1], -p[2], -p[3]);
}
template <class S>
Quaternion<S> exp(const Vector<S>& w) {
  const S quarter = 0.25 * w.squaredNorm();  // (a/2)^2
  const S s = 0.5 * lie::sine_quotient(quarter);
  return Quaternion<S>(lie::entire<0>(quarter), s * w[0], s * w[1], s * w[2]);
}
// R(p) v = v + 2 p_v x (p_v x v + p_0 v).
template <class S>
Vector<S> rotate(const Quaternion<S>& p, const Vector<S>& v) {
  const Vector<S> axis(p[1], p[2], p[3]);
  const Vector<S> inner = so3::cross<S>(axis, v) + p[0] * v;
  return v + 2.0 * so3::cross<S>(axis, inner);
}
template <class S>
Matrix<S> rotation(const Quaternion<S>& p) {
  const Matrix<S> V = so3::skew<S>(Vector<S>(p[1], p[2], p[3]));
  return Matrix<S>::Identity() + 2.0 * p[0] * V + 2.0 * (V * V);
}
template <class S>
Matrix<S> adjoint(const Quaternion<S>& p) {
  return rotation<S>(p);
}

// The quaternion of a rotation with p_0 >= 0; p_0 = 0: the sign rule of so3::log.
Quaternion<double> from_rotation(const Matrix<double>& R);
// The w with |w| <= pi and exp(w) = p or -p, which are the same rotation: the sign of p is chosen
// with p_0 >= 0, and at p_0 = 0 so that the first entry of p_v that is not zero is positive.
Vector<double> log(const Quaternion<double>& p);

}  // namespace daedalus::s3
