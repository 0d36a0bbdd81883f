// SPDX-License-Identifier: BSD-3-Clause
// Rotations as 3x3 matrices (9 numbers, column by column), body-fixed angular velocity:
// R' = R hat(w), hat(a) b = a x b. With W = hat(w), u = |w|^2 and the functions of
// coefficients.hpp:
//   exp(w)    = I + phi_1 W + phi_2 W^2
//   T(w)      = I - phi_2 W + phi_3 W^2 = sum_i (-W)^i / (i + 1)!   (left-trivialised: R' = R hat(T
//   w')) T(w)^{-1} = I + W / 2 + kappa W^2
// Wieloch (2022), (2.36); Hairer, Lubich, Wanner (2006), section IV.7; Bruels, Cardona, Arnold
// (2012).
#pragma once

#include <Eigen/Core>

#include <daedalus/lie/coefficients.hpp>

namespace daedalus::so3 {

inline constexpr int points = 9;
inline constexpr int tangents = 3;

template <class S>
using Vector = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix = Eigen::Matrix<S, 3, 3>;

using lie::cosine_quotient;
using lie::cotangent_quotient;
using lie::cubic_quotient;
using lie::sine_quotient;

template <class S>
Vector<S> cross(const Vector<S>& a, const Vector<S>& b) {
  return Vector<S>(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}
template <class S>
Matrix<S> skew(const Vector<S>& w) {
  Matrix<S> W;
  const S zero(0.0);
  W << zero, -w[2], w[1], w[2], zero, -w[0], -w[1], w[0], zero;
  return W;
}
// hat(a) b = [a, b]; here also the matrix of the algebra, so that vee is its inverse.
template <class S>
Matrix<S> hat(const Vector<S>& w) {
  return skew<S>(w);
}
template <class S>
Vector<S> vee(const Matrix<S>& W) {
  return Vector<S>(W(2, 1), W(0, 2), W(1, 0));
}
template <class S>
Matrix<S> ad(const Vector<S>& w) {
  return skew<S>(w);
}
template <class S>
Matrix<S> adjoint(const Matrix<S>& R) {
  return R;
}
template <class S>
Matrix<S> compose(const Matrix<S>& A, const Matrix<S>& B) {
  return A * B;
}
template <class S>
Matrix<S> inverse(const Matrix<S>& R) {
  return R.transpose();
}

template <class S>
Matrix<S> exp(const Vector<S>& w) {
  const S u = w.squaredNorm();
  const Matrix<S> W = skew<S>(w);
  return Matrix<S>::Identity() + sine_quotient(u) * W + cosine_quotient(u) * (W * W);
}
template <class S>
Matrix<S> tangent(const Vector<S>& w) {
  const S u = w.squaredNorm();
  const Matrix<S> W = skew<S>(w);
  return Matrix<S>::Identity() - cosine_quotient(u) * W + cubic_quotient(u) * (W * W);
}
template <class S>
Matrix<S> tangent_inverse(const Vector<S>& w) {
  const S u = w.squaredNorm();
  const Matrix<S> W = skew<S>(w);
  return Matrix<S>::Identity() + 0.5 * W + cotangent_quotient(u) * (W * W);
}
// d/dw of T(w) a and of T(w)^{-1} a, for fixed a.
template <class S>
Matrix<S> tangent_derivative(const Vector<S>& w, const Vector<S>& a) {
  const S u = w.squaredNorm();
  const Vector<S> b = cross<S>(w, a), c = cross<S>(w, b);
  const Vector<S> slope = 2.0 * (lie::entire<3, 1>(u) * c - lie::entire<2, 1>(u) * b);
  const Matrix<S> A = skew<S>(a), B = skew<S>(b), W = skew<S>(w);
  return cosine_quotient(u) * A - cubic_quotient(u) * (B + W * A) + slope * w.transpose();
}
template <class S>
Matrix<S> tangent_inverse_derivative(const Vector<S>& w, const Vector<S>& a) {
  const S u = w.squaredNorm();
  const Vector<S> b = cross<S>(w, a), c = cross<S>(w, b);
  const Vector<S> slope = (2.0 * cotangent_quotient<1>(u)) * c;
  const Matrix<S> A = skew<S>(a), B = skew<S>(b), W = skew<S>(w);
  return -0.5 * A - cotangent_quotient(u) * (B + W * A) + slope * w.transpose();
}

// The w with exp(w) = R and |w| <= pi. Half turns have two such vectors: the one whose first entry
// that is not zero is positive. It passes through the quaternion of R, so that the axis is as well
// determined close to pi as elsewhere.
Vector<double> log(const Matrix<double>& R);

}  // namespace daedalus::so3
