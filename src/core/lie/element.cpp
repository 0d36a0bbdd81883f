// SPDX-License-Identifier: BSD-3-Clause
#include "lie/element_parts.hpp"

#include <cmath>

namespace daedalus {
namespace {

// SO(3) over the dual numbers w_2 + e w_1 (se3.hpp): a derivative D + e E is the matrix [D E; 0 D].
using Number = Dual<double, 1>;
so3::Vector<Number> dual(const lie::Vector6& w) {
  so3::Vector<Number> d;
  for (int i = 0; i < 3; ++i) d[i] = Number(w[3 + i], {w[i]});
  return d;
}
se3::Matrix<double> undual(const so3::Matrix<Number>& A) {
  lie::Rotation D, E;
  for (int i = 0; i < 9; ++i) {
    D(i) = A(i).v;
    E(i) = A(i).d[0];
  }
  return se3::blocks<double>(D, E);
}

}  // namespace

namespace s3 {

Quaternion<double> from_rotation(const Matrix<double>& R) {
  // Shepperd's method: divide by the largest component, which is at least 1/2.
  const double trace = R.trace();
  const double x = R(2, 1) - R(1, 2), y = R(0, 2) - R(2, 0), z = R(1, 0) - R(0, 1);
  int k = 0;
  const double largest = R.diagonal().maxCoeff(&k);
  Quaternion<double> p;
  if (trace >= largest) {
    p << 1.0 + trace, x, y, z;
  } else {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Vector<double> skew(x, y, z);
    p[0] = skew[k];
    p[1 + k] = 1.0 + R(k, k) - R(i, i) - R(j, j);
    p[1 + i] = R(i, k) + R(k, i);
    p[1 + j] = R(j, k) + R(k, j);
  }
  p /= p.norm();
  bool flip = p[0] < 0.0;
  for (int i = 1; i < 4 && p[0] == 0.0; ++i)
    if (p[i] != 0.0) {
      flip = p[i] < 0.0;
      break;
    }
  return flip ? Quaternion<double>(-p) : p;
}

Vector<double> log(const Quaternion<double>& p) {
  const Vector<double> axis(p[1], p[2], p[3]);
  const double square = axis.squaredNorm();
  // 2 atan(n / p_0) / n; the quotient has a series where n is too small to divide by.
  if (square < 1e-8 * p[0] * p[0]) {
    const double t = square / (p[0] * p[0]);
    return (2.0 / p[0]) * (1.0 - t / 3.0) * axis;
  }
  double sign = p[0] < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < 3 && p[0] == 0.0; ++i)
    if (axis[i] != 0.0) {
      sign = axis[i] < 0.0 ? -1.0 : 1.0;
      break;
    }
  const double n = std::sqrt(square);
  return (sign * 2.0 * std::atan2(n, std::abs(p[0])) / n) * axis;
}

}  // namespace s3

namespace so3 {
Vector<double> log(const Matrix<double>& R) { return s3::log(s3::from_rotation(R)); }
}  // namespace so3

namespace se3 {

Matrix<double> tangent_derivative(const Vector<double>& w, const Vector<double>& a) {
  return undual(so3::tangent_derivative<Number>(dual(w), dual(a)));
}
Matrix<double> tangent_inverse_derivative(const Vector<double>& w, const Vector<double>& a) {
  return undual(so3::tangent_inverse_derivative<Number>(dual(w), dual(a)));
}
Vector<double> log(const Motion<double>& q) {
  const lie::Vector3 w2 = so3::log(q.R);
  Vector<double> w;
  w << so3::tangent_inverse<double>(-w2) * q.x, w2;
  return w;
}

}  // namespace se3

namespace s3_semidirect {
Vector<double> log(const Motion<double>& q) {
  const lie::Vector3 w2 = s3::log(q.p);
  Vector<double> w;
  w << so3::tangent_inverse<double>(-w2) * q.x, w2;
  return w;
}
}  // namespace s3_semidirect

namespace lie {

int points_of(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::euclidean:
      return 1;
    case SpaceKind::so3:
      return so3::points;
    case SpaceKind::s3:
      return s3::points;
    case SpaceKind::se3:
      return se3::points;
    case SpaceKind::s3_semidirect:
      return s3_semidirect::points;
  }
  return 0;
}
int tangents_of(SpaceKind kind) {
  return kind == SpaceKind::euclidean ? 1 : turns_only(kind) ? so3::tangents : se3::tangents;
}

void hat(SpaceKind kind, const double* a, Matrix& out) {
  if (turns_only(kind))
    out = so3::hat<double>(three(a));
  else
    out = se3::hat<double>(six(a));
}
void tangent(SpaceKind kind, const double* w, Matrix& out) {
  if (turns_only(kind))
    out = so3::tangent<double>(three(w));
  else
    out = se3::tangent<double>(six(w));
}
void tangent_inverse(SpaceKind kind, const double* w, Matrix& out) {
  if (turns_only(kind))
    out = so3::tangent_inverse<double>(three(w));
  else
    out = se3::tangent_inverse<double>(six(w));
}
void adjoint(SpaceKind kind, const double* x, Matrix& out) {
  const int at = turns_only(kind) ? 0 : 3;
  const Rotation R =
      has_matrix(kind) ? Rotation(rotation(x + at)) : s3::rotation<double>(quaternion(x + at));
  if (turns_only(kind))
    out = R;
  else
    out = se3::blocks<double>(R, so3::skew<double>(three(x)) * R);
}
void tangent_derivative(SpaceKind kind, const double* w, const double* a, Matrix& out) {
  if (turns_only(kind))
    out = so3::tangent_derivative<double>(three(w), three(a));
  else
    out = se3::tangent_derivative(six(w), six(a));
}
void tangent_inverse_derivative(SpaceKind kind, const double* w, const double* a, Matrix& out) {
  if (turns_only(kind))
    out = so3::tangent_inverse_derivative<double>(three(w), three(a));
  else
    out = se3::tangent_inverse_derivative(six(w), six(a));
}

}  // namespace lie
}  // namespace daedalus
