// SPDX-License-Identifier: BSD-3-Clause
// Axioms of the configuration spaces, once for all groups, and spaces that are wrong on purpose.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include <daedalus/testing/group.hpp>
#include <daedalus/types.hpp>

namespace daedalus::lie_axioms_test {
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

const char* const all_axioms[] = {
    "zero",           "inverse",       "difference",     "opposite",
    "identity",       "self",          "tangent",        "associativity",
    "neutral",        "group inverse", "exponential",    "one-parameter",
    "logarithm",      "antisymmetry",  "jacobi",         "adjoint",
    "adjoint series", "tangent pair",  "tangent series", "tangent opposite",
    "tangent rate",   "tangent slope", "structure",      "tangent inverse slope"};

// 1e-14 instead of the default: errors of more than ten roundings would be a bad formula.
TEST(SpaceAxioms, HoldForEveryGroup) {
  for (const Space& space :
       {euclidean(4), so3_space(), s3_space(), se3_space(), s3_semidirect_space(),
        product({euclidean(3), so3_space()}), product({euclidean(3), s3_space()}),
        power(product({se3_space(), euclidean(2), s3_semidirect_space(2)}), 2)}) {
    const GroupReport r = check_group(space, 1e-14, 1e-9);
    EXPECT_TRUE(r.ok) << space.name() << ": " << r.text();
    for (const char* name : all_axioms) EXPECT_NO_THROW(axiom(r, name)) << name;
    EXPECT_EQ(r.axioms.size(), std::size(all_axioms));
  }
}

// Negative controls: each wrong operation is caught by the axiom that is about it.
TEST(SpaceAxiomsControl, TheLeftTangentOperatorIsWrongHere) {
  GroupOperations o = operations_of(so3_space());
  o.tangent_inverse = [](const double* u, const double* v, double* out) {
    const Vector3d w = -Eigen::Map<const Vector3d>(u);
    so3_space().tangent_inverse(w.data(), v, out);
  };
  const GroupReport r = check_group(o);
  EXPECT_FALSE(r.ok);
  EXPECT_GT(axiom(r, "tangent").error, 0.1);  // differs from T by W: of the size of |w|
  EXPECT_GT(axiom(r, "tangent pair").error, 0.1);
  EXPECT_LE(axiom(r, "inverse").error, 1e-12);
  EXPECT_NE(r.text().find("'tangent'"), std::string::npos) << r.text();
}

TEST(SpaceAxiomsControl, AWrongSignOfTheTangentOperatorIsNamed) {
  for (const Space& space : {so3_space(), se3_space()}) {
    GroupOperations o = operations_of(space);
    o.tangent = [space](const double* u, const double* v, double* out) {
      const VectorXd w = -Eigen::Map<const VectorXd>(u, space.tangents());
      space.tangent(w.data(), v, out);
    };
    const GroupReport r = check_group(o);
    EXPECT_FALSE(r.ok);
    for (const char* name : {"tangent series", "tangent rate", "tangent opposite", "tangent pair",
                             "tangent slope", "structure"}) {
      EXPECT_GT(axiom(r, name).error, axiom(r, name).allowed) << name;
      EXPECT_NE(r.text().find(name), std::string::npos) << r.text();
    }
    EXPECT_LE(axiom(r, "tangent").error, axiom(r, "tangent").allowed);
  }
}

// Antisymmetric and with the Jacobi identity, but the bracket of right translations.
TEST(SpaceAxiomsControl, AFlippedBracketIsNamed) {
  GroupOperations o = operations_of(s3_space());
  o.bracket = [](const double* a, const double* b, double* out) { s3_space().bracket(b, a, out); };
  const GroupReport r = check_group(o);
  EXPECT_FALSE(r.ok);
  for (const char* name : {"adjoint series", "tangent series", "structure"}) {
    EXPECT_GT(axiom(r, name).error, 0.1) << name;
    EXPECT_NE(r.text().find(name), std::string::npos) << r.text();
  }
  for (const char* name : {"antisymmetry", "jacobi", "tangent pair"})
    EXPECT_LE(axiom(r, name).error, axiom(r, name).allowed) << name;
}

// Every further operation, wrong in a way that its own axiom sees.
TEST(SpaceAxiomsControl, EachOperationHasItsAxiom) {
  const Space space = se3_space();
  const auto violated = [&](const char* name, auto spoil) {
    GroupOperations o = operations_of(space);
    spoil(o);
    const GroupReport r = check_group(o);
    EXPECT_GT(axiom(r, name).error, 1e3 * axiom(r, name).allowed) << name << ": " << r.text();
    EXPECT_FALSE(r.ok);
  };
  using Const = const double*;
  const auto compose_wrongly = [&](GroupOperations& o) {
    // Not a group: the sign of the rotated translation.
    o.compose = [space](Const x, Const y, double* out) {
      space.compose(x, y, out);
      for (int i = 0; i < 3; ++i) out[i] = 2.0 * x[i] - out[i];
    };
  };
  violated("associativity", compose_wrongly);
  violated("neutral", compose_wrongly);
  violated("group inverse", [&](GroupOperations& o) {
    o.inverse = [space](Const x, double* out) {
      space.inverse(x, out);
      for (int i = 0; i < 3; ++i) out[i] = -x[i];  // as in R^3 x SO(3)
    };
  });
  violated("exponential", [&](GroupOperations& o) {
    o.exp = [space](Const w, double* x) {
      space.exp(w, x);
      std::copy(w, w + 3, x);  // as in R^3 x SO(3)
    };
  });
  violated("one-parameter", [&](GroupOperations& o) {
    o.exp = [space](Const w, double* x) {
      const VectorXd square =
          Eigen::Map<const VectorXd>(w, 6) * Eigen::Map<const VectorXd>(w, 6).norm();
      space.exp(square.data(), x);
    };
  });
  violated("logarithm", [&](GroupOperations& o) {
    o.log = [space](Const x, double* w) {
      space.log(x, w);
      for (int i = 0; i < 3; ++i) w[i] = x[i];
    };
  });
  violated("antisymmetry", [&](GroupOperations& o) {
    o.bracket = [](Const a, Const b, double* out) {
      for (int i = 0; i < 6; ++i) out[i] = a[i] * b[(i + 1) % 6];
    };
  });
  violated("jacobi", [&](GroupOperations& o) {
    o.bracket = [space](Const a, Const b, double* out) {
      VectorXd moving(6);
      space.bracket(a, b, moving.data());
      // The turning part gains the cross product of the translations: antisymmetric, no algebra.
      so3_space().bracket(a, b, out + 3);
      for (int i = 0; i < 3; ++i) out[i] = moving[i], out[3 + i] += 2.0 * moving[3 + i] * moving[i];
    };
  });
  violated("adjoint", [&](GroupOperations& o) {
    o.adjoint = [space](Const x, Const v, double* out) {
      VectorXd moved(12);
      space.inverse(x, moved.data());
      space.adjoint(moved.data(), v, out);
    };
  });
  violated("tangent slope",
           [&](GroupOperations& o) { o.tangent_derivative = o.tangent_inverse_derivative; });
  violated("tangent inverse slope",
           [&](GroupOperations& o) { o.tangent_inverse_derivative = o.tangent_derivative; });
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
  const auto refused = [](const GroupOperations& o, const char* word) {
    try {
      check_group(o);
      ADD_FAILURE() << "accepted without " << word;
    } catch (const InvalidArgument& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  GroupOperations o = operations_of(euclidean(2));
  o.origin.pop_back();
  refused(o, "origin");
  o = operations_of(euclidean(2));
  o.pieces = {1};
  refused(o, "pieces");
  o = operations_of(euclidean(2));
  o.minus = nullptr;
  refused(o, "minus");
}

// What is not a group of its own may leave the group operations out.
TEST(SpaceAxiomsControl, OperationsThatAreNotGivenAreNotChecked) {
  const GroupOperations all = operations_of(so3_space());
  GroupOperations o;
  o.points = all.points, o.tangents = all.tangents, o.origin = all.origin, o.radius = all.radius;
  o.plus = all.plus, o.minus = all.minus, o.tangent_inverse = all.tangent_inverse;
  const GroupReport r = check_group(o);
  EXPECT_TRUE(r.ok) << r.text();
  EXPECT_EQ(r.axioms.size(), 7u);
}

}  // namespace
}  // namespace daedalus::lie_axioms_test
