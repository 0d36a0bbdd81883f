// SPDX-License-Identifier: BSD-3-Clause
// Stability, not accuracy, limits the step: the run says so and names another method. And states
// between steps that are projected before they are reported.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/daedalus.hpp>

#include "kernel/herk_families.hpp"
#include "loop/stiff_modes.hpp"
#include "methods/half_explicit/engine_mode.hpp"

namespace daedalus {
namespace {

using half_explicit::Mode;
using half_explicit::TestEquation;
using stiff_modes::bead;
using stiff_modes::spring;

constexpr const char* half_explicit_methods[] = {"hedop5", "phem56", "mdop5", "henew4",
                                                 "hem4",   "hem5",   "herk3", "herk2"};

struct Counted {
  long steps;
  double mean_step;
  bool told;
  std::string text;
};
Counted counted(const MultibodyProblem& p, double end, const char* method, double tol) {
  const Solution s =
      solve(p, {0.0, end}, {.method = method, .rtol = tol, .atol = tol, .output = Output::end});
  EXPECT_TRUE(s.ok()) << method << ": " << s.message();
  std::string all;
  for (const std::string& w : s.warnings()) all += w + '\n';
  return {s.statistics().steps(), end / static_cast<double>(s.statistics().accepted),
          all.find("stability and not accuracy") != std::string::npos, all};
}

TEST(StiffnessNotice, NamesTheTimeAndAnotherMethod) {
  const Counted c = counted(bead(2000.0), 2.0, "hedop5", 1e-5);
  for (const char* part : {"stability and not accuracy", "From about t = 0.", "hedop5", "rodas4"})
    EXPECT_NE(c.text.find(part), std::string::npos) << part << ": " << c.text;
}

// Told: the method that is named needs less than half of the steps, and a tolerance a hundred times
// as large saves hardly any. Damped strongly, damped weakly and not at all; without damping the
// mode is below ten tolerances at the start (0.8 / omega = 4e-4 in v over the root of six
// components).
TEST(StiffnessNotice, IsGivenByAllMethods) {
  for (const double zeta : {1.0, 0.1, 0.0})
    for (const double tol : {1e-2, 1e-3, 1e-4}) {
      const MultibodyProblem p = spring(2000.0, 0.0, zeta);
      const long implicit = counted(p, 0.5, "rodas4", tol).steps;
      for (const char* method : half_explicit_methods) {
        const Counted c = counted(p, 0.5, method, tol);
        EXPECT_TRUE(c.told) << method << " " << tol << " " << zeta;
        EXPECT_LT(5 * implicit, c.steps) << method << " " << tol << " " << zeta;
      }
    }
}

TEST(StiffnessNotice, IsGivenAtSharpTolerances) {
  for (const char* method : {"hedop5", "phem56", "mdop5", "henew4", "herk3"}) {
    const MultibodyProblem p = spring(1e4, 0.0, 1.0);
    const Counted sharp = counted(p, 0.1, method, 1e-8), loose = counted(p, 0.1, method, 1e-6);
    EXPECT_TRUE(sharp.told && loose.told) << method;
    EXPECT_LT(static_cast<double>(sharp.steps), 1.1 * static_cast<double>(loose.steps)) << method;
    EXPECT_LT(5 * counted(p, 0.1, "rodas4", 1e-8).steps, sharp.steps) << method;
  }
}

// Not told: no fast mode. Steps follow the tolerance, however small the ratio to those of RODAS4.
TEST(StiffnessNotice, IsNotGivenWhereAccuracyLimitsTheStep) {
  for (const char* method : half_explicit_methods)
    for (const double tol : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8}) {
      const bool low = method[0] == 'h' && method[3] == 'k';  // herk2, herk3
      if (low && tol < 1e-5) continue;
      EXPECT_EQ(counted(spring(5.0, 1e-7), 5.0, method, tol).text, "") << method << " " << tol;
      EXPECT_EQ(counted(bead(0.5), 10.0, method, tol).text, "") << method << " " << tol;
    }
}

// Not told: a strong damper whose decay is within the boundary of stability at the steps that the
// tolerance asks for; and one at the boundary where the motion allows hardly longer steps.
TEST(StiffnessNotice, IsNotGivenForDampersThatCostNothing) {
  for (const char* method : {"hedop5", "phem56", "mdop5", "henew4", "hem4", "hem5"}) {
    const Counted c = counted(bead(100.0), 5.0, method, 1e-7);
    EXPECT_FALSE(c.told) << method;
    EXPECT_LT(c.steps, 2 * counted(bead(100.0), 5.0, "rodas4", 1e-7).steps) << method;
  }
  for (const char* method : {"hedop5", "phem56", "mdop5"}) {
    const Counted c = counted(spring(30.0, 0.0, 1.0), 15.0, method, 1e-3);
    EXPECT_FALSE(c.told) << method;
    EXPECT_LT(c.steps, 2 * counted(spring(30.0, 0.0, 1.0), 15.0, "rodas4", 1e-3).steps) << method;
    EXPECT_NEAR(30.0 * c.mean_step, 3.3, 0.5) << method;  // or it were not at the boundary
  }
}

// Not told: a vibration that is part of the solution, of some ten to some thousand tolerances. The
// implicit method has to resolve it, too: it needs more than half of the steps.
TEST(StiffnessNotice, IsNotGivenForVibrationsThatAreResolved) {
  for (const char* method : {"hedop5", "phem56", "mdop5", "henew4", "hem5"}) {
    for (const double tol : {1e-5, 1e-6, 1e-7}) {  // 65, 650 and 6500 tolerances
      const Counted c = counted(spring(500.0, 0.0), 0.5, method, tol);
      EXPECT_FALSE(c.told) << method << " " << tol;
      EXPECT_LT(c.steps, 2 * counted(spring(500.0, 0.0), 0.5, "rodas4", tol).steps)
          << method << " " << tol;
    }
    EXPECT_FALSE(counted(spring(2000.0, 1e-3), 0.2, method, 1e-2).told) << method;
    EXPECT_FALSE(counted(spring(2000.0, 0.1), 0.05, method, 1e-6).told) << method;
  }
}

// Where the notice is not the whole truth. RODAS4 tests lambda, which carries the force of this
// damper: at 1e-7 it needs more than half of the steps, and far fewer when lambda is left out as in
// half-explicit methods. And it can step over a vibration of 33 tolerances when its first steps are
// long enough.
TEST(StiffnessNotice, Limits) {
  const Counted damper = counted(bead(2000.0), 2.0, "hedop5", 1e-7),
                loose = counted(bead(2000.0), 2.0, "hedop5", 1e-4);
  EXPECT_TRUE(damper.told);
  EXPECT_LT(damper.steps, loose.steps);
  Options o{.method = "rodas4", .rtol = 1e-7, .atol = 1e-7, .output = Output::end};
  EXPECT_LT(damper.steps, 2 * solve(bead(2000.0), {0.0, 2.0}, o).statistics().steps());
  o.untested = {"lambda1"};
  EXPECT_GT(damper.steps, 10 * solve(bead(2000.0), {0.0, 2.0}, o).statistics().steps());
  const Counted vibration = counted(spring(1e4, 0.0), 0.1, "hedop5", 1e-6);
  EXPECT_FALSE(vibration.told);
  EXPECT_LT(5 * counted(spring(1e4, 0.0), 0.1, "rodas4", 1e-6).steps, vibration.steps);
}

TestEquation equation(const HerkTable& table, std::vector<double> carried) {
  const HerkNumbers<double> n(table);
  return {n, n.embedded, std::move(carried)};
}

// The negative and the imaginary axis: Hairer, Wanner II, section IV.2; growth by 1e-4 a step
// counts.
TEST(StabilityBoundary, OfKnownMethods) {
  const TestEquation dopri5 = equation(hedop5_table(), {});
  EXPECT_NEAR(dopri5.boundary({-1.0, 0.0}), 3.306, 0.01);
  EXPECT_NEAR(dopri5.boundary({0.0, -1.0}), 1.11, 0.02);
  EXPECT_NEAR(dopri5.growth({0.0, -4.0}), 1.0318, 1e-3);
  EXPECT_NEAR(dopri5.estimate({0.0, 1.3}), 0.00316, 1e-5);
  HerkTable henew4 = henew4_table("2/5", "1/2 - 1/6 sqrt(3)", "0");
  henew4.embedded = {"1/6", "0", "2/3", "0", "1/6"};
  EXPECT_NEAR(equation(henew4, {}).boundary({-1.0, 0.0}), 2.785, 0.01);
  EXPECT_NEAR(equation(henew4, {}).boundary({0.0, -1.0}), 2.828, 0.01);
}

// z_n of HERK2 is a mean of stages, and its defect enters the second one with the factor -1: the
// boundary is that of this recursion, a quarter of the 2 of the Runge-Kutta method. Critically
// damped (a double eigenvalue) runs settle there.
TEST(StabilityBoundary, OfRunsWithCarriedRates) {
  HerkTable table = herk2_table("1");
  table.embedded = {"1", "0"};
  const double boundary = equation(table, {1.0, -1.0}).boundary({-2.0, -1.0});
  EXPECT_NEAR(boundary, 0.54, 0.01);
  const double measured = 2000.0 * counted(spring(2000.0, 0.0, 1.0), 0.2, "herk2", 1e-4).mean_step;
  EXPECT_NEAR(measured, boundary, 0.05 * boundary);
}

// Cubic or quartic polynomials between steps miss the circle; the projection puts them back on it
// and costs nothing in accuracy.
TEST(ProjectedOutput, StatesBetweenStepsSatisfyTheConstraints) {
  Options o{.method = "hedop5", .rtol = 1e-5, .atol = 1e-5};
  o.output = Output::times;
  for (int i = 1; i < 40; ++i) o.output_times.push_back(0.05 * i);
  const Solution plain = solve(bead(0.5), {0.0, 2.0}, o);
  o.project_output = true;
  const Solution projected = solve(bead(0.5), {0.0, 2.0}, o);
  ASSERT_TRUE(plain.ok() && projected.ok());
  EXPECT_GT(plain.statistics().velocity_residual, 1e-9);  // or there would be nothing to project
  EXPECT_LT(projected.statistics().position_residual, 1e-10);
  EXPECT_LT(projected.statistics().velocity_residual, 1e-10);
  EXPECT_EQ(plain.statistics().accepted, projected.statistics().accepted);
  EXPECT_EQ(plain.end().y(), projected.end().y());
  for (std::size_t i = 0; i < plain.times().size(); ++i)
    EXPECT_LT((plain.state(i).y().head(4) - projected.state(i).y().head(4)).norm(), 1e-4);
}

TEST(Statistics, LastStepErrorAndFailures) {
  const Solution s = solve(bead(0.5), {0.0, 2.0},
                           {.method = "rk4", .rtol = 1e-6, .atol = 1e-6, .initial_step = 1.0});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_GE(s.statistics().error_test_failures, 1);
  EXPECT_EQ(s.statistics().error_test_failures, s.statistics().rejected);
  EXPECT_GT(s.statistics().last_error, 0.0);
  EXPECT_LE(s.statistics().last_error, 1.0);
  EXPECT_GT(s.statistics().last_step, 0.0);
  EXPECT_LE(s.statistics().last_step, s.statistics().h_max);
  EXPECT_EQ(s.statistics().projection_failures, 0);
}

}  // namespace
}  // namespace daedalus
