// SPDX-License-Identifier: BSD-3-Clause
// bliedf with error control: errors follow the tolerance, steps and orders change freely, events
// restart it without loss of order.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heavy_top.hpp"

namespace daedalus::adaptive_test {
namespace {

using lie_testing::Errors;
using lie_testing::HeavyTopRun;
using lie_testing::run_heavy_top;
using problems::HeavyTop;

Options with_tolerance(double tol) {
  Options o;
  o.method = "bliedf";
  o.rtol = tol;
  o.atol = tol;
  return o;
}

double log_slope(const std::vector<double>& tol, const std::vector<double>& error) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(tol.size());
  for (std::size_t i = 0; i < tol.size(); ++i) {
    const double a = std::log10(tol[i]), b = std::log10(error[i]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

TEST(Bliedf, ErrorsFollowTheTolerance) {
  for (const char* formulation : {"index3", "ggl"}) {
    const std::vector<double> tol = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    std::vector<double> q, v, lambda;
    for (const double t : tol) {
      Options o = with_tolerance(t);
      o.formulation = formulation;
      const HeavyTopRun r = run_heavy_top(HeavyTop::r3xso3, o);
      ASSERT_EQ(r.status, Status::success) << r.message;
      EXPECT_LT(r.largest.q, 20.0 * t) << formulation;
      q.push_back(r.largest.q), v.push_back(r.largest.v), lambda.push_back(r.largest.lambda);
      EXPECT_LT(r.velocity_residual, 1e-9);
    }
    for (std::size_t i = 1; i < tol.size(); ++i) {
      EXPECT_LT(q[i], q[i - 1]) << formulation;
      EXPECT_LT(v[i], v[i - 1]) << formulation;
      EXPECT_LT(lambda[i], lambda[i - 1]) << formulation;
    }
    for (const std::vector<double>* e : {&q, &v, &lambda}) {
      const double s = log_slope(tol, *e);
      EXPECT_GT(s, 0.75) << formulation;
      EXPECT_LT(s, 1.25) << formulation;
    }
  }
}

// Equal error at the same order: at most 1.3 times the steps of a run with fixed steps.
TEST(Bliedf, NeedsHardlyMoreStepsThanTheBestFixedOnes) {
  for (const double tol : {1e-4, 1e-6, 1e-8}) {
    const HeavyTopRun controlled = run_heavy_top(HeavyTop::r3xso3, with_tolerance(tol));
    Options o = lie_testing::exact_start(HeavyTop::r3xso3, "bliedf");
    o.method_options["order"] = 5.0;
    o.fixed_step = 1.0 / static_cast<double>(controlled.accepted);
    const HeavyTopRun fixed = run_heavy_top(HeavyTop::r3xso3, o);
    // The error of fixed steps falls like their fifth power.
    const double as_many = static_cast<double>(controlled.accepted) *
                           std::pow(fixed.largest.q / controlled.largest.q, 0.2);
    EXPECT_LT(static_cast<double>(controlled.accepted + controlled.rejected), 1.3 * as_many) << tol;
  }
}

// Twenty flips with long quiet phases between them: at equal largest errors of energy and of
// momentum fewer than half of the steps that fixed ones take.
TEST(Bliedf, NeedsLessThanHalfOfFixedStepsWhereTheMotionChanges) {
  struct Run {
    double steps, energy = 0.0, momentum = 0.0;
  };
  const auto run = [](const Options& o) {
    const Solution s = solve(problems::find_problem("free-body")->problem(), {0.0, 72.0}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    Run r{static_cast<double>(s.statistics().steps())};
    const Eigen::Vector3d J(1.0, 5.0, 6.0);
    double first_energy = 0.0;
    Eigen::Vector3d first_momentum = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < s.times().size(); ++i) {
      const ModelState state = s.state(i);
      const Eigen::Vector3d w = state.v();
      const double energy = 0.5 * w.dot(J.cwiseProduct(w));
      const Eigen::Vector3d momentum =
          Eigen::Map<const Eigen::Matrix3d>(state.q().data()) * J.cwiseProduct(w);
      if (i == 0) first_energy = energy, first_momentum = momentum;
      r.energy = std::max(r.energy, std::abs(energy - first_energy) / first_energy);
      r.momentum = std::max(r.momentum, (momentum - first_momentum).norm());
    }
    return r;
  };
  const Run controlled = run(with_tolerance(1e-6));
  Options o = with_tolerance(1e-12);
  o.method_options["order"] = 5.0;
  o.fixed_step = 72.0 / (2.0 * controlled.steps);
  const Run fixed = run(o);
  EXPECT_LT(controlled.steps, 0.5 * fixed.steps * std::pow(fixed.energy / controlled.energy, 0.2));
  EXPECT_LT(controlled.steps,
            0.5 * fixed.steps * std::pow(fixed.momentum / controlled.momentum, 0.2));
}

TEST(Bliedf, OrderHoldsOnIrregularSteps) {
  for (int k = 2; k <= 5; ++k) {
    Errors e[2];
    for (const int i : {0, 1}) {
      Options o = lie_testing::exact_start(HeavyTop::r3xso3, "bliedf");
      o.method_options["order"] = k;
      const int n = 1000 << i;
      // Steps that change by up to a half every four steps.
      double t = 0.0;
      for (int j = 0; t < 1.0 - 1e-12; ++j) {
        const double h = (1.0 + 0.2 * std::sin(7.0 * (j / 4))) / n;
        o.step_sequence.push_back(std::min(h, 1.0 - t));
        t += o.step_sequence.back();
      }
      const HeavyTopRun r = run_heavy_top(HeavyTop::r3xso3, o);
      ASSERT_EQ(r.status, Status::success) << r.message;
      e[i] = r.largest;
    }
    EXPECT_GT(lie_testing::slope(e[0].q, e[1].q), k - 0.3) << k;
    EXPECT_GT(lie_testing::slope(e[0].v, e[1].v), k - 0.3) << k;
    EXPECT_GT(lie_testing::slope(e[0].lambda, e[1].lambda), k - 0.4) << k;
  }
}

TEST(Bliedf, DenseOutputHasTheOrderOfTheMethod) {
  for (const int k : {3, 5}) {
    double error[2], residual[2];
    for (const int i : {0, 1}) {
      Options o = lie_testing::exact_start(HeavyTop::r3xso3, "bliedf");
      o.method_options["order"] = k;
      o.fixed_step = 1.0 / (1000 << i);
      o.output = Output::dense;
      const Solution s = solve(lie_testing::heavy_top_problem(HeavyTop::r3xso3), {0.0, 0.2}, o);
      ASSERT_TRUE(s.ok()) << s.message();
      error[i] = residual[i] = 0.0;
      const int n = problems::heavy_top::size_of(HeavyTop::r3xso3);
      Eigen::VectorXd exact(n);
      for (double t = 0.3e-3; t < 0.2; t += 1.37e-3) {
        problems::heavy_top_exact(HeavyTop::r3xso3, t, Out(exact.data(), n));
        const ModelState state = s.at(t);
        error[i] = std::max(error[i], (state.y().head(15) - exact.head(15)).cwiseAbs().maxCoeff());
        Eigen::Matrix3d R;
        for (int c = 0; c < 9; ++c) R(c % 3, c / 3) = state.y()[3 + c];
        const Eigen::Vector3d g =
            Eigen::Vector3d(0, 1, 0) - R.transpose() * Eigen::Vector3d(state.y().head(3));
        residual[i] = std::max(residual[i], g.cwiseAbs().maxCoeff());
      }
    }
    EXPECT_GT(lie_testing::slope(error[0], error[1]), k - 0.3) << k;
    // Between steps the constraints hold to one order more than the solution.
    EXPECT_GT(lie_testing::slope(residual[0], residual[1]), k + 0.5) << k;
  }
}

// A knock at t = 0.1 that changes the spin: the run goes on at the order it had.
TEST(Bliedf, AnEventThatChangesVelocitiesKeepsTheOrder) {
  double error[2];
  const Problem problem = lie_testing::heavy_top_problem(HeavyTop::r3xso3);
  const auto options = [&](double tol) {
    Options o = with_tolerance(tol);
    Event knock;
    knock.name = "knock";
    knock.when = [](const StateView& state) { return state.t() - 0.1; };
    knock.action = EventAction::handle;
    knock.handler = [](EventContext& e) {
      // Omega_1, and the velocity of the centre that belongs to it.
      const double change = 1.0;
      Out q = e.of(VariableClass::q), v = e.of(VariableClass::v);
      v[3] += change;
      Eigen::Matrix3d R;
      for (int c = 0; c < 9; ++c) R(c % 3, c / 3) = q[3 + c];
      const Eigen::Vector3d u = R * Eigen::Vector3d(0, 0, change);  // (change, 0, 0) x (0, 1, 0)
      for (int i = 0; i < 3; ++i) v[i] += u[i];
    };
    o.events.push_back(knock);
    return o;
  };
  const Solution best = solve(problem, {0.0, 0.2}, options(1e-11));
  ASSERT_TRUE(best.ok()) << best.message();
  for (const int i : {0, 1}) {
    const Solution s = solve(problem, {0.0, 0.2}, options(i == 0 ? 1e-5 : 1e-7));
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(s.events().size(), 1u);
    error[i] = (s.end().y() - best.end().y()).head(18).cwiseAbs().maxCoeff();
    // The first orders after a start of multistep methods would take thousands of steps here.
    EXPECT_EQ(s.statistics().order_histogram[1], 0);
    EXPECT_EQ(s.statistics().order_histogram[2], 0);
  }
  EXPECT_LT(error[1], error[0] / 20.0);
}

}  // namespace
}  // namespace daedalus::adaptive_test
