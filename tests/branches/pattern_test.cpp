// SPDX-License-Identifier: BSD-3-Clause
// The Jacobian's pattern grows when a branch brings in variables that the start did not show: runs
// take no more steps than with all dependences shown, and say once what was found.
#include "branches/support.hpp"

namespace daedalus::branches_test {
namespace {

// A tenth more than with the pattern known, and what landing at the branch costs: with the pattern
// known radau5 happens to step over the jump (11 steps), and an iteration that fails there leads to
// steps that resolve it (65, and 62 with all entries of the matrix known but found by differences;
// without the search for the pattern there are thousands).
constexpr double more_steps = 1.1, steps_at_branch = 60.0;

void expect_as_good(const Problem& hidden, const Problem& shown, double t_end, const Options& o) {
  const Solution known = solve(shown, {0.0, t_end}, o);
  ASSERT_TRUE(known.ok()) << known.message();
  const Solution found = solve(hidden, {0.0, t_end}, o);
  ASSERT_TRUE(found.ok()) << found.message();
  EXPECT_LE(static_cast<double>(found.statistics().steps()),
            more_steps * static_cast<double>(known.statistics().steps()) + steps_at_branch);
  EXPECT_LE((found.end().y() - known.end().y()).cwiseAbs().maxCoeff(), 100.0 * o.rtol);
}

TEST(Branch, OfASmallSystemCostsNothing) {
  for (const Callable kind : {Callable::differentiable, Callable::plain})
    for (const char* method : {"bdf", "radau5", "rodas4", "auto"}) {
      SCOPED_TRACE(method);
      expect_as_good(ring(2, false, kind), ring(2, true, Callable::differentiable), 3.0,
                     options(method, 1e-5));
    }
}

TEST(Branch, OfASparseSystemIsFound) {
  for (const Callable kind : {Callable::differentiable, Callable::plain})
    for (const char* method : {"bdf", "radau5", "rodas4", "auto"}) {
      SCOPED_TRACE(method);
      expect_as_good(ring(120, false, kind), ring(120, true, Callable::differentiable), 3.0,
                     options(method, 1e-5));
    }
}

TEST(Branch, IsFoundWithDifferencesOfDifferentiableCallables) {
  Options o = options("bdf", 1e-5);
  o.derivatives = DerivativeSource::differences;
  expect_as_good(ring(120, false, Callable::differentiable),
                 ring(120, true, Callable::differentiable), 3.0, o);
}

TEST(Branch, OfAnIndex2NetworkIsSolvedAtEveryTolerance) {
  for (const int copies : {1, 40})
    for (const Callable kind : {Callable::differentiable, Callable::plain})
      for (const double tolerance : {1e-3, 1e-5, 1e-7})
        for (const char* method : {"bdf", "radau5"}) {
          SCOPED_TRACE(std::string(method) + " " + std::to_string(tolerance));
          const Solution s =
              solve(network(copies, false, kind), {0.0, 3.0}, options(method, tolerance));
          ASSERT_TRUE(s.ok()) << s.message();
          for (int k = 0; k < copies; ++k)
            ASSERT_NEAR(s.end().y()[3 * k], std::sin(3.0), 100.0 * tolerance);
        }
}

TEST(Branch, IsToldOnceWithEquationAndVariable) {
  for (const char* method : {"bdf", "radau5", "rodas4"}) {
    MassMatrixProblem p = ring(60, false, Callable::differentiable);
    for (int i = 0; i < 60; ++i) {
      p.variables.push_back("state " + std::to_string(i));
      p.equations.push_back("balance " + std::to_string(i));
    }
    const Solution s = solve(p, {0.0, 3.0}, options(method, 1e-5));
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(mentions(s, "branch"), 1);
    EXPECT_EQ(mentions(s, "equation 'balance 1' depends on 'state 0'"), 1);
    const Solution calm =
        solve(ring(60, true, Callable::differentiable), {0.0, 3.0}, options(method, 1e-5));
    EXPECT_EQ(mentions(calm, "branch"), 0);
  }
}

// The pattern may grow again and again: a front that passes one variable after another.
TEST(Branch, MayTakeManyTurns) {
  const auto front = [](bool shown) {
    constexpr int n = 100;
    MassMatrixProblem p;
    p.name = "front";
    p.index = 0;
    p.rhs = autodiff([shown](const auto& t, const auto& y, auto& f) {
      for (int i = 0; i < n; ++i) {
        f[i] = 1.0 - y[i];
        if (shown) f[i] = f[i] + 0.0 * y[(i + 1) % n];
        if (20.0 * t > i && i + 1 < n) f[i] = f[i] + 2e3 * (y[i + 1] - y[i]);
        if (20.0 * t > i && i > 0) f[i] = f[i] + 2e3 * (y[i - 1] - y[i]);
        if (shown) f[i] = f[i] + 0.0 * y[(i + n - 1) % n];
      }
    });
    p.y0 = VectorXd::LinSpaced(n, 0.0, 3.0);
    return p;
  };
  for (const char* method : {"bdf", "radau5"})
    expect_as_good(front(false), front(true), 4.0, options(method, 1e-4));
}

}  // namespace
}  // namespace daedalus::branches_test
