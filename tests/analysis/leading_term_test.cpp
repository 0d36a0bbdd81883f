// SPDX-License-Identifier: BSD-3-Clause
// Properly stated leading terms and the examples of Tischendorf (1992): exact solutions, the closed
// form of the error of implicit Euler on Gear and Petzold's example, and its cure.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/daedalus.hpp>

#include "analysis/support.hpp"

namespace daedalus {
namespace {

using namespace analysis_test;
using Eigen::VectorXd;
using problems::Values;

Solution euler(const Values& values, int steps) {
  const problems::Entry& e = entry("gear-petzold");
  Options o;
  o.method = "implicit-euler";
  o.rtol = 1e-10;
  o.atol = 1e-10;
  o.fixed_step = (e.t_end - e.t0) / steps;
  o.output = Output::end;
  return solve(e.problem(values), {e.t0, e.t_end}, o);
}

double error_of_x2(const Values& values, int steps) {
  const Solution s = euler(values, steps);
  EXPECT_TRUE(s.ok()) << s.message();
  return s.end().y()[1] - exact(entry("gear-petzold"), 1.0, values)[1];
}

// q = t: x2_N - x2(1) = h eta [(eta / (1 + eta))^N - 1].
TEST(GearPetzold, ClosedFormOfTheEulerError) {
  for (const double eta : {1.0, -0.4, -0.55, -0.75})
    for (const int steps : {10, 20, 40}) {
      const double expected = eta / steps * (std::pow(eta / (1.0 + eta), steps) - 1.0);
      const double measured = error_of_x2({{"eta", eta}}, steps);
      EXPECT_NEAR(measured / expected, 1.0, 1e-9) << "eta = " << eta << ", " << steps << " steps";
    }
  // The values printed for N = 10 and 20.
  EXPECT_NEAR(error_of_x2({{"eta", -0.55}}, 10), -3.54e-1, 1e-3);
  EXPECT_NEAR(error_of_x2({{"eta", -0.55}}, 20), -1.49, 1e-2);
}

TEST(GearPetzold, TheFrozenPencilIsSingularForEtaMinusOne) {
  const Solution s = euler({{"eta", -1.0}}, 20);
  EXPECT_FALSE(s.ok());
  EXPECT_EQ(s.status(), Status::singular_matrix) << s.message();
}

// Outside (-1/2, inf) the plain form diverges, the stated one converges with order 1 for every eta.
TEST(GearPetzold, TheStatedLeadingTermCuresIt) {
  for (const double eta : {1.0, -0.55, -0.75, -1.0, -2.0}) {
    const Values values{{"eta", eta}, {"wave", 1.0}};
    const Values stated{{"eta", eta}, {"wave", 1.0}, {"stated", 1.0}};
    const double coarse = error_of_x2(stated, 40);
    const double fine = error_of_x2(stated, 80);
    EXPECT_NEAR(coarse / fine, 2.0, 0.05) << eta;
    // d is differenced and nothing else: e = h q'' / 2 - ... = -h sin(1) / 2 up to O(h^2).
    EXPECT_NEAR(fine, -0.5 * std::sin(1.0) / 80.0, 1e-4) << eta;
    if (eta == -1.0 || eta > -0.5) continue;
    EXPECT_GT(std::abs(error_of_x2(values, 80)), 10.0 * std::abs(error_of_x2(values, 20))) << eta;
  }
}

// d with as many entries as x, all depending on t: the Euler steps are the same.
TEST(GearPetzold, ALeadingTermOfFullLengthGivesTheSameSteps) {
  const Values values{{"eta", -0.75}, {"wave", 1.0}, {"stated", 1.0}};
  auto p = std::get<ImplicitProblem>(entry("gear-petzold").problem(values));
  const Solution one = euler(values, 40);
  p.leading_count = 2;
  p.leading = autodiff([](const auto& t, const auto& x, auto& d) {
    d[0] = x[0] - 0.75 * t * x[1];
    d[1] = (1.0 + t) * x[1];
  });
  const VectorXd rate = p.yp0;
  p.yp0.resize(2);
  p.yp0 << rate[0], 0.0;
  Options o;
  o.method = "implicit-euler";
  o.rtol = 1e-10;
  o.atol = 1e-10;
  o.fixed_step = 1.0 / 40.0;
  const Solution two = solve(p, {0.0, 1.0}, o);
  ASSERT_TRUE(one.ok() && two.ok()) << one.message() << two.message();
  EXPECT_LT((one.end().y() - two.end().y()).cwiseAbs().maxCoeff(), 1e-9);
}

// Residuals of the exact solutions by way of the lowered system; a shifted one must be seen.
TEST(TischendorfProblems, ExactSolutionsSatisfyTheEquations) {
  const std::vector<std::pair<std::string, Values>> cases{
      {"gear-petzold", {{"eta", -0.7}, {"slope", 1.3}, {"wave", 0.8}}},
      {"gear-petzold", {{"eta", -0.7}, {"slope", 1.3}, {"wave", 0.8}, {"stated", 1.0}}},
      {"coupling", {{"p", 3.0}}},
      {"coupling-linear", {}},
      {"tischendorf-linear", {}},
      {"tischendorf-pendulum-index2", {{"gravity", 2.0}}},
      {"tischendorf-pendulum-ggl", {}},
      {"tischendorf-pendulum-index3", {}}};
  for (const auto& entry_case : cases) {
    const auto& name = entry_case.first;
    const auto& values = entry_case.second;
    const problems::Entry& e = entry(name);
    Case c = lowered(e.problem(values), e.t0);
    ResidualView& view = *c.system->residual_view();
    const auto defect = [&](double t, double shift) {
      const auto x = [&](double s) {
        return VectorXd(exact(e, s, values).array() + shift * std::cos(s));
      };
      const double h = 5e-4;
      VectorXd dd = VectorXd::Zero(8), wide = VectorXd::Zero(8), r(c.system->equations.size());
      const auto difference = [&](double k, VectorXd& out) {
        const State from{t - k * h, x(t - k * h), {}};
        const VectorXd to = x(t + k * h);
        ASSERT_EQ(view.difference(from, t + k * h, to.data(), 2.0 * k * h, out.data()),
                  Outcome::ok);
      };
      difference(1.0, dd);
      difference(2.0, wide);
      dd = (4.0 * dd - wide) / 3.0;
      EXPECT_EQ(view.residual(t, x(t).data(), dd.data(), r.data()), Outcome::ok);
      return r.cwiseAbs().maxCoeff();
    };
    for (int k = 0; k <= 4; ++k) {
      const double t = e.t0 + 0.25 * k * (e.t_end - e.t0);
      EXPECT_LT(defect(t, 0.0), 1e-8) << name << " at " << t;  // h^4 x^(5) / 30
      EXPECT_GT(defect(t, 1e-3), 1e-4) << name << " at " << t;
    }
    const VectorXd start = model_start(*c.system, *c.problem, e.t0).x;
    EXPECT_LT((start - exact(e, e.t0, values)).cwiseAbs().maxCoeff(), 1e-14) << name;
  }
}

TEST(TischendorfProblems, ThePendulumHasPeriodTwo) {
  const problems::Entry& e = entry("tischendorf-pendulum-ggl");
  VectorXd half(6), bottom(6);
  half << -1.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  EXPECT_LT((exact(e, 1.0, {}) - half).cwiseAbs().maxCoeff(), 1e-12);
  const double g = 13.750371636040746;
  bottom << 0.0, -1.0, -std::sqrt(2.0 * g), 0.0, -3.0 * g, 0.0;
  EXPECT_LT((exact(e, 0.5, {}) - bottom).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(TischendorfProblems, ParametersWithoutMeaningAreRefused) {
  EXPECT_THROW(entry("gear-petzold").problem({{"stated", 0.5}}), InvalidArgument);
  EXPECT_THROW(entry("coupling").problem({{"p", 1.5}}), InvalidArgument);
  EXPECT_THROW(entry("coupling").problem({{"p", 0.0}}), InvalidArgument);
}

}  // namespace
}  // namespace daedalus
