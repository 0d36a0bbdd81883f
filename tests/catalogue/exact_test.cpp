// SPDX-License-Identifier: BSD-3-Clause
// Exact solutions satisfy the equations at several times. Time derivatives by central differences
// of order 8, relative error about 1e-13 here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "evaluate.hpp"

namespace daedalus::catalogue_test {
namespace {

using problems::Entry;
using problems::find_problem;
using problems::Values;

Vector derivative(const std::function<Vector(double)>& x, double t, double h) {
  const auto pair = [&](int k) { return Vector(x(t + k * h) - x(t - k * h)); };
  return (4.0 / 5.0 * pair(1) - 1.0 / 5.0 * pair(2) + 4.0 / 105.0 * pair(3) -
          1.0 / 280.0 * pair(4)) /
         h;
}

// Largest residual, relative to the solution, its derivative, and the weight of y' in the equations
// (2 t^3 for Weissinger's).
double defect(const Entry& entry, const Values& values, double t, double shift = 0.0) {
  const Problem problem = entry.problem(values);
  const auto names = variables_of(problem).names;
  const std::function<Vector(double)> x = [&](double s) {
    return Vector(ordered(entry.exact(s, values), names).array() + shift);
  };
  const auto largest = [](const Vector& v) { return v.cwiseAbs().maxCoeff(); };
  const Vector xp = derivative(x, t, 4e-3);
  const Vector r = residual(problem, t, x(t), xp);
  const double step = 1e-6;
  const double weight = largest(residual(problem, t, x(t), xp.array() + step) - r) / step;
  return largest(r) / std::max({1.0, largest(x(t)), largest(xp), weight});
}

class ExactTest : public testing::TestWithParam<const char*> {};

TEST_P(ExactTest, SatisfiesTheEquations) {
  const Entry& entry = *find_problem(GetParam());
  ASSERT_TRUE(entry.exact);
  for (int i = 0; i <= 6; ++i) {
    const double t = entry.t0 + (entry.t_end - entry.t0) * i / 6.0;
    EXPECT_LT(defect(entry, {}, t), 1e-12) << "t = " << t;
    EXPECT_GT(defect(entry, {}, t, 1e-6), 1e-10) << "a shifted solution, t = " << t;
  }
}

TEST_P(ExactTest, StartsAtTheStartValues) {
  const Entry& entry = *find_problem(GetParam());
  const Variables all = variables_of(entry.problem());
  EXPECT_LT((ordered(entry.exact(entry.t0, {}), all.names) - all.start).cwiseAbs().maxCoeff(),
            1e-15);
}

INSTANTIATE_TEST_SUITE_P(Exact, ExactTest,
                         testing::Values("brenan", "kvaerno-a", "jay", "jay-nonlinear", "arevalo",
                                         "knife-edge", "weissinger", "steinebach-1", "steinebach-2",
                                         "steinebach-3", "steinebach-linear"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Exact, KnifeEdgeFollowsItsParameters) {
  const Values values{{"mass", 2.0}, {"gravity", 3.0}, {"slope", 0.3}, {"Omega", 1.7}};
  const Entry& entry = *find_problem("knife-edge");
  EXPECT_LT(defect(entry, values, 1.3), 1e-12);
  EXPECT_FALSE(entry.exact(1.3, values) == entry.exact(1.3, {}));
}

}  // namespace
}  // namespace daedalus::catalogue_test
