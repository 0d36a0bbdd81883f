// Rotations as 3x3 matrices (9 numbers, column by column), body-fixed angular velocity:
// R' = R skew(w). Coefficient functions are written in u = |w|^2, with series near zero, so that
// they hold for dual numbers and Taylor series at w = 0 too.
//   exp(w)    = I + s W + c W^2,              s = sin a / a, c = (1 - cos a) / a^2, a = |w|
//   T(w)      = I - c W + d W^2,              d = (a - sin a) / a^3   (right-trivialised tangent)
//   T(w)^{-1} = I + W / 2 + e W^2,            e = (1 - (a/2) cot(a/2)) / a^2
// Hairer, Lubich, Wanner (2006), section IV.7; Bruels, Cardona, Arnold (2012).
#pragma once

#include <Eigen/Core>
#include <cmath>

#include <daedalus/dual.hpp>
#include <daedalus/taylor.hpp>

namespace daedalus::so3 {

inline constexpr int points = 9;
inline constexpr int tangents = 3;
// Below this |w|^2 the closed forms of c, d and e lose digits to cancellation; ten series terms
// are exact to 1e-17 there.
inline constexpr double series_below = 0.25;

// sum over k of (-1)^k u^k m! / (2k + m)!, scaled so that the first term is `first`.
template <class S>
S alternating_series(const S& u, double first, int m) {
  S sum = S(first);
  S term = S(first);
  for (int k = 1; k <= 9; ++k) {
    term = term * u * (-1.0 / ((2 * k + m - 1) * (2 * k + m)));
    sum = sum + term;
  }
  return sum;
}
template <class S>
S sine_quotient(const S& u) {
  using std::sin;
  using std::sqrt;
  if (value_of(u) < series_below) return alternating_series(u, 1.0, 1);
  const S a = sqrt(u);
  return sin(a) / a;
}
template <class S>
S cosine_quotient(const S& u) {
  using std::cos;
  using std::sqrt;
  if (value_of(u) < series_below) return alternating_series(u, 0.5, 2);
  return (1.0 - cos(sqrt(u))) / u;
}
template <class S>
S cubic_quotient(const S& u) {
  using std::sin;
  using std::sqrt;
  if (value_of(u) < series_below) return alternating_series(u, 1.0 / 6.0, 3);
  const S a = sqrt(u);
  return (a - sin(a)) / (u * a);
}
template <class S>
S cotangent_quotient(const S& u) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (value_of(u) < series_below) {
    // Bernoulli numbers: e = sum |B_2k| u^(k-1) / (2k)!
    constexpr double b[] = {1.0 / 12,          1.0 / 720,
                            1.0 / 30240,       1.0 / 1209600,
                            1.0 / 47900160,    691.0 / 1307674368000.0,
                            1.0 / 74724249600, 3617.0 / 10670622842880000.0};
    S sum = S(b[7]);
    for (int k = 6; k >= 0; --k) sum = sum * u + b[k];
    return sum;
  }
  const S half = 0.5 * sqrt(u);
  return (1.0 - half * cos(half) / sin(half)) / u;
}

template <class S>
Eigen::Matrix<S, 3, 3> skew(const Eigen::Matrix<S, 3, 1>& w) {
  Eigen::Matrix<S, 3, 3> W;
  const S zero(0.0);
  W << zero, -w[2], w[1], w[2], zero, -w[0], -w[1], w[0], zero;
  return W;
}
template <class S>
Eigen::Matrix<S, 3, 3> exp(const Eigen::Matrix<S, 3, 1>& w) {
  const S u = w.squaredNorm();
  const Eigen::Matrix<S, 3, 3> W = skew<S>(w);
  return Eigen::Matrix<S, 3, 3>::Identity() + sine_quotient(u) * W + cosine_quotient(u) * (W * W);
}
template <class S>
Eigen::Matrix<S, 3, 3> tangent(const Eigen::Matrix<S, 3, 1>& w) {
  const S u = w.squaredNorm();
  const Eigen::Matrix<S, 3, 3> W = skew<S>(w);
  return Eigen::Matrix<S, 3, 3>::Identity() - cosine_quotient(u) * W + cubic_quotient(u) * (W * W);
}
template <class S>
Eigen::Matrix<S, 3, 3> tangent_inverse(const Eigen::Matrix<S, 3, 1>& w) {
  const S u = w.squaredNorm();
  const Eigen::Matrix<S, 3, 3> W = skew<S>(w);
  return Eigen::Matrix<S, 3, 3>::Identity() + 0.5 * W + cotangent_quotient(u) * (W * W);
}
// Rotation vector with |w| <= pi. Near pi the axis comes from the symmetric part, whose largest
// diagonal entry is well conditioned there; the sign follows the antisymmetric part.
inline Eigen::Vector3d log(const Eigen::Matrix3d& R) {
  const Eigen::Vector3d a =
      0.5 * Eigen::Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const double sine = a.norm();
  const double cosine = 0.5 * (R.trace() - 1.0);
  const double angle = std::atan2(sine, cosine);
  if (cosine > -0.9) return sine > 1e-8 ? Eigen::Vector3d(angle / sine * a) : a;
  const Eigen::Matrix3d B =
      (0.5 * (R + R.transpose()) - cosine * Eigen::Matrix3d::Identity()) / (1.0 - cosine);
  int k = 0;
  B.diagonal().maxCoeff(&k);
  Eigen::Vector3d axis = B.col(k) / std::sqrt(B(k, k));
  if (axis.dot(a) < 0.0) axis = -axis;
  return angle * axis.normalized();
}

}  // namespace daedalus::so3
