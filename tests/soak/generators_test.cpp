// SPDX-License-Identifier: BSD-3-Clause
// The soak is only as good as its problems and its judge.
#include <gtest/gtest.h>

#include <sstream>

#include <daedalus/solve.hpp>

#include "soak/judge.hpp"
#include "soak/soak.hpp"

namespace daedalus::soak {
namespace {

Eigen::VectorXd rate_of(const Case& c, double t) {
  constexpr double d = 1e-3;
  // Fourth order.
  return (8.0 * (c.solution(t + d) - c.solution(t - d)) -
          (c.solution(t + 2.0 * d) - c.solution(t - 2.0 * d))) /
         (12.0 * d);
}

// F(t, x, x') of first-order forms.
Eigen::VectorXd residual_of(const Problem& problem, double t, const Eigen::VectorXd& x,
                            const Eigen::VectorXd& xp) {
  const int n = static_cast<int>(x.size());
  Eigen::VectorXd r = Eigen::VectorXd::Zero(n);
  Arguments<double> a;
  a.t = t;
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) {
    a.x[0] = x.data();
    a.n[0] = n;
    a.modes = m->modes.data();
    a.mode_count = static_cast<int>(m->modes.size());
    m->rhs(a, r.data(), n);
    return m->mass_matrix.size() > 0 ? Eigen::VectorXd(m->mass_matrix * xp - r)
                                     : Eigen::VectorXd(xp - r);
  }
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) {
    a.x[0] = x.data();
    a.x[2] = xp.data();
    a.n[0] = a.n[2] = n;
    i->residual(a, r.data(), n);
    return r;
  }
  const auto& e = std::get<SemiExplicitProblem>(problem);
  const int ny = static_cast<int>(e.y0.size());
  a.x[0] = x.data();
  a.n[0] = ny;
  a.x[1] = x.data() + ny;
  a.n[1] = n - ny;
  e.f(a, r.data(), ny);
  r.head(ny) -= xp.head(ny);
  e.g(a, r.data() + ny, n - ny);
  return r;
}

// The one silent error of 16000 runs was no error of a method: behind its jump this problem
// amplified what a step may leave 6000 times.
TEST(Generators, DrawNoProblemThatAmplifiesErrors) {
  const ProblemClass& jumps = *find_class("stiffness-jump");
  Random random(2000186, jumps.name);
  const Case unstable = jumps.make(random);
  EXPECT_GT(unstable.amplification, 1000.0);
  for (const char* name : {"stiffness-jump", "nonlinear-1", "branches", "crossings", "switches"})
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const ProblemClass& problem_class = *find_class(name);
      Random again(seed, problem_class.name);
      EXPECT_LE(draw(problem_class, again).amplification, 30.0) << name << ' ' << seed;
    }
}

// M v*' = f - G^T lambda* and 0 = g along the solution, and not beside it.
TEST(Generators, MultipliersSatisfyTheEquations) {
  const ProblemClass& driven = *find_class("multipliers");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed, driven.name);
    const Case c = draw(driven, random);
    const auto& p = std::get<MultibodyProblem>(c.problem);
    const int n = p.velocities(), m = p.constraint_count;
    for (const double t : {0.2 * c.t1, 0.7 * c.t1}) {
      const Eigen::VectorXd x = c.solution(t), rate = rate_of(c, t);
      const Eigen::VectorXd q = x.head(n), v = x.segment(n, n);
      const auto constraint = [&](const Eigen::VectorXd& at) {
        Eigen::VectorXd g(m);
        Arguments<double> a;
        a.t = t;
        a.x[0] = at.data();
        a.n[0] = n;
        p.constraint(a, g.data(), m);
        return g;
      };
      Eigen::VectorXd f(n);
      Arguments<double> a;
      a.t = t;
      a.x[0] = q.data();
      a.x[1] = v.data();
      a.n[0] = a.n[1] = n;
      p.force(a, f.data(), n);
      Eigen::MatrixXd G(m, n);
      for (int j = 0; j < n; ++j) {
        const Eigen::VectorXd d = 1e-5 * Eigen::VectorXd::Unit(n, j);
        G.col(j) = (constraint(q + d) - constraint(q - d)) / 2e-5;
      }
      const Eigen::VectorXd rest = p.mass_matrix * rate.segment(n, n) - f;
      EXPECT_LT(constraint(q).cwiseAbs().maxCoeff(), 1e-12) << seed;
      EXPECT_LT((rest + G.transpose() * x.tail(m)).cwiseAbs().maxCoeff(), 1e-7) << seed;
      EXPECT_GT(rest.cwiseAbs().maxCoeff(), 1e-4) << seed;
      EXPECT_LT((v - rate.head(n)).cwiseAbs().maxCoeff(), 1e-7) << seed;
    }
  }
}

class Generators : public ::testing::TestWithParam<std::string> {};

TEST_P(Generators, SolutionsSatisfyTheEquations) {
  const ProblemClass& problem_class = *find_class(GetParam());
  int tested = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed, problem_class.name);
    const Case c = draw(problem_class, random);
    // Past the limit of its impacts a body rests, which no equation says.
    if (!c.solution || !c.has_to_name.empty() ||
        std::holds_alternative<MultibodyProblem>(c.problem))
      continue;
    for (const double share : {0.13, 0.48, 0.87}) {
      const double t = c.t0 + share * (c.t1 - c.t0);
      bool close = false;  // to a jump or a kink
      for (const double j : c.jumps) close = close || std::abs(t - j) < 0.01;
      if (close) continue;
      const Eigen::VectorXd x = c.solution(t), xp = rate_of(c, t);
      const Eigen::VectorXd r = residual_of(c.problem, t, x, xp);
      // Differences of x over 1e-3; stiff rows are multiples of x alone, and vanish with it.
      const double fast = problem_class.name == "fast-signal" ? 1e3 : 1.0;
      const double round_off = 1e-10 * (1.0 + (c.stiff ? 1e6 : 0.0));
      EXPECT_LT(r.cwiseAbs().maxCoeff(), 1e-7 * fast + round_off)
          << "seed " << seed << ", t = " << t << ": " << c.description;
      Eigen::VectorXd moved = x;
      moved[0] += 1e-2;
      if (problem_class.name != "quadrature" && c.events.empty()) {
        EXPECT_GT((residual_of(c.problem, t, moved, xp) - r).cwiseAbs().maxCoeff(), 1e-6);
      }
      ++tested;
    }
  }
  if (problem_class.name.find("linkage") == std::string::npos &&
      problem_class.name != "multipliers") {
    EXPECT_GT(tested, 10);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ProblemClass& c : all_classes()) all.push_back(c.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Classes, Generators, ::testing::ValuesIn(names()), [](const auto& i) {
  std::string name = i.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Judge, SeesErrorsInTolerancesAndWithTheirIndex) {
  Case c;
  c.problem = MassMatrixProblem{};
  c.solution = [](double) -> Eigen::VectorXd { return Eigen::Vector2d(1.0, 0.0); };
  c.component_index = {1, 2};
  StepSizes steps;
  steps.add(0.0, 0.25);
  steps.add(0.25, 0.75);
  Variables variables{{"a", "b"}, {{VariableClass::y, 1, 0, 2}}};
  const Eigen::Vector2d off(1.0 + 2e-3, 4e-3);
  Judgement j;
  judge_state(c, StateView(variables, 0.1, off.data()), 1e-6, steps, j);
  EXPECT_NEAR(j.error, 1000.0, 1e-6);  // 2e-3 / (1e-6 (1 + 1)); 0.25 * 4e-3 / 1e-6 is the same
  const Eigen::Vector2d algebraic(1.0, 4e-3);
  Judgement second;
  judge_state(c, StateView(variables, 0.6, algebraic.data()), 1e-6, steps, second);
  EXPECT_NEAR(second.error, 3000.0, 1e-6);  // h = 0.75
  Judgement none;
  const Eigen::Vector2d nan(std::nan(""), 0.0);
  judge_state(c, StateView(variables, 0.6, nan.data()), 1e-6, steps, none);
  EXPECT_GT(none.error, 1e300);
}

TEST(SoakRuns, GivesTheSameOnOneAndTwoThreads) {
  SoakSettings s;
  for (const ProblemClass& c : all_classes()) s.classes.push_back(&c);
  s.runs = 64;
  std::ostringstream one, two;
  const auto first = soak(s);
  s.threads = 2;
  const auto second = soak(s);
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_EQ(first[k].verdicts, second[k].verdicts) << first[k].name;
    EXPECT_EQ(first[k].worst, second[k].worst) << first[k].name;
    EXPECT_EQ(first[k].worst_seed, second[k].worst_seed) << first[k].name;
  }
}

TEST(SoakRuns, MessagesThatDifferInNumbersAreOne) {
  EXPECT_EQ(beginning("at t = 1.25e-7 with step 3"), beginning("at t = 0.5 with step 12"));
  EXPECT_NE(beginning("the error test of 'y1'"), beginning("the error test of 'z1'"));
}

}  // namespace
}  // namespace daedalus::soak
