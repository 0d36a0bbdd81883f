// SPDX-License-Identifier: BSD-3-Clause
// The differentiation index by derivative arrays: linear and nonlinear problems of index 0 to 5,
// the whole catalogue, and problems that have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/analysis.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

#include "index/models.hpp"

namespace daedalus::index_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(IndexAnalysis, LinearProblemsOfIndexZeroToFive) {
  for (int m = 0; m <= 5; ++m) {
    const IndexAnalysis a = index_analysis(index_models::linear_of_index(m), 0.3);
    EXPECT_EQ(a.index, m);
    EXPECT_EQ(a.degrees_of_freedom, m == 0 ? 3 : 2) << m;
    EXPECT_GT(a.gap, 1e6) << m;
    EXPECT_THAT(a.warnings, IsEmpty()) << m;
    EXPECT_EQ(static_cast<int>(a.constraints.size()), m);  // one block of size m
  }
}

// Nothing is free in a chain; all values follow from the derivatives of one equation, and those of
// the exact solution are kept.
TEST(IndexAnalysis, NonlinearHessenbergChains) {
  for (int m = 2; m <= 5; ++m) {
    const IndexAnalysis a = index_analysis(index_models::hessenberg_chain(m), 0.2);
    EXPECT_EQ(a.index, m);
    EXPECT_EQ(a.degrees_of_freedom, 0) << m;
    EXPECT_THAT(a.warnings, IsEmpty()) << m;
    ASSERT_EQ(a.x.size(), m);
    EXPECT_LT((a.x - index_models::chain_solution(m, 0.2)).cwiseAbs().maxCoeff(), 1e-10) << m;
    EXPECT_EQ(a.differentiated.back(), m) << m;    // the algebraic equation
    EXPECT_EQ(a.determined_after.back(), m) << m;  // z follows from m - 1 differentiations
  }
}

// Derivative arrays, or above 60 unknowns the matrices that check() looks at.
TEST(IndexAnalysis, EveryCatalogueProblemHasItsDeclaredIndex) {
  int large = 0;
  for (const problems::Entry* e : problems::all_problems()) {
    const Problem problem = e->problem();
    const IndexAnalysis a = index_analysis(problem, e->t0);
    int index = a.index, freedom = a.degrees_of_freedom;
    if (index < 0) {
      ++large;
      ASSERT_THAT(a.warnings, Not(IsEmpty())) << e->name;
      EXPECT_THAT(a.warnings[0], HasSubstr("unknowns")) << e->name;
      const Check c = check(problem, e->t0);
      index = c.numerical_index;
      freedom = c.degrees_of_freedom;
      EXPECT_GT(c.gap, 1e3) << e->name;
    } else {
      EXPECT_THAT(a.warnings, IsEmpty()) << e->name;
      EXPECT_GT(a.x.size(), 0) << e->name << ": no consistent values";
    }
    EXPECT_EQ(index, e->index) << e->name << "\n" << a.text();
    if (const auto* b = std::get_if<MultibodyProblem>(&problem)) {
      EXPECT_EQ(freedom, b->space.tangents() + b->velocities() - 2 * b->constraint_count -
                             b->nonholonomic_count + b->dynamic_count)
          << e->name;
    }
  }
  EXPECT_LE(large, 6);
}

TEST(IndexAnalysis, SaysWhy) {
  const problems::Entry& e = *problems::find_problem("pendulum");
  const IndexAnalysis a = index_analysis(e.problem(), e.t0);
  EXPECT_THAT(a.text(), HasSubstr("differentiated 3 times: 'constraint 1'"));
  EXPECT_THAT(a.text(), HasSubstr("follow from equations differentiated twice: 'lambda'"));
  ASSERT_EQ(a.constraints.size(), 3u);
  EXPECT_THAT(a.constraints[1].text, HasSubstr("d/dt 'constraint 1' with 'kinematics of"));
}

// Two equal constraints: one of them is redundant, and their multipliers are not determined.
TEST(IndexAnalysis, RedundantEquationsAreNamed) {
  SemiExplicitProblem p;
  p.f = autodiff(
      [](const auto&, const auto& y, const auto& z, auto& f) { f[0] = -y[0] + z[0] + z[1]; });
  const auto build = [&](double shift) {
    p.g = autodiff([shift](const auto&, const auto& y, const auto& z, auto& g) {
      g[0] = z[0] + z[1] - y[0];
      g[1] = 2.0 * (z[0] + z[1]) - 2.0 * y[0] + shift;
    });
    return index_analysis(Problem(p), 0.0);
  };
  p.y0 = Eigen::VectorXd::Ones(1);
  p.z0 = Eigen::Vector2d(0.5, 0.5);
  p.equations = {"flow", "first", "second"};
  const IndexAnalysis redundant = build(0.0);
  EXPECT_EQ(redundant.index, -1);
  ASSERT_THAT(redundant.redundant, Not(IsEmpty()));
  EXPECT_THAT(redundant.redundant[0], HasSubstr("'first', 'second' depend on each other"));
  EXPECT_THAT(redundant.redundant[0], HasSubstr("say nothing new"));
  EXPECT_THAT(redundant.redundant.back(), HasSubstr("'z1', 'z2'"));
  EXPECT_THAT(build(1.0).redundant[0], HasSubstr("contradict"));
}

TEST(IndexAnalysis, PlainCallablesAndSizeAreStated) {
  ImplicitProblem p;
  p.residual = [](double, In y, In yp, Out r) { r[0] = yp[0] + y[0]; };
  p.y0 = p.yp0 = Eigen::VectorXd::Zero(1);
  EXPECT_THAT(index_analysis(Problem(p), 0.0).warnings[0],
              HasSubstr("'residual' gives values only"));
  const problems::Entry& e = *problems::find_problem("pollution");
  EXPECT_THAT(index_analysis(e.problem(), e.t0, 1e-11, 10).warnings[0], HasSubstr("20 unknowns"));
}

// Terms cancel that the structure cannot see: structural 1, numerical 2, and check says both.
TEST(IndexAnalysis, DisagreementWithTheStructureIsReported) {
  const problems::Entry& e = *problems::find_problem("ring-modulator-index2");
  const Check c = check(e.problem(), e.t0);
  EXPECT_EQ(c.structural_index, 1);
  EXPECT_EQ(c.numerical_index, 2);
  EXPECT_THAT(c.why.back(), HasSubstr("structural index 1 is too small, the numerical one is 2"));
}

}  // namespace
}  // namespace daedalus::index_test
