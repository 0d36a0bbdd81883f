// SPDX-License-Identifier: BSD-3-Clause
// Remark 34 of Arnold (1998) through the library: 0 = g(t, y, z) with g_z of constant rank. Of
// z = (s, zeta) the first is of index 1, the second of index 2, and every row contains s:
//   h = s^3 + s - (c^3 + c) - (y1 - sin t) / 3,  c = cos(t) / 2,   g = y2 - exp(0.3 y1) - s^2 / 4,
// given as h + g and h - g.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/daedalus.hpp>
#include <daedalus/testing/order.hpp>

namespace daedalus {
namespace {

SemiExplicitProblem mixed() {
  return {.name = "mixed",
          .f = autodiff([](const auto& t, const auto& y, const auto& z, auto& out) {
            using std::cos, std::exp, std::sin;
            const auto s = 0.5 * cos(t), zeta = 1.0 + 0.5 * sin(t);
            out[0] = cos(t) - (z[1] * z[1] - zeta * zeta) * y[1] + 0.5 * (z[0] - s);
            out[1] = 0.3 * cos(t) * exp(0.3 * sin(t)) - 0.25 * (s * sin(t)) +
                     0.7 * (y[0] - sin(t)) + (z[1] - zeta) * (1.0 + y[0] * y[0]);
          }),
          .g = autodiff([](const auto& t, const auto& y, const auto& z, auto& out) {
            using std::cos, std::exp, std::sin;
            const auto c = 0.5 * cos(t);
            const auto h = z[0] * z[0] * z[0] + z[0] - (c * c * c + c) - (y[0] - sin(t)) / 3.0;
            const auto g = y[1] - exp(0.3 * y[0]) - 0.25 * (z[0] * z[0]);
            out[0] = h + g;
            out[1] = h - g;
          }),
          .hessenberg_blocks = {2},
          .y0 = Eigen::Vector2d(0.0, 1.0 + 1.0 / 16.0),
          .z0 = Eigen::Vector2d(0.5, 1.0)};
}

bool exact(double t, Out y) {
  const double c = 0.5 * std::cos(t);
  y[0] = std::sin(t);
  y[1] = std::exp(0.3 * std::sin(t)) + 0.25 * c * c;
  y[2] = c;
  y[3] = 1.0 + 0.5 * std::sin(t);
  return true;
}

struct Errors {
  double y, s, zeta;
};
Errors errors(const Solution& solution) {
  Eigen::VectorXd truth(4);
  exact(solution.end_time(), Out(truth.data(), 4));
  const Eigen::VectorXd e = (solution.end().y() - truth).cwiseAbs();
  return {std::max(e[0], e[1]), e[2], e[3]};
}

Errors with_steps(const std::string& method, int steps, bool known, double rule = 3.0) {
  Options o{.method = method, .output = Output::end, .fixed_step = 1.0 / steps};
  o.method_options["constraint"] = rule;
  if (known) o.known = exact;
  const Solution s = solve(mixed(), {0.0, 1.0}, o);
  EXPECT_TRUE(s.ok()) << s.message();
  return errors(s);
}

TEST(ConstantRank, OrderKPlusOneInYAndInTheIndexOnePart) {
  for (const int k : {1, 2, 3}) {
    const std::string method = "adams-type-" + std::to_string(k);
    const Errors coarse = with_steps(method, 80, true), fine = with_steps(method, 160, true);
    EXPECT_NEAR(std::log2(coarse.y / fine.y), k + 1, k == 2 ? 1.1 : 0.2) << k;
    EXPECT_NEAR(std::log2(coarse.s / fine.s), k + 1, 0.25) << k;
    EXPECT_NEAR(std::log2(coarse.zeta / fine.zeta), k, 0.2) << k;
  }
}

// There is no hidden constraint in y and z alone: choice (I) becomes (III) instead of a wrong z.
TEST(ConstantRank, HiddenConstraintIsNotUsed) {
  const Errors first = with_steps("adams-type-3", 80, true, 1.0),
               third = with_steps("adams-type-3", 80, true, 3.0);
  EXPECT_EQ(first.zeta, third.zeta);
  EXPECT_LT(third.y, 1e-8);
}

// Without known values the first steps are of lower order, and the result still converges.
TEST(ConstantRank, StartsWithoutKnownValues) {
  const Errors coarse = with_steps("adams-type-2", 80, false),
               fine = with_steps("adams-type-2", 160, false);
  EXPECT_GT(std::log2(coarse.y / fine.y), 1.8);
  EXPECT_LT(fine.y, 1e-4);
}

TEST(ConstantRank, ErrorControlFollowsTheTolerance) {
  double last = 1.0;
  for (const double tol : {1e-4, 1e-6, 1e-8}) {
    const Solution s =
        solve(mixed(), {0.0, 1.0}, {.method = "adams-index2", .rtol = tol, .atol = tol});
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LT(errors(s).y, 50.0 * tol);
    EXPECT_LT(errors(s).y, last);
    last = errors(s).y;
  }
}

}  // namespace
}  // namespace daedalus
