// SPDX-License-Identifier: BSD-3-Clause
// Rows, residuals, fits, bounds and structure, each against numbers known beforehand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/perturbation.hpp>

#include "lab/perturbation_parts.hpp"

namespace daedalus {
namespace {

using perturbation::RowKind;

PerturbationStudy on(const char* problem, const problems::Values& values = {}) {
  PerturbationStudy study;
  const problems::Entry& entry = *problems::find_problem(problem);
  study.problem = entry.problem(values);
  study.interval = {entry.t0, entry.t_end};
  return study;
}

std::vector<double> residuals(const PerturbationStudy& study, RowKind kind, double theta) {
  const Defect defect = perturbation::make_defect(study, {{1, kind, 1.0}}, theta);
  const std::vector<std::string> names{"a", "b"};
  std::vector<double> values;
  Eigen::VectorXd rows(2);
  for (long n = 0; n < 50; ++n) {
    rows.setZero();
    defect({n, 0.01 * static_cast<double>(n), 0.01, names}, Out(rows.data(), 2));
    EXPECT_EQ(rows[0], 0.0) << "the other row is left alone";
    values.push_back(rows[1]);
  }
  return values;
}

TEST(Residuals, KeepTheirSizeAndPattern) {
  PerturbationStudy study = on("arnold-13");
  study.kind = PerturbationKind::alternating;
  const auto alternating = residuals(study, RowKind::position, 1e-3);
  for (std::size_t n = 1; n < alternating.size(); ++n) {
    EXPECT_EQ(std::abs(alternating[n]), 1e-3);
    EXPECT_EQ(alternating[n], -alternating[n - 1]);
  }
  study.kind = PerturbationKind::random;
  const auto first = residuals(study, RowKind::position, 1e-3);
  EXPECT_EQ(first, residuals(study, RowKind::position, 1e-3)) << "the same seed, the same numbers";
  study.seed = 2;
  EXPECT_NE(first, residuals(study, RowKind::position, 1e-3));
  double mean = 0.0;
  for (const double x : first) {
    EXPECT_LE(std::abs(x), 1e-3);
    mean += x / 50.0;
  }
  EXPECT_LT(std::abs(mean), 3e-4) << "3.5 standard deviations of a mean of 50 uniform numbers";
  study.kind = PerturbationKind::single_precision;
  // 6 sin t in single precision: 6 * 2^-25 (Example 8).
  const auto single = residuals(study, RowKind::position, 6.0 * 0x1p-25);
  for (std::size_t n = 0; n < single.size(); ++n) {
    const double t = 0.01 * static_cast<double>(n) + 0.01, sine = std::sin(t);
    EXPECT_DOUBLE_EQ(single[n], -6.0 * (sine - static_cast<float>(sine)));
  }
  EXPECT_NE(single, residuals(study, RowKind::velocity, 6.0 * 0x1p-25)) << "a cosine there";
}

TEST(Rows, AreChosenByLevelOrName) {
  PerturbationStudy study = on("arnold-13");
  const std::vector<std::string> names{"kinematics of q1", "balance of v1", "rate of constraint 1",
                                       "constraint 1", "acceleration of constraint 1"};
  const auto chosen = [&](PerturbedRows rows) {
    study.rows = rows;
    std::vector<int> numbers;
    for (const auto& row : perturbation::choose_rows(study, "ggl", names))
      numbers.push_back(row.number);
    return numbers;
  };
  EXPECT_EQ(chosen(PerturbedRows::automatic), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(chosen(PerturbedRows::position), std::vector<int>{3});
  EXPECT_EQ(chosen(PerturbedRows::velocity), std::vector<int>{2});
  EXPECT_EQ(chosen(PerturbedRows::acceleration), std::vector<int>{4});
  EXPECT_EQ(chosen(PerturbedRows::differential), std::vector<int>{1});
  study.row_names = {"kinematics of q1"};
  EXPECT_EQ(chosen(PerturbedRows::named), std::vector<int>{0});
  study.row_names = {"constraint 2"};
  EXPECT_THROW(chosen(PerturbedRows::named), InvalidArgument);
  study.problem = on("arnold-8").problem;
  EXPECT_THROW(chosen(PerturbedRows::velocity), InvalidArgument) << "no levels there";
}

const std::vector<double> thetas{1e-3, 1e-4, 1e-5}, steps{1e-2, 1e-3, 1e-4};

PerturbedComponent synthetic(const std::function<double(double theta, double h)>& error) {
  PerturbedComponent c;
  c.name = "y";
  c.errors.resize(3, 3);
  c.round_off = Eigen::VectorXd::Constant(3, 1e-14);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.errors(i, j) =
          error(thetas[static_cast<std::size_t>(i)], steps[static_cast<std::size_t>(j)]);
  return c;
}

std::string judged(PerturbedComponent& c, double scale = 0.0) {
  const perturbation::Fit f = perturbation::fit(c, thetas, steps, scale);
  c.theta_exponent = f.theta_exponent;
  c.h_exponent = f.h_exponent;
  c.constant = f.constant;
  c.points = f.points;
  c.reason = f.reason;
  return perturbation::verdict(c);
}

TEST(Fit, FindsExponentsAndConstant) {
  PerturbedComponent c = synthetic([](double theta, double h) { return 3.0 * theta / h; });
  c.terms = {{1.0, -1.0, 1.0}};
  EXPECT_EQ(judged(c), "as predicted");
  EXPECT_NEAR(c.theta_exponent, 1.0, 1e-9);
  EXPECT_NEAR(c.h_exponent, -1.0, 1e-9);
  EXPECT_NEAR(c.constant, 3.0, 1e-6);
  EXPECT_EQ(c.points, 9);
}

TEST(Fit, SaysWhenTheTheoryIsWrong) {
  PerturbedComponent c = synthetic([](double theta, double h) { return theta / (h * h); });
  c.terms = {{1.0, -1.0, 1.0}};
  EXPECT_EQ(judged(c), "above the bound") << "theta/h^2 measured, theta/h promised";
  c.terms = {{1.0, -3.0, 1.0}};
  EXPECT_EQ(judged(c), "below the bound");
  c.terms = {{2.0, -2.0, 1.0}};
  EXPECT_EQ(judged(c), "above the bound") << "falls with theta, not with its square";
}

TEST(Fit, KeepsToTheRegimeOfOneTerm) {
  // 0.5 theta + 2 theta^2/h^2: the second is larger where theta > h^2 / 4.
  PerturbedComponent c =
      synthetic([](double theta, double h) { return 0.5 * theta + 2.0 * theta * theta / (h * h); });
  c.terms = {{1.0, 0.0, 1.0}, {2.0, -2.0, 1.0}};
  EXPECT_EQ(judged(c), "as predicted");
  EXPECT_NEAR(c.theta_exponent, 2.0, 0.05);
  EXPECT_NEAR(c.h_exponent, -2.0, 0.05);
  EXPECT_EQ(c.dominating.theta_exponent, 2.0);
  EXPECT_LT(c.points, 9);
  // A tiny constant: the unit-constant guess theta^2/h^2 would be the wrong term.
  c = synthetic(
      [](double theta, double h) { return 0.5 * theta + 1e-9 * theta * theta / (h * h); });
  c.terms = {{1.0, 0.0, 1.0}, {2.0, -2.0, 1.0}};
  EXPECT_EQ(judged(c), "as predicted");
  EXPECT_EQ(c.dominating.theta_exponent, 1.0);
  EXPECT_NEAR(c.h_exponent, 0.0, 0.05);
}

TEST(Fit, NoticesTwoTermsOfTheSameSize) {
  // theta = h^2 along the diagonal of the grid: no run in which one term makes three quarters,
  // twice.
  PerturbedComponent c;
  c.name = "y";
  c.errors.resize(2, 2);
  c.round_off = Eigen::VectorXd::Zero(2);
  const std::vector<double> two_thetas{1.2e-4, 0.8e-4}, two_steps{1.2e-2, 0.8e-2};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const double theta = two_thetas[static_cast<std::size_t>(i)];
      c.errors(i, j) = theta + std::pow(theta / two_steps[static_cast<std::size_t>(j)], 2);
    }
  c.terms = {{1.0, 0.0, 1.0}, {2.0, -2.0, 1.0}};
  const perturbation::Fit f = perturbation::fit(c, two_thetas, two_steps, 0.0);
  c.theta_exponent = f.theta_exponent;
  c.h_exponent = f.h_exponent;
  EXPECT_NEAR(c.theta_exponent, 1.5, 0.15);
  EXPECT_EQ(perturbation::verdict(c), "between two terms");
}

TEST(Fit, LeavesOutWhatSaysNothing) {
  PerturbedComponent c = synthetic([](double, double) { return 3e-14; });
  c.terms = {{1.0, 0.0, 1.0}};
  EXPECT_EQ(judged(c), "");
  EXPECT_TRUE(std::isnan(c.theta_exponent));
  EXPECT_THAT(c.reason, testing::HasSubstr("does not react"));
  // Saturated at 1: those points would flatten the slope.
  c = synthetic([](double theta, double h) { return std::min(1.0, theta * theta / (h * h)); });
  c.terms = {{2.0, -2.0, 1.0}};
  EXPECT_EQ(judged(c, 1.0), "as predicted");
  EXPECT_NEAR(c.h_exponent, -2.0, 1e-6);
  EXPECT_NE(judged(c, 0.0), "as predicted") << "without the test for saturation";
}

Solution trajectory(const PerturbationStudy& study) {
  Options o;
  o.method = "implicit-euler";
  o.fixed_step = (study.interval.to - study.interval.from) / 50.0;
  if (std::holds_alternative<MultibodyProblem>(study.problem)) o.formulation = "index2";
  return solve(study.problem, study.interval, o);
}

TEST(Structure, OfTheExamples) {
  const auto of = [](const char* name, const problems::Values& values = {}) {
    const PerturbationStudy study = on(name, values);
    return analyse_sensitivity(study.problem, trajectory(study));
  };
  // Example 8: f_zz = (0, 12 mu0 z), z = cos t, largest at t = 0.5.
  const PerturbationSensitivity nonlinear = of("arnold-8", {{"mu0", 1.0}});
  EXPECT_NEAR(nonlinear.mu, 12.0 * std::cos(0.5), 0.02 * 12.0) << "implicit Euler is off by 1 %";
  EXPECT_FALSE(nonlinear.linear);
  EXPECT_TRUE(nonlinear.exact);
  EXPECT_EQ(nonlinear.algebraic_count, 1);
  const PerturbationSensitivity linear = of("arnold-8", {{"mu0", 0.0}});
  EXPECT_TRUE(linear.linear);
  EXPECT_EQ(linear.mu, 0.0);
  EXPECT_FALSE(linear.constant) << "f_z = (1/2, y1 y2 + 2 (1 - y1^2))";
  // Example 10: f = (-z, -2 y2 z), f_yz = -2 in one entry; Example 18: f_z = (1, 1).
  EXPECT_NEAR(of("arnold-10").nu, 2.0, 1e-12);
  EXPECT_FALSE(of("arnold-10").constant);
  EXPECT_TRUE(of("arnold-18").constant);
  // Example 13: friction depends on lambda through |lambda| only, and on the direction of v.
  EXPECT_EQ(of("arnold-13").nu, 0.0);
  EXPECT_GT(of("arnold-13", {{"mu0", 0.03}}).nu, 0.01);
  EXPECT_FALSE(of("nilpotent", {{"m", 2.0}}).algebraic_count == 0);
}

TEST(Structure, PlainCallablesByDifferences) {
  SemiExplicitProblem p{
      .f = [](double, const auto& y, const auto& z,
              auto& f) { f[0] = y[0] * z[0] + 0.5 * z[0] * z[0]; },
      .g = [](double t, const auto& y, const auto&, auto& g) { g[0] = y[0] - 1.0 - t; },
      .hessenberg_blocks = {1},
      .y0 = Eigen::VectorXd::Ones(1),
      .z0 = Eigen::VectorXd::Constant(1, 0.7)};
  PerturbationStudy study;
  study.problem = p;
  study.interval = {0.0, 0.5};
  const PerturbationSensitivity s = analyse_sensitivity(study.problem, trajectory(study));
  EXPECT_FALSE(s.exact);
  EXPECT_NEAR(s.mu, 1.0, 1e-5);  // f_zz = 1, f_yz = 1
  EXPECT_NEAR(s.nu, 1.0, 1e-5);
}

std::string bound(const PerturbationStudy& study, const char* formulation, const char* component,
                  const PerturbationSensitivity& s = {}) {
  return perturbation_bound(study, formulation, component, s).text;
}

TEST(Theory, TablesOfArnold) {
  PerturbationSensitivity nonlinear, linear, constant;
  nonlinear.mu = 3.0;
  nonlinear.nu = 1.0;
  linear.linear = true;
  linear.nu = 1.0;
  constant.linear = constant.constant = true;
  PerturbationStudy index2 = on("arnold-8");
  EXPECT_EQ(bound(index2, "", "y", nonlinear), "theta + theta^2/h + 3 theta^2/h^2");
  EXPECT_EQ(bound(index2, "", "y", linear), "theta + theta^2/h");
  EXPECT_EQ(bound(index2, "", "y", constant), "theta");
  EXPECT_EQ(bound(index2, "", "z", linear), "theta/h");
  PerturbationStudy bodies = on("arnold-13");
  EXPECT_EQ(bound(bodies, "index3", "q", constant), "theta + theta^2/h^2");
  EXPECT_EQ(bound(bodies, "index3", "Gv", constant), "theta/h");
  EXPECT_EQ(bound(bodies, "index3", "lambda", constant), "theta/h^2");
  EXPECT_EQ(bound(bodies, "index3", "q", linear), "theta + theta^2/h^2 + theta^2/h^3");
  EXPECT_EQ(bound(bodies, "ggl", "Sv", constant), "theta + theta^2/h");
  EXPECT_EQ(bound(bodies, "ggl", "lambda", constant), "theta/h");
  EXPECT_EQ(bound(bodies, "index2", "q", constant), "theta");
  EXPECT_EQ(bound(bodies, "index2", "lambda", constant), "theta/h");
  EXPECT_EQ(bound(bodies, "stabilised-index1", "lambda", constant), "theta + theta^2/h");
  EXPECT_EQ(bound(on("nilpotent", {{"m", 4.0}}), "", "z", constant), "theta/h^3");
  bodies.kind = PerturbationKind::smooth;
  EXPECT_EQ(bound(bodies, "index3", "lambda", constant), "theta") << "nothing to amplify";
  bodies.kind = PerturbationKind::random;
  bodies.rows = PerturbedRows::differential;
  EXPECT_EQ(bound(bodies, "index3", "lambda", constant), "delta");
}

TEST(Theory, RegionsOfExampleEight) {
  PerturbationSensitivity s;
  s.mu = 1.0;
  const PerturbationStudy study = on("arnold-8");
  const std::vector<PerturbationBound> bounds{perturbation_bound(study, "", "y", s),
                                              perturbation_bound(study, "", "z", s)};
  const StepRegions r = step_regions(bounds, 1.8e-7, 1);
  EXPECT_NEAR(r.rising, std::sqrt(1.8e-7), 1e-9);              // theta^(1/(p+1)) = 4e-4
  EXPECT_NEAR(r.smallest, std::cbrt(1.8e-7 * 1.8e-7), 1e-10);  // (mu theta^2)^(1/(p+2)) = 3e-5
  EXPECT_EQ(r.region(1e-3), 'A');
  EXPECT_EQ(r.region(1e-4), 'B');
  EXPECT_EQ(r.region(1e-5), 'C');
  PerturbationSensitivity constant;
  constant.linear = constant.constant = true;
  EXPECT_EQ(step_regions({perturbation_bound(study, "", "y", constant)}, 1e-6, 2).smallest, 0.0)
      << "f_z constant: no region C";
}

}  // namespace
}  // namespace daedalus
