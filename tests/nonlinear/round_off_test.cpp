// SPDX-License-Identifier: BSD-3-Clause
// Index 2 at 1e-9: rounding errors of rows with rates of 1e6 reach differentiated variables as 1/h.
// Steps that shrank to escape them ended at 1e-27 in 2 of 40 runs of bdf (29 % and 79 % of auto and
// bdf on older code), and a first step of order 1 left 1e4 tolerances in 38 of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <daedalus/solve.hpp>

#include "models.hpp"

namespace daedalus::round_off_test {

using nonlinear_models::Weierstrass;

Solution run(const Weierstrass& w, unsigned seed, const char* method) {
  constexpr double tolerance = 1e-9;
  const bool stated = seed % 4 >= 2;
  const Problem p = seed % 2 == 1 ? w.implicit(stated) : w.mass_matrix(stated);
  return solve(p, {0.0, 2.0}, {.method = method, .rtol = tolerance, .atol = tolerance});
}

// In tolerances, at the end.
double error_of(const Weierstrass& w, const Solution& s) {
  const Eigen::VectorXd exact = w.solution(s.end_time()), found = s.end().y();
  return ((found - exact).array().abs() / (1e-9 * (1.0 + exact.array().abs()))).maxCoeff();
}

TEST(RoundOff, IndexTwoAtTightTolerancesReachesTheEnd) {
  for (const char* method : {"bdf", "auto"})
    for (unsigned seed = 1; seed <= 100; ++seed) {
      const Weierstrass w(seed);
      const Solution s = run(w, seed, method);
      ASSERT_TRUE(s.ok()) << method << ' ' << seed << ": " << s.message();
      EXPECT_LT(error_of(w, s), 1000.0) << method << ' ' << seed;
    }
}

// Seeds whose first steps are below what round-off allows: accepted with a warning.
TEST(RoundOff, IsToldWhereItLimits) {
  for (const unsigned seed : {488u, 512u, 656u, 980u}) {
    const Weierstrass w(seed);
    const Solution s = run(w, seed, "bdf");
    ASSERT_TRUE(s.ok()) << seed << ": " << s.message();
    EXPECT_LT(error_of(w, s), 1000.0) << seed;
    EXPECT_TRUE(std::any_of(s.warnings().begin(), s.warnings().end(), [](const std::string& text) {
      return text.find("Round-off limits the accuracy") != text.npos;
    })) << seed;
  }
}

}  // namespace daedalus::round_off_test
