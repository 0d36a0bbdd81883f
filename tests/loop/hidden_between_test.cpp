// SPDX-License-Identifier: BSD-3-Clause
// Multipliers and algebraic variables of index 2 between the steps of half-explicit and explicit
// methods, whose error tests look at positions and velocities alone.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

constexpr double t_end = 3.0;

// q_0 is held while a force sin(w t) pulls: lambda = sin(w t); q_1 swings slowly.
MultibodyProblem held(double w) {
  MultibodyProblem p{.name = "held"};
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.mass_matrix = Eigen::MatrixXd::Identity(2, 2).sparseView();
  p.force = autodiff([w](auto t, const auto& q, const auto&, auto& f) {
    using std::sin;
    f[0] = sin(w * t);
    f[1] = -q[1];
  });
  p.constraint = autodiff([](auto, const auto& q, auto& g) { g[0] = q[0]; });
  p.q0 = Eigen::Vector2d(0.0, 1.0);
  p.v0 = Eigen::Vector2d::Zero();
  return p;
}

// y_0' = sin(w t) - z, 0 = y_0: z = sin(w t); y_1 decays slowly.
SemiExplicitProblem held_of_index_2(double w) {
  SemiExplicitProblem p{.name = "held of index 2"};
  p.f = autodiff([w](auto t, const auto& y, const auto& z, auto& f) {
    using std::sin;
    f[0] = sin(w * t) - z[0];
    f[1] = -y[1];
  });
  p.g = autodiff([](auto, const auto& y, const auto&, auto& g) { g[0] = y[0]; });
  p.hessenberg_blocks = {2};
  p.y0 = Eigen::Vector2d(0.0, 1.0);
  p.z0 = Eigen::VectorXd::Zero(1);
  return p;
}

double sample(int i) { return t_end * (i - 0.37) / 300.0; }

void expect_between(const Problem& p, VariableClass z, double w, const char* method, double tol) {
  for (const Output output : {Output::times, Output::dense}) {
    Options o{.method = method, .rtol = tol, .atol = tol, .output = output};
    if (output == Output::times)
      for (int i = 1; i <= 300; ++i) o.output_times.push_back(sample(i));
    const Solution run = solve(p, {0.0, t_end}, o);
    ASSERT_TRUE(run.ok()) << method << ": " << run.message();
    double worst = 0.0;
    for (int i = 1; i <= 300; ++i)
      worst = std::max(worst, std::abs(run.at(sample(i)).of(z)[0] - std::sin(w * sample(i))) / tol);
    // Errors of variables of index 2 count with the length of a step.
    const double h = t_end / static_cast<double>(run.statistics().accepted);
    EXPECT_LT(h * worst, 300.0) << method << ' ' << tol;
  }
}

TEST(HiddenBetweenSteps, MultipliersFollowTheForces) {
  for (const char* method : {"auto", "phem56", "hedop5", "hem5", "adams-index2", "mdop5", "rk4"})
    for (const double tol : {1e-4, 1e-6})
      expect_between(held(100.0), VariableClass::lambda, 100.0, method, tol);
}

TEST(HiddenBetweenSteps, AlgebraicVariablesOfIndex2FollowTheirSignal) {
  for (const char* method : {"auto", "phem56", "hedop5", "hem5", "adams-index2"})
    for (const double tol : {1e-4, 1e-6})
      expect_between(held_of_index_2(100.0), VariableClass::z, 100.0, method, tol);
}

TEST(HiddenBetweenSteps, AnEventOfAMultiplierIsNotSteppedOver) {
  Event e;
  e.name = "slack";
  e.when = [](const StateView& s) { return s.lambda()[0] - 0.5; };
  e.direction = Crossing::rising;
  for (const char* method : {"phem56", "adams-index2", "mdop5"}) {
    const Solution run = solve(held(100.0), {0.0, t_end},
                               {.method = method, .rtol = 1e-5, .atol = 1e-5, .events = {e}});
    ASSERT_TRUE(run.ok()) << run.message();
    EXPECT_EQ(run.events().size(), 48U) << method;  // (pi/6 + 2 pi k) / 100 below 3
  }
}

// From `switched` on the constraint has another gradient. Both hold on the solution (sin t, cos t),
// z = cos 3t, but not at stages beside it: the step with the change leaves z far off where it ends.
SemiExplicitProblem changing(double switched) {
  SemiExplicitProblem p{.name = "changing"};
  p.f = autodiff([](auto t, const auto& y, const auto& z, auto& f) {
    using std::cos, std::sin;
    const auto off = z[0] - cos(3.0 * t);
    f[0] = cos(t) + off;
    f[1] = -sin(t) - 5.0 * (y[1] - cos(t)) + 0.5 * off;
  });
  p.g = autodiff([switched](auto t, const auto& y, const auto&, auto& g) {
    using std::cos, std::sin;
    g[0] = y[0] - sin(t);
    if (t > switched) g[0] += 0.8 * (y[1] - cos(t));
  });
  p.hessenberg_blocks = {2};
  p.y0 = Eigen::Vector2d(0.0, 1.0);
  p.z0 = Eigen::VectorXd::Ones(1);
  return p;
}

TEST(HiddenBetweenSteps, AnEndThatLeavesItsCourseIsTested) {
  for (const char* method : {"phem56", "hedop5", "hem5"})
    for (const double tol : {1e-7, 1e-9})
      for (const double switched : {1.9, 2.05, 2.2, 2.22, 2.35, 2.5, 2.6}) {
        const Solution run =
            solve(changing(switched), {0.0, t_end},
                  {.method = method, .rtol = tol, .atol = tol, .output = Output::steps});
        ASSERT_TRUE(run.ok()) << method << ": " << run.message();
        double worst = 0.0;
        for (std::size_t k = 1; k < run.times().size(); ++k) {
          const double t = run.times()[k], z = std::cos(3.0 * t);
          const double error = std::abs(run.state(k).of(VariableClass::z)[0] - z);
          worst = std::max(worst, error * (t - run.times()[k - 1]) / (tol * (1.0 + std::abs(z))));
        }
        EXPECT_LT(worst, 100.0) << method << ' ' << tol << ' ' << switched;
      }
}

// A double pendulum, whose multipliers are as smooth as its motion.
TEST(HiddenBetweenSteps, CostATenthAtMost) {
  MultibodyProblem p{.name = "double pendulum"};
  p.space = euclidean(4);
  p.constraint_count = 2;
  p.mass_matrix = Eigen::MatrixXd::Identity(4, 4).sparseView();
  p.force = autodiff([](auto, const auto&, const auto&, auto& f) {
    f[0] = f[2] = 0.0;
    f[1] = f[3] = -9.81;
  });
  p.constraint = autodiff([](auto, const auto& q, auto& g) {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    const auto x = q[2] - q[0], y = q[3] - q[1];
    g[1] = 0.5 * (x * x + y * y - 1.0);
  });
  p.q0 = Eigen::Vector4d(1.0, 0.0, 2.0, 0.0);
  p.v0 = Eigen::Vector4d::Zero();
  const auto work = [](const Counts& c) {
    return static_cast<double>(c.function_evaluations + c.constraint_jacobian_evaluations +
                               c.curvature_evaluations + c.solves + c.factorisations);
  };
  // Forces are evaluated for tests alone there; residuals are reported with or without them.
  constexpr double each = 5.0;
  for (const char* method : {"phem56", "adams-index2", "hem5"}) {
    Options o{.method = method, .rtol = 1e-6, .atol = 1e-6, .output = Output::dense};
    const Solution dense = solve(p, {0.0, 5.0}, o);
    o.output = Output::end;
    const Solution end = solve(p, {0.0, 5.0}, o);
    for (const Solution* s : {&dense, &end}) {
      const Statistics& work_of = s->statistics();
      const double tests =
          each * static_cast<double>(work_of.in(Phase::output).function_evaluations);
      EXPECT_LT(tests, 0.1 * work(work_of.total())) << method;
      if (s == &dense) EXPECT_GT(tests, 0.0) << method;
    }
    EXPECT_LT(work(dense.statistics().total()), 1.6 * work(end.statistics().total())) << method;
  }
}

}  // namespace
}  // namespace daedalus
