// SPDX-License-Identifier: BSD-3-Clause
// Whole runs of the Radau family: counts and digits against public figures of Fortran codes on the
// same problems, the stopping factor, orders in use, problem forms, failures by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::radau_runs_test {
namespace {

struct Result {
  Solution solution;
  double mescd = 0.0, scd = 0.0;
  long steps() const { return solution.statistics().steps(); }
  long factorisations() const { return solution.statistics().in(Phase::step).factorisations; }
};

Result run(const std::string& name, double tol, Options o) {
  const problems::Entry& e = *problems::find_problem(name);
  const Problem problem = e.problem();
  o.rtol = tol;
  o.atol = tol;
  o.output = Output::end;
  const Solution probe = solve(problem, {e.t0, e.t0}, o);
  Eigen::VectorXd atol = Eigen::VectorXd::Constant(probe.variables().size(), tol);
  for (const auto& [variable, factor] : e.atol_scale)
    atol[probe.variables().find(variable)] *= factor;
  o.atol = atol;
  Result r{solve(problem, {e.t0, e.t_end}, o)};
  double mixed = 1e-99, relative = 1e-99;
  for (const auto& [variable, value] : e.reference->values) {
    const auto& counted = e.reference->counted;
    if (!counted.empty() && std::count(counted.begin(), counted.end(), variable) == 0) continue;
    const int i = r.solution.variables().find(variable);
    if (i < 0) continue;
    const double error = std::abs(r.solution.end().y()[i] - value);
    mixed = std::max(mixed, error / (o.atol[i] / o.rtol + std::abs(value)));
    if (value != 0.0) relative = std::max(relative, error / std::abs(value));
  }
  r.mescd = -std::log10(mixed);
  r.scd = -std::log10(relative);
  return r;
}

// Public figures at 1e-7 and 1e-10 (Mazzia, Magherini 2008): RADAU5 on Akzo 45 factorisations for
// 8.5 digits; RADAU on Robertson 333 steps for 6.5, on the car axis 97 for 6.6, RADAU5 on the
// slider crank 644 for 8.2. The tolerances here give at least as many digits.
TEST(RadauRuns, NeedNoMoreFactorisationsThanPublished) {
  struct Published {
    const char *problem, *formulation;
    double tolerance, digits;
    long factorisations;
    bool relative = false;
  };
  for (const Published& p : {Published{"akzo", "auto", 2e-8, 8.5, 45},
                             Published{"robertson", "auto", 1e-7, 6.5, 333, true},
                             Published{"car-axis", "index3", 1e-6, 6.6, 97},
                             Published{"slider-crank", "index2", 1e-7, 8.2, 644}}) {
    const Result r = run(p.problem, p.tolerance, {.method = "radau", .formulation = p.formulation});
    ASSERT_TRUE(r.solution.ok()) << p.problem << ": " << r.solution.message();
    EXPECT_LE(r.factorisations(), p.factorisations) << p.problem;
    EXPECT_GE(p.relative ? r.scd : r.mescd, p.digits) << p.problem;
  }
}

// RADAU: 976 steps, 9.5 digits at 1e-10. Single steps decide the digits: several tolerances.
TEST(SlowRadauRuns, TransistorAmplifier) {
  long fewest = 1000000;
  for (const double tolerance : {1e-10, 3e-11, 1e-11}) {
    const Result r = run("transistor-amplifier", tolerance, {.method = "radau"});
    ASSERT_TRUE(r.solution.ok()) << r.solution.message();
    EXPECT_GT(r.solution.statistics().order_histogram[13], 200);
    if (r.mescd >= 9.5) fewest = std::min(fewest, r.factorisations());
  }
  EXPECT_LE(fewest, 976);
}

// One real and (s - 1) / 2 complex systems per correction, one solve for the estimate, one more in
// the first step and in repeated ones; a pair is counted once.
TEST(RadauRuns, SolvesPerIteration) {
  const Result r = run("akzo", 1e-7, {.method = "radau5"});
  const Statistics& s = r.solution.statistics();
  const Counts& c = s.in(Phase::step);
  EXPECT_LE(c.factorisations, s.steps() + c.newton_failures);
  EXPECT_GE(c.solves, 2 * c.newton_iterations + s.accepted);
  EXPECT_LE(c.solves, 2 * c.newton_iterations + 2 * s.steps());
  EXPECT_GE(c.residual_evaluations, 3 * (c.newton_iterations - s.rejected));
}

// Linear, constant coefficients, smooth solution: one Jacobian serves all steps, and steps that
// grow by less than 1.2 keep their factors.
TEST(RadauRuns, KeepTheJacobianOfALinearProblem) {
  const Problem linear =
      MassMatrixProblem{.name = "linear",
                        .rhs = autodiff([](const auto& t, const auto& y, auto& f) {
                          using std::cos;
                          f[0] = -1000.0 * (y[0] - cos(t));
                          f[1] = y[0] - y[1];
                        }),
                        .y0 = Eigen::Vector2d(1.0, 0.0),
                        .index = 0};
  const Solution s = solve(linear, {0.0, 20.0}, {.method = "radau5", .rtol = 1e-6, .atol = 1e-6});
  ASSERT_TRUE(s.ok()) << s.message();
  // New ones come with failed error tests alone, which the start provokes.
  EXPECT_LE(s.statistics().in(Phase::step).jacobian_evaluations, 1 + s.statistics().rejected);
  EXPECT_LT(s.statistics().in(Phase::step).factorisations, s.statistics().steps());
}

// Dense and sparse systems are the same iteration: the digits agree far below the tolerance.
TEST(RadauRuns, SparseAndDenseAgree) {
  for (const char* name : {"akzo", "car-axis"}) {
    Options o{.method = "radau"};
    o.linear_algebra = LinearAlgebra::dense;
    const Result dense = run(name, 1e-8, o);
    o.linear_algebra = LinearAlgebra::sparse;
    const Result sparse = run(name, 1e-8, o);
    ASSERT_TRUE(dense.solution.ok() && sparse.solution.ok());
    EXPECT_NEAR(dense.mescd, sparse.mescd, 0.5) << name;
    EXPECT_EQ(sparse.solution.choice().linear_solver, "sparse");
  }
}

// What Newton's method leaves in the constraint the next step sees as an error which no length of
// it mends: runs ended with steps of 1e-15, or went on with a warning. Its weights for index 2
// leave so little that neither happens.
TEST(RadauRuns, GoOnFromErrorsThatNoStepIsShortEnoughFor) {
  int told = 0;
  for (const double tol : {1e-8, 5e-9, 3e-9, 2e-9, 1e-9, 5e-10, 3e-10}) {
    const Result r = run("tischendorf-linear", tol, {.method = "radau5"});
    ASSERT_TRUE(r.solution.ok()) << tol << ": " << r.solution.message();
    EXPECT_GT(r.mescd, -std::log10(tol) - 0.5) << tol;
    EXPECT_LT(r.steps(), 100) << tol;
    for (const std::string& w : r.solution.warnings())
      told += w.find("was left by the step before") != w.npos;
  }
  EXPECT_EQ(told, 0);
}

TEST(RadauRuns, OptionsAreChecked) {
  const auto refused = [](const char* key, double value) {
    try {
      run("brenan", 1e-4, {.method = "radau", .method_options = {{key, value}}});
    } catch (const InvalidArgument& e) {
      return std::string(e.what()).find(key) != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused("order", 7));
  EXPECT_TRUE(refused("max_order", 0));
  EXPECT_TRUE(refused("kappa", -1));
  EXPECT_TRUE(refused("slow_rate", -1));
  EXPECT_FALSE(refused("order", 9));
  const Result nine = run("brenan", 1e-8, {.method = "radau", .method_options = {{"order", 9}}});
  EXPECT_EQ(nine.solution.statistics().order_histogram[9], nine.solution.statistics().accepted);
}

// y' = -sqrt(1 - y) z, 0 = z - 1 from y = 0 leaves the domain; the message names the callable and
// the row. A singular matrix names the variable.
TEST(RadauRuns, FailuresNameTheirCause) {
  const Problem root = ImplicitProblem{
      .name = "root",
      .residual = autodiff([](const auto&, const auto& y, const auto& rate, auto& r) {
        using std::sqrt;
        r[0] = rate[0] - 1.0 / sqrt(1.0 - y[0]);
        r[1] = y[1] - y[0];
      }),
      .y0 = Eigen::Vector2d(0.0, 0.0),
      .yp0 = Eigen::Vector2d(1.0, 1.0),
      .variables = {"position", "copy"},
      .equations = {"motion", "definition"}};
  const Solution s = solve(root, {0.0, 2.0}, {.method = "radau", .rtol = 1e-6, .atol = 1e-6});
  EXPECT_FALSE(s.ok());
  EXPECT_TRUE(s.message().find("motion") != std::string::npos ||
              s.message().find("position") != std::string::npos ||
              s.message().find("copy") != std::string::npos)
      << s.message();
  // The solution is 1 - (1 - 3 t / 2)^(2/3): it ends at 2/3.
  EXPECT_NEAR(s.end_time(), 2.0 / 3.0, 1e-3);
}

}  // namespace
}  // namespace daedalus::radau_runs_test
