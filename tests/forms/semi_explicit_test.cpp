// SPDX-License-Identifier: BSD-3-Clause
// SemiExplicitProblem: index 1, ODE, Hessenberg systems; parameters, modes, given Jacobians.
#include "forms/support.hpp"

namespace daedalus {
namespace {

using namespace forms_test;

// y' = -z, 0 = z^3 + z - y - y^3: z = y, y = exp(-t).
SemiExplicitProblem index_one() {
  SemiExplicitProblem p;
  p.name = "index-1";
  p.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = -z[0]; });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = z[0] * z[0] * z[0] + z[0] - y[0] - y[0] * y[0] * y[0];
  });
  p.y0 = vec({1.0});
  p.z0 = vec({1.0});
  return p;
}

TEST(SemiExplicit, IndexOne) {
  const VectorXd exact = vec({std::exp(-2.0), std::exp(-2.0)});
  EXPECT_LT(distance(end_of(index_one(), {0.0, 2.0}, tight("rodas4")), exact), 1e-8);
  EXPECT_NEAR(ratio(index_one(), {0.0, 2.0}, fixed("rodas4", 0.1), exact, 0, 2), 16.0, 4.0);
  EXPECT_NEAR(ratio(index_one(), {0.0, 2.0}, fixed("implicit-euler", 0.01), exact, 0, 2), 2.0, 0.1);
  const Solution s = solve(index_one(), {0.0, 2.0}, tight("auto"));
  EXPECT_FALSE(s.choice().reason.empty());
  EXPECT_EQ(s.end().z()[0], s.end().y()[1]);
}

TEST(SemiExplicit, GivenBlocksLeadToTheSameSteps) {
  SemiExplicitProblem p = index_one();
  p.f_y = [](double, In, In, MatrixOut J) { J(0, 0) = 0.0; };
  p.f_z = [](double, In, In, MatrixOut J) { J(0, 0) = -1.0; };
  p.g_y = [](double, In y, In, MatrixOut J) { J(0, 0) = -1.0 - 3.0 * y[0] * y[0]; };
  p.g_z = [](double, In, In z, MatrixOut J) { J(0, 0) = 3.0 * z[0] * z[0] + 1.0; };
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    Options o = tight(method, 1e-5);
    o.output = Output::steps;
    const Solution a = solve(index_one(), {0.0, 1.0}, o), b = solve(p, {0.0, 1.0}, o);
    ASSERT_TRUE(a.ok() && b.ok());
    ASSERT_EQ(a.times().size(), b.times().size()) << method;
    EXPECT_LT(distance(a.end().y(), b.end().y()), 1e-12) << method;
  }
}

TEST(SemiExplicit, OdeWithoutAlgebraicPart) {
  SemiExplicitProblem p;
  p.name = "ode";
  p.f = [](double t, In y, In z, Out f) {
    EXPECT_EQ(z.size(), 0);
    f[0] = -2.0 * t * y[0];
  };
  p.y0 = vec({1.0});
  EXPECT_EQ(index_of(p), 0);
  EXPECT_NEAR(end_of(p, {0.0, 1.5}, tight("rodas4"))[0], std::exp(-2.25), 1e-8);
}

// Hessenberg of size 2: on the unit circle with angular velocity 1 + t; y' = (1 + t) (-y2, y1) +
// (z - cos t) y, 0 = |y|^2 - 1, hence z = cos t.
VectorXd hessenberg_two_exact(double t) {
  const double angle = t + 0.5 * t * t;
  return vec({std::cos(angle), std::sin(angle), std::cos(t)});
}
SemiExplicitProblem hessenberg_two() {
  SemiExplicitProblem p;
  p.name = "hessenberg-2";
  p.f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::cos;
    f[0] = -(1.0 + t) * y[1] + (z[0] - cos(t)) * y[0];
    f[1] = (1.0 + t) * y[0] + (z[0] - cos(t)) * y[1];
  });
  p.g = autodiff([](const auto&, const auto& y, const auto&, auto& g) {
    g[0] = y[0] * y[0] + y[1] * y[1] - 1.0;
  });
  p.hessenberg_blocks = {2};
  p.y0 = vec({1.0, 0.0});
  p.z0 = vec({1.0});
  return p;
}

TEST(SemiExplicit, HessenbergOfSizeTwo) {
  const Problem p = hessenberg_two();
  EXPECT_EQ(index_of(p), 2);
  const VectorXd exact = hessenberg_two_exact(1.0);
  EXPECT_NEAR(ratio(p, {0.0, 1.0}, fixed("implicit-euler", 0.01), exact, 0, 2), 2.0, 0.1);
  EXPECT_NEAR(ratio(p, {0.0, 1.0}, fixed("implicit-euler", 0.01), exact, 2, 1), 2.0, 0.2);
  EXPECT_TRUE(solve(p, {0.0, 0.1}, tight("auto", 1e-3)).ok());  // some method fits
}

// x1' = z + x1^2 - cos^2 t, x2' = x1, 0 = x2 - sin t: x2 = sin t, x1 = cos t, z = -sin t; size 3.
TEST(SemiExplicit, HessenbergOfSizeThree) {
  SemiExplicitProblem p;
  p.name = "hessenberg-3";
  p.f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::cos;
    f[0] = z[0] + y[0] * y[0] - cos(t) * cos(t);
    f[1] = y[0];
  });
  p.g = autodiff([](const auto& t, const auto& y, const auto&, auto& g) {
    using std::sin;
    g[0] = y[1] - sin(t);
  });
  p.hessenberg_blocks = {1, 1};
  p.y0 = vec({1.0, 0.0});
  p.z0 = vec({0.0});
  EXPECT_EQ(index_of(p), 3);
  const VectorXd exact = vec({std::cos(1.0), std::sin(1.0), -std::sin(1.0)});
  EXPECT_NEAR(ratio(p, {0.0, 1.0}, fixed("implicit-euler", 0.02), exact, 0, 1), 2.0, 0.1);
  EXPECT_NEAR(ratio(p, {0.0, 1.0}, fixed("implicit-euler", 0.02), exact, 2, 1), 2.0, 0.2);
  // The constraint holds to the Newton tolerance in every step.
  EXPECT_NEAR(end_of(p, {0.0, 1.0}, fixed("implicit-euler", 0.02))[1], std::sin(1.0), 1e-9);
}

// y' = -k y (point form), 0 = z - a y: parameters are arguments, not captures.
SemiExplicitProblem with_parameters() {
  SemiExplicitProblem p;
  p.name = "decay";
  p.f = autodiff([](const auto& x, auto& f) { f[0] = -x.p[0] * x.y[0]; });
  p.g = autodiff([](const auto& x, auto& g) { g[0] = x.z[0] - x.p[1] * x.y[0]; });
  p.y0 = vec({1.0});
  p.z0 = vec({2.0});
  p.parameters = {{"k", 1.0}, {"a", 2.0}};
  return p;
}

TEST(Parameters, AreReadThroughThePointForm) {
  Problem p = with_parameters();
  EXPECT_LT(
      distance(end_of(p, {0.0, 1.0}, tight("rodas4")), vec({std::exp(-1.0), 2.0 * std::exp(-1.0)})),
      1e-8);
  set_parameter(p, "k", 3.0);
  EXPECT_LT(
      distance(end_of(p, {0.0, 1.0}, tight("rodas4")), vec({std::exp(-3.0), 2.0 * std::exp(-3.0)})),
      1e-8);
  try {
    set_parameter(p, "kk", 3.0);
    FAIL() << "an unknown parameter was accepted";
  } catch (const InvalidArgument& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("'kk'"), std::string::npos) << what;
    EXPECT_NE(what.find("k, a"), std::string::npos) << what;  // all names there are
  }
}

// y' = mode; the handler turns the direction at y = 0.5 (t = 0.5) and at y = 0 (t = 1).
TEST(Modes, AreSwitchedByAnEventHandler) {
  SemiExplicitProblem p;
  p.name = "zigzag";
  p.f = autodiff([](const auto& x, auto& f) { f[0] = x.modes[0] + 0.0 * x.y[0]; });
  p.g = autodiff([](const auto& x, auto& g) { g[0] = x.z[0] - x.modes[0] * x.y[0]; });
  p.y0 = vec({0.1});
  p.z0 = vec({0.1});
  p.modes = {1.0};
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    Options o = method == "rodas4" ? tight(method, 1e-6) : fixed(method, 0.03);
    o.start = StartStrategy::solve;  // z jumps with the mode
    o.events = {{"top", [](const StateView& s) { return s.y()[0] - 0.5; }, Crossing::rising,
                 EventAction::handle, [](EventContext& c) { c.modes[0] = -1.0; }},
                {"bottom", [](const StateView& s) { return s.y()[0]; }, Crossing::falling,
                 EventAction::handle, [](EventContext& c) { c.modes[0] = 2.0; }}};
    const Solution s = solve(p, {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    ASSERT_EQ(s.events().size(), 2u) << method;
    EXPECT_EQ(s.events()[0].name, "top");
    EXPECT_NEAR(s.events()[0].t, 0.4, 1e-9);
    EXPECT_NEAR(s.events()[1].t, 0.9, 1e-9);
    EXPECT_NEAR(s.end().y()[0], 0.2, 1e-9) << method;  // 2 (1 - 0.9)
    EXPECT_NEAR(s.end().z()[0], 0.4, 1e-9) << method;
  }
}

// A run leaves the problem and its modes as they were.
TEST(Modes, BelongToTheRunAndNotToTheProblem) {
  SemiExplicitProblem p;
  p.name = "switch";
  p.f = autodiff([](const auto& x, auto& f) { f[0] = x.modes[0] + 0.0 * x.y[0]; });
  p.y0 = vec({0.0});
  p.modes = {1.0};
  Options o = tight("rodas4", 1e-6);
  o.events = {{"half", [](const StateView& s) { return s.y()[0] - 0.5; }, Crossing::rising,
               EventAction::handle, [](EventContext& c) { c.modes[0] = 0.0; }}};
  for (int run = 0; run < 2; ++run)
    EXPECT_NEAR(end_of(p, {0.0, 1.0}, o)[0], 0.5, 1e-9) << "run " << run;
  EXPECT_EQ(p.modes, std::vector<double>{1.0});
}

}  // namespace
}  // namespace daedalus
