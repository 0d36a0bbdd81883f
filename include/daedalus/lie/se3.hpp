// SPDX-License-Identifier: BSD-3-Clause
// Rigid motions q = (x, R) (12 numbers: x, then R column by column) or (x, p) with a unit
// quaternion (7 numbers), both velocities in the body frame: v = (U, Omega), x' = R U, R' = R
// hat(Omega).
//   (x_1, R_1) o (x_2, R_2) = (x_1 + R_1 x_2, R_1 R_2),   (x, R)^{-1} = (-R^T x, R^T)
//   hat(U, Omega) = [hat(Omega) hat(U); 0 hat(Omega)],   Ad(x, R) = [R hat(x) R; 0 R]
//   exp(w_1, w_2) = (T_SO3(-w_2) w_1, exp(w_2)),   T(w) = [T_SO3(w_2) Q; 0 T_SO3(w_2)]
// hat(w) is hat(w_2 + e w_1) of SO(3) over the dual numbers e^2 = 0, hence so is every function of
// it: Q is the derivative of T_SO3 at w_2 along w_1,
//   Q = -phi_2 W_1 + phi_3 (W_1 W_2 + W_2 W_1) + 2 (w_1 . w_2) (phi_3' W_2^2 - phi_2' W_2),
// without the cancellation of the closed form. Wieloch (2022), (2.36); Borri, Bottasso (1994).
#pragma once

#include <daedalus/lie/s3.hpp>

namespace daedalus::se3 {

inline constexpr int points = 12;
inline constexpr int tangents = 6;

template <class S>
using Vector = Eigen::Matrix<S, 6, 1>;
template <class S>
using Matrix = Eigen::Matrix<S, 6, 6>;
template <class S>
struct Motion {
  so3::Vector<S> x;
  so3::Matrix<S> R;
};

// [D E; 0 D].
template <class S>
Matrix<S> blocks(const so3::Matrix<S>& D, const so3::Matrix<S>& E) {
  Matrix<S> M;
  M.template topLeftCorner<3, 3>() = D;
  M.template topRightCorner<3, 3>() = E;
  M.template bottomLeftCorner<3, 3>().setZero();
  M.template bottomRightCorner<3, 3>() = D;
  return M;
}

template <class S>
Matrix<S> hat(const Vector<S>& w) {
  return blocks<S>(so3::skew<S>(w.template tail<3>()), so3::skew<S>(w.template head<3>()));
}
template <class S>
Matrix<S> ad(const Vector<S>& w) {
  return hat<S>(w);
}
template <class S>
Vector<S> vee(const Matrix<S>& W) {
  Vector<S> w;
  w << so3::vee<S>(W.template topRightCorner<3, 3>()),
      so3::vee<S>(W.template topLeftCorner<3, 3>());
  return w;
}
template <class S>
Motion<S> compose(const Motion<S>& a, const Motion<S>& b) {
  return {a.x + a.R * b.x, a.R * b.R};
}
template <class S>
Motion<S> inverse(const Motion<S>& q) {
  return {-(q.R.transpose() * q.x), q.R.transpose()};
}
// T_SO3(-w_2) w_1, where exp(w) takes the origin.
template <class S>
so3::Vector<S> translation(const Vector<S>& w) {
  const so3::Vector<S> w1 = w.template head<3>(), w2 = w.template tail<3>();
  const S u = w2.squaredNorm();
  const so3::Vector<S> a = so3::cross<S>(w2, w1);
  return w1 + lie::cosine_quotient(u) * a + lie::cubic_quotient(u) * so3::cross<S>(w2, a);
}
template <class S>
Motion<S> exp(const Vector<S>& w) {
  return {translation<S>(w), so3::exp<S>(w.template tail<3>())};
}
template <class S>
Matrix<S> adjoint(const Motion<S>& q) {
  return blocks<S>(q.R, so3::skew<S>(q.x) * q.R);
}
template <class S>
Matrix<S> tangent(const Vector<S>& w) {
  const so3::Vector<S> w1 = w.template head<3>(), w2 = w.template tail<3>();
  const S u = w2.squaredNorm(), mixed = 2.0 * w1.dot(w2);
  const S c = lie::cosine_quotient(u), d = lie::cubic_quotient(u);
  const so3::Matrix<S> W1 = so3::skew<S>(w1), W2 = so3::skew<S>(w2), square = W2 * W2;
  return blocks<S>(so3::Matrix<S>::Identity() - c * W2 + d * square,
                   -c * W1 + d * (W1 * W2 + W2 * W1) + (mixed * lie::entire<3, 1>(u)) * square -
                       (mixed * lie::entire<2, 1>(u)) * W2);
}
template <class S>
Matrix<S> tangent_inverse(const Vector<S>& w) {
  const so3::Vector<S> w1 = w.template head<3>(), w2 = w.template tail<3>();
  const S u = w2.squaredNorm(), mixed = 2.0 * w1.dot(w2);
  const S k = lie::cotangent_quotient(u);
  const so3::Matrix<S> W1 = so3::skew<S>(w1), W2 = so3::skew<S>(w2), square = W2 * W2;
  return blocks<S>(
      so3::Matrix<S>::Identity() + 0.5 * W2 + k * square,
      0.5 * W1 + k * (W1 * W2 + W2 * W1) + (mixed * lie::cotangent_quotient<1>(u)) * square);
}
// d/dw of T(w) a and of T(w)^{-1} a, for fixed a.
Matrix<double> tangent_derivative(const Vector<double>& w, const Vector<double>& a);
Matrix<double> tangent_inverse_derivative(const Vector<double>& w, const Vector<double>& a);

// (T_SO3(-w_2)^{-1} x, w_2) with w_2 = so3::log(R), whose branch it shares.
Vector<double> log(const Motion<double>& q);

}  // namespace daedalus::se3

// The same group elements up to the sign of p, with the same tangents: hat, T and the rest are
// those of SE(3).
namespace daedalus::s3_semidirect {

inline constexpr int points = 7;
inline constexpr int tangents = 6;

template <class S>
using Vector = se3::Vector<S>;
template <class S>
using Matrix = se3::Matrix<S>;
template <class S>
struct Motion {
  so3::Vector<S> x;
  s3::Quaternion<S> p;
};

using se3::ad;
using se3::hat;
using se3::tangent;
using se3::tangent_derivative;
using se3::tangent_inverse;
using se3::tangent_inverse_derivative;
using se3::vee;

template <class S>
Motion<S> compose(const Motion<S>& a, const Motion<S>& b) {
  return {a.x + s3::rotate<S>(a.p, b.x), s3::compose<S>(a.p, b.p)};
}
template <class S>
Motion<S> inverse(const Motion<S>& q) {
  const s3::Quaternion<S> p = s3::inverse<S>(q.p);
  return {-s3::rotate<S>(p, q.x), p};
}
template <class S>
Motion<S> exp(const Vector<S>& w) {
  return {se3::translation<S>(w), s3::exp<S>(w.template tail<3>())};
}
template <class S>
Matrix<S> adjoint(const Motion<S>& q) {
  return se3::adjoint<S>({q.x, s3::rotation<S>(q.p)});
}
Vector<double> log(const Motion<double>& q);

}  // namespace daedalus::s3_semidirect
