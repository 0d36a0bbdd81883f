// Axioms of the configuration spaces, and spaces that are wrong on purpose.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include <daedalus/testing/group.hpp>
#include <daedalus/types.hpp>

namespace daedalus {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using testing::check_group;
using testing::GroupOperations;
using testing::GroupReport;
using testing::operations_of;

const testing::GroupAxiom& axiom(const GroupReport& report, const std::string& name) {
  for (const testing::GroupAxiom& a : report.axioms)
    if (a.name == name) return a;
  throw std::logic_error("no axiom " + name);
}

TEST(SpaceAxioms, HoldForVectorSpaces) {
  const GroupReport r = check_group(euclidean(4));
  EXPECT_TRUE(r.ok) << r.text();
}

TEST(SpaceAxioms, HoldForRotations) {
  const GroupReport r = check_group(so3_space());
  EXPECT_TRUE(r.ok) << r.text();
  ASSERT_EQ(r.axioms.size(), 7u);
}

TEST(SpaceAxioms, HoldForProducts) {
  const Space space = product({euclidean(2), so3_space(2), euclidean(1), so3_space()});
  EXPECT_EQ(space.points(), 2 + 18 + 1 + 9);
  EXPECT_EQ(space.tangents(), 2 + 6 + 1 + 3);
  EXPECT_EQ(space.name(), "R^2 x SO(3)^2 x R^1 x SO(3)");
  EXPECT_FALSE(space.is_euclidean());
  const GroupReport r = check_group(space);
  EXPECT_TRUE(r.ok) << r.text();
}

// Blocks of a product act on their own coordinates only.
TEST(SpaceAxioms, BlocksOfAProductAreIndependent) {
  const Space space = product({euclidean(1), so3_space(), euclidean(2)});
  VectorXd x = VectorXd::Zero(12), w(6), out(12), back(6), rate(6), size(6);
  x[0] = 2.0, x[10] = -3.0, x[11] = 5.0;
  Eigen::Map<Matrix3d>(x.data() + 1).setIdentity();
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

TEST(SpaceAxioms, ABlockCountMayNotBeNegative) {
  EXPECT_THROW(Space({{SpaceKind::so3, -1}}), InvalidArgument);
}

// plus may overwrite its argument, as its comment promises.
TEST(SpaceAxioms, PlusInPlace) {
  const Space space = product({euclidean(1), so3_space()});
  VectorXd x = VectorXd::Zero(10), w(4), out(10);
  Eigen::Map<Matrix3d>(x.data() + 1).setIdentity();
  w << 1.0, 0.1, -0.7, 0.4;
  space.plus(x.data(), w.data(), x.data());
  space.plus(x.data(), w.data(), out.data());
  space.plus(x.data(), w.data(), x.data());
  EXPECT_EQ(x, out);
}

// Negative controls: each wrong operation is caught by the axiom that is about it.
TEST(SpaceAxiomsControl, TheLeftTangentOperatorIsWrongHere) {
  GroupOperations o = operations_of(so3_space());
  o.tangent_inverse = [](const double* u, const double* v, double* out) {
    const Vector3d w = Eigen::Map<const Vector3d>(u);
    Eigen::Map<Vector3d>(out).noalias() =
        so3::tangent_inverse<double>(-w) * Vector3d(Eigen::Map<const Vector3d>(v));
  };
  const GroupReport r = check_group(o);
  EXPECT_FALSE(r.ok);
  EXPECT_GT(axiom(r, "tangent").error, 0.1);  // differs from T by W: of the size of |w|
  EXPECT_LE(axiom(r, "inverse").error, 1e-12);
  EXPECT_NE(r.text().find("'tangent'"), std::string::npos) << r.text();
}

TEST(SpaceAxiomsControl, AMissingSecondOrderTermIsFound) {
  GroupOperations o = operations_of(so3_space());
  o.tangent_inverse = [](const double* u, const double* v, double* out) {
    const Vector3d w = Eigen::Map<const Vector3d>(u), r = Eigen::Map<const Vector3d>(v);
    Eigen::Map<Vector3d>(out).noalias() = r + 0.5 * w.cross(r);
  };
  const GroupReport r = check_group(o);
  EXPECT_FALSE(r.ok);
  EXPECT_GT(axiom(r, "tangent").size, 0.4);  // invisible for small arguments
}

TEST(SpaceAxiomsControl, ADifferenceOnTheWrongSideIsFound) {
  GroupOperations o = operations_of(so3_space());
  o.minus = [](const double* a, const double* b,
               double* w) {  // log(B A^T): spatial, not body-fixed
    const Eigen::Map<const Matrix3d> A(a), B(b);
    Eigen::Map<Vector3d>(w).noalias() = so3::log(B * A.transpose());
  };
  const GroupReport r = check_group(o);
  EXPECT_FALSE(r.ok);
  EXPECT_GT(axiom(r, "inverse").error, 0.1);
  EXPECT_GT(axiom(r, "difference").error, 0.1);
}

TEST(SpaceAxiomsControl, NotANumberIsNeverAccepted) {
  GroupOperations o = operations_of(euclidean(2));
  o.minus = [](const double*, const double*, double* w) { w[0] = w[1] = std::nan(""); };
  EXPECT_FALSE(check_group(o).ok);
}

TEST(SpaceAxiomsControl, IncompleteOperationsAreNamed) {
  GroupOperations o = operations_of(euclidean(2));
  o.origin.pop_back();
  try {
    check_group(o);
    FAIL() << "an origin of the wrong size was accepted";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("origin"), std::string::npos) << e.what();
  }
  o = operations_of(euclidean(2));
  o.minus = nullptr;
  EXPECT_THROW(check_group(o), InvalidArgument);
}

}  // namespace
}  // namespace daedalus
