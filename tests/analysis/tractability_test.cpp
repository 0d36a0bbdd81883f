// SPDX-License-Identifier: BSD-3-Clause
// The chain on problems: the table of index, ranks and degrees of freedom for Tischendorf's
// examples, and the assumptions of the convergence theorems, each with a problem that violates it.
#include "analysis/tractability.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

#include "analysis/support.hpp"

namespace daedalus::tractability_test {
namespace {

using namespace analysis_test;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

double largest(const MatrixXd& M) { return M.cwiseAbs().maxCoeff(); }

struct Expected {
  int size, rank_a, rank_a1, index, freedom, common;
};

void expect(const Tractability& r, const Expected& e) {
  EXPECT_EQ(r.index, e.index);
  EXPECT_EQ(r.chain.a.size, e.size);
  EXPECT_EQ(r.chain.a.rank, e.rank_a);
  EXPECT_EQ(r.chain.a1.rank, e.rank_a1);
  EXPECT_EQ(r.chain.degrees_of_freedom, e.freedom);
  EXPECT_EQ(r.chain.common.cols(), e.common);
  EXPECT_TRUE(r.constant_rank);
  EXPECT_GT(r.min_gap, 1e3);
}

const std::vector<double> unit_times{0.0, 0.2, 0.5, 0.9};

TEST(TischendorfTable, LinearExample) {
  Case c = along_exact("tischendorf-linear", {-1.0, -0.3, 0.0, 0.4, 1.0});
  const Tractability r = c.analyse();
  expect(r, {2, 1, 1, 2, 0, 1});
  EXPECT_TRUE(r.kernel_constant);
  EXPECT_TRUE(r.structural_condition);
  EXPECT_TRUE(r.linear_in_algebraic);
  EXPECT_FALSE(r.chains_differ);
  EXPECT_THAT(r.warnings, IsEmpty());
  EXPECT_NEAR(r.chain.Q(0, 1), 0.5, 1e-14);  // kernel span(1, 1)
}

TEST(TischendorfTable, CouplingExamples) {
  for (const double p : {1.0, 2.0, 3.0}) {
    Case c = along_exact("coupling", unit_times, {{"p", p}});
    const Tractability r = c.analyse();
    expect(r, {3, 2, 2, 2, 1, 1});
    EXPECT_TRUE(r.structural_condition) << p;  // Hessenberg form
    EXPECT_FALSE(r.linear_in_algebraic) << p;  // also for p = 1: the coefficient x2 - 1 moves
    EXPECT_TRUE(r.kernel_constant);
  }
  Case linear = along_exact("coupling-linear", unit_times);
  const Tractability r = linear.analyse();
  expect(r, {3, 2, 2, 2, 1, 1});
  EXPECT_TRUE(r.linear_in_algebraic);
  EXPECT_EQ(r.linearity_defect, 0.0);
}

TEST(TischendorfTable, PendulumVariants) {
  Case first = along_exact("tischendorf-pendulum-index2", unit_times);
  const Tractability one = first.analyse();
  expect(one, {5, 4, 4, 2, 3, 1});
  EXPECT_EQ(one.chain.kinds[3], ComponentKind::differential);
  EXPECT_EQ(one.chain.kinds[4], ComponentKind::algebraic_index2);
  Case second = along_exact("tischendorf-pendulum-ggl", unit_times);
  const Tractability two = second.analyse();
  expect(two, {6, 4, 4, 2, 2, 2});
  for (const Tractability* r : {&one, &two}) {
    EXPECT_TRUE(r->chain.aligned);
    EXPECT_TRUE(r->structural_condition);
    EXPECT_FALSE(r->linear_in_algebraic);  // x lambda: the coefficient is a state
    EXPECT_LT(r->chain.residuals.largest(), 1e-12);
    EXPECT_THAT(r->warnings, IsEmpty());
  }
  Case original = along_exact("tischendorf-pendulum-index3", unit_times);
  const Tractability three = original.analyse();
  expect(three, {5, 4, 4, 3, -1, 0});
  EXPECT_LT(three.chain.a2.rank, 5);
  EXPECT_TRUE(three.chain.regular_pencil);
  EXPECT_EQ(three.chain.T.size(), 0);
  EXPECT_EQ(three.chain.P(4, 4), 0.0);  // P is there for error tests all the same
  EXPECT_EQ(three.chain.P(3, 3), 1.0);
  EXPECT_THAT(three.warnings, Contains(HasSubstr("three or more")));
}

// The same pendulum as a multibody problem: the formulations have the indices of their names.
TEST(TischendorfTable, PendulumAsMultibodyProblem) {
  const problems::Entry& e = entry("pendulum");
  expect(analyse_tractability(e.problem(), e.t0, "index1"), {5, 4, 5, 1, 4, 0});
  expect(analyse_tractability(e.problem(), e.t0, "index2"), {5, 4, 4, 2, 3, 1});
  expect(analyse_tractability(e.problem(), e.t0, "index3"), {5, 4, 4, 3, -1, 0});
  EXPECT_EQ(analyse_tractability(e.problem(), e.t0).index, 3);
}

// Solution of the circuit without parasitic capacitances at t = 1e-4, where the diodes are off: two
// independent computations agree to 8e-8 in the voltages.
VectorXd ring_modulator_state() {
  VectorXd x(15);
  x << 2.6857767e-1, 1.9740001e-1, 4.6005898e-1, -1.9847019e-1, -2.2707023e-1, 4.3145894e-1,
      1.1100877e-1, -2.784501e-6, -9.696959e-7, 1.1227759e-3, 4.067895e-4, -1.1227757e-3,
      -4.067896e-4, 3.936705e-4, -3.068752e-4;
  return x;
}

TEST(TischendorfTable, RingModulator) {
  for (const double tau : {0.0, 1e-7, 1e-6, 1e-5}) {  // 0: chosen from the matrices
    Case c = at_start("ring-modulator-index2");
    c.points.push_back({1e-4, ring_modulator_state(), VectorXd::Zero(15), {}});
    TractabilitySettings settings;
    settings.chain.typical_step = tau;
    const Tractability r = c.analyse(settings);
    SCOPED_TRACE(::testing::Message() << "tau = " << r.chain.typical_step);
    expect(r, {15, 11, 14, 2, 10, 1});
    ASSERT_EQ(r.along.size(), 2U);
    EXPECT_EQ(r.along[1].a1.rank, 14);
    EXPECT_LT(r.along[1].a1.dropped, 1e-13);
    EXPECT_GT(r.along[1].a1.kept, 1e-9);
    EXPECT_GT(r.along[0].a1.gap(), 1e12);
    EXPECT_TRUE(r.kernel_constant);
    EXPECT_TRUE(r.structural_condition);
    EXPECT_FALSE(r.linear_in_algebraic);  // exponentials of Q x
    EXPECT_LT(r.chain.residuals.largest(), 1e-10);
    // N and S meet in (1, -1, 1, -1) of U3..U6; the other three directions have index 1.
    VectorXd direction = VectorXd::Zero(15);
    direction.segment(2, 4) << 0.5, -0.5, 0.5, -0.5;
    EXPECT_LT(largest(r.chain.T - direction * direction.transpose()), 1e-9);
    VectorXd algebraic = VectorXd::Zero(15);
    algebraic.segment(2, 4).setOnes();
    EXPECT_LT(largest(r.chain.Q - MatrixXd(algebraic.asDiagonal())), 1e-14);
    EXPECT_FALSE(r.chain.aligned);
    EXPECT_THAT(describe(r, c.system->layout), HasSubstr("algebraic, index 2: U3 U4 U5 U6"));
  }
}

// Negative control: the same matrices without equilibration are judged wrongly.
TEST(TischendorfTable, RingModulatorNeedsEquilibration) {
  int wrong = 0;
  for (const double tau : {1.0, 1e-3, 1e-6}) {
    Case c = at_start("ring-modulator-index2");
    c.points.push_back({1e-4, ring_modulator_state(), VectorXd::Zero(15), {}});
    TractabilitySettings settings;
    settings.chain.typical_step = tau;
    settings.chain.equilibrate = false;
    settings.neighbours = 0;
    const Tractability r = c.analyse(settings);
    for (const Tractability::Ranks& ranks : r.along)
      wrong += ranks.index != 2 || ranks.a.rank != 11 || ranks.a1.rank != 14;
  }
  EXPECT_GE(wrong, 4);
}

TEST(TischendorfTable, GearPetzoldWithTurningKernel) {
  for (const double eta : {0.05, 1.0, -0.55, -2.0}) {
    Case c = along_exact("gear-petzold", {0.1, 0.5, 1.0}, {{"eta", eta}, {"wave", 1.0}});
    const Tractability r = c.analyse();
    SCOPED_TRACE(::testing::Message() << "eta = " << eta);
    expect(r, {2, 1, 1, 2, 0, 1});
    EXPECT_EQ(r.plain.index, 2);
    EXPECT_FALSE(r.chains_differ);
    EXPECT_FALSE(r.kernel_constant);
    EXPECT_THAT(r.warnings, Contains(HasSubstr("state the leading term")));
  }
  // eta = -1: the frozen pencil is singular, the DAE is not.
  Case c = along_exact("gear-petzold", {0.1, 0.5, 1.0}, {{"eta", -1.0}});
  const Tractability r = c.analyse();
  EXPECT_EQ(r.index, 2);
  EXPECT_EQ(r.chain.degrees_of_freedom, 0);
  EXPECT_EQ(r.plain.index, 3);
  EXPECT_FALSE(r.plain.regular_pencil);
  EXPECT_TRUE(r.chains_differ);
  EXPECT_THAT(r.warnings, Contains(HasSubstr("frozen")));
}

TEST(TischendorfTable, GearPetzoldWithStatedLeadingTerm) {
  for (const double eta : {0.05, -0.55, -1.0, -2.0}) {
    Case c = along_exact("gear-petzold", {0.1, 0.5, 1.0},
                         {{"eta", eta}, {"wave", 1.0}, {"stated", 1.0}});
    const Tractability r = c.analyse();
    SCOPED_TRACE(::testing::Message() << "eta = " << eta);
    expect(r, {2, 1, 1, 2, 0, 1});
    EXPECT_TRUE(r.stated_leading_term);
    EXPECT_FALSE(r.kernel_constant);  // it turns, and it does not matter
    EXPECT_FALSE(r.chains_differ);
    EXPECT_THAT(r.warnings, IsEmpty());
    const Tractability start = analyse_tractability(*c.problem, 0.0);
    EXPECT_EQ(start.index, 2);
    EXPECT_TRUE(start.stated_leading_term);
  }
}

// As many entries of d as of x.
TEST(StatedLeadingTerm, IsRecognisedAtFullLength) {
  ImplicitProblem p;
  p.name = "full length";
  p.residual = autodiff([](const auto& t, const auto& x, const auto& dp, auto& r) {
    r[0] = x[0] + t * x[1] - 1.0;
    r[1] = dp[0] + x[1];
  });
  p.leading_count = 2;
  p.leading = autodiff([](const auto& t, const auto& x, auto& d) {
    d[0] = x[0] + t * x[1];
    d[1] = x[1];
  });
  p.y0 = VectorXd::Unit(2, 0);
  p.yp0 = VectorXd::Zero(2);
  p.index = 2;
  const Tractability r = analyse_tractability(p, 0.0);
  EXPECT_TRUE(r.stated_leading_term);
  EXPECT_EQ(r.index, 2);
  EXPECT_FALSE(analyse_tractability(entry("gear-petzold").problem(), 0.0).stated_leading_term);
}

// x1' = x2, 0 = x1 + e x2^2 around x = 0: index 2 on the solution, index 1 beside it.
ImplicitProblem index_on_the_solution_only(double e) {
  ImplicitProblem p;
  p.name = "one point";
  p.residual = autodiff([e](const auto&, const auto& x, const auto& xp, auto& r) {
    r[0] = xp[0] - x[1];
    r[1] = x[0] + e * x[1] * x[1];
  });
  p.y0 = VectorXd::Zero(2);
  p.yp0 = VectorXd::Zero(2);
  p.index = 2;
  return p;
}

TEST(StructuralCondition, FailsWhereADifferentiatedEquationContainsAlgebraicVariables) {
  const Tractability good = analyse_tractability(index_on_the_solution_only(0.0), 0.0);
  EXPECT_TRUE(good.structural_condition);
  EXPECT_TRUE(good.constant_rank);
  EXPECT_THAT(good.warnings, IsEmpty());
  const Tractability bad = analyse_tractability(index_on_the_solution_only(1.0), 0.0);
  EXPECT_EQ(bad.index, 2);
  EXPECT_FALSE(bad.structural_condition);
  EXPECT_NEAR(bad.structural_defect, 1.0, 1e-12);  // nothing cancels
  EXPECT_FALSE(bad.constant_rank);
  EXPECT_THAT(bad.warnings, Contains(HasSubstr("index 2 may hold on the solution only")));
}

// Two algebraic variables z1, z2 with g = (a(z1 + z2), x + k a(z1 + z2)): the constraint
// x + k g1 = 0 contains only x because the same function stands in both equations; with another
// function in the second it does not.
TEST(StructuralCondition, HoldsByCancellation) {
  for (const bool cancels : {true, false}) {
    ImplicitProblem p;
    p.name = "cancellation";
    p.residual = autodiff([cancels](const auto&, const auto& x, const auto& xp, auto& r) {
      using std::exp;
      const auto sum = x[1] + x[2];
      const auto current = exp(sum) - 1.0;
      r[0] = xp[0] - x[1] + x[2];
      r[1] = current;
      r[2] = 3.0 * (cancels ? current : sum + sum * sum) + x[0];
    });
    p.y0 = VectorXd::Zero(3);
    p.yp0 = VectorXd::Zero(3);
    p.index = 2;
    const Tractability r = analyse_tractability(p, 0.0);
    EXPECT_EQ(r.index, 2);
    EXPECT_EQ(r.structural_condition, cancels);
    EXPECT_EQ(r.chain.common.cols(), 1);
  }
}

TEST(Kernel, TurnsWithStateOrTime) {
  EXPECT_FALSE(along_exact("kvaerno-a", {-1.0, 0.0, 0.5}).analyse().kernel_constant);
  Case c = along_exact("brenan", {0.0, 0.4, 1.0});
  const Tractability r = c.analyse();
  EXPECT_EQ(r.index, 1);
  EXPECT_FALSE(r.kernel_constant);
  // The kernel is spanned by (t, 1): |Q - Q(0)| = 1/2 at t = 1, and tau |P'| = 1 at t = 0.
  EXPECT_EQ(r.chain.typical_step, 1.0);
  EXPECT_NEAR(r.kernel_turn, 1.0, 1e-9);
  // A single point sees the turn through P'.
  Case single = along_exact("brenan", {0.4});
  EXPECT_FALSE(single.analyse().kernel_constant);
}

// Jacobians by differences carry errors of 1e-8 that must not be taken for turning kernels.
TEST(Kernel, DifferencesDoNotDisturb) {
  for (const char* name : {"tischendorf-linear", "coupling-linear", "tischendorf-pendulum-ggl"}) {
    Case c = along_exact(name, {0.1, 0.5}, {}, true);
    TractabilitySettings settings;
    settings.chain.tolerance = 1e-6;
    const Tractability r = c.analyse(settings);
    EXPECT_EQ(r.index, 2) << name;
    EXPECT_TRUE(r.kernel_constant) << name;
    EXPECT_TRUE(r.structural_condition) << name;
    EXPECT_FALSE(r.chains_differ) << name;
  }
}

TEST(Catalogue, DeclaredIndicesAreFound) {
  for (const problems::Entry* e : problems::all_problems()) {
    if (!e->in_suite("core") && !e->in_suite("tischendorf")) continue;
    const Problem problem = e->problem();
    if (std::holds_alternative<MultibodyProblem>(problem)) {
      const int highest = index_of(problem);
      for (int level = 1; level <= highest; ++level)
        EXPECT_EQ(analyse_tractability(problem, e->t0, "index" + std::to_string(level)).index,
                  level)
            << e->name << " " << level;
      continue;
    }
    const Tractability r = analyse_tractability(problem, e->t0);
    EXPECT_EQ(std::max(r.index, e->index <= 1 ? 1 : 0), std::max(e->index, e->index <= 1 ? 1 : 0))
        << e->name;
    if (r.index == 2) {
      EXPECT_LT(r.chain.residuals.largest(), 1e-8) << e->name;
    }
  }
}

TEST(Analysis, AlongAComputedSolution) {
  const problems::Entry& e = entry("tischendorf-pendulum-index2");
  Case c = lowered(e.problem(), e.t0);
  Options o;
  o.method = "implicit-euler";
  o.fixed_step = 1e-2;
  o.output = Output::steps;
  const Solution s = solve(*c.problem, {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  c.points = trajectory_points(s, *c.system, 5);
  ASSERT_EQ(c.points.size(), 5U);
  EXPECT_EQ(c.points.front().t, 0.0);
  EXPECT_EQ(c.points.back().t, 1.0);
  // x1' = v1 is what implicit Euler solves.
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_NEAR(c.points[i].xd[0], c.points[i].x[2], 1e-8 * (1.0 + std::abs(c.points[i].x[2])));
  expect(c.analyse(), {5, 4, 4, 2, 3, 1});
}

TEST(Analysis, MisuseAndFailedEvaluationsAreNamed) {
  Case c = at_start("ring-modulator-index2");
  EXPECT_THROW(analyse_tractability(*c.system, {}), InvalidArgument);
  c.points[0].xd.resize(3);
  EXPECT_THROW(c.analyse(), InvalidArgument);
  c = at_start("ring-modulator-index2");
  c.points[0].x[2] = 1e3;  // a diode voltage of 1000: the callable rejects
  const Tractability r = c.analyse();
  EXPECT_EQ(r.index, -1);
  EXPECT_THAT(r.warnings, Contains(HasSubstr("could not be evaluated")));
  EXPECT_THAT(describe(r, c.system->layout), HasSubstr("not computed"));
}

}  // namespace
}  // namespace daedalus::tractability_test
