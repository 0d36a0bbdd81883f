// SPDX-License-Identifier: BSD-3-Clause
// The automatic choice during a run: stiffness that comes, goes, or is there from the start.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/daedalus.hpp>
#include <daedalus/long_run.hpp>

#include "scratch_folder.hpp"

namespace daedalus::change_method_test {
namespace {

using ::testing::HasSubstr;

// x'' = -x - d(t) (x' - cos t), two masses with different phases; d is large in the middle of the
// interval only. Smooth in t, so that no step is rejected for a jump.
// With a guide that holds a third coordinate the method watches its stability itself.
MultibodyProblem damper(double largest, bool always = false, bool guide = false) {
  MultibodyProblem p;
  p.name = "damper";
  p.space = euclidean(guide ? 3 : 2);
  p.mass = [](double, In, MatrixOut M) { M.setIdentity(); };
  p.force = autodiff([=](auto t, const auto& q, const auto& v, auto& f) {
    using std::cos, std::tanh;
    const auto window = 0.25 * (1.0 + tanh(10.0 * (t - 1.0))) * (1.0 - tanh(10.0 * (t - 3.0)));
    const auto d = always ? largest + 0.0 * window : largest * window + 0.1;
    f[0] = -q[0] - d * (v[0] - cos(t));
    f[1] = -2.0 * q[1] - 0.5 * d * (v[1] - cos(t));
    if (guide) f[2] = q[0];
  });
  p.q0 = Eigen::VectorXd::Zero(guide ? 3 : 2);
  p.v0 = p.q0;
  p.q0[1] = 0.1;
  p.v0.head(2).setOnes();
  if (!guide) return p;
  p.constraint_count = 1;
  p.constraint = autodiff([](auto, const auto& q, auto& g) { g[0] = q[2]; });
  return p;
}

std::string warnings_of(const Solution& s) {
  std::string all;
  for (const std::string& w : s.warnings()) all += w + "\n";
  return all;
}

// Stopped before the first change, between the two, and after the second; by either way of noticing
// stiffness.
TEST(ChangeOfMethod, IsPartOfACheckpoint) {
  for (const bool guide : {true, false}) {
    const MultibodyProblem p = damper(3e4, false, guide);
    Options o{.rtol = 1e-5, .atol = 1e-5, .max_step = 0.5};
    std::vector<long> changed;
    long attempts = 0;
    o.trace = [&](const StepRecord& r) {
      r.outcome == "method_change" ? changed.push_back(attempts) : void(++attempts);
    };
    const Solution whole = solve(p, {0.0, 60.0}, o);
    ASSERT_TRUE(whole.ok()) << whole.message();
    ASSERT_EQ(changed.size(), 2u) << warnings_of(whole);
    o.trace = {};
    LongRun run;
    const ScratchFolder folder;
    run.checkpoint = folder / "checkpoint";
    run.checkpoint_steps = 3;
    for (const long stop : {changed[0] - 5, changed[0] + 4, (changed[0] + changed[1]) / 2,
                            changed[1] + 4, changed[1] + 30}) {
      run.resume.clear();
      o.max_steps = stop;
      ASSERT_EQ(solve(p, {0.0, 60.0}, o, run).status(), Status::too_many_steps) << stop;
      run.resume = run.checkpoint;
      o.max_steps = 1000000;
      const Solution resumed = solve(p, {0.0, 60.0}, o, run);
      const ModelState end = resumed.end(), expected = whole.end();
      EXPECT_EQ(resumed.times(), whole.times()) << stop;
      EXPECT_EQ(end.y(), expected.y()) << stop;
      EXPECT_EQ(resumed.warnings(), whole.warnings()) << stop;
      EXPECT_EQ(resumed.choice().method, whole.choice().method) << stop;
      EXPECT_EQ(resumed.statistics().total().function_evaluations,
                whole.statistics().total().function_evaluations)
          << stop;
    }
  }
}

TEST(ChangeOfMethod, FollowsStiffnessBothWaysAndTheRunGoesOn) {
  // With steps of several seconds radau would have no reason to give way again.
  Options o{.rtol = 1e-5, .atol = 1e-5, .max_step = 0.5};
  int changes = 0, traced = 0;
  o.trace = [&](const StepRecord& r) {
    changes += r.outcome == "method_change";
    traced += r.outcome == "accepted";
  };
  o.events = {{.name = "late", .when = [](const StateView& s) { return s.t() - 95.5; }}};
  const Solution s = solve(damper(3e4, false, true), {0.0, 100.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(changes, 2) << warnings_of(s);  // to the method for stiff systems, and back
  EXPECT_THAT(warnings_of(s), HasSubstr("The method was changed from 'mdop8' to 'radau'"));
  EXPECT_THAT(warnings_of(s), HasSubstr("The method was changed from 'radau' to 'mdop8'"));
  EXPECT_EQ(s.choice().method, "mdop8");
  // One history: every accepted step is counted and reported once, events are seen once.
  EXPECT_EQ(s.statistics().accepted, traced);
  EXPECT_EQ(static_cast<long>(s.times().size()), s.statistics().accepted + 1);
  for (std::size_t i = 1; i < s.times().size(); ++i) ASSERT_LT(s.times()[i - 1], s.times()[i]);
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_NEAR(s.events().front().t, 95.5, 1e-9);
  EXPECT_GT(s.statistics().total().jacobian_evaluations, 10);
  const Solution exact = solve(damper(3e4, false, true), {0.0, 100.0},
                               {.method = "rodas5p", .rtol = 1e-10, .atol = 1e-10});
  EXPECT_LT((s.end().y() - exact.end().y()).cwiseAbs().maxCoeff(), 1e-3);
  // Explicit all the way: h d <= 3.3 over two units of time alone are 18000 steps.
  EXPECT_LT(s.statistics().steps(), 4000);
}

TEST(ChangeOfMethod, IsMadeBeforeTheFirstStepWhereTheJacobianShowsIt) {
  const Solution s = solve(damper(1e6, true), {0.0, 10.0}, {.rtol = 1e-5, .atol = 1e-5});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_THAT(warnings_of(s), HasSubstr("at t = 0: eigenvalues of about"));
  EXPECT_EQ(s.choice().method, "radau");
  EXPECT_LT(s.statistics().steps(), 500);
}

// What depends on t alone is all there is to see for the error estimate; that of rodas5 does not.
TEST(AutomaticChoice, SeesErrorsOfQuadratures) {
  MassMatrixProblem peak, wave;
  peak.name = "peak";
  peak.rhs = autodiff([](const auto& t, const auto& y, auto& f) {
    f[0] = 1.0 / (0.01 + (t - 0.5) * (t - 0.5)) + 0.0 * y[0];
  });
  wave.name = "wave";
  wave.rhs = autodiff([](const auto& t, const auto& y, auto& f) {
    using std::cos;
    f[0] = 20.0 * cos(20.0 * t) + 0.0 * y[0];
  });
  peak.y0 = wave.y0 = Eigen::VectorXd::Zero(1);
  const auto error = [](const MassMatrixProblem& p, const std::string& method, double tol) {
    const bool first = p.name == "peak";
    const Solution s = solve(p, {0.0, 1.0}, {.method = method, .rtol = tol, .atol = tol});
    EXPECT_TRUE(s.ok()) << s.message();
    return std::abs(s.end().y()[0] - (first ? 20.0 * std::atan(5.0) : std::sin(20.0)));
  };
  for (const double tol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    EXPECT_LT(error(peak, "auto", tol), 50.0 * tol) << tol;
    EXPECT_LT(error(wave, "auto", tol), 50.0 * tol) << tol;
  }
  // The estimate of rodas5 is blind to quadratures; the test inside the steps is not.
  EXPECT_LT(error(peak, "rodas5", 1e-8), 1e-6);
  EXPECT_LT(error(wave, "rodas5", 1e-8), 1e-6);
}

// Errors of all steps reach the end of an undamped motion: a step gets a tenth of the tolerance.
// Methods that are named take all of it.
TEST(AutomaticChoice, GivesAStepOfAMotionATenthOfTheTolerance) {
  MultibodyProblem swing;
  swing.name = "swing";
  swing.space = euclidean(2);
  swing.mass = [](double, In, MatrixOut M) { M.setIdentity(); };
  swing.force = autodiff([](const auto&, const auto& q, const auto&, auto& f) {
    f[0] = -q[0];
    f[1] = -4.0 * q[1];
  });
  swing.q0 = Eigen::Vector2d(1.0, 0.5);
  swing.v0 = Eigen::Vector2d::Zero();
  const double t = 60.0;
  const auto run = [&](const std::string& method, double tol) {
    return solve(swing, {0.0, t}, {.method = method, .rtol = tol, .atol = tol});
  };
  const auto error = [&](const Solution& s) {
    EXPECT_TRUE(s.ok()) << s.message();
    return std::hypot(s.end()["q1"] - std::cos(t), s.end()["q2"] - 0.5 * std::cos(2.0 * t));
  };
  for (const double tol : {1e-4, 1e-7, 1e-10}) {
    const Solution automatic = run("auto", tol);
    const MethodChoice& choice = automatic.choice();
    EXPECT_EQ(choice.tolerance_share, 0.1);
    EXPECT_THAT(choice.reason, HasSubstr("0.1 of the tolerance"));
    const Solution named = run(choice.method, tol);
    EXPECT_EQ(named.choice().tolerance_share, 1.0);
    EXPECT_LT(error(automatic), 0.25 * error(named)) << choice.method << ' ' << tol;
    EXPECT_LT(automatic.statistics().accepted, 2 * named.statistics().accepted);
  }
}

TEST(ChangeOfMethod, LeavesAMethodThatTheUserNamed) {
  const Solution s =
      solve(damper(3e3), {0.0, 2.0}, {.method = "hedop5", .rtol = 1e-5, .atol = 1e-5});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.choice().method, "hedop5");
  EXPECT_THAT(warnings_of(s), ::testing::Not(HasSubstr("The method was changed")));
}

TEST(ChangeOfMethod, IsSeenByAnIntegratorStepByStep) {
  Integrator integrator(damper(3e4), {.rtol = 1e-5, .atol = 1e-5});
  ASSERT_EQ(integrator.initialize(0.0, 10.0), Status::success);
  double last = 0.0;
  while (integrator.t() < 2.0) {
    const StepInfo info = integrator.step(10.0);
    ASSERT_EQ(info.status, Status::success);
    ASSERT_GT(info.t, last);
    last = info.t;
    ASSERT_TRUE(integrator.interpolate(info.t - 0.5 * info.h).y().allFinite());
  }
  EXPECT_EQ(integrator.solution().choice().method, "radau");
}

// Two pairs of stars, seen from one of each: each revolution takes the same number of steps. The
// four unknowns of one pair would begin with radau.
MassMatrixProblem orbit() {
  MassMatrixProblem p;
  p.name = "orbit";
  p.rhs = autodiff([](const auto&, const auto& y, auto& f) {
    using std::sqrt;
    for (int k = 0; k < 8; k += 4) {
      const auto r2 = y[k] * y[k] + y[k + 1] * y[k + 1];
      const auto r3 = r2 * sqrt(r2);
      f[k] = y[k + 2];
      f[k + 1] = y[k + 3];
      f[k + 2] = -y[k] / r3;
      f[k + 3] = -y[k + 1] / r3;
    }
  });
  p.y0 = Eigen::VectorXd::Zero(8);  // excentricity 0.5, period 2 pi
  p.y0[0] = p.y0[4] = 0.5;
  p.y0[3] = p.y0[7] = std::sqrt(3.0);
  return p;
}

// rodas5p costs less to begin with, radau less per unit of time: a run of many steps goes over.
TEST(LongRun, GoesOverToTheMethodForManySteps) {
  const double period = 2.0 * std::numbers::pi;
  Options o{.rtol = 1e-7, .atol = 1e-7, .output = Output::dense};
  int changes = 0;
  o.trace = [&](const StepRecord& r) { changes += r.outcome == "method_change"; };
  const Solution far = solve(orbit(), {0.0, 10.0 * period}, o);
  ASSERT_TRUE(far.ok()) << far.message();
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(far.choice().method, "radau");
  EXPECT_THAT(far.choice().reason, HasSubstr("begun with rodas5p"));
  EXPECT_EQ(warnings_of(far), "");  // that is the plan
  Options named = o;
  named.trace = {};
  named.method = "rodas5p";
  const Solution all_the_way = solve(orbit(), {0.0, 10.0 * period}, named);
  EXPECT_LT(2 * far.statistics().accepted, all_the_way.statistics().accepted);
  // Dense output knows both parts; the orbit closes after each period.
  for (const double t : {0.5, 3.0})
    EXPECT_LT((far.at(t + period).y() - far.at(t).y()).cwiseAbs().maxCoeff(), 1e-4) << t;
  const Solution near = solve(orbit(), {0.0, 1.0}, o);
  EXPECT_EQ(near.choice().method, "rodas5p");
  EXPECT_EQ(changes, 1);
}

// Where one method takes the place of another, a tighter tolerance has to pay all the same.
TEST(LongRun, ErrorsFallWithTheToleranceAcrossMethods) {
  const double end = 4.0 * std::numbers::pi;
  double before = 1e300;
  for (const double tol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    const Solution s = solve(orbit(), {0.0, end}, {.rtol = tol, .atol = tol});
    ASSERT_TRUE(s.ok()) << s.message();
    const double error = (s.end().y() - orbit().y0).cwiseAbs().maxCoeff();
    EXPECT_LT(error, 0.9 * before) << tol << ' ' << s.choice().method;
    before = error;
  }
}

// A point on a circle, 0 = g and 0 = d/dt g both: index 2 in Hessenberg form, six unknowns.
SemiExplicitProblem rotation() {
  SemiExplicitProblem p;
  p.name = "rotation";
  p.index = 2;
  p.f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
    f[0] = y[2] - y[0] * z[1];
    f[1] = y[3] - y[1] * z[1];
    f[2] = -y[0] * z[0];
    f[3] = -y[1] * z[0];
  });
  p.g = autodiff([](const auto&, const auto& y, const auto&, auto& g) {
    g[0] = y[0] * y[2] + y[1] * y[3];
    g[1] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0);
  });
  p.y0 = Eigen::Vector4d(1.0, 0.0, 0.0, 1.0);
  p.z0 = Eigen::Vector2d(1.0, 0.0);
  return p;
}

TEST(LongRun, OfIndexTwoGoesOverAsWell) {
  const double end = 100.0;
  const auto run = [&](const char* method, double tol) {
    return solve(rotation(), {0.0, end}, {.method = method, .rtol = tol, .atol = tol});
  };
  const auto error = [&](const Solution& s) {
    EXPECT_TRUE(s.ok()) << s.message();
    const Eigen::VectorXd y = s.end().y();
    return std::hypot(y[0] - std::cos(end), y[1] - std::sin(end));
  };
  const Solution tight = run("auto", 1e-7), bdf = run("bdf", 1e-7);
  EXPECT_EQ(tight.choice().method, "radau");
  EXPECT_THAT(tight.choice().reason, HasSubstr("begun with bdf"));
  EXPECT_LT(2 * tight.statistics().accepted, bdf.statistics().accepted);
  EXPECT_LT(3.0 * error(tight), error(bdf));
  EXPECT_EQ(run("auto", 1e-4).choice().method, "bdf");
}

// What decides: derivatives, events that act, contact; of equations size and tolerance.
TEST(AutomaticChoice, FollowsFromTheProblem) {
  const auto chosen = [](const Problem& p, double tol, std::vector<Event> events = {}) {
    return recommend(p, {.rtol = tol, .atol = tol, .events = std::move(events)}).method;
  };
  MultibodyProblem guided = damper(0.1, false, true);
  for (const double tol : {1e-3, 1e-6, 1e-11}) EXPECT_EQ(chosen(guided, tol), "mdop8") << tol;
  const Event seen{.name = "e", .when = [](const StateView& s) { return s.t() - 1.0; }};
  Event acts = seen;
  acts.action = EventAction::handle;
  acts.handler = [](EventContext&) {};
  EXPECT_EQ(chosen(guided, 1e-6, {seen}), "mdop8");
  EXPECT_EQ(chosen(guided, 1e-6, {acts}), "phem56");
  guided.constraint = [](double, In q, Out g) { g[0] = q[2]; };
  EXPECT_EQ(chosen(guided, 1e-4), "phem56");
  EXPECT_EQ(chosen(guided, 1e-7), "adams-index2");
  MassMatrixProblem few;
  few.rhs = autodiff([](const auto&, const auto& y, auto& f) {
    for (int i = 0; i < 5; ++i) f[i] = -y[i];
  });
  few.y0 = Eigen::VectorXd::Ones(5);
  EXPECT_EQ(chosen(few, 1e-4), "rodas4");
  EXPECT_EQ(chosen(few, 1e-7), "radau");
  EXPECT_EQ(chosen(orbit(), 1e-7), "rodas5p");
  EXPECT_EQ(chosen(orbit(), 1e-9), "radau");
  ImplicitProblem one;
  one.residual = autodiff(
      [](const auto&, const auto& y, const auto& yd, auto& r) { r[0] = yd[0] + y[0] * y[0]; });
  one.index = 0;
  one.y0 = Eigen::VectorXd::Ones(1);
  EXPECT_EQ(chosen(one, 1e-4), "bdf");
  EXPECT_EQ(chosen(one, 1e-7), "radau");
}

// Only the equations tell, which the run makes: the choice in use is another one than recommended.
TEST(AutomaticChoice, LeavesFrictionToMethodsOfFewEvaluations) {
  MultibodyProblem p = damper(0.1, false, true);
  p.force = autodiff([](const auto&, const auto& q, const auto& v, const auto& lambda, auto& f) {
    f[0] = -q[0] - 0.1 * lambda[0] * v[0];
    f[1] = -q[1];
    f[2] = -1.0;
  });
  const Solution s = solve(p, {0.0, 5.0}, {.rtol = 1e-7, .atol = 1e-7});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.choice().method, "adams-index2");
  EXPECT_THAT(s.choice().reason, HasSubstr("forces depend on multipliers"));
  EXPECT_EQ(s.choice().tolerance_share, 0.1);
  EXPECT_EQ(warnings_of(s), "");
}

TEST(LongRun, IsPartOfACheckpoint) {
  const double end = 20.0 * std::numbers::pi;
  Options o{.rtol = 1e-7, .atol = 1e-7};
  const Solution whole = solve(orbit(), {0.0, end}, o);
  ASSERT_EQ(whole.choice().method, "radau");
  LongRun run;
  const ScratchFolder folder;
  run.checkpoint = folder / "checkpoint";
  run.checkpoint_steps = 3;
  for (const long stop : {100, 155, 200}) {
    run.resume.clear();
    o.max_steps = stop;
    ASSERT_EQ(solve(orbit(), {0.0, end}, o, run).status(), Status::too_many_steps) << stop;
    run.resume = run.checkpoint;
    o.max_steps = 1000000;
    const Solution resumed = solve(orbit(), {0.0, end}, o, run);
    EXPECT_EQ(resumed.times(), whole.times()) << stop;
    EXPECT_EQ(resumed.end().y(), whole.end().y()) << stop;
    EXPECT_EQ(resumed.choice().reason, whole.choice().reason) << stop;
  }
}

}  // namespace
}  // namespace daedalus::change_method_test
