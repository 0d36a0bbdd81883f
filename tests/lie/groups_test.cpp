// SPDX-License-Identifier: BSD-3-Clause
// Single groups against independent long double oracles: exp by the power series of the matrix, T
// and its derivatives by their series in hat(w), log next to pi, at all sizes of angles.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include <daedalus/lie/element.hpp>
#include <daedalus/lie/se3.hpp>

namespace daedalus::lie_groups_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Wide = long double;
using WideVector = Eigen::Matrix<Wide, 6, 1>;
using WideMatrix = Eigen::Matrix<Wide, 6, 6>;
using WideMotion = Eigen::Matrix<Wide, 4, 4>;

constexpr int terms = 36;  // 4.5^36 / 36! < 1e-18, and |hat(w)| < 4.5

WideMatrix skew6(const WideVector& w) {
  const auto cross = [](Wide x, Wide y, Wide z) {
    Eigen::Matrix<Wide, 3, 3> W;
    W << 0, -z, y, z, 0, -x, -y, x, 0;
    return W;
  };
  WideMatrix W = WideMatrix::Zero();
  W.topLeftCorner<3, 3>() = W.bottomRightCorner<3, 3>() = cross(w[3], w[4], w[5]);
  W.topRightCorner<3, 3>() = cross(w[0], w[1], w[2]);
  return W;
}
WideMotion exp_series(const WideVector& w) {
  WideMotion A = WideMotion::Zero(), term = WideMotion::Identity(), sum = term;
  A.topLeftCorner<3, 3>() = skew6(w).topLeftCorner<3, 3>();
  A.topRightCorner<3, 1>() = w.head<3>();
  for (int i = 1; i < terms; ++i) {
    term = (term * A / static_cast<Wide>(i)).eval();
    sum += term;
  }
  return sum;
}
WideMatrix tangent_series(const WideVector& w) {
  const WideMatrix H = skew6(w);
  WideMatrix term = WideMatrix::Identity(), sum = term;
  for (int i = 1; i < terms; ++i) {
    term = (term * H / static_cast<Wide>(-(i + 1))).eval();
    sum += term;
  }
  return sum;
}
// d/dw (T(w) a) b by the product rule in every term.
WideVector slope_series(const WideVector& w, const WideVector& a, const WideVector& b) {
  const WideMatrix H = skew6(w), B = skew6(b);
  WideVector term = a, slope = WideVector::Zero(), sum = slope;
  for (int i = 1; i < terms; ++i) {
    const Wide factor = -1.0L / (i + 1);
    slope = (factor * (H * slope + B * term)).eval();
    term = (factor * (H * term)).eval();
    sum += slope;
  }
  return sum;
}

const double sizes[] = {0.0,    1e-16, 1e-8, 1e-4, 0.4999,  0.5,
                        0.5001, 1.5,   2.69, 3.0,  3.14159, EIGEN_PI};
const Vector3d axes[] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0.6, -0.48, 0.64}, {-0.6, 0.0, -0.8}};

// The rotation part has the angle, the other part no particular direction.
se3::Vector<double> motion(double angle, const Vector3d& axis) {
  se3::Vector<double> w;
  w << 0.7, -0.2, 1.1, angle * axis;
  return w;
}

TEST(Groups, ExpAgreesWithThePowerSeries) {
  for (const Vector3d& axis : axes)
    for (const double a : sizes) {
      const se3::Vector<double> w = motion(a, axis);
      const WideMotion exact = exp_series(w.cast<Wide>());
      const Eigen::Matrix4d rounded = exact.cast<double>();
      const auto q = se3::exp<double>(w);
      const auto p = s3_semidirect::exp<double>(w);
      EXPECT_LT((q.R - rounded.topLeftCorner<3, 3>()).norm(), 2e-15) << a;
      EXPECT_LT((q.x - rounded.topRightCorner<3, 1>()).norm(), 2e-15) << a;
      EXPECT_LT((s3::rotation<double>(p.p) - rounded.topLeftCorner<3, 3>()).norm(), 3e-15) << a;
      EXPECT_LT((p.x - rounded.topRightCorner<3, 1>()).norm(), 2e-15) << a;
      EXPECT_LT((q.R.transpose() * q.R - Matrix3d::Identity()).norm(), 2e-15) << a;
      EXPECT_NEAR(q.R.determinant(), 1.0, 2e-15);
      EXPECT_NEAR(p.p.norm(), 1.0, 5e-16);
    }
}

TEST(Groups, TheTangentOperatorAgreesWithItsSeries) {
  se3::Vector<double> a;
  a << 0.3, 0.9, -0.5, -0.8, 0.1, 0.6;
  for (const Vector3d& axis : {axes[1], axes[3]})
    for (const double angle : sizes) {
      const se3::Vector<double> w = motion(angle, axis);
      const WideMatrix exact = tangent_series(w.cast<Wide>()), exact_inverse = exact.inverse();
      lie::Matrix T, inverse, slope, inverse_slope, hat;
      lie::tangent(SpaceKind::se3, w.data(), T);
      lie::tangent_inverse(SpaceKind::se3, w.data(), inverse);
      lie::tangent_derivative(SpaceKind::se3, w.data(), a.data(), slope);
      EXPECT_LT((T - exact.cast<double>()).norm(), 2e-15) << angle;
      EXPECT_LT((inverse - exact_inverse.cast<double>()).norm(), 1e-14) << angle;
      // D(T^{-1} a) b = -T^{-1} (DT [b]) T^{-1} a.
      lie::tangent_inverse_derivative(SpaceKind::se3, w.data(), a.data(), inverse_slope);
      const WideVector moved = exact_inverse * a.cast<Wide>();
      for (int k = 0; k < 6; ++k) {
        const WideVector b = WideVector::Unit(k),
                         column = slope_series(w.cast<Wide>(), a.cast<Wide>(), b);
        EXPECT_LT((slope.col(k) - column.cast<double>()).norm(), 2e-15) << angle;
        const WideVector other = -(exact_inverse * slope_series(w.cast<Wide>(), moved, b));
        EXPECT_LT((inverse_slope.col(k) - other.cast<double>()).norm(), 1e-14) << angle;
      }
      lie::hat(SpaceKind::se3, w.data(), hat);
      EXPECT_EQ(hat, skew6(w.cast<Wide>()).cast<double>());
      EXPECT_EQ(se3::vee<double>(hat), w);
      // The rotation blocks are the matrices of SO(3) and S^3.
      for (const SpaceKind kind : {SpaceKind::so3, SpaceKind::s3}) {
        lie::Matrix small;
        lie::tangent(kind, w.data() + 3, small);
        EXPECT_LT((small - T.bottomRightCorner(3, 3)).norm(), 1e-15);
        lie::tangent_inverse_derivative(kind, w.data() + 3, a.data() + 3, small);
        EXPECT_LT((small - inverse_slope.bottomRightCorner(3, 3)).norm(), 1e-15);
      }
    }
}

// Angles pi - 10^-k: the axis stays as accurate as elsewhere, and the angle too.
TEST(Groups, LogIsAccurateUpToPi) {
  double worst = 0.0, worst_quaternion = 0.0, worst_motion = 0.0;
  const auto check = [&](const se3::Vector<double>& w) {
    const WideMotion exact = exp_series(w.cast<Wide>());
    const Matrix3d R = exact.topLeftCorner<3, 3>().cast<double>();
    const Vector3d x = exact.topRightCorner<3, 1>().cast<double>(), turn = w.tail<3>();
    worst = std::max(worst, (so3::log(R) - turn).norm());
    const s3::Quaternion<double> p = s3::exp<double>(turn);
    worst_quaternion =
        std::max({worst_quaternion, (s3::log(p) - turn).norm(), (s3::log(-p) - turn).norm()});
    worst_motion = std::max(
        {worst_motion, (se3::log({x, R}) - w).norm(), (s3_semidirect::log({x, -p}) - w).norm()});
  };
  for (const Vector3d& axis : axes) {
    for (const double a : sizes)
      if (a < 3.1415926) check(motion(a, axis));
    for (int k = 1; k <= 14; ++k) check(motion(EIGEN_PI - std::pow(10.0, -k), axis));
  }
  EXPECT_LT(worst, 2e-15);
  EXPECT_LT(worst_quaternion, 2e-15);
  EXPECT_LT(worst_motion, 5e-15);
  RecordProperty("so3 in 1e-16", std::to_string(worst * 1e16));
  RecordProperty("s3 in 1e-16", std::to_string(worst_quaternion * 1e16));
}

// A small rotation keeps all its digits, not only those next to 1.
TEST(Groups, LogOfSmallRotationsIsRelativelyAccurate) {
  for (const double a : {1e-300, 1e-160, 1e-16, 1e-8, 1e-4}) {
    const Vector3d w = a * axes[3];
    EXPECT_LT((so3::log(so3::exp<double>(w)) - w).norm(), 1e-15 * a) << a;
    EXPECT_LT((s3::log(s3::exp<double>(w)) - w).norm(), 1e-15 * a) << a;
  }
}

// Half turns: the first entry that is not zero is positive, whatever the sign of the axis.
TEST(Groups, LogOfHalfTurnsHasTheDocumentedSign) {
  for (const Vector3d& axis : axes) {
    const Matrix3d R = 2.0 * axis * axis.transpose() - Matrix3d::Identity();
    const double first = axis[0] != 0.0 ? axis[0] : axis[1] != 0.0 ? axis[1] : axis[2];
    const Vector3d expected = (first > 0.0 ? EIGEN_PI : -EIGEN_PI) * axis;
    EXPECT_LT((so3::log(R) - expected).norm(), 2e-15);
    for (const double sign : {1.0, -1.0}) {
      s3::Quaternion<double> p;
      p << 0.0, sign * axis;
      EXPECT_LT((s3::log(p) - expected).norm(), 2e-15);
    }
    EXPECT_GE(s3::from_rotation(R)[0], 0.0);
  }
}

// d/de exp(w + e d) = exp(w) hat(T(w) d), exact derivatives on the left, also at w = 0.
TEST(Groups, ExpOfDualNumbersHasTheRateOfTheTangentOperator) {
  const Vector3d d(0.3, 0.9, -0.5);
  for (const double a : sizes) {
    const Vector3d w = a * axes[3];
    Eigen::Matrix<Dual4, 3, 1> dual;
    for (int i = 0; i < 3; ++i) {
      dual[i] = Dual4(w[i]);
      dual[i].d[0] = d[i];
    }
    const auto R = so3::exp<Dual4>(dual);
    const auto p = s3::exp<Dual4>(dual);
    Matrix3d derivative;
    for (int i = 0; i < 9; ++i) derivative(i) = R(i).d[0];
    const Vector3d rate = so3::tangent<double>(w) * d;
    EXPECT_LT((derivative - so3::exp<double>(w) * so3::hat<double>(rate)).norm(), 1e-14) << a;
    s3::Quaternion<double> spin(0.0, 0.5 * rate[0], 0.5 * rate[1], 0.5 * rate[2]), change;
    for (int i = 0; i < 4; ++i) change[i] = p[i].d[0];
    EXPECT_LT((change - s3::compose<double>(s3::exp<double>(w), spin)).norm(), 1e-14) << a;
  }
}

TEST(Groups, QuaternionsAndMatricesAreTheSameRotations) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 200; ++i) {
    s3::Quaternion<double> p, r;
    for (int k = 0; k < 4; ++k) p[k] = normal(engine), r[k] = normal(engine);
    p /= p.norm(), r /= r.norm();
    const Matrix3d P = s3::rotation<double>(p), R = s3::rotation<double>(r);
    EXPECT_LT((s3::rotation<double>(s3::compose<double>(p, r)) - P * R).norm(), 2e-15);
    const s3::Quaternion<double> back = s3::from_rotation(P);
    EXPECT_GE(back[0], 0.0);
    EXPECT_LT((back - (p[0] < 0.0 ? -1.0 : 1.0) * p).norm(), 2e-15);
    EXPECT_LT((so3::log(P) - s3::log(p)).norm(), 1e-14);
    const Vector3d v(normal(engine), normal(engine), normal(engine));
    EXPECT_LT((s3::rotate<double>(p, v) - P * v).norm(), 5e-15);
    EXPECT_EQ(so3::vee<double>(so3::hat<double>(v)), v);
  }
}

}  // namespace
}  // namespace daedalus::lie_groups_test
