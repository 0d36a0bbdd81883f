// SPDX-License-Identifier: BSD-3-Clause
// The problems that grow with a parameter: their discretisations against the differential
// equations, their solutions against closed forms and references, and what start-up costs.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <catalogue/catalogue.hpp>
#include <catalogue/stokes.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::scaling_problems_test {
namespace {

using Eigen::VectorXd;
using problems::find_problem;
using problems::Values;
using problems::stokes::Grid;
constexpr double pi = 3.14159265358979323846;

VectorXd exact_at(const problems::Entry& entry, double t, Values values) {
  for (const Parameter& p : entry.parameters) values.try_emplace(p.name, p.value);
  const auto list = entry.exact(t, values);
  VectorXd x(static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) x[static_cast<Eigen::Index>(k)] = list[k].second;
  return x;
}

Solution run(const char* name, const Values& values, const char* method, double tol,
             LinearAlgebra algebra = LinearAlgebra::automatic, double t_end = 0.0) {
  const problems::Entry& entry = *find_problem(name);
  Options o;
  o.method = method;
  o.rtol = tol;
  o.atol = tol;
  o.output = Output::end;
  o.linear_algebra = algebra;
  Solution s = solve(entry.problem(values), {entry.t0, t_end > 0.0 ? t_end : entry.t_end}, o);
  EXPECT_TRUE(s.ok()) << name << ": " << s.message();
  return s;
}

double end_error(const char* name, const Values& values, const char* method, double tol) {
  const problems::Entry& entry = *find_problem(name);
  const Solution s = run(name, values, method, tol);
  return (s.end().y() - exact_at(entry, entry.t_end, values)).cwiseAbs().maxCoeff();
}

// nu (second differences) - gradient of a flow that slips along the walls,
//   u = sin(pi x) cos(pi y), v = -cos(pi x) sin(pi y), p = cos(pi x) cos(pi y) - p in the last
//   cell,
// against the derivatives, away from the walls. `wrong` puts p half a cell aside.
double stencil_error(int n, double nu, double wrong = 0.0) {
  const Grid grid(n, nu);
  const double h = 1.0 / n;
  VectorXd y(grid.velocities()), z(grid.pressures()), f(grid.velocities()), still = f;
  const auto p = [&](int i, int j) {
    return std::cos(pi * (i + 0.5 + wrong) * h) * std::cos(pi * (j + 0.5) * h);
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      if (i + 1 < n) y[grid.u(i, j)] = std::sin(pi * (i + 1) * h) * std::cos(pi * (j + 0.5) * h);
      if (j + 1 < n) y[grid.v(i, j)] = -std::cos(pi * (i + 0.5) * h) * std::sin(pi * (j + 1) * h);
      if (grid.p(i, j) < grid.pressures()) z[grid.p(i, j)] = p(i, j) - p(n - 1, n - 1);
    }
  grid.rates(0.5, y, z, f);
  grid.rates(0.5, VectorXd::Zero(y.size()), VectorXd::Zero(z.size()), still);
  f -= still;
  double worst = 0.0;
  for (int j = 1; j + 1 < n; ++j)
    for (int i = 1; i + 2 < n; ++i) {
      const double x = (i + 1) * h, q = (j + 0.5) * h;
      const double u = std::sin(pi * x) * std::cos(pi * q);
      const double expected = -2.0 * nu * pi * pi * u + pi * std::sin(pi * x) * std::cos(pi * q);
      worst = std::max(worst, std::abs(f[grid.u(i, j)] - expected));
      const double of_v = -std::cos(pi * q) * std::sin(pi * x);
      const double rate = -2.0 * nu * pi * pi * of_v + pi * std::cos(pi * q) * std::sin(pi * x);
      worst = std::max(worst, std::abs(f[grid.v(j, i)] - rate));
    }
  return worst;
}

TEST(StokesGrid, DifferencesHaveOrderTwo) {
  const double coarse = stencil_error(16, 0.3), fine = stencil_error(32, 0.3);
  EXPECT_LT(coarse, 0.1);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05);
  EXPECT_LT(std::log2(stencil_error(16, 0.3, 0.5) / stencil_error(32, 0.3, 0.5)), 1.3);
}

TEST(StokesGrid, TheKnownSolutionSolvesTheEquationsOfTheGrid) {
  for (const int n : {2, 3, 9}) {
    const Grid grid(n, 0.7);
    for (const double t : {0.0, 0.4, 1.0}) {
      const double step = 1e-5;
      const VectorXd rate = (grid.velocity(t + step) - grid.velocity(t - step)) / (2.0 * step);
      VectorXd f(grid.velocities()), g(grid.pressures());
      const VectorXd y = grid.velocity(t), z = grid.pressure(t);
      grid.rates(t, y, z, f);
      grid.divergence(y, g);
      // Differences of order 1e-10 in the rates; round-off of y/h in the balance.
      EXPECT_LT((f - rate).cwiseAbs().maxCoeff(), 1e-8) << n << " " << t;
      EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-13 * n) << n << " " << t;
    }
  }
}

// Arnold (1998), figure 2.6: alpha_2 = 15.2339 for N = 6, rho = -2, and -13.3646 for rho = 0.
TEST(PartialDifferentialEquation, SecondModeDecaysAsTabulated) {
  for (const auto& [rho, alpha] : {std::pair{-2.0, 15.2339}, {0.0, -13.3646}}) {
    const auto p =
        std::get<SemiExplicitProblem>(find_problem("pde-1d")->problem({{"n", 6.0}, {"rho", rho}}));
    const VectorXd zero = VectorXd::Zero(6);
    VectorXd mode(6);
    for (int k = 0; k < 6; ++k) mode[k] = std::sin(2.0 * pi * (k + 1) / 7.0);
    const auto call = [&](const auto& function, const VectorXd& y, const VectorXd& z) {
      VectorXd r(6);
      Arguments<double> a;
      a.t = 0.3;
      a.x[0] = y.data(), a.n[0] = 6;
      a.x[1] = z.data(), a.n[1] = 6;
      EXPECT_EQ(function(a, r.data(), 6), Eval::ok);
      return r;
    };
    // g = 0 gives v = -(g(mode, 0) - g(0, 0)) / (g(0, mode) - g(0, 0)).
    const double base = call(p.g, zero, zero)[0];
    const double v = -(call(p.g, mode, zero)[0] - base) / (call(p.g, zero, mode)[0] - base);
    const VectorXd rate = call(p.f, mode, v * mode) - call(p.f, zero, zero);
    EXPECT_NEAR(-rate[0] / mode[0], alpha, 6e-5) << rho;
  }
}

TEST(ScalingProblems, ErrorsFollowTheTolerance) {
  for (const char* name : {"pde-1d", "pde-2d"}) {
    const double loose = end_error(name, {}, "bdf", 1e-4), tight = end_error(name, {}, "bdf", 1e-7);
    EXPECT_LT(loose, 3e-3) << name;
    EXPECT_LT(tight, 3e-6) << name;
  }
  EXPECT_LT(end_error("pde-1d", {}, "rodas5", 1e-7), 1e-6);
}

// The two methods share neither formulas nor the treatment of index 2.
TEST(TransmissionLine, ReferencesAreMetByUnrelatedMethods) {
  for (const auto& [name, method, tol] : {std::tuple{"transmission-line", "bdf", 1e-8},
                                          {"transmission-line", "rodas5", 1e-9},
                                          {"transmission-line-index2", "bdf", 1e-8},
                                          {"transmission-line-index2", "radau", 1e-9}}) {
    const problems::Entry& entry = *find_problem(name);
    ASSERT_TRUE(entry.reference);
    const Solution s = run(name, {}, method, tol);
    for (const auto& [variable, value] : entry.reference->values)
      EXPECT_NEAR(s.end()[variable], value, 3e-6) << name << " " << method << " " << variable;
  }
}

// Refining the line: the voltage at its end converges, like 1/n in the end, since the wave that the
// source starts has a kink.
TEST(TransmissionLine, TheLineHasALimit) {
  const auto end_voltage = [](double n) {
    return run("transmission-line", {{"n", n}}, "radau", 1e-8).end()["w" + std::to_string(int(n))];
  };
  const double coarse = end_voltage(32), middle = end_voltage(64), fine = end_voltage(128);
  EXPECT_NEAR(std::log2(std::abs((coarse - middle) / (middle - fine))), 1.4, 0.2);
}

// Structure is found and coloured in O(n): the columns of a Jacobian do not depend on n.
TEST(ScalingProblems, JacobiansTakeAsManyColumnsOnAnyGrid) {
  for (const auto& [name, small, large] : {std::tuple{"pde-1d", 100.0, 800.0},
                                           {"pde-2d", 10.0, 20.0},
                                           {"transmission-line", 100.0, 800.0},
                                           {"transmission-line-index2", 100.0, 800.0}}) {
    const auto columns = [which = name](double n) {
      const Counts c =
          run(which, {{"n", n}}, "bdf", 1e-3, LinearAlgebra::sparse, 0.01).statistics().total();
      return static_cast<double>(c.jacobian_columns) / static_cast<double>(c.jacobian_evaluations);
    };
    EXPECT_LE(columns(large), columns(small) + 4.0) << name;
    EXPECT_LE(columns(large), 24.0) << name;
  }
}

// Factors of a large sparse matrix outlive the changes of the step that they can serve: with new
// ones for every alpha there were as many as steps. The result is the same to a part of the
// tolerance.
TEST(ScalingProblems, FactorsOfTheStokesEquationsServeSeveralSteps) {
  const Solution s = run("pde-2d", {{"n", 14.0}}, "bdf", 1e-4, LinearAlgebra::sparse);
  EXPECT_LT(double(s.statistics().total().factorisations), 0.7 * double(s.statistics().accepted));
  const auto velocities = 2 * 13 * 14;
  const VectorXd exact = exact_at(*find_problem("pde-2d"), 1.0, {{"n", 14.0}});
  EXPECT_LT((s.end().y() - exact).head(velocities).cwiseAbs().maxCoeff(), 1e-5);
}

// Half-explicit stages take the matrix of all multipliers for a full one: 676 pressures would be
// eliminated as such in every stage of more than a thousand steps.
TEST(ScalingProblems, AutomaticChoiceTakesNoFullMatrix) {
  const Solution s = run("pde-2d", {{"n", 26.0}}, "auto", 1e-6);
  EXPECT_EQ(s.choice().method, "radau");
  EXPECT_EQ(s.choice().linear_solver, "sparse");
  EXPECT_LT(s.statistics().accepted, 30);
  const Solution small = run("pde-2d", {{"n", 4.0}}, "auto", 1e-7);
  EXPECT_EQ(small.choice().method, "bdf") << "few unknowns: index 2 whose directions are told";
}

TEST(Recommendation, NamesEveryAlternativeOnce) {
  for (const problems::Entry* entry : problems::all_problems()) {
    const Recommendation r = recommend(entry->problem(), {});
    std::set<std::pair<std::string, std::string>> seen{{r.method, r.formulation}};
    for (const auto& a : r.alternatives)
      EXPECT_TRUE(seen.insert({a.method, a.formulation}).second) << entry->name << ' ' << a.method;
  }
}

TEST(ScalingProblems, SizesAreChecked) {
  for (const char* name : {"pde-1d", "pde-2d", "transmission-line"})
    for (const double n : {0.0, 2.5, -3.0})
      EXPECT_THROW(find_problem(name)->problem({{"n", n}}), InvalidArgument) << name << n;
  EXPECT_THROW(find_problem("transmission-line")->problem({{"leak", 0.0}}), InvalidArgument);
  EXPECT_THROW(find_problem("pde-2d")->problem({{"nu", 0.0}}), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::scaling_problems_test
