// SPDX-License-Identifier: BSD-3-Clause
// The examples of Arnold (1998), run: exponents within 0.2, and constants where he gives them.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/perturbation.hpp>

namespace daedalus {
namespace {

PerturbationStudy euler_on(const char* problem, const char* formulation = "auto",
                           const problems::Values& values = {}) {
  PerturbationStudy study;
  const problems::Entry& entry = *problems::find_problem(problem);
  study.problem = entry.problem(values);
  study.interval = {entry.t0, entry.t_end};
  study.options.method = "implicit-euler";
  study.options.formulation = formulation;
  return study;
}

void expect_exponents(const PerturbationReport& report, const char* name, double theta, double h) {
  const PerturbedComponent* c = report.find(name);
  ASSERT_NE(c, nullptr) << name;
  EXPECT_NEAR(c->theta_exponent, theta, 0.2) << name << " " << c->reason << "\n" << c->errors;
  EXPECT_NEAR(c->h_exponent, h, 0.2) << name << " " << c->reason << "\n" << c->errors;
}

TEST(ExampleEight, SquareOfThetaOverH) {
  PerturbationStudy study = euler_on("arnold-8", "auto", {{"mu0", 1.0}});
  study.thetas = {1e-5, 3e-6};
  study.steps = {1e-3, 5e-4, 2.5e-4};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  EXPECT_THAT(report.rows, testing::ElementsAre("constraint"));
  expect_exponents(report, "y", 2.0, -2.0);
  expect_exponents(report, "z", 1.0, -1.0);
  EXPECT_EQ(report.find("y")->verdict, "as predicted");
  EXPECT_EQ(report.find("z")->verdict, "as predicted");
  EXPECT_EQ(report.find("z")->index, 2);
  EXPECT_EQ(report.index, 2) << "perturbation index 2";
}

// Wherever a study is cancelled, it has not come to its end, and what it measured stays.
TEST(Cancelled, IsAFailureInEveryRun) {
  PerturbationStudy study = euler_on("arnold-8", "auto", {{"mu0", 1.0}});
  study.thetas = {1e-5, 3e-6};
  study.steps = {4e-3, 2e-3};
  long calls = 0, last = std::numeric_limits<long>::max();
  study.options.cancel = [&] { return ++calls > last; };
  ASSERT_EQ(perturb(study).failure, "");
  const long all = calls;
  // The first step size takes two sevenths of all steps, the run that is judged one.
  for (const double part : {0.4, 0.6, 0.8}) {
    last = static_cast<long>(part * static_cast<double>(all));
    calls = 0;
    const PerturbationReport report = perturb(study);
    EXPECT_THAT(report.failure, testing::HasSubstr("cancelled")) << last << " of " << all;
    EXPECT_TRUE(std::isfinite(report.find("y")->errors(0, 0)));
  }
}

TEST(ExampleEight, LinearInZKeepsYAtTheta) {
  PerturbationStudy study = euler_on("arnold-8", "auto", {{"mu0", 0.0}});
  study.thetas = {1e-5, 3e-6};
  study.steps = {1e-3, 5e-4, 2.5e-4};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  expect_exponents(report, "y", 1.0, 0.0);
  expect_exponents(report, "z", 1.0, -1.0);
  EXPECT_LT(report.find("y")->errors.maxCoeff(), 1e-5) << "never exceeds theta";
}

// Example 8 with sin t in single precision; values of the perturbation alone, from a run in
// extended precision, where it exceeds the discretisation error.
TEST(ExampleEight, SinglePrecision) {
  PerturbationStudy study = euler_on("arnold-8", "auto", {{"mu0", 1.0}});
  study.kind = PerturbationKind::single_precision;
  study.thetas = {6.0 * 0x1p-25};
  study.steps = {1e-4, 1e-5};
  study.components = {"y1", "z"};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  const double z = report.find("z")->errors(0, 1), y = report.find("y1")->errors(0, 1);
  EXPECT_GT(z, 4.94e-3 / 2.0);
  EXPECT_LT(z, 4.94e-3 * 2.0);
  EXPECT_GT(y, 1.13e-5 / 2.0) << "1.83e-5 in all, 7.0e-6 by discretisation";
  EXPECT_LT(y, 1.13e-5 * 2.0);
  EXPECT_TRUE(std::isnan(report.find("z")->theta_exponent)) << "one theta has no slope";
}

// (2.49): linear in the new multiplier, so that (theta/h)^2 leaves y; z follows y.
TEST(ExampleEight, LinearisedFormulation) {
  PerturbationStudy study = euler_on("arnold-8", "linearised", {{"mu0", 1.0}});
  study.thetas = {1e-5, 3e-6};
  study.steps = {1e-3, 5e-4, 2.5e-4};
  study.rows = PerturbedRows::named;
  study.row_names = {"constraint"};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  expect_exponents(report, "y", 1.0, 0.0);
  expect_exponents(report, "eta", 1.0, -1.0);
  EXPECT_EQ(report.find("z")->index, 1);
}

// Example 10: 0.064 theta^2/h at t = 1, 0.064 = beta(1)^3/8 with beta(1) = 4/5, on top of the +-0.4
// theta between which y2 alternates; 0.057 where the error comes near 0.06.
TEST(ExampleTen, GrowthWithoutAnalyticCounterpart) {
  PerturbationStudy study = euler_on("arnold-10");
  study.components = {"y2"};
  study.thetas = {5e-3, 2.5e-3};
  study.steps = {1e-4, 5e-5, 2.5e-5};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  expect_exponents(report, "y2", 2.0, -1.0);
  const PerturbedComponent& y2 = *report.find("y2");
  EXPECT_EQ(y2.verdict, "as predicted");
  EXPECT_NEAR(y2.errors(1, 0), 0.4 * 2.5e-3 + 0.064 * 6.25e-6 / 1e-4, 5e-4);
  EXPECT_NEAR(y2.errors(1, 2) - y2.errors(1, 1), 0.064 * 6.25e-6 / 5e-5,
              0.1 * 0.064 * 6.25e-6 / 5e-5);
}

// f_z constant: the same constraint, but y stays within theta (Example 18, Theorem 5b).
TEST(ExampleEighteen, ConstantDirectionIsHarmless) {
  PerturbationStudy study = euler_on("arnold-18");
  study.components = {"y1", "y2"};
  study.at_end = true;
  study.thetas = {1e-3, 3e-4};
  study.steps = {1e-2, 5e-3, 2.5e-3};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(report.find("y2")->theory, "theta");
  expect_exponents(report, "y2", 1.0, 0.0);
  EXPECT_LT(report.find("y2")->errors.maxCoeff(), 1e-3);
}

TEST(ExampleThirteen, IndexThree) {
  PerturbationStudy study = euler_on("arnold-13", "index3");
  study.interval.to = 1.0;
  study.kind = PerturbationKind::single_precision;
  study.thetas = {1e-4, 3e-5};
  study.steps = {1e-3, 5e-4, 2.5e-4};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  expect_exponents(report, "q", 2.0, -2.0);
  expect_exponents(report, "Sv", 2.0, -2.0);
  expect_exponents(report, "Gv", 1.0, -1.0);
  expect_exponents(report, "lambda", 1.0, -2.0);
  EXPECT_EQ(report.index, 3);
}

TEST(ExampleThirteen, IndexTwo) {
  PerturbationStudy study = euler_on("arnold-13", "index2");
  study.interval.to = 1.0;
  study.kind = PerturbationKind::single_precision;
  study.thetas = {1e-5, 3e-6};
  study.steps = {2e-3, 1e-3, 5e-4};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(report.find("q")->verdict, "below the bound") << "rounding errors cancel in the mean";
  EXPECT_LT(report.find("q")->errors.maxCoeff(), 1e-5);
  expect_exponents(report, "Gv", 1.0, 0.0);
  expect_exponents(report, "lambda", 1.0, -1.0);
}

TEST(ExampleThirteen, HoldingPositionsAndVelocities) {
  PerturbationStudy study = euler_on("arnold-13", "ggl");
  study.interval.to = 1.0;
  study.kind = PerturbationKind::single_precision;
  study.thetas = {1e-5, 3e-6};
  study.steps = {2e-3, 1e-3, 5e-4};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  EXPECT_EQ(report.rows.size(), 2u);
  expect_exponents(report, "q", 1.0, 0.0);
  expect_exponents(report, "Gv", 1.0, 0.0);
  expect_exponents(report, "lambda", 1.0, -1.0);
  study.options.formulation = "stabilised-index1";
  const PerturbationReport all_levels = perturb(study);
  ASSERT_EQ(all_levels.failure, "");
  expect_exponents(all_levels, "lambda", 1.0, 0.0);
  EXPECT_LT(all_levels.find("lambda")->errors.maxCoeff(),
            1e-2 * report.find("lambda")->errors.maxCoeff());
}

// Smooth residuals are differentiated, not amplified.
TEST(Smooth, NothingGrowsWithSmallSteps) {
  PerturbationStudy study = euler_on("arnold-13", "index3");
  study.interval.to = 1.0;
  study.kind = PerturbationKind::smooth;
  study.thetas = {1e-5, 3e-6};
  study.steps = {2e-3, 1e-3, 5e-4};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  expect_exponents(report, "q", 1.0, 0.0);
}

// Remark 4c: theta/h^(m-1) in a linear system of index m.
TEST(Nilpotent, IndexIsFound) {
  PerturbationStudy study = euler_on("nilpotent", "auto", {{"m", 3.0}});
  study.thetas = {1e-4, 1e-5};
  study.steps = {2e-2, 1e-2, 5e-3};
  const PerturbationReport report = perturb(study);
  ASSERT_EQ(report.failure, "");
  expect_exponents(report, "z", 1.0, -2.0);
  EXPECT_EQ(report.index, 3);
}

TEST(Budget, WarnsOfLooseConstraints) {
  PerturbationStudy study = euler_on("arnold-13", "index3");
  study.interval.to = 1.0;
  study.thetas = {1e-5};
  study.steps = {1e-2};
  study.options.rtol = 1e-4;
  study.options.atol = 1e-4;
  study.options.method_options["newton_tolerance"] = 1e-3;
  const PerturbationReport tight = perturb(study);
  ASSERT_EQ(tight.failure, "");
  // theta <= min(TOL, h sqrt(TOL)) for q and h^2 TOL for lambda.
  const double h = tight.budget.h;
  for (const ConstraintBudget::Limit& limit : tight.budget.limits) {
    if (limit.component == "q") {
      EXPECT_NEAR(limit.theta, std::min(1e-4, h * 1e-2), 1e-12);
    } else if (limit.component == "lambda") {
      EXPECT_NEAR(limit.theta, h * h * 1e-4, 1e-15);
    }
  }
  EXPECT_NEAR(tight.budget.kappa, h * h, 1e-9);
  study.options.method_options["newton_tolerance"] = 1.0;
  const PerturbationReport loose = perturb(study);
  EXPECT_GT(loose.budget.theta, tight.budget.theta);
  EXPECT_GT(loose.budget.too_loose, 1.0);
  EXPECT_THAT(loose.budget.verdict, testing::HasSubstr("too loose by a factor"));
}

// Example 14: y1' = y2' = z, 0 = (y1' + y2')/alpha + y1 + y2.
SemiExplicitProblem damped(double alpha) {
  return {.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) {
            f[0] = z[0];
            f[1] = z[0];
          }),
          .g = autodiff([alpha](const auto&, const auto& y, const auto& z, auto& g) {
            g[0] = 2.0 * z[0] / alpha + y[0] + y[1];
          }),
          .y0 = Eigen::Vector2d(1.0, -1.0),
          .z0 = Eigen::VectorXd::Zero(1)};
}

// |z| = alpha theta / (2 + alpha h): not bounded in alpha by itself, but times h.
TEST(Uniform, BaumgarteOfIndexTwo) {
  PerturbationStudy study;
  study.interval = {0.0, 1.0};
  study.options.method = "implicit-euler";
  study.thetas = {1e-4, 1e-5};
  study.steps = {1e-1, 1e-3};
  study.components = {"z"};
  const std::vector<double> alphas{10.0, 40.0, 160.0, 640.0};
  const UniformIndex u = uniform_index(
      study, "alpha", alphas,
      [](double alpha, PerturbationStudy& member) { member.problem = damped(alpha); });
  EXPECT_THAT(u.warnings, testing::IsEmpty());
  EXPECT_EQ(u.index, 2);
  EXPECT_EQ(u.growth[1].text, "bounded");
  EXPECT_LE(u.growth[1].constants.back(), 1.0) << "C_2 = alpha h / (2 + alpha h)";
  for (std::size_t i = 0; i < alphas.size(); ++i)
    EXPECT_NEAR(u.growth[0].constants[i], alphas[i] / (2.0 + alphas[i] * 1e-3),
                0.2 * alphas[i] / 2.0);
  EXPECT_NEAR(u.growth[0].exponent, 0.9, 0.15);
}

// The library's own formulation (2.86) of the same model.
TEST(Uniform, BaumgarteAsAFormulation) {
  PerturbationStudy study = euler_on("arnold-14", "baumgarte");
  study.thetas = {1e-4, 1e-5};
  study.steps = {1e-1, 1e-3};
  study.components = {"z"};
  const UniformIndex u = uniform_index(study, "alpha", {10.0, 40.0, 160.0, 640.0},
                                       [](double alpha, PerturbationStudy& member) {
                                         member.options.formulation_options["alpha"] = alpha;
                                       });
  EXPECT_EQ(u.index, 2);
  EXPECT_NEAR(u.growth[0].constants[1], 40.0 / 2.04, 0.6) << "the first steps overshoot by 2 %";
}

// (3.5): uniform perturbation index 3, although every member has index 1 (Remark 14b).
TEST(Uniform, BaumgarteOfMechanics) {
  PerturbationStudy study = euler_on("arnold-13", "baumgarte");
  study.interval.to = 1.0;
  study.thetas = {1e-5};
  study.steps = {1e-1, 2e-3};
  study.components = {"lambda"};
  const UniformIndex u = uniform_index(study, "alpha", {20.0, 60.0, 200.0, 600.0},
                                       [](double alpha, PerturbationStudy& member) {
                                         member.options.formulation_options["alpha"] = alpha;
                                       });
  EXPECT_EQ(u.index, 3);
}

// With alpha bounded (Example 15c) the class has index 1: steps with alpha h < 1 throughout.
TEST(Uniform, BoundedParameters) {
  PerturbationStudy study;
  study.interval = {0.0, 0.2};
  study.options.method = "implicit-euler";
  study.thetas = {1e-4, 1e-5};
  study.steps = {1e-2, 5e-3, 1e-3};
  study.components = {"z"};
  const UniformIndex u =
      uniform_index(study, "alpha", {1.0, 1.1, 1.2}, [](double alpha, PerturbationStudy& member) {
        member.problem = damped(std::sqrt(std::sqrt(alpha)));
      });
  EXPECT_EQ(u.index, 1);
}

// Example 16 with L = pi: the second mode is amplified by exp(3 ((N + 1)/L)^2 t) for rho = 0, so
// that no index is uniform; for rho = -2 it is damped as fast, and the index is 2.
TEST(Uniform, SpaceDiscretisations) {
  const problems::Entry& entry = *problems::find_problem("arnold-16");
  const auto of = [&](double rho, double t_end, std::vector<double> steps) {
    PerturbationStudy study;
    study.problem = entry.problem();
    study.interval = {0.0, t_end};
    study.options.method = "implicit-euler";
    study.kind = PerturbationKind::random;
    study.thetas = {1e-8};
    study.steps = std::move(steps);
    return uniform_index(study, "N", {6.0, 10.0, 14.0, 18.0},
                         [&, rho](double n, PerturbationStudy& member) {
                           member.problem = entry.problem({{"N", n}, {"rho", rho}});
                         });
  };
  const UniformIndex explosive = of(0.0, 0.2, {2e-3, 1e-3});
  EXPECT_EQ(explosive.index, 0);
  EXPECT_EQ(explosive.growth[0].text, "exponential");
  // From N = 6 to 14: log of the ratio (67 - 13) t = 10.7 up to discretisation.
  EXPECT_GT(std::log(explosive.growth[0].constants[2] / explosive.growth[0].constants[0]), 7.0);
  // 3/dx^2 = 15 ... 110: only steps that are long compared with its inverse show the limit.
  const UniformIndex decaying = of(-2.0, 2.0, {0.2, 0.02});
  EXPECT_EQ(decaying.index, 2);
  EXPECT_NE(decaying.growth[0].text, "bounded");
  for (const double c : decaying.growth[1].constants) EXPECT_LT(c, 1.0);
}

TEST(Misuse, NamesTheField) {
  PerturbationStudy study = euler_on("arnold-10");
  study.thetas = {};
  EXPECT_THROW(perturb(study), InvalidArgument);
  study = euler_on("arnold-10");
  study.components = {"w"};
  study.thetas = {1e-4};
  study.steps = {0.1};
  EXPECT_THROW(perturb(study), InvalidArgument);
  EXPECT_THROW(uniform_index(study, "a", {1.0, 2.0}, [](double, PerturbationStudy&) {}),
               InvalidArgument);
}

}  // namespace
}  // namespace daedalus
