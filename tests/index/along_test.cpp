// SPDX-License-Identifier: BSD-3-Clause
// The index along solutions: constant, changing, lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/analysis.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::index_along_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

IndexAlong along(const char* name, double t_end, int points) {
  const problems::Entry& e = *problems::find_problem(name);
  return index_along(e.problem(), e.t0, t_end, {}, points);
}

TEST(IndexAlong, IsConstantForAPendulum) {
  const IndexAlong a = along("pendulum", 2.0, 4);
  EXPECT_THAT(a.changes, IsEmpty());
  EXPECT_EQ(a.ended, "");
  EXPECT_DOUBLE_EQ(a.reached, 2.0);
  ASSERT_EQ(a.points.size(), 5u);
  for (const IndexAlong::Point& p : a.points) {
    EXPECT_EQ(p.index, 3);
    EXPECT_EQ(p.degrees_of_freedom, 2);
  }
  EXPECT_DOUBLE_EQ(a.points.back().t, 2.0);
}

// More unknowns than derivative arrays are formed for, and forces that are no series: matrices
// decide.
TEST(IndexAlong, OfALargeChainComesFromItsMatrices) {
  const IndexAlong a = along("chain-spatial", 0.05, 1);
  ASSERT_EQ(a.points.size(), 2u);
  EXPECT_EQ(a.points.back().index, 3);
  EXPECT_EQ(a.points.back().degrees_of_freedom, 40);
  EXPECT_GT(a.points.back().gap, 1e3);
}

// y' = z, 0 = y^2 + z^2 - 1: z = cos t vanishes at pi / 2.
TEST(IndexAlong, ImpassePointIsReported) {
  const IndexAlong a = along("steinebach-1", 2.0, 6);
  ASSERT_FALSE(a.changes.empty()) << a.text();
  EXPECT_NEAR(a.reached, std::acos(0.0), 0.45) << a.text();
}

SemiExplicitProblem with_law(auto law) {
  SemiExplicitProblem p;
  p.name = "law";
  p.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = z[0]; });
  p.g = autodiff(law);
  p.y0 = Eigen::VectorXd::Constant(1, 1.0);
  p.z0 = Eigen::VectorXd::Constant(1, -1.0);
  return p;
}

// z = -y throughout; its coefficient passes zero at t = 0.5 between two steps.
TEST(IndexAlong, CriticalPointBetweenStepsIsFoundByTheDeterminant) {
  const IndexAlong a = index_along(with_law([](const auto& t, const auto& y, const auto& z,
                                               auto& g) { g[0] = (t - 0.5) * (z[0] + y[0]); }),
                                   0.0, 1.0, {}, 4);
  ASSERT_EQ(a.changes.size(), 1u) << a.text();
  EXPECT_THAT(a.changes[0], HasSubstr("determinant changes its sign"));
  const IndexAlong clear = index_along(with_law([](const auto& t, const auto& y, const auto& z,
                                                   auto& g) { g[0] = (t + 0.5) * (z[0] + y[0]); }),
                                       0.0, 1.0, {}, 4);
  EXPECT_THAT(clear.changes, IsEmpty()) << clear.text();
}

// z + y = 0 becomes y - exp(-t) = 0: index 1, then 2, on the same solution.
TEST(IndexAlong, ChangeOfTheIndexIsLocated) {
  const IndexAlong a =
      index_along(with_law([](const auto& t, const auto& y, const auto& z, auto& g) {
                    using std::exp;
                    if (t < 0.5)
                      g[0] = z[0] + y[0];
                    else
                      g[0] = y[0] - exp(-t);
                  }),
                  0.0, 1.0, {.method = "bdf", .rtol = 1e-4, .atol = 1e-4}, 4);
  ASSERT_FALSE(a.changes.empty()) << a.text();
  EXPECT_THAT(a.changes[0], HasSubstr("The index changes from 1 to 2 between t = 0.4"));
}

TEST(IndexAlong, NeedsAPoint) { EXPECT_THROW(along("pendulum", 1.0, 0), InvalidArgument); }

}  // namespace
}  // namespace daedalus::index_along_test
