// SPDX-License-Identifier: BSD-3-Clause
// GMRES, products without a matrix, and runs with linear_algebra krylov against those with LU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdlib>

#include <catalogue/catalogue.hpp>
#include <catalogue/preconditioner.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>

#include "linalg/gmres.hpp"

namespace daedalus::krylov_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

Gmres::Map times(const MatrixXd& A) {
  return [A](const double* in, double* out) {
    Eigen::Map<VectorXd>(out, A.rows()) = A * Eigen::Map<const VectorXd>(in, A.cols());
    return true;
  };
}
// The same in every order of the tests.
MatrixXd some_matrix(int n) {
  std::srand(1);
  MatrixXd A = MatrixXd::Random(n, n);
  A.diagonal().array() += 4.0;
  return A;
}

TEST(Gmres, SolvesInAsManyDirectionsAsThereAreUnknowns) {
  const int n = 12;
  const MatrixXd A = MatrixXd::Random(n, n);  // no structure that would help
  const VectorXd b = VectorXd::Random(n);
  VectorXd x = b;
  Gmres whole(n, {n, 100});
  const Gmres::Result r =
      whole.solve(times(A), times(MatrixXd::Identity(n, n)), nullptr, 1e-12, 0.0, x.data());
  EXPECT_TRUE(r.converged);
  EXPECT_LE(r.products, n);
  EXPECT_LT((A * x - b).norm(), 1e-11 * b.norm());
}

TEST(Gmres, RestartsAndPreconditionersLeadToTheSameSolution) {
  const int n = 60;
  const MatrixXd A = some_matrix(n) + MatrixXd(VectorXd::LinSpaced(n, 0.0, 40.0).asDiagonal());
  const MatrixXd jacobi = A.diagonal().cwiseInverse().asDiagonal();
  const VectorXd b = VectorXd::Random(n), scale = VectorXd::LinSpaced(n, 1e-3, 10.0);
  const VectorXd exact = A.partialPivLu().solve(b);
  int plain = 0;
  for (const bool preconditioned : {false, true}) {
    VectorXd x = b;
    Gmres restarted(n, {8, 400});
    const Gmres::Result r =
        restarted.solve(times(A), times(preconditioned ? jacobi : MatrixXd::Identity(n, n)),
                        preconditioned ? scale.data() : nullptr, 1e-11, 0.0, x.data());
    ASSERT_TRUE(r.converged);
    EXPECT_LE(r.reduction, 1e-11);
    EXPECT_LT((x - exact).norm(), 1e-8 * exact.norm());
    if (preconditioned) {
      EXPECT_LT(r.products, plain);
    } else {
      plain = r.products;
    }
  }
}

TEST(Gmres, SaysWhenItDoesNotConverge) {
  const int n = 40;
  // A shift: the residual does not fall at all before the last direction.
  MatrixXd shift = MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) shift(i, (i + 1) % n) = 1.0;
  VectorXd x = VectorXd::Unit(n, 0);
  Gmres restarted(n, {10, 30});
  const Gmres::Result r =
      restarted.solve(times(shift), times(MatrixXd::Identity(n, n)), nullptr, 1e-6, 0.0, x.data());
  EXPECT_FALSE(r.converged);
  EXPECT_GE(r.products, 30);
  EXPECT_NEAR(r.reduction, 1.0, 1e-12);
  // A map that cannot be evaluated is no convergence either.
  const Gmres::Map broken = [](const double*, double*) { return false; };
  x = VectorXd::Unit(n, 0);
  EXPECT_FALSE(
      restarted.solve(broken, times(MatrixXd::Identity(n, n)), nullptr, 1e-6, 0.0, x.data())
          .converged);
}

Options krylov(const char* method, double tol) {
  Options o;
  o.method = method;
  o.rtol = tol;
  o.atol = tol;
  o.output = Output::end;
  o.linear_algebra = LinearAlgebra::krylov;
  return o;
}

Solution stokes(double n, Options o, double t_end = 1.0) {
  const problems::Entry& entry = *problems::find_problem("pde-2d");
  if (o.linear_algebra == LinearAlgebra::krylov)
    o.krylov.preconditioner = problems::preconditioner_of(entry, {{"n", n}});
  return solve(entry.problem({{"n", n}}), {0.0, t_end}, o);
}

TEST(Krylov, StokesFlowEndsWhereLuLeadsIt) {
  Options direct = krylov("bdf", 1e-6);
  direct.linear_algebra = LinearAlgebra::sparse;
  const Solution a = stokes(10, krylov("bdf", 1e-6)), b = stokes(10, direct);
  ASSERT_TRUE(a.ok()) << a.message();
  EXPECT_EQ(a.choice().linear_solver, "krylov");
  // Errors of both runs are of the size of the tolerance times the number of steps.
  const auto velocities = 2 * 9 * 10;
  EXPECT_LT((a.end().y() - b.end().y()).head(velocities).cwiseAbs().maxCoeff(), 5e-6);
  EXPECT_LT((a.end().y() - b.end().y()).cwiseAbs().maxCoeff(), 5e-4);
  const Counts counts = a.statistics().total();
  EXPECT_EQ(counts.factorisations, 0);
  EXPECT_EQ(counts.krylov_failures, 0);
  EXPECT_GT(counts.krylov_iterations, counts.solves / 2);
  EXPECT_LT(std::abs(a.statistics().accepted - b.statistics().accepted),
            0.1 * double(b.statistics().accepted) + 3);
}

// The number of products per solve hardly depends on the grid.
TEST(Krylov, ThePreconditionerOfTheStokesEquationsSuitsEveryGrid) {
  for (const double n : {6.0, 12.0, 24.0, 29.0}) {
    const Solution s = stokes(n, krylov("bdf", 1e-4), 0.2);
    ASSERT_TRUE(s.ok()) << s.message();
    const Counts c = s.statistics().total();
    EXPECT_LT(double(c.krylov_iterations) / double(c.solves), 8.0) << n;
  }
}

// y' = -y + z, 0 = z - y/2 in n copies; counts the evaluations over dual numbers.
SemiExplicitProblem counted(int n, long& duals) {
  return SemiExplicitProblem{
      .name = "counted",
      .f = autodiff([n, &duals](const auto& t, const auto& y, const auto& z, auto& f) {
        if constexpr (std::is_same_v<std::decay_t<decltype(t)>, Dual4>) ++duals;
        for (int i = 0; i < n; ++i) f[i] = z[i] - y[i];
      }),
      .g = autodiff([n](const auto&, const auto& y, const auto& z, auto& g) {
        for (int i = 0; i < n; ++i) g[i] = z[i] - 0.5 * y[i];
      }),
      .y0 = VectorXd::Ones(n),
      .z0 = VectorXd::Constant(n, 0.5)};
}

// dF/dx' of these forms is known: start-up looks for no structure. A search would take more
// evaluations the larger the system is.
TEST(Krylov, StartUpTakesTheSameNumberOfEvaluationsForEverySize) {
  std::vector<long> evaluations;
  for (const int n : {500, 4000}) {
    long duals = 0;
    Integrator run(counted(n, duals), krylov("bdf", 1e-4));
    ASSERT_EQ(run.initialize(0.0, 1.0), Status::success);
    evaluations.push_back(duals);
  }
  EXPECT_EQ(evaluations[0], evaluations[1]);
  EXPECT_LE(evaluations[0], 2);  // the sensitivity of the algebraic rows
}

// An index-1 system of size 30 without structure: f and g by generic callables, and by plain ones.
SemiExplicitProblem mixing() {
  const int n = 15;
  return SemiExplicitProblem{
      .name = "mixing",
      .f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
        using std::sin;
        for (int i = 0; i < 15; ++i) f[i] = -(1.0 + i) * y[i] + z[14 - i] + sin(t);
      }),
      .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
        for (int i = 0; i < 15; ++i)
          g[i] = z[i] + 0.1 * z[i] * z[i] * z[i] - y[i] * y[(i + 1) % 15];
      }),
      .y0 = VectorXd::Ones(n),
      .z0 = VectorXd::Constant(n, 0.92170115)};
}

TEST(Krylov, WorksWithoutPreconditionerInEveryFamilyThatOffersIt) {
  SemiExplicitProblem p = mixing();
  Options start;
  start.start = StartStrategy::solve;
  p.z0 = solve(p, {0.0, 0.0}, start).start().z();
  Options accurate;
  accurate.method = "radau5";
  accurate.rtol = 1e-10;
  accurate.atol = 1e-10;
  const VectorXd exact = solve(p, {0.0, 1.0}, accurate).end().y();
  for (const char* method : {"bdf", "dae2sol", "rodas4", "auto"}) {
    Options o = krylov(method, 1e-6);
    o.error_test = ErrorPolicy::all;  // dae2sol would look for a projector
    const Solution s = solve(p, {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    EXPECT_LT((s.end().y() - exact).cwiseAbs().maxCoeff(), 3e-5) << method;
    EXPECT_EQ(s.statistics().total().factorisations, 0) << method;
  }
  const Options euler = krylov("implicit-euler", 1e-3);
  EXPECT_LT((solve(p, {0.0, 1.0}, euler).end().y() - exact).cwiseAbs().maxCoeff(), 3e-2);
  // Products by differences where the callables give values only.
  Options differences = krylov("bdf", 1e-6);
  differences.derivatives = DerivativeSource::differences;
  const Solution s = solve(p, {0.0, 1.0}, differences);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.end().y() - exact).cwiseAbs().maxCoeff(), 3e-5);
}

// Without a preconditioner a hundredth of the residual, in which rows with 1/h outweigh the others,
// says nothing of algebraic variables: Newton's method failed where LU has no difficulty, or
// believed in corrections that were none.
TEST(Krylov, FixedStepsWithoutPreconditionerTakeTheIterationsOfLu) {
  SemiExplicitProblem index1 = mixing();
  Options start;
  start.start = StartStrategy::solve;
  index1.z0 = solve(index1, {0.0, 0.0}, start).start().z();
  const Problem index2 = problems::find_problem("jay")->problem();
  for (const Problem& p : {Problem(index1), index2})
    for (const double h : {1e-2, 1e-3}) {
      Options o = krylov("implicit-euler", 1e-6);
      o.fixed_step = h;
      const Solution free = solve(p, {0.0, 10.0 * h}, o);
      ASSERT_TRUE(free.ok()) << name_of(p) << ' ' << h << ": " << free.message();
      o.linear_algebra = LinearAlgebra::dense;
      const Solution direct = solve(p, {0.0, 10.0 * h}, o);
      EXPECT_LE(free.statistics().total().newton_iterations,
                direct.statistics().total().newton_iterations + 2)
          << name_of(p) << ' ' << h;
      EXPECT_LT((free.end().y() - direct.end().y()).cwiseAbs().maxCoeff(), 1e-8) << name_of(p);
    }
}

TEST(Krylov, FailuresNameTheIterationThatDoesNotConverge) {
  Options o = krylov("bdf", 1e-6);
  const problems::Entry& entry = *problems::find_problem("pde-2d");
  o.krylov.iterations = 3;  // without a preconditioner, far too few
  const Solution s = solve(entry.problem(), {0.0, 1.0}, o);
  EXPECT_EQ(s.status(), Status::newton_failed);
  EXPECT_THAT(s.message(), HasSubstr("GMRES does not converge"));
  EXPECT_THAT(s.message(), HasSubstr("krylov.preconditioner"));
  EXPECT_GT(s.statistics().total().krylov_failures, 0);
  // A preconditioner that refuses is a rejected step.
  o = krylov("bdf", 1e-6);
  o.krylov.preconditioner = {[](const PreconditionerSite&) { return false; },
                             [](In r, Out x) { x = r; }};
  EXPECT_FALSE(solve(entry.problem(), {0.0, 1.0}, o).ok());
}

TEST(Krylov, MisuseIsNamed) {
  const auto message = [](const Problem& p, const Options& o) {
    try {
      (void)solve(p, {0.0, 1.0}, o);
    } catch (const InvalidArgument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const Problem flow = problems::find_problem("pde-2d")->problem();
  EXPECT_THAT(message(flow, krylov("radau", 1e-6)), HasSubstr("linear_algebra krylov"));
  EXPECT_THAT(message(problems::find_problem("pendulum")->problem(), krylov("bdf", 1e-6)),
              HasSubstr("linear_algebra krylov"));
  Options o = krylov("bdf", 1e-6);
  o.krylov.dimension = 0;
  EXPECT_THAT(message(flow, o), HasSubstr("krylov.dimension: 0"));
  o = krylov("bdf", 1e-6);
  o.krylov.tolerance = 1.0;
  EXPECT_THAT(message(flow, o), HasSubstr("krylov.tolerance: 1"));
  o = krylov("bdf", 1e-6);
  o.start = StartStrategy::solve;
  EXPECT_THAT(message(flow, o), HasSubstr("start: 'solve' needs a matrix"));
  o = krylov("bdf", 1e-6);
  o.krylov.preconditioner.update = [](const PreconditionerSite&) { return true; };
  EXPECT_THAT(message(flow, o), HasSubstr("no 'apply'"));
}

// A million unknowns, by products that take no memory and by factors that take gigabytes.
void expect_flow_of_a_million(const Options& options) {
  const Solution s = stokes(600, options, 0.1);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_GT(s.end().y().size(), 1000000);
  const problems::Entry& entry = *problems::find_problem("pde-2d");
  const auto exact = entry.exact(0.1, {{"n", 600.0}, {"nu", 1.0}});
  double error = 0.0;
  for (std::size_t k = 0; k < 2u * 599 * 600; ++k)
    error = std::max(error, std::abs(s.end().y()[static_cast<Eigen::Index>(k)] - exact[k].second));
  EXPECT_LT(error, 1e-2);
}

TEST(SlowKrylov, MillionUnknowns) { expect_flow_of_a_million(krylov("bdf", 1e-3)); }

TEST(SlowSparse, MillionUnknowns) {
  Options o = krylov("bdf", 1e-3);
  o.linear_algebra = LinearAlgebra::sparse;
  expect_flow_of_a_million(o);
}

}  // namespace
}  // namespace daedalus::krylov_test
