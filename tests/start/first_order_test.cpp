// SPDX-License-Identifier: BSD-3-Clause
// Consistent start values of first-order forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

namespace daedalus {
namespace {

using Eigen::VectorXd;
using ::testing::HasSubstr;

VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}
Options with(StartStrategy strategy, const std::string& method = "auto", double tol = 1e-8) {
  Options o;
  o.start = strategy;
  o.method = method;
  o.rtol = tol;
  o.atol = tol;
  if (method == "implicit-euler") o.fixed_step = 1e-3;
  return o;
}
TEST(StartFirstOrder, EveryCatalogueProblemStarts) {
  for (const problems::Entry* e : problems::all_problems()) {
    const Problem p = e->problem();
    const Solution s = solve(p, {e->t0, e->t0}, {});
    EXPECT_TRUE(s.ok()) << e->name << ": " << s.message();
  }
}

// Akzo Nobel: y6 = Ks y1 y4 is the algebraic equation; robertson: y1 + y2 + y3 = 1.
TEST(StartFirstOrder, APerturbedAlgebraicVariableIsNamedAndRepaired) {
  for (const std::string name : {"akzo", "robertson"}) {
    const problems::Entry& e = *problems::find_problem(name);
    SemiExplicitProblem p = std::get<SemiExplicitProblem>(e.problem());
    const VectorXd y = p.y0, z = p.z0;
    p.z0[0] += 0.01;
    const Interval nothing{e.t0, e.t0};
    const Solution refused = solve(p, nothing, with(StartStrategy::automatic));
    ASSERT_EQ(refused.status(), Status::inconsistent_start) << name << refused.message();
    EXPECT_THAT(refused.message(), HasSubstr("'" + p.equations.back() + "'")) << name;
    EXPECT_THAT(refused.message(), HasSubstr("0.01")) << name;
    EXPECT_THAT(refused.message(), HasSubstr("'solve'")) << name;
    const Solution s = solve(p, nothing, with(StartStrategy::solve));
    ASSERT_TRUE(s.ok()) << name << s.message();
    EXPECT_EQ(VectorXd(s.start().y().head(y.size())), y) << name;  // only what had to move
    EXPECT_LT((s.start().z() - z).cwiseAbs().maxCoeff(), 1e-12) << name;
    EXPECT_TRUE(s.warnings().empty()) << name;  // with 'solve' algebraic start values are guesses
    const Solution trusted = solve(p, nothing, with(StartStrategy::given));
    ASSERT_TRUE(trusted.ok()) << trusted.message();
    EXPECT_EQ(VectorXd(trusted.start().z()), p.z0) << name;
  }
}

SemiExplicitProblem circle() {
  SemiExplicitProblem p;
  p.name = "circle";
  p.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = -z[0]; });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = y[0] * y[0] + z[0] * z[0] - 1.0;
  });
  p.y0 = vec({0.6});
  p.z0 = vec({0.5});
  p.equations = {"motion", "circle equation"};
  return p;
}

TEST(StartFirstOrder, DifferentialVariablesAreKept) {
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    const Solution r = solve(circle(), {0.0, 0.0}, with(StartStrategy::automatic, method));
    EXPECT_EQ(r.status(), Status::inconsistent_start) << method;
    EXPECT_THAT(r.message(), HasSubstr("'circle equation'")) << method;
    EXPECT_THAT(r.message(), HasSubstr("0.39")) << method;  // 0.36 + 0.25 - 1 = -0.39
    const Solution s = solve(circle(), {0.0, 0.0}, with(StartStrategy::solve, method));
    ASSERT_TRUE(s.ok()) << method << s.message();
    EXPECT_EQ(s.start().y()[0], 0.6) << method;
    EXPECT_NEAR(s.start().z()[0], 0.8, 1e-12) << method;
  }
}

// Newton from a guess on the other side finds the other branch; damping keeps it from flying off.
TEST(StartFirstOrder, TheGuessChoosesTheBranch) {
  SemiExplicitProblem p = circle();
  p.z0 = vec({-0.01});
  const Solution s = solve(p, {0.0, 0.0}, with(StartStrategy::solve, "rodas4"));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.start().z()[0], -0.8, 1e-12);
}

TEST(StartFirstOrder, WithoutASolutionItSaysSo) {
  SemiExplicitProblem p = circle();
  p.y0 = vec({2.0});  // no z can help
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    const Solution s = solve(p, {0.0, 0.0}, with(StartStrategy::solve, method));
    EXPECT_FALSE(s.ok()) << method << ": " << s.message();
    EXPECT_TRUE(s.end().y().allFinite());
  }
}

// With y fixed z moves; with z fixed y must move instead.
TEST(StartFirstOrder, FixedVariablesStay) {
  Options o = with(StartStrategy::solve, "rodas4");
  o.fixed = {"z1"};
  SemiExplicitProblem p = circle();
  p.z0 = vec({0.8});
  p.y0 = vec({0.5});
  const Solution s = solve(p, {0.0, 0.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.start().z()[0], 0.8);
  EXPECT_NEAR(s.start().y()[0], 0.6, 1e-9);
}

// y^2 + z^2 = 1 with both fixed at 0.5 leaves -0.5; with an initial equation y = 2 the circle is
// met where it can be, and both rows share what is left.
TEST(StartFirstOrder, ConflictsAreNamed) {
  SemiExplicitProblem p = circle();
  p.z0 = vec({0.5});
  p.y0 = vec({0.5});
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    Options o = with(StartStrategy::solve, method);
    o.fixed = {"y1", "z1"};
    const Solution s = solve(p, {0.0, 0.0}, o);
    EXPECT_EQ(s.status(), Status::inconsistent_start) << method;
    // F = 0 has the other sign.
    EXPECT_THAT(s.message(), HasSubstr("'circle equation' keeps residual ")) << method;
    EXPECT_THAT(s.message(), HasSubstr("0.5. With 'y1', 'z1' fixed")) << method;
    o.fixed = {"y1"};
    SemiExplicitProblem q = p;
    q.initial_equation_count = 1;
    q.initial_equations =
        autodiff([](const auto&, const auto& y, const auto&, auto& r) { r[0] = y[0] - 2.0; });
    const Solution i = solve(q, {0.0, 0.0}, o);
    EXPECT_EQ(i.status(), Status::inconsistent_start) << method;
    EXPECT_THAT(i.message(), HasSubstr("'initial equation 1' keeps residual -1.5. With 'y1' fixed"))
        << method;
    EXPECT_TRUE(solve(p, {0.0, 0.0}, o).ok()) << method << ": z may move";
  }
}

// An initial equation y = z picks the point (1, 1) / sqrt(2) of the circle.
TEST(StartFirstOrder, InitialEquations) {
  SemiExplicitProblem p = circle();
  p.initial_equation_count = 1;
  p.initial_equations =
      autodiff([](const auto&, const auto& y, const auto& z, auto& r) { r[0] = y[0] - z[0]; });
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    const Solution s = solve(p, {0.0, 0.0}, with(StartStrategy::solve, method));
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_NEAR(s.start().y()[0], std::sqrt(0.5), 1e-9) << method;
    EXPECT_NEAR(s.start().z()[0], std::sqrt(0.5), 1e-9) << method;
    // Not asked to solve: named as what does not hold.
    p.y0 = vec({0.6});
    p.z0 = vec({0.8});
    const Solution r = solve(p, {0.0, 0.0}, with(StartStrategy::automatic, method));
    EXPECT_EQ(r.status(), Status::inconsistent_start) << method;
    EXPECT_THAT(r.message(), HasSubstr("initial equation 1")) << method;
  }
}

TEST(StartFirstOrder, ImplicitRatesAreCompleted) {
  ImplicitProblem p;
  p.name = "implicit";
  p.residual = autodiff([](const auto&, const auto& y, const auto& yp, auto& r) {
    r[0] = yp[0] + yp[0] * yp[0] * yp[0] - y[0];
    r[1] = y[1] - yp[0];
  });
  p.y0 = vec({2.0, 1.0});
  // yp = 1 solves yp + yp^3 = 2; without a guess for it.
  Options o = with(StartStrategy::automatic, "implicit-euler");
  const Solution s = solve(p, {0.0, 0.01}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end().y()[1], 1.0, 0.01);
}

TEST(StartFirstOrder, AfterAnEventTheStateIsMadeConsistent) {
  SemiExplicitProblem p = circle();
  p.z0 = vec({0.8});
  Options o = with(StartStrategy::solve, "rodas4");
  o.output = Output::steps;
  o.events = {{"kick", [](const StateView& s) { return s.t() - 0.1; }, Crossing::any,
               EventAction::handle, [](EventContext& c) { c.y[0] = 0.28; }}};
  const Solution s = solve(p, {0.0, 0.1}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_EQ(s.end().y()[0], 0.28);
  EXPECT_NEAR(s.end().z()[0], 0.96, 1e-10);
  // A strict start refuses the same kick and says which handler made it.
  o.start = StartStrategy::automatic;
  const Solution r = solve(p, {0.0, 0.1}, o);
  EXPECT_EQ(r.status(), Status::inconsistent_start);
  EXPECT_THAT(r.message(), HasSubstr("'kick'"));
}

}  // namespace
}  // namespace daedalus
