// SPDX-License-Identifier: BSD-3-Clause
// adams-index2: errors that fall with the tolerance, right-hand sides per step and per digit, order
// and step under stiffness, events, projection, resumption.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/testing/stepper.hpp>

#include "kernel/plmsm_roots.hpp"
#include "methods/partitioned_multistep/engine.hpp"
#include "partitioned_multistep/models.hpp"

namespace daedalus::partitioned_multistep_test {
namespace {

struct Finished {
  double error;  // largest |e| / (1 + |x|) over q, v and y with a reference
  Statistics statistics;
};

Finished run(const std::string& problem, const std::string& method, double tolerance,
             const std::map<std::string, double>& settings = {}) {
  const problems::Entry& e = *problems::find_problem(problem);
  const Solution s = solve(e.problem(), {e.t0, e.t_end},
                           {.method = method,
                            .rtol = tolerance,
                            .atol = tolerance,
                            .output = Output::end,
                            .method_options = settings});
  EXPECT_TRUE(s.ok()) << problem << ": " << s.message();
  const ModelState end = s.end();
  Finished r{0.0, s.statistics()};
  const auto& counted = e.reference->counted;
  for (const auto& [name, value] : e.reference->values) {
    const int i = s.variables().find(name);
    const bool tested = counted.empty() || std::count(counted.begin(), counted.end(), name) > 0;
    const Variables::Range* lambda = s.variables().range_of(VariableClass::lambda);
    if (i < 0 || !tested || (lambda && i >= lambda->first)) continue;
    r.error = std::max(r.error, std::abs(end.y()[i] - value) / (1.0 + std::abs(value)));
  }
  return r;
}

long evaluations(const Finished& r) { return r.statistics.in(Phase::step).function_evaluations; }

// Decade by decade. The end of the pendulum magnifies errors by 100, that of the truck by 15.
TEST(Tolerance, ErrorsFallMonotonically) {
  struct Ladder {
    const char* problem;
    int loose, tight;
    double magnified;
  };
  for (const Ladder& l : {Ladder{"andrews", 3, 11, 2.0},
                          {"truck9", 3, 10, 20.0},
                          {"car-axis", 4, 10, 2.0},
                          {"pendulum", 3, 10, 150.0}}) {
    double last = 1e9;
    for (int digits = l.loose; digits <= l.tight; ++digits) {
      const double tolerance = std::pow(10.0, -digits);
      const double error = run(l.problem, "adams-index2", tolerance).error;
      EXPECT_LT(error, last) << l.problem << " " << digits;
      EXPECT_LT(error, l.magnified * tolerance) << l.problem << " " << digits;
      last = error;
    }
  }
}

// What the method is for: at sharp tolerances half of the right-hand sides of the half-explicit
// method of order 5, or fewer, for at most three times its error.
TEST(Work, IsLessThanThatOfHedop5) {
  for (const char* problem : {"andrews", "truck9", "car-axis", "suspension"})
    for (const double tolerance : {1e-8, 1e-9, 1e-10}) {
      const Finished adams = run(problem, "adams-index2", tolerance);
      const Finished half_explicit = run(problem, "hedop5", tolerance);
      EXPECT_LT(evaluations(adams), 0.67 * evaluations(half_explicit)) << problem;
      EXPECT_LT(adams.error, 3.0 * half_explicit.error) << problem << " " << tolerance;
    }
}

// Two right-hand sides, two systems, one second-derivative term per attempt, at every order.
TEST(Work, PerStepIsConstant) {
  for (const double tolerance : {1e-4, 1e-9}) {
    const Finished r = run("andrews", "adams-index2", tolerance);
    const Counts& c = r.statistics.in(Phase::step);
    const long steps = r.statistics.steps();
    EXPECT_EQ(c.function_evaluations, 2 * steps);
    EXPECT_EQ(c.factorisations, 2 * steps);
    EXPECT_EQ(c.solves, 2 * steps);
    // The start is one step of collocation: two of them.
    EXPECT_GE(c.curvature_evaluations, steps);
    EXPECT_LE(c.curvature_evaluations, steps + 3);
  }
  // Choice (III) needs none, but for the start.
  const Finished third = run("andrews", "adams-index2", 1e-7, {{"constraint", 3.0}});
  EXPECT_LE(third.statistics.in(Phase::step).curvature_evaluations, 6);
  EXPECT_LT(third.error, 1e-5);
}

TEST(Work, OrdersRiseFromTheStart) {
  const Finished r = run("andrews", "adams-index2", 1e-8);
  const auto& histogram = r.statistics.order_histogram;
  EXPECT_GT(histogram[2], 0);
  EXPECT_GT(histogram[9], r.statistics.accepted / 2);
  for (std::size_t p = 10; p < histogram.size(); ++p) EXPECT_EQ(histogram[p], 0);
  const Finished low = run("andrews", "adams-index2", 1e-8, {{"max_order", 5.0}});
  EXPECT_EQ(low.statistics.order_histogram[6], 0);
  EXPECT_GT(evaluations(low), evaluations(r));
  const Finished high = run("pendulum", "adams-index2", 1e-10, {{"max_order", 12.0}});
  EXPECT_GT(high.statistics.order_histogram[11], 0);
  EXPECT_LT(evaluations(high), evaluations(run("pendulum", "adams-index2", 1e-10)));
}

// A bead on a circle with a damper: eigenvalue -damping beside a slow motion.
MultibodyProblem bead(double damping) {
  return {.name = "bead",
          .space = euclidean(2),
          .constraint_count = 1,
          .force = autodiff([damping](const auto& t, const auto& q, const auto& v, auto& f) {
            using std::cos;
            const auto wish = 0.3 * cos(t);
            f[0] = -damping * (v[0] + q[1] * wish);
            f[1] = -damping * (v[1] - q[0] * wish);
          }),
          .constraint = autodiff([](const auto&, const auto& q, auto& g) {
            g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
          }),
          .q0 = Eigen::Vector2d(1.0, 0.0),
          .v0 = Eigen::Vector2d(0.0, 0.3)};
}

bool said_stiff(const Solution& s) {
  return std::any_of(s.warnings().begin(), s.warnings().end(), [](const std::string& w) {
    return w.find("stability and not accuracy") != std::string::npos;
  });
}

// Low orders have the longer intervals of stability: the order falls, and the run says why.
TEST(Stiffness, IsSaidAndLowersTheOrder) {
  for (const double tolerance : {1e-4, 1e-7}) {
    const Solution stiff = solve(bead(2000.0), {0.0, 1.0},
                                 {.method = "adams-index2", .rtol = tolerance, .atol = tolerance});
    ASSERT_TRUE(stiff.ok()) << stiff.message();
    EXPECT_TRUE(said_stiff(stiff));
    const auto& histogram = stiff.statistics().order_histogram;
    EXPECT_GT(histogram[3] + histogram[4] + histogram[5], stiff.statistics().accepted / 2);
    const Solution soft = solve(bead(0.5), {0.0, 20.0},
                                {.method = "adams-index2", .rtol = tolerance, .atol = tolerance});
    ASSERT_TRUE(soft.ok()) << soft.message();
    EXPECT_FALSE(said_stiff(soft));
    EXPECT_LT(100 * soft.statistics().accepted, 20 * stiff.statistics().accepted);
  }
}

// Dampers in the suspension, a road that has to be followed: at high orders the steps are at the
// limit of stability of the order in use, but it is the tolerance that decides about their number.
TEST(Stiffness, IsNotSaidWhereAnotherOrderWouldDo) {
  const Problem road = problems::find_problem("truck9-road")->problem();
  long steps[2] = {};
  for (const int i : {0, 1}) {
    const double tolerance = i == 0 ? 1e-6 : 1e-4;
    const Solution s =
        solve(road, {0.0, 5.0}, {.method = "adams-index2", .rtol = tolerance, .atol = tolerance});
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_FALSE(said_stiff(s)) << tolerance;
    steps[i] = s.statistics().steps();
  }
  EXPECT_GT(2 * steps[0], 3 * steps[1]);
}

TEST(Stiffness, LimitsAreThoseOfTheFormulas) {
  for (int k = 1; k <= plmsm::max_steps; ++k)
    for (const int correctors : {1, 2})
      EXPECT_NEAR(partitioned_multistep::stability_limit(k, correctors),
                  plmsm::stability_boundary(k, correctors), 6e-4)
          << k << " " << correctors;
}

// At x = 0 the velocity is reversed; the method starts again from one value.
TEST(Restart, AfterEvents) {
  const Problem problem = problems::find_problem("pendulum")->problem();
  const auto end = [&](const char* method) {
    Options o{.method = method, .rtol = 1e-9, .atol = 1e-9};
    o.events.push_back({.name = "bounce",
                        .when = [](const StateView& s) { return s.y()[0]; },
                        .direction = Crossing::falling,
                        .action = EventAction::handle,
                        .handler = [](EventContext& e) { e.y[2] = -e.y[2], e.y[3] = -e.y[3]; }});
    const Solution s = solve(problem, {0.0, 4.0}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_GE(s.statistics().restarts, 2);
    return Eigen::VectorXd(s.end().y());
  };
  EXPECT_LT((end("adams-index2") - end("rk4")).head(4).norm(), 1e-6);
}

// With a projection in every step the history takes the projected values.
TEST(Projection, InEveryStepKeepsAccuracyAndConstraints) {
  const problems::Entry& e = *problems::find_problem("andrews");
  const Solution s = solve(e.problem(), {e.t0, e.t_end},
                           {.method = "adams-index2",
                            .projection = ProjectionWhen::every_step,
                            .rtol = 1e-9,
                            .atol = 1e-9});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT(s.statistics().position_residual, 1e-12);
  double error = 0.0;
  for (const auto& [name, value] : e.reference->values)
    if (name.front() == 'q')
      error = std::max(error, std::abs(s.end()[name] - value) / (1.0 + std::abs(value)));
  EXPECT_LT(error, 2e-9);
}

TEST(Resumption, GivesTheSameBits) {
  const problems::Entry& e = *problems::find_problem("andrews");
  const testing::ContractReport r = testing::check_resume(
      e.problem(), {0.0, 0.004}, {.method = "adams-index2", .rtol = 1e-6, .atol = 1e-6});
  EXPECT_TRUE(r.ok()) << r.text();
}

// c, s, g_t, T, M(q) and friction at once, controlled and with fixed steps of order 4.
TEST(Everything, IsIntegrated) {
  for (const double constraint : {1.0, 3.0}) {
    const Solution s = solve(everything(), {0.0, 1.0},
                             {.method = "adams-index2",
                              .rtol = 1e-8,
                              .atol = 1e-8,
                              .output = Output::end,
                              .method_options = {{"constraint", constraint}}});
    ASSERT_TRUE(s.ok()) << s.message();
    const Eigen::VectorXd e = Eigen::VectorXd(s.end().y()) - exact_everything(1.0);
    EXPECT_LT(e.head(6).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT(std::abs(e[6]), 1e-5);
  }
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const Solution s = solve(everything(), {0.0, 1.0},
                             {.method = "adams-index2",
                              .output = Output::end,
                              .fixed_step = i == 0 ? 1.0 / 40 : 1.0 / 80,
                              .method_options = {{"fixed_order", 4.0}}});
    ASSERT_TRUE(s.ok()) << s.message();
    errors[i] = (Eigen::VectorXd(s.end().y()) - exact_everything(1.0)).cwiseAbs().maxCoeff();
  }
  EXPECT_GT(std::log2(errors[0] / errors[1]), 3.75);
}

TEST(Settings, OfAdamsIndex2) {
  const auto refused = [](const std::string& key, double value) {
    try {
      (void)run("pendulum", "adams-index2", 1e-4, {{key, value}});
      return false;
    } catch (const InvalidArgument& e) {
      return std::string(e.what()).find(key) != std::string::npos;
    }
  };
  EXPECT_TRUE(refused("max_order", 1.0));
  EXPECT_TRUE(refused("max_order", 13.0));
  EXPECT_TRUE(refused("fixed_order", 14.0));
  EXPECT_TRUE(refused("constraint", 2.0));
  EXPECT_TRUE(refused("correctors", 0.0));
}

}  // namespace
}  // namespace daedalus::partitioned_multistep_test
