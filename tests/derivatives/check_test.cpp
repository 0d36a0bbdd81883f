// SPDX-License-Identifier: BSD-3-Clause
// testing::check_jacobians: right derivatives pass, wrong ones are named by function, row and
// column. check(): difference quotients that a badly scaled variable spoils are announced.
#include <daedalus/mechanism.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/testing/jacobian.hpp>

#include "analysis/jacobian_check.hpp"
#include "derivatives/support.hpp"

namespace daedalus {
namespace {

using namespace derivatives_test;
using testing::check_jacobians;
using testing::JacobianReport;

TEST(JacobianChecker, PassesTheWholeCatalogue) {
  for (const problems::Entry* e : problems::all_problems()) {
    const JacobianReport r = check_jacobians(e->problem(), e->t0);
    EXPECT_TRUE(r.ok) << e->name << ": " << r.text();
  }
}

MassMatrixProblem reaction(double wrong) {
  MassMatrixProblem p;
  p.name = "reaction";
  p.rhs = [](double, In y, Out f) { f << -y[0] * y[1], y[0] * y[1] - std::exp(y[1]); };
  p.jacobian = [wrong](double, In y, MatrixOut J) {
    J << -y[1], -y[0], y[1], y[0] - (1.0 + wrong) * std::exp(y[1]);
  };
  p.y0 = vec({1.0, 0.5});
  p.variables = {"fuel", "oxygen"};
  p.equations = {"burning", "supply"};
  return p;
}

TEST(JacobianChecker, NamesRowAndColumnOfAWrongEntry) {
  EXPECT_TRUE(check_jacobians(reaction(0.0), 0.0).ok);
  const JacobianReport r = check_jacobians(reaction(0.01), 0.0);
  ASSERT_FALSE(r.ok);
  EXPECT_EQ(r.worst.function, "jacobian");
  EXPECT_EQ(r.worst.row, "supply");
  EXPECT_EQ(r.worst.column, "oxygen");
  EXPECT_NEAR(r.worst.given - r.worst.differences, -0.01 * std::exp(0.5), 1e-3);
  ASSERT_GE(r.wrong.size(), 1u);
  for (const std::string word : {"supply", "oxygen"})
    EXPECT_NE(r.text().find(word), std::string::npos) << r.text();
  // Below the tolerance it passes, above a tighter one it does not.
  EXPECT_TRUE(check_jacobians(reaction(1e-7), 0.0).ok);
  EXPECT_FALSE(check_jacobians(reaction(1e-4), 0.0).ok);
}

// A chain of reactions; `row`, `column`: the entry that is off by 1e-3 of its row.
MassMatrixProblem chain(int n, std::shared_ptr<long> calls, int row = -1, int column = -1) {
  MassMatrixProblem p;
  p.name = "chain";
  p.rhs = [n, calls](double, In y, Out f) {
    ++*calls;
    for (int i = 0; i < n; ++i)
      f[i] = -std::exp(0.1 * y[i]) + (i > 0 ? y[i] * y[i - 1] : 0.0) - 3.0 * y[(i + 2) % n];
  };
  p.jacobian = [=](double, In y, MatrixOut J) {
    J.setZero();
    for (int i = 0; i < n; ++i) {
      J(i, i) += -0.1 * std::exp(0.1 * y[i]) + (i > 0 ? y[i - 1] : 0.0);
      if (i > 0) J(i, i - 1) += y[i];
      J(i, (i + 2) % n) -= 3.0;
      if (i == row) J(i, column) += 5e-3;
    }
  };
  p.y0 = Eigen::VectorXd::LinSpaced(n, 0.5, 1.0);
  return p;
}

TEST(JacobianChecker, AGlanceAgreesWithTheWholeComparison) {
  const auto calls = std::make_shared<long>(0);
  EXPECT_TRUE(testing::jacobians_agree(reaction(0.0), 0.0));
  for (const double wrong : {1e-4, 0.01, 1.0})
    EXPECT_FALSE(testing::jacobians_agree(reaction(wrong), 0.0)) << wrong;
  constexpr int n = 6;
  EXPECT_TRUE(testing::jacobians_agree(chain(n, calls), 0.0));
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      EXPECT_FALSE(testing::jacobians_agree(chain(n, calls, row, column), 0.0))
          << row << " " << column;
  int all = 0, at_once = 0;
  for (const problems::Entry* e : problems::all_problems()) {
    ++all;
    if (!testing::jacobians_agree(e->problem(), e->t0)) continue;
    ++at_once;
    EXPECT_TRUE(check_jacobians(e->problem(), e->t0).ok) << e->name;
  }
  EXPECT_GT(2 * at_once, all) << "it would save nothing";
}

// Sixty evaluations per variable they were.
TEST(JacobianChecker, InARunItCostsFewEvaluations) {
  const auto calls = std::make_shared<long>(0);
  const Options o{.method = "bdf", .output = Output::end};
  const Solution s = solve(chain(40, calls), {0.0, 0.1}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_TRUE(s.warnings().empty());
  const Counts total = s.statistics().total();
  EXPECT_LE(*calls - total.residual_evaluations - total.function_evaluations, 60);
  const Solution wrong = solve(chain(40, calls, 7, 3), {0.0, 0.1}, o);
  ASSERT_FALSE(wrong.warnings().empty());
  EXPECT_NE(wrong.warnings().back().find("A given derivative is wrong"), std::string::npos);
}

TEST(JacobianChecker, SeesWhatVanishesAtTheStart) {
  MassMatrixProblem p;
  p.name = "square";
  p.rhs = [](double, In y, Out f) { f[0] = y[0] * y[0]; };
  p.jacobian = [](double, In, MatrixOut J) { J(0, 0) = 0.0; };  // right only at y = 0
  p.y0 = vec({0.0});
  EXPECT_FALSE(check_jacobians(p, 0.0).ok);
}

TEST(JacobianChecker, ImplicitAndSemiExplicitForms) {
  ImplicitProblem p;
  p.name = "implicit";
  p.residual = [](double, In y, In yp, Out r) { r << yp[0] * y[1] - y[0], y[1] - y[0]; };
  p.jacobian_y = [](double, In, In yp, MatrixOut J) { J << -1.0, yp[0], -1.0, 1.0; };
  p.jacobian_yp = [](double, In y, In, MatrixOut J) { J << y[1], 0.0, 0.0, 0.0; };
  p.y0 = vec({1.0, 1.0});
  p.yp0 = vec({1.0, 1.0});
  EXPECT_TRUE(check_jacobians(p, 0.0).ok) << check_jacobians(p, 0.0).text();
  p.jacobian_yp = [](double, In y, In, MatrixOut J) { J << y[1], 0.0, 0.0, 0.5; };
  JacobianReport r = check_jacobians(p, 0.0);
  EXPECT_FALSE(r.ok);
  EXPECT_EQ(r.worst.function, "jacobian_yp");

  SemiExplicitProblem s;
  s.name = "semi";
  s.f = [](double, In y, In z, Out f) { f[0] = -y[0] * z[0]; };
  s.g = [](double, In y, In z, Out g) { g[0] = z[0] * z[0] - y[0]; };
  s.f_y = [](double, In, In z, MatrixOut J) { J(0, 0) = -z[0]; };
  s.f_z = [](double, In y, In, MatrixOut J) { J(0, 0) = -y[0]; };
  s.g_y = [](double, In, In, MatrixOut J) { J(0, 0) = -1.0; };
  s.g_z = [](double, In, In z, MatrixOut J) { J(0, 0) = 2.0 * z[0]; };
  s.y0 = vec({1.0});
  s.z0 = vec({1.0});
  EXPECT_TRUE(check_jacobians(s, 0.0).ok) << check_jacobians(s, 0.0).text();
  s.g_z = [](double, In, In z, MatrixOut J) { J(0, 0) = z[0]; };
  r = check_jacobians(s, 0.0);
  EXPECT_FALSE(r.ok);
  EXPECT_EQ(r.worst.function, "g_z");
}

TEST(JacobianChecker, EveryDerivativeOfAMultibodyProblem) {
  const auto good = [] {
    MultibodyProblem p;
    p.name = "driven pendulum";
    p.space = euclidean(2);
    p.constraint_count = 1;
    p.force = [](double, In, In, Out f) { f << 0.0, -9.81; };
    p.constraint = [](double t, In q, Out g) {
      g[0] = 0.5 * ((q[0] - t * t) * (q[0] - t * t) + q[1] * q[1] - 1.0);
    };
    p.constraint_jacobian = [](double t, In q, MatrixOut G) { G << q[0] - t * t, q[1]; };
    p.constraint_time_derivative = [](double t, In q, Out g) { g[0] = -2.0 * t * (q[0] - t * t); };
    p.acceleration_term = [](double t, In q, In v, Out k) {
      k[0] = (v[0] - 2.0 * t) * (v[0] - 2.0 * t) + v[1] * v[1] - 2.0 * (q[0] - t * t);
    };
    p.q0 = vec({0.6 + 0.25, -0.8});
    p.v0 = vec({1.0, 0.0});
    return p;
  };
  EXPECT_TRUE(check_jacobians(good(), 0.5).ok) << check_jacobians(good(), 0.5).text();
  MultibodyProblem p = good();
  p.constraint_jacobian = [](double, In q, MatrixOut G) { G = q.transpose(); };
  EXPECT_EQ(check_jacobians(p, 0.5).worst.function, "constraint_jacobian");
  p = good();
  p.constraint_time_derivative = [](double, In, Out g) { g[0] = 0.0; };
  EXPECT_EQ(check_jacobians(p, 0.5).worst.function, "constraint_time_derivative");
  p = good();
  p.acceleration_term = [](double, In, In v, Out k) { k[0] = v.squaredNorm(); };
  JacobianReport r = check_jacobians(p, 0.5);
  EXPECT_FALSE(r.ok);
  EXPECT_EQ(r.worst.function, "acceleration_term");
}

// Robertson's reaction with plain callables: y2 is about 4e-5 beside 1, and zero at the start.
SemiExplicitProblem plain_robertson(double y2 = 0.0) {
  SemiExplicitProblem p;
  p.name = "plain robertson";
  p.f = [](double, In y, In z, Out f) {
    f[0] = -0.04 * y[0] + 1e4 * y[1] * z[0];
    f[1] = 0.04 * y[0] - 1e4 * y[1] * z[0] - 3e7 * y[1] * y[1];
  };
  p.g = [](double, In y, In z, Out g) { g[0] = y[0] + y[1] + z[0] - 1.0; };
  p.y0 = vec({1.0, y2});
  p.z0 = vec({-y2});
  p.y_names = {"y1", "y2"};
  p.z_names = {"y3"};
  p.equations = {"first", "second", "mass"};
  return p;
}

std::string about_differences(const Problem& p, const Options& options = {}) {
  std::string text;
  for (const std::string& w : check(p, 0.0, options).warnings)
    if (w.find("come from differences, and") != std::string::npos) text += w;
  return text;
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

const Options common_increment{.difference_increment = 1.5e-8},
    by_differences{.derivatives = DerivativeSource::differences};

// With the increment 1.5e-8 the quotient of -3e7 y2^2 is off by 0.45; the balance has terms of 0.08
// and the size of y2 is sqrt(2 * 0.08 / 6e7) = 5e-5. That is some 1e-4 of the equation.
TEST(DifferenceTrap, RobertsonIsNamed) {
  for (const double y2 : {0.0, 3.65e-5}) {
    for (const Problem& p :
         {Problem(plain_robertson(y2)), problems::find_problem("robertson")->problem()}) {
      const std::string text = about_differences(p, common_increment);
      EXPECT_TRUE(has(text, "'y2' does not suit it")) << text;
      EXPECT_TRUE(has(text, "leave difference_increment at 0")) << text;
      // Increments of its own suit y2; that it needs them is said.
      const std::string own = about_differences(p, by_differences);
      EXPECT_TRUE(has(own, "'y2' is badly scaled")) << own;
      EXPECT_TRUE(has(own, "autodiff")) << own;
    }
    EXPECT_TRUE(has(about_differences(plain_robertson(y2)), "'y2' is badly scaled"));
  }
}

TEST(DifferenceTrap, ExactDerivativesDoNotWarn) {
  EXPECT_EQ(about_differences(problems::find_problem("robertson")->problem()), "");
  SemiExplicitProblem p = plain_robertson();
  p.f_y = [](double, In y, In z, MatrixOut J) {
    J << -0.04, 1e4 * z[0], 0.04, -1e4 * z[0] - 6e7 * y[1];
  };
  p.f_z = [](double, In y, In, MatrixOut J) { J << 1e4 * y[1], -1e4 * y[1]; };
  p.g_y = [](double, In, In, MatrixOut J) { J << 1.0, 1.0; };
  p.g_z = [](double, In, In, MatrixOut J) { J << 1.0; };
  EXPECT_EQ(about_differences(p), "");
}

TEST(DifferenceTrap, WellScaledProblemsDoNotWarn) {
  MassMatrixProblem p = reaction(0.0);
  p.jacobian = {};
  for (const Options& o : {Options{}, common_increment, by_differences})
    EXPECT_EQ(about_differences(p, o), "");
  // A square that vanishes at the start, and large but linear coefficients.
  p.rhs = [](double, In y, Out f) { f << y[0] * y[0], -1e6 * (y[0] + y[1]); };
  p.y0 = vec({0.0, 1.0});
  for (const Options& o : {Options{}, common_increment, by_differences})
    EXPECT_EQ(about_differences(p, o), "");
}

// Two more kinds: an increment far too large for an exponential, one far too small for the noise
// of large terms; and a zero beside a million, which misleads increments chosen per variable too.
TEST(DifferenceTrap, OtherProblemsOfTheKind) {
  MassMatrixProblem p = reaction(0.0);
  p.jacobian = {};
  p.rhs = [](double, In y, Out f) { f << -y[0], 1e-6 * (std::exp(y[1] / 0.026) - 1.0) - y[1]; };
  p.y0 = vec({1.0, 0.3});
  EXPECT_TRUE(has(about_differences(p, {.difference_increment = 1e-4}), "'oxygen'"));
  EXPECT_EQ(about_differences(p, common_increment), "");
  EXPECT_TRUE(has(about_differences(p, {.difference_increment = 1e-15}), "does not suit"));
  p.rhs = [](double, In y, Out f) { f << -1e-6 * y[0], 1.0 - 1e6 * y[1] * y[1]; };
  p.y0 = vec({1e6, 0.0});
  EXPECT_TRUE(has(about_differences(p), "increment of 'oxygen' does not suit it"))
      << about_differences(p);
}

// Gyroscopic terms of equal moments cancel to round-off, which is no wrong derivative.
TEST(JacobianCheck, TakesCancellationForNoMistake) {
  Mechanism m("ball");
  m.gravity({0, 0, 0});
  const BodyId body = m.body({.name = "b",
                              .mass = 1.0,
                              .inertia = diagonal(0.1, 0.1, 0.1),
                              .angular_velocity = {0, 0, 3.0}});
  m.spherical("s", m.ground(), body, {.at = {0, 0, 0}});
  const JacobianReport r = check_jacobians(m.assemble().problem, 0.0);
  EXPECT_TRUE(r.ok) << r.worst.row << " by " << r.worst.column << ": " << r.worst.differences;
}

}  // namespace
}  // namespace daedalus
