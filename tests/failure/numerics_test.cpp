// SPDX-License-Identifier: BSD-3-Clause
// Runs that cannot go on: blow-up, singular matrices, rejections, too many steps, two faults at
// once.
#include <algorithm>
#include <numeric>

#include <catalogue/catalogue.hpp>
#include "failure/support.hpp"

namespace daedalus {
namespace {

using namespace failure_test;

// y' = y^2, y(0) = 1 has a pole at t = 1.
TEST(Blowup, NamesTheVariableAndThePlace) {
  SemiExplicitProblem p;
  p.name = "pole";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) { f[0] = y[0] * y[0]; });
  p.y0 = vec({1.0});
  p.y_names = {"height"};
  for (const std::string method : {"rodas4", "implicit-euler"}) {
    Options o = options(method);
    o.rtol = 1e-4;
    o.atol = 1e-4;
    const Solution s = solve(p, {0.0, 2.0}, o);
    good_until(s, method == "rodas4" ? 1.001 : 1.05);
    EXPECT_THAT(s.status(),
                AnyOf(Status::step_too_small, Status::not_finite, Status::newton_failed))
        << s.message();
    EXPECT_NEAR(s.end_time(), 1.0, 0.05) << method << s.message();
    EXPECT_THAT(s.message(), HasSubstr("'height'")) << method;
  }
}

// y' = 1 / sqrt(|t - 1|) sign change: a jump of the right-hand side without an event.
TEST(Discontinuity, AWildOneEndsWithStepTooSmall) {
  SemiExplicitProblem p;
  p.name = "noise";
  auto calls = std::make_shared<long>(0);
  // Values that depend on the call cannot pass any error test.
  p.f = [calls](double t, In, In, Out f) { f[0] = t < 0.5 ? 1.0 : (++*calls % 2 ? 1e6 : -1e6); };
  p.y0 = vec({0.0});
  p.y_names = {"level"};
  Options o = options("rodas4");
  o.rtol = 1e-10;
  o.atol = 1e-10;
  const Solution s = solve(p, {0.0, 1.0}, o);
  ASSERT_EQ(s.status(), Status::step_too_small) << s.message();
  EXPECT_NEAR(s.end_time(), 0.5, 1e-6);
  EXPECT_THAT(s.message(), HasSubstr("'level'"));
  EXPECT_THAT(s.message(), HasSubstr("0.5"));
  EXPECT_NEAR(s.end().y()[0], 0.5, 1e-6);  // the good part is kept
}

TEST(Discontinuity, ASimpleJumpIsPassed) {
  SemiExplicitProblem p;
  p.name = "step";
  p.f = [](double t, In, In, Out f) { f[0] = t < 0.5 ? 1.0 : -1.0; };
  p.y0 = vec({0.0});
  const Solution s = solve(p, {0.0, 1.0}, options("rodas4"));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end().y()[0], 0.0, 1e-4);
}

// Steps that leave the domain of a square root are taken back: y' = -sqrt(y) reaches 0 at t = 2 and
// stays in the domain until then.
TEST(Rejection, IsRecoveredByASmallerStep) {
  for (const bool thrown : {false, true}) {
    SemiExplicitProblem p;
    p.name = "draining tank";
    auto rejections = std::make_shared<int>(0);
    p.f = [thrown, rejections](double, In y, In, Out f) {
      if (y[0] < 0.0) {
        ++*rejections;
        if (thrown) throw Reject("negative level");
        f[0] = 0.0;
        return Eval::reject;
      }
      f[0] = -std::sqrt(y[0]);
      return Eval::ok;
    };
    p.y0 = vec({1.0});
    Options o = options("rodas4");
    o.initial_step = 1.9;  // far too long: its stages leave the domain
    const Solution s = solve(p, {0.0, 1.9}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_NEAR(s.end().y()[0], 0.05 * 0.05, 1e-5);
    // Beyond the end of the solution the rejection stays, and is reported with its words.
    const Solution beyond = solve(p, {0.0, 3.0}, o);
    good_until(beyond, 2.05);
    EXPECT_GT(*rejections, 0);
    EXPECT_EQ(beyond.status(), Status::left_domain) << beyond.message();
    EXPECT_THAT(beyond.message(), HasSubstr("'f'"));
    EXPECT_THAT(beyond.message(), HasSubstr(thrown ? "negative level" : "reject"));
    EXPECT_NEAR(beyond.end_time(), 2.0, 0.05);
  }
}

TEST(SingularMatrix, RedundantConstraintsAreCalledThat) {
  MultibodyProblem p = pendulum();
  p.space = euclidean(3);
  p.constraint_count = 2;
  p.mass = {};
  p.force = [](double, In, In, Out f) { f << 0.0, -9.81, 0.0; };
  p.constraint = [](double, In q, Out g) { g << q[0], 2.0 * q[0]; };
  p.constraint_jacobian = [](double, In, MatrixOut G) { G << 1.0, 0.0, 0.0, 2.0, 0.0, 0.0; };
  p.constraint_time_derivative = [](double, In, Out g) { g.setZero(); };
  p.acceleration_term = [](double, In, In, Out k) { k.setZero(); };
  p.q0 = vec({0.0, 0.0, 0.0});
  p.v0 = vec({0.0, 0.0, 0.0});
  for (const std::string method : {"rk4", "rodas4"}) {
    const Solution s = solve(p, {0.0, 1.0}, options(method));
    EXPECT_EQ(s.status(), Status::singular_matrix) << method << ": " << s.message();
    EXPECT_THAT(s.message(), HasSubstr("redundant")) << method;
  }
  const Solution s = solve(p, {0.0, 1.0}, options("implicit-euler", 0.01, "index3"));
  EXPECT_EQ(s.status(), Status::singular_matrix) << s.message();
}

// An index-2 system declared as index 1.
TEST(SingularMatrix, AHigherIndexThanDeclaredIsSuspected) {
  SemiExplicitProblem p = decay();
  p.g = [](double, In y, In, Out g) { g[0] = y[0] - 1.0; };
  const Solution s = solve(p, {0.0, 1.0}, options("rodas4"));
  EXPECT_EQ(s.status(), Status::singular_matrix) << s.message();
  EXPECT_THAT(s.message(), HasSubstr("index"));
}

TEST(TooManySteps, SaysHowFarItCame) {
  Options o = options("rodas4");
  o.max_steps = 5;
  o.max_step = 0.01;
  const Solution s = solve(decay(), {0.0, 1.0}, o);
  EXPECT_EQ(s.status(), Status::too_many_steps);
  EXPECT_THAT(s.message(), HasSubstr("5 steps"));
  EXPECT_THAT(s.message(), HasSubstr("max_steps"));
  EXPECT_GT(s.end_time(), 0.0);
  EXPECT_LE(s.end_time(), 0.051);
}

// What limits is the distance of numbers near t = 1e7, and no discontinuity.
TEST(RoundOff, OfTheTimeIsNamed) {
  MassMatrixProblem p;
  p.name = "late";
  static constexpr double origin = 1e7;
  p.mass_matrix = Eigen::Vector2d(1.0, 0.0).asDiagonal().toDenseMatrix().sparseView();
  p.rhs = autodiff([](const auto& t, const auto& y, auto& f) {
    using std::cos, std::sin;
    f[0] = cos(t - origin);
    f[1] = y[1] - sin(3.0 * (t - origin));
  });
  p.y0 = vec({0.0, 0.0});
  p.variables = {"sine", "signal"};
  Options o = options("rodas5p");
  o.rtol = 1e-10;
  o.atol = 1e-10;
  o.output = Output::dense;
  const Solution s = solve(p, {origin, origin + 5.0}, o);
  ASSERT_EQ(s.status(), Status::step_too_small) << s.message();
  EXPECT_THAT(s.message(), HasSubstr("below round-off of the time"));
  EXPECT_THAT(s.message(), HasSubstr("'sine'"));
}

// A tolerance below round-off is that, and no failure of Newton's method (docs/troubleshooting.md).
TEST(RoundOff, OfTheNumbersIsNamed) {
  const Problem amplifier = problems::find_problem("transistor-amplifier")->problem();
  for (const char* method : {"auto", "bdf", "radau5", "rodas4", "rodas5p"}) {
    Options o = options(method);
    o.rtol = 1e-14;
    o.atol = 1e-14;
    const Solution s = solve(amplifier, {0.0, 0.02}, o);
    EXPECT_NE(s.status(), Status::newton_failed) << method << s.message();
    EXPECT_NE(s.status(), Status::singular_matrix) << method << s.message();
    const std::string told =
        s.ok() ? std::accumulate(s.warnings().begin(), s.warnings().end(), std::string())
               : s.message();
    EXPECT_THAT(told, ::testing::ContainsRegex("[Rr]ound-off")) << method;
  }
}

// Nor is a run that gets through with such a tolerance silent, and its start is no fault of values
// that satisfy the equations to their last digits.
TEST(RoundOff, OfATolerancePastTheResolutionIsToldWhereTheRunSucceeds) {
  for (const char* name : {"hires", "transistor-amplifier", "pendulum"}) {
    const Entry& e = *problems::find_problem(name);
    for (const double tolerance : {1e-16, 1e-10}) {
      Options o;
      o.rtol = tolerance;
      o.atol = tolerance;
      const Solution s = solve(e.problem(), {e.t0, e.t0 + 0.01 * (e.t_end - e.t0)}, o);
      ASSERT_TRUE(s.ok()) << name << ": " << s.message();
      const bool told = std::any_of(s.warnings().begin(), s.warnings().end(), [](const auto& w) {
        return w.find("double precision have 2.2e-16") != std::string::npos;
      });
      EXPECT_EQ(told, tolerance < 1e-15) << name;
    }
  }
}

TEST(Intervals, OfLengthZeroGiveTheConsistentStart) {
  for (const std::string method : {"rk4", "rodas4"}) {
    const Solution s = solve(pendulum(), {2.0, 2.0}, options(method));
    ASSERT_EQ(s.status(), Status::success) << s.message();
    EXPECT_EQ(s.end_time(), 2.0);
    EXPECT_EQ(s.statistics().accepted, 0);
    EXPECT_EQ(s.end().q(), vec({1.0, 0.0}));
    EXPECT_EQ(s.times().size(), 1u);
    EXPECT_NEAR(s.end().lambda()[0], 0.0, 1e-12);
  }
}

TEST(Intervals, MayRunBackwards) {
  const Solution s = solve(decay(), {1.0, -1.0}, options("rodas4"));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(s.end().y()[0], std::exp(2.0), 1e-4);
  for (std::size_t i = 1; i < s.times().size(); ++i) EXPECT_LT(s.times()[i], s.times()[i - 1]);
}

TEST(Intervals, EndsMustBeFinite) {
  refused(decay(), {0.0, infinity}, {}, {"end time", "inf"});
  refused(decay(), {0.0, nan}, {}, {"end time", "nan"});
  refused(decay(), {nan, 1.0}, {}, {"t0"});
  refused(decay(), {-infinity, 1.0}, {}, {"t0"});
}

TEST(Events, FailuresInsideThemAreReported) {
  Options o = options("rodas4");
  o.events = {{"alarm", [](const StateView& s) -> double {
                 if (s.t() > 0.5) throw std::runtime_error("event broke");
                 return 1.0;
               }}};
  const Solution s = solve(decay(), {0.0, 1.0}, o);
  EXPECT_EQ(s.status(), Status::callback_failed);
  EXPECT_THAT(s.message(), HasSubstr("event broke"));
  EXPECT_THAT(s.message(), HasSubstr("alarm"));  // which of the events
  EXPECT_LE(s.end_time(), 0.55);

  o.events = {{"alarm", [](const StateView& v) { return v.t() > 0.5 ? nan : 1.0; }}};
  const Solution n = solve(decay(), {0.0, 1.0}, o);
  EXPECT_EQ(n.status(), Status::not_finite) << "an event function gave NaN: " << n.message();

  o.events = {{"half", [](const StateView& v) { return v.t() - 0.5; }, Crossing::any,
               EventAction::handle, [](EventContext&) { throw std::runtime_error("no handle"); }}};
  const Solution h = solve(decay(), {0.0, 1.0}, o);
  EXPECT_EQ(h.status(), Status::callback_failed);
  EXPECT_THAT(h.message(), HasSubstr("'half'"));
  EXPECT_THAT(h.message(), HasSubstr("no handle"));
  EXPECT_NEAR(h.end_time(), 0.5, 1e-9);

  o.events[0].handler = [](EventContext&) { throw 7; };
  EXPECT_NO_THROW(EXPECT_EQ(solve(decay(), {0.0, 1.0}, o).status(), Status::callback_failed));

  o.events[0].handler = [](EventContext& c) { c.y[0] = nan; };
  const Solution bad = solve(decay(), {0.0, 1.0}, o);
  EXPECT_FALSE(bad.ok()) << bad.message();
  EXPECT_THAT(bad.message(), HasSubstr("'half'"));
}

// One wrong thing never hides another as success.
TEST(TwoFaults, AtOnce) {
  SemiExplicitProblem p = decay();
  p.f = [](double, In, In, Out f) { f[0] = nan; };
  p.g = [](double, In, In, Out) { throw std::runtime_error("second fault"); };
  const Solution s = solve(p, {0.0, 1.0}, options("rodas4"));
  EXPECT_FALSE(s.ok());
  EXPECT_THAT(s.message(), AnyOf(HasSubstr("'f'"), HasSubstr("second fault")));
  // An inconsistent start and a singular matrix.
  MultibodyProblem m = pendulum();
  m.q0 = vec({2.0, 0.0});
  m.mass = [](double, In, MatrixOut M) { M.setZero(); };
  EXPECT_FALSE(solve(m, {0.0, 1.0}, options("rk4")).ok());
}

}  // namespace
}  // namespace daedalus
