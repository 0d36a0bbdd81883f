// SPDX-License-Identifier: BSD-3-Clause
// ImplicitProblem: F(t, y, y') = 0, implicit ODEs, and properly stated leading terms.
#include "forms/support.hpp"

namespace daedalus {
namespace {

using namespace forms_test;

// Gear, Petzold (1984): x1 + eta t x2 = f1, (x1 + eta t x2)' + x2 = f2, index 2, here with
// f1 = f2 = t, so that x2 = t - 1, x1 = t - eta t (t - 1). Written with x1' + eta t x2' + (1 + eta)
// x2 the implicit Euler method multiplies errors of x2 by eta / (1 + eta) in each step; with the
// stated leading term d = x1 + eta t x2 it is exact, because d is linear in t.
constexpr double eta = -0.55;
VectorXd gear_petzold_exact(double t) { return vec({t - eta * t * (t - 1.0), t - 1.0}); }

ImplicitProblem gear_petzold(bool stated) {
  ImplicitProblem p;
  p.name = stated ? "stated" : "standard";
  p.variable_index = {2, 2};
  p.index = 2;
  p.y0 = gear_petzold_exact(0.0);
  if (stated) {
    p.residual = autodiff([](const auto& t, const auto& x, const auto& dp, auto& r) {
      r[0] = x[0] + eta * t * x[1] - t;
      r[1] = dp[0] + x[1] - t;
    });
    p.leading_count = 1;
    p.leading =
        autodiff([](const auto& t, const auto& x, auto& d) { d[0] = x[0] + eta * t * x[1]; });
    p.yp0 = vec({1.0});
  } else {
    p.residual = autodiff([](const auto& t, const auto& x, const auto& xp, auto& r) {
      r[0] = x[0] + eta * t * x[1] - t;
      r[1] = xp[0] + eta * t * xp[1] + (1.0 + eta) * x[1] - t;
    });
    p.yp0 = vec({1.0 + eta, 1.0});
  }
  return p;
}

TEST(LeadingTerm, MakesImplicitEulerExactOnTheGearPetzoldExample) {
  for (const double h : {0.1, 0.02, 0.01}) {
    const VectorXd end = end_of(gear_petzold(true), {0.0, 1.0}, fixed("implicit-euler", h));
    EXPECT_LT(distance(end, gear_petzold_exact(1.0)), 1e-11) << "h = " << h;
  }
}

TEST(LeadingTerm, WithoutItTheErrorGrowsByElevenNinthsPerStep) {
  // |eta / (1 + eta)| = 11/9; 50 steps: (11/9)^50 = 2.3e4 times a defect of 0.011.
  const VectorXd end = end_of(gear_petzold(false), {0.0, 1.0}, fixed("implicit-euler", 0.02));
  EXPECT_GT(std::abs(end[1] - 0.0), 10.0);
  // Half the step: twice as many factors, so it gets worse, not better.
  const VectorXd finer = end_of(gear_petzold(false), {0.0, 1.0}, fixed("implicit-euler", 0.01));
  EXPECT_GT(std::abs(finer[1]), 100.0 * std::abs(end[1]));
}

TEST(LeadingTerm, APlainResidualIsDifferencedToTheSameResult) {
  ImplicitProblem p = gear_petzold(true);
  p.residual = [](double t, In x, In dp, Out r) {
    r[0] = x[0] + eta * t * x[1] - t;
    r[1] = dp[0] + x[1] - t;
  };
  p.leading = [](double t, In x, Out d) { d[0] = x[0] + eta * t * x[1]; };
  const VectorXd end = end_of(p, {0.0, 1.0}, fixed("implicit-euler", 0.02));
  EXPECT_LT(distance(end, gear_petzold_exact(1.0)), 1e-7);
}

// y = p + p^3 with p = y': t = log p + 3 p^2 / 2 - 3 / 2 from p(0) = 1.
ImplicitProblem clairaut() {
  ImplicitProblem p;
  p.name = "clairaut";
  p.residual = autodiff([](const auto&, const auto& y, const auto& yp, auto& r) {
    r[0] = y[0] - yp[0] - yp[0] * yp[0] * yp[0];
  });
  p.index = 0;
  p.y0 = vec({2.0});
  p.yp0 = vec({1.0});
  return p;
}
double clairaut_exact(double t) {
  double p = 1.0;
  for (int i = 0; i < 50; ++i) p -= (std::log(p) + 1.5 * p * p - 1.5 - t) / (1.0 / p + 3.0 * p);
  return p + p * p * p;
}

TEST(ImplicitOde, NonlinearInTheRateBySolvingForIt) {
  EXPECT_NEAR(end_of(clairaut(), {0.0, 2.0}, tight("rodas4"))[0], clairaut_exact(2.0), 1e-7);
  // The rate is completed when the guess for it is left out or poor.
  ImplicitProblem p = clairaut();
  p.yp0 = vec({0.7});
  EXPECT_NEAR(end_of(p, {0.0, 2.0}, tight("rodas4"))[0], clairaut_exact(2.0), 1e-7);
}

TEST(ImplicitOde, ByImplicitEulerWithOrderOne) {
  const double r = ratio(clairaut(), {0.0, 1.0}, fixed("implicit-euler", 0.01),
                         vec({clairaut_exact(1.0)}), 0, 1);
  EXPECT_NEAR(r, 2.0, 0.1);
}

// y1' y2 = -y1 y2, 0 = y2 - 2 - y1^2: y1 = exp(-t); fully implicit with M depending on y.
ImplicitProblem index_one(bool given) {
  ImplicitProblem p;
  p.name = "index-1";
  p.residual = autodiff([](const auto&, const auto& y, const auto& yp, auto& r) {
    r[0] = yp[0] * y[1] + y[0] * y[1];
    r[1] = y[1] - 2.0 - y[0] * y[0];
  });
  if (given) {
    p.jacobian_y = [](double, In y, In yp, MatrixOut J) {
      J << y[1], yp[0] + y[0], -2.0 * y[0], 1.0;
    };
    p.jacobian_yp = [](double, In y, In, MatrixOut J) { J << y[1], 0.0, 0.0, 0.0; };
  }
  p.y0 = vec({1.0, 3.0});
  p.yp0 = vec({-1.0, -2.0});
  return p;
}

TEST(ImplicitDae, IndexOneByErrorControl) {
  const VectorXd end = end_of(index_one(false), {0.0, 1.0}, tight("auto", 1e-6));
  EXPECT_LT(distance(end, vec({std::exp(-1.0), 2.0 + std::exp(-2.0)})), 1e-3);
}

TEST(ImplicitDae, GivenJacobiansLeadToTheSameSteps) {
  Options o = tight("implicit-euler", 1e-5);
  o.output = Output::steps;
  const Solution a = solve(index_one(false), {0.0, 1.0}, o);
  const Solution b = solve(index_one(true), {0.0, 1.0}, o);
  ASSERT_TRUE(a.ok() && b.ok()) << a.message() << b.message();
  ASSERT_EQ(a.times().size(), b.times().size());
  for (std::size_t i = 0; i < a.times().size(); ++i) ASSERT_NEAR(a.times()[i], b.times()[i], 1e-12);
  EXPECT_LT(distance(a.end().y(), b.end().y()), 1e-12);
  EXPECT_EQ(a.statistics().total().jacobian_evaluations,
            b.statistics().total().jacobian_evaluations);
  EXPECT_EQ(b.statistics().total().jacobian_columns, 0);  // nothing was differentiated
}

TEST(ImplicitDae, NamesOfVariablesReachTheSolution) {
  ImplicitProblem p = index_one(false);
  p.variables = {"concentration", "rate"};
  const Solution s = solve(p, {0.0, 0.1}, fixed("implicit-euler", 0.01));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.end()["rate"], s.end().y()[1]);
}

TEST(ImplicitDae, BackwardInTime) {
  ImplicitProblem p = index_one(false);
  p.y0 = vec({std::exp(-1.0), 2.0 + std::exp(-2.0)});
  p.yp0 = VectorXd();
  const VectorXd end = end_of(p, {1.0, 0.0}, fixed("implicit-euler", 1e-3));
  EXPECT_LT(distance(end, vec({1.0, 3.0})), 3e-3);
}

}  // namespace
}  // namespace daedalus
