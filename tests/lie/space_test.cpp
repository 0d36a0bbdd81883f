// SPDX-License-Identifier: BSD-3-Clause
// Layout and operations of spaces and their products, and orthogonality after many steps.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include <daedalus/problem.hpp>
#include <daedalus/space.hpp>
#include <daedalus/types.hpp>

namespace daedalus::lie_space_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

TEST(Spaces, HaveSizesAndNames) {
  const Space space = product({euclidean(2), so3_space(2), euclidean(1), so3_space()});
  EXPECT_EQ(space.points(), 2 + 18 + 1 + 9);
  EXPECT_EQ(space.tangents(), 2 + 6 + 1 + 3);
  EXPECT_EQ(space.name(), "R^2 x SO(3)^2 x R^1 x SO(3)");
  EXPECT_FALSE(space.is_euclidean());
  const Space bodies = power(product({euclidean(3), s3_space()}), 1000);
  EXPECT_EQ(bodies.points(), 7000);
  EXPECT_EQ(bodies.tangents(), 6000);
  EXPECT_EQ(bodies.name(), "(R^3 x S^3)^1000");
  EXPECT_EQ(power(se3_space(), 10000).name(), "SE(3)^10000");
  EXPECT_EQ(power(euclidean(3), 4).name(), "R^12");
  EXPECT_EQ(s3_semidirect_space().name(), "S^3 semidirect R^3");
  EXPECT_EQ(power(so3_space(), 0).points(), 0);
  EXPECT_EQ(Space().name(), "");
  EXPECT_THROW(power(so3_space(), -1), InvalidArgument);
  EXPECT_THROW(Space({{SpaceKind::s3, -1}}), InvalidArgument);
}

// Elements tile the coordinates; R^n comes as one.
TEST(Spaces, ElementsCoverTheCoordinates) {
  const Space space =
      product({euclidean(4), s3_space(2), se3_space(), s3_semidirect_space(), so3_space(2)});
  int point = 0, tangent = 0, count = 0;
  const int points[] = {4, 4, 4, 12, 7, 9, 9}, tangents[] = {4, 3, 3, 6, 6, 3, 3};
  space.for_each_element([&](const Space::Element& e) {
    ASSERT_LT(count, 7);
    EXPECT_EQ(e.point, point);
    EXPECT_EQ(e.tangent, tangent);
    EXPECT_EQ(e.points, points[count]);
    EXPECT_EQ(e.tangents, tangents[count]);
    point += e.points, tangent += e.tangents, ++count;
  });
  EXPECT_EQ(count, 7);
  EXPECT_EQ(point, space.points());
  EXPECT_EQ(tangent, space.tangents());
}

// Blocks of a product act on their own coordinates only.
TEST(Spaces, BlocksOfAProductAreIndependent) {
  const Space space = product({euclidean(1), so3_space(), euclidean(2)});
  VectorXd x(12), w(6), out(12), back(6), rate(6), size(6);
  space.identity(x.data());
  x[0] = 2.0, x[10] = -3.0, x[11] = 5.0;
  w << 0.5, 0.0, 0.0, 0.3, -1.0, 0.25;
  space.plus(x.data(), w.data(), out.data());
  EXPECT_EQ(out[0], 2.5);
  EXPECT_EQ(out[10], -4.0);
  EXPECT_EQ(out[11], 5.25);
  Matrix3d expected;  // a rotation by 0.3 about the third axis
  expected << std::cos(0.3), -std::sin(0.3), 0, std::sin(0.3), std::cos(0.3), 0, 0, 0, 1;
  EXPECT_LT((Eigen::Map<Matrix3d>(out.data() + 1) - expected).norm(), 1e-15);
  space.minus(x.data(), out.data(), back.data());
  EXPECT_LT((back - w).norm(), 1e-15);
  // About one fixed axis exp is additive, so T is the identity on that axis.
  space.tangent_inverse(w.data(), w.data(), rate.data());
  EXPECT_LT((rate - w).norm(), 1e-15);
  space.magnitude(x.data(), size.data());
  EXPECT_EQ(size, (VectorXd(6) << 2.0, 1.0, 1.0, 1.0, 3.0, 5.0).finished());
}

// A position of SE(3) moves in the body frame: 90 degrees about the third axis, then 1 along the
// body's first axis, is 1 along the second axis of space.
TEST(Spaces, MotionsTranslateInTheBodyFrame) {
  for (const Space& space : {se3_space(), s3_semidirect_space()}) {
    VectorXd x(space.points()), w(6), size(6);
    space.identity(x.data());
    w << 0, 0, 0, 0, 0, 0.5 * EIGEN_PI;
    space.plus(x.data(), w.data(), x.data());
    w << 1, 0, 0, 0, 0, 0;
    space.plus(x.data(), w.data(), x.data());
    EXPECT_LT((x.head(3) - Vector3d(0, 1, 0)).norm(), 1e-15) << space.name();
    x.head(3) = Vector3d(2, -1, 2);
    space.magnitude(x.data(), size.data());
    EXPECT_EQ(size, (VectorXd(6) << 3, 3, 3, 1, 1, 1).finished());
  }
}

// Every operation may overwrite its arguments, as the comments promise.
TEST(Spaces, OperateInPlace) {
  const Space space =
      product({euclidean(1), so3_space(), s3_space(), se3_space(), s3_semidirect_space()});
  const int np = space.points(), nt = space.tangents();
  VectorXd w(nt), v(nt), x(np), y(np), p(np), q(np), t(nt), u(nt);
  for (int i = 0; i < nt; ++i) w[i] = 0.3 * std::sin(1.0 + i), v[i] = 0.4 * std::cos(2.0 + i);
  space.exp(w.data(), x.data());
  space.exp(v.data(), y.data());
  using Two = void (Space::*)(const double*, const double*, double*) const;
  for (const Two f : {static_cast<Two>(&Space::plus<double>), static_cast<Two>(&Space::compose)}) {
    const VectorXd& second = f == static_cast<Two>(&Space::compose) ? y : v;
    (space.*f)(x.data(), second.data(), p.data());
    q = x;
    (space.*f)(q.data(), second.data(), q.data());
    EXPECT_EQ(p, q);
  }
  space.compose(x.data(), y.data(), p.data());
  q = y;
  space.compose(x.data(), q.data(), q.data());
  EXPECT_EQ(p, q);
  space.inverse(x.data(), p.data());
  q = x;
  space.inverse(q.data(), q.data());
  EXPECT_EQ(p, q);
  for (const Two f : {&Space::bracket, &Space::tangent, &Space::tangent_inverse}) {
    (space.*f)(w.data(), v.data(), t.data());
    u = w;
    (space.*f)(u.data(), v.data(), u.data());
    EXPECT_EQ(t, u);
    u = v;
    (space.*f)(w.data(), u.data(), u.data());
    EXPECT_EQ(t, u);
  }
  space.adjoint(x.data(), v.data(), t.data());
  u = v;
  space.adjoint(x.data(), u.data(), u.data());
  EXPECT_EQ(t, u);
}

// plus over other numbers has the value of plus over double and the rate of T.
TEST(Spaces, PlusOfDualNumbersAndSeriesAgrees) {
  const Space space =
      product({euclidean(2), so3_space(), s3_space(), se3_space(), s3_semidirect_space()});
  const int np = space.points(), nt = space.tangents();
  VectorXd w(nt), d(nt), x(np), y(np), ahead(np), rate(nt), moved(np);
  for (int i = 0; i < nt; ++i) w[i] = 0.9 * std::sin(1.0 + i), d[i] = std::cos(3.0 * i);
  space.exp(d.data(), x.data());
  space.plus(x.data(), w.data(), y.data());
  std::vector<Dual4> xd(x.begin(), x.end()), wd(w.begin(), w.end()), yd(xd.size());
  std::vector<Taylor2> xs(x.begin(), x.end()), ws(w.begin(), w.end()), ys(xs.size());
  std::vector<long double> xl(x.begin(), x.end()), wl(w.begin(), w.end()), yl(xl.size());
  for (std::size_t i = 0; i < wd.size(); ++i) wd[i].d[2] = ws[i].c[1] = d[static_cast<int>(i)];
  space.plus(xd.data(), wd.data(), yd.data());
  space.plus(xs.data(), ws.data(), ys.data());
  space.plus(xl.data(), wl.data(), yl.data());
  // The curve y (+) e T(w) d is tangent to x (+) (w + e d).
  constexpr double e = 1e-6;
  space.tangent(w.data(), d.data(), rate.data());
  const VectorXd forward = e * rate, backward = -forward;
  space.plus(y.data(), forward.data(), ahead.data());
  space.plus(y.data(), backward.data(), moved.data());
  for (int i = 0; i < np; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_NEAR(yd[k].v, y[i], 2e-15);
    EXPECT_NEAR(ys[k].c[0], y[i], 2e-15);
    EXPECT_NEAR(static_cast<double>(yl[k]), y[i], 4e-16);
    EXPECT_NEAR(yd[k].d[2], (ahead[i] - moved[i]) / (2.0 * e), 1e-9);
    EXPECT_NEAR(ys[k].c[1], yd[k].d[2], 2e-15);
  }
}

TEST(Spaces, RenormalisingRemovesTheDefect) {
  const Space space = product({so3_space(), euclidean(1), s3_semidirect_space()});
  VectorXd x(space.points()), w = VectorXd::Constant(space.tangents(), 0.4);
  space.exp(w.data(), x.data());
  EXPECT_LT(space.defect(x.data()), 1e-15);
  const VectorXd exact = x;
  x.tail(4) *= 1.0 + 3e-6;  // the quaternion alone
  EXPECT_NEAR(space.defect(x.data()), 3e-6, 1e-12);
  x.head(9) *= 1.0 + 1e-5;  // |R^T R - I| = 2e-5 sqrt(3)
  EXPECT_NEAR(space.defect(x.data()), 2e-5 * std::sqrt(3.0), 1e-9);
  space.renormalise(x.data());
  EXPECT_LT(space.defect(x.data()), 1e-9);  // Newton: (3/4) of the square
  space.renormalise(x.data());
  EXPECT_LT(space.defect(x.data()), 1e-15);
  EXPECT_LT((x - exact).norm(), 1e-15);
  x[0] = std::nan("");
  EXPECT_TRUE(std::isnan(space.defect(x.data())));
}

// 10^6 steps q = q exp(w) with the same w, so that a systematic error of one step has no chance to
// cancel; the rest is a random walk of 10^6 roundings, 1e-16 * 10^3.
double drift(const Space& space, const VectorXd& w, bool by_compose, VectorXd& x) {
  VectorXd step(space.points());
  x.resize(space.points());
  space.identity(x.data());
  space.exp(w.data(), step.data());
  for (int n = 0; n < 1000000; ++n) {
    if (by_compose)
      space.compose(x.data(), step.data(), x.data());
    else
      space.plus(x.data(), w.data(), x.data());
  }
  return space.defect(x.data());
}

TEST(Orthogonality, SurvivesAMillionSteps) {
  const Space space = product({so3_space(), s3_space()});
  VectorXd w(6), x;
  for (const double size : {1e-3, 0.3}) {
    w.head(3) = w.tail(3) = size * Vector3d(0.6, -0.48, 0.64);
    EXPECT_LT(drift(space, w, false, x), 1e-12) << size;
    // Matrices and quaternions agree after 10^6 roundings of each.
    const Matrix3d R = s3::rotation<double>(x.tail(4));
    EXPECT_LT((R - Eigen::Map<const Matrix3d>(x.data())).norm(), 1e-12) << size;
  }
}
// A rounded exp(w) has a defect of its own, and every step multiplies it in.
TEST(OrthogonalityControl, IsLostByMultiplyingARoundedExponential) {
  const VectorXd w = 0.3 * Vector3d(0.6, -0.48, 0.64);
  VectorXd x;
  EXPECT_GT(drift(so3_space(), w, true, x), 2e-11);
}

TEST(SlowOrthogonality, SurvivesAMillionStepsOfAnySize) {
  VectorXd x;
  for (const Space& space : {so3_space(), s3_space(), se3_space(), s3_semidirect_space()})
    for (const double size : {1e-8, 1e-5, 1e-2, 3.0})
      for (const Vector3d& axis : {Vector3d(0.6, -0.48, 0.64), Vector3d(0, 0, 1)}) {
        VectorXd w = VectorXd::Zero(space.tangents());
        w.tail(3) = size * axis;
        EXPECT_LT(drift(space, w, false, x), 1e-12) << space.name() << ", " << size;
      }
}

// Start values off the group: the message has the field, the element and how far it is off.
TEST(StartValues, OffTheGroupAreRefusedByElement) {
  MultibodyProblem p;
  p.name = "bodies";
  p.space = product({euclidean(2), so3_space(), se3_space(), s3_space(), s3_semidirect_space()});
  p.force = [](double, In, In, Out f) { f.setZero(); };
  p.v0 = VectorXd::Zero(p.space.tangents());
  p.q0.resize(p.space.points());
  p.space.identity(p.q0.data());
  EXPECT_NO_THROW(validate(p, 0.0));
  const auto refused = [&](int entry, double value, std::initializer_list<const char*> words) {
    MultibodyProblem wrong = p;
    wrong.q0[entry] = value;
    try {
      validate(wrong, 0.0);
      ADD_FAILURE() << "entry " << entry << " was accepted";
    } catch (const InvalidArgument& e) {
      for (const char* word : words)
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << word << ": " << e.what();
    }
  };
  refused(2, 1.1, {"q0", "element 1,", "entries 3 to 11", "rotation matrix", "0.21"});
  refused(2, -1.0, {"q0", "element 1,", "reflection", "det R = -1"});
  refused(14, 0.9, {"q0", "element 2,", "entries 15 to 23", "rotation matrix", "0.19"});
  refused(23, 2.0, {"q0", "element 3,", "entries 24 to 27", "unit quaternion", "|p| = 2"});
  refused(30, 0.5, {"q0", "element 4,", "entries 31 to 34", "unit quaternion", "|p| = 0.5"});
  refused(23, std::nan(""), {"q0"});
}

}  // namespace
}  // namespace daedalus::lie_space_test
