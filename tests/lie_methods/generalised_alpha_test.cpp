// SPDX-License-Identifier: BSD-3-Clause
// The generalised-alpha method: measured errors on the heavy top (Wieloch 2022, chapter 6), start
// values, changing steps, the stabilised form, dense output, events and error control, each with
// the variants that are wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <daedalus/autodiff.hpp>

#include "alpha_runs.hpp"
#include "heavy_top.hpp"

namespace daedalus::generalised_alpha_test {
namespace {

using lie_testing::alpha_errors;
using lie_testing::AlphaVariant;
using lie_testing::Errors;
using lie_testing::HeavyTopRun;
using lie_testing::run_heavy_top;
using lie_testing::slope;
using problems::HeavyTop;

Options alpha(double rho = 0.8, const char* formulation = "index3") {
  Options o{
      .method = "generalised-alpha", .formulation = formulation, .rtol = 1e-10, .atol = 1e-10};
  o.method_options["rho"] = rho;
  return o;
}
Errors errors(HeavyTop form, Options o, int steps_per_second) {
  o.fixed_step = 1.0 / steps_per_second;
  const HeavyTopRun r = run_heavy_top(form, o);
  EXPECT_EQ(r.status, Status::success) << r.message;
  return r.largest;
}
// Four digits; of lambda with short steps less the rounding errors, 1.4e-12 / h^2.
void expect_near(const Errors& e, double q, double v, double lambda, double allowed = 1e-4) {
  EXPECT_NEAR(e.q / q, 1.0, 1e-4);
  EXPECT_NEAR(e.v / v, 1.0, 1e-4);
  if (lambda > 0.0) {
    EXPECT_NEAR(e.lambda / lambda, 1.0, allowed);
  }
}
void expect_slopes(const Errors& coarse, const Errors& fine, double q, double v, double lambda) {
  EXPECT_NEAR(slope(coarse.q, fine.q), q, 0.1);
  EXPECT_NEAR(slope(coarse.v, fine.v), v, 0.1);
  EXPECT_NEAR(slope(coarse.lambda, fine.lambda), lambda, 0.1);
}

// Errors of independent runs in extended precision, rho = 0.8.
TEST(GeneralisedAlpha, ErrorsOnThreeGroups) {
  expect_near(errors(HeavyTop::so3, alpha(), 1000), 2.9740e-1, 1.8491, 0.0);
  expect_near(errors(HeavyTop::so3, alpha(), 2000), 7.4745e-2, 4.6530e-1, 0.0);
  const Errors a = errors(HeavyTop::r3xso3, alpha(), 1000);
  const Errors b = errors(HeavyTop::r3xso3, alpha(), 2000);
  expect_near(a, 2.3926e-2, 1.6605e-1, 1.0463e1);
  expect_near(b, 5.9688e-3, 4.1376e-2, 2.6053);
  expect_slopes(a, b, 2.0, 2.0, 2.0);
  expect_near(errors(HeavyTop::se3, alpha(), 1000), 3.1642e-1, 2.6151, 1.3036e2);
  expect_near(errors(HeavyTop::se3, alpha(), 2000), 7.9465e-2, 6.5804e-1, 3.2815e1);
}

TEST(GeneralisedAlpha, QuaternionsGiveTheSame) {
  const Errors a = errors(HeavyTop::r3xso3, alpha(), 1000);
  const Errors b = errors(HeavyTop::r3xs3, alpha(), 1000);
  EXPECT_NEAR(a.v / b.v, 1.0, 1e-7);
  EXPECT_NEAR(a.lambda / b.lambda, 1.0, 1e-7);
}

// Exact start values: lambda has order 1 where G changes, and order 2 where it does not (SE(3)).
TEST(GeneralisedAlpha, UncorrectedStartCostsLambdaAnOrder) {
  Options o = alpha();
  o.method_options["start"] = 0.0;
  const Errors a = errors(HeavyTop::r3xso3, o, 1000), b = errors(HeavyTop::r3xso3, o, 2000);
  expect_near(a, 2.3931e-2, 1.6606e-1, 5.8686e1);
  expect_near(b, 5.9694e-3, 4.1375e-2, 2.8598e1);
  expect_slopes(a, b, 2.0, 2.0, 1.0);
  expect_slopes(errors(HeavyTop::se3, o, 1000), errors(HeavyTop::se3, o, 2000), 2.0, 2.0, 2.0);
}

TEST(SlowGeneralisedAlpha, ErrorsDependOnRho) {
  struct Row {
    double rho, q, v, lambda;
  };
  for (const Row& r :
       {Row{0.0, 1.2438e-3, 8.3557e-3, 5.3553e-1}, Row{0.1, 9.5042e-4, 6.4269e-3, 4.1069e-1},
        Row{0.5, 4.5898e-4, 3.1627e-3, 1.9997e-1}, Row{0.8, 3.7283e-4, 2.5839e-3, 1.6270e-1},
        Row{0.9, 3.6451e-4, 2.5277e-3, 1.5909e-1}})
    expect_near(errors(HeavyTop::r3xso3, alpha(r.rho), 8000), r.q, r.v, r.lambda, 2e-4);
}

// h up to t = 1/2, then 2 h.
Errors with_change(int approximation, bool modified, int steps_per_second) {
  Options o = alpha();
  o.method_options["approximation"] = approximation;
  o.method_options["modify"] = modified ? 1.0 : 0.0;
  const double h = 1.0 / steps_per_second;
  o.step_sequence.assign(static_cast<std::size_t>(steps_per_second / 2), h);
  o.step_sequence.insert(o.step_sequence.end(), static_cast<std::size_t>(steps_per_second / 4),
                         2.0 * h);
  const HeavyTopRun r = run_heavy_top(HeavyTop::r3xso3, o);
  EXPECT_EQ(r.status, Status::success) << r.message;
  return r.largest;
}

TEST(GeneralisedAlpha, KeepsItsOrderWhereTheStepChanges) {
  for (int approximation = 1; approximation <= 4; ++approximation)
    expect_slopes(with_change(approximation, true, 2000), with_change(approximation, true, 4000),
                  2.0, 2.0, 2.0);
  expect_slopes(with_change(1, false, 2000), with_change(1, false, 4000), 2.0, 2.0, 1.0);
}

TEST(SlowGeneralisedAlpha, ErrorsWithOneChangeOfTheStep) {
  for (int approximation = 1; approximation <= 4; ++approximation)
    expect_near(with_change(approximation, true, 8000), 1.1445e-3, 7.1299e-3, 4.5465e-1);
  EXPECT_NEAR(with_change(1, false, 8000).lambda / 1.4048e1, 1.0, 1e-4);
}

// Ratios between 1/2 and 2 every 10 steps: all approximations keep the order with rho = 0.4; with
// rho = 0.8 errors normal to the constraints have not faded by then and grow.
TEST(GeneralisedAlpha, StepsChangeOftenWhereRhoIsSmall) {
  const auto run = [](double rho, int approximation, double h) {
    Options o = alpha(rho);
    o.method_options["approximation"] = approximation;
    o.step_sequence = lie_testing::changing_steps(h, 10, 0.5, 2.0, 1.0);
    double t_end = 0.0;
    for (const double step : o.step_sequence) t_end += step;
    return run_heavy_top(HeavyTop::r3xso3, o, t_end);
  };
  for (int approximation = 1; approximation <= 4; ++approximation) {
    const HeavyTopRun a = run(0.4, approximation, 1e-3), b = run(0.4, approximation, 1.25e-4);
    ASSERT_EQ(a.status, Status::success) << a.message;
    ASSERT_EQ(b.status, Status::success) << b.message;
    const double mean = std::log(static_cast<double>(b.accepted) / a.accepted);
    EXPECT_NEAR(std::log(a.largest.q / b.largest.q) / mean, 2.0, 0.2);
    EXPECT_NEAR(std::log(a.largest.lambda / b.largest.lambda) / mean, 2.0, 0.2);
  }
  const HeavyTopRun unstable = run(0.8, 1, 5e-4);
  EXPECT_TRUE(unstable.status != Status::success || unstable.largest.lambda > 1e3);
}

// Order 2 in all classes. eta is of second order, so that its place in the formula does not matter.
TEST(GeneralisedAlpha, StabilisedFormHasOrderTwo) {
  const Errors a = errors(HeavyTop::r3xso3, alpha(0.8, "ggl"), 1000);
  const Errors b = errors(HeavyTop::r3xso3, alpha(0.8, "ggl"), 2000);
  expect_slopes(a, b, 2.0, 2.0, 2.0);
  // a_0 = v'_0: the start shows in lambda.
  Options o = alpha(0.2, "ggl");
  o.method_options["start"] = 0.0;
  const Errors c = errors(HeavyTop::r3xso3, o, 2000), d = errors(HeavyTop::r3xso3, o, 4000);
  EXPECT_LT(slope(c.lambda, d.lambda), 1.5);
  // With constant G both forms are the same method.
  const Errors e = errors(HeavyTop::se3, alpha(0.8, "ggl"), 1000);
  expect_near(e, 3.1642e-1, 2.6151, 1.3036e2);
}

// The signs and terms that the order hangs on: lambda in the first steps, and where steps change.
TEST(GeneralisedAlpha, WrongVariantsLoseTheOrderOfLambda) {
  const auto observed = [](AlphaVariant variant, const char* formulation) {
    const Errors a = alpha_errors(variant, formulation, 8000);
    const Errors b = alpha_errors(variant, formulation, 16000);
    return slope(a.lambda, b.lambda);
  };
  EXPECT_NEAR(observed(AlphaVariant::right, "index3"), 2.0, 0.1);
  EXPECT_NEAR(observed(AlphaVariant::right, "ggl"), 2.0, 0.1);
  EXPECT_LT(observed(AlphaVariant::without_bracket, "index3"), 1.5);
  EXPECT_LT(observed(AlphaVariant::wrong_sign, "index3"), 1.5);
  EXPECT_LT(observed(AlphaVariant::wrong_sign, "ggl"), 1.5);
}

// In R^n: the classical method. A damped oscillator x'' = -9 x - x' against the formulas solved
// for a_{n+1} by hand.
TEST(GeneralisedAlpha, IsTheClassicalMethodInVectorSpaces) {
  const double h = 0.05, k = 9.0, d = 1.0, rho = 0.6;
  const Problem problem =
      MultibodyProblem{.name = "oscillator",
                       .space = euclidean(1),
                       .mass = autodiff([](const auto&, const auto&, auto& M) { M(0, 0) = 1.0; }),
                       .force = autodiff([](const auto&, const auto& q, const auto& v, auto& f) {
                         f[0] = -9.0 * q[0] - v[0];
                       }),
                       .q0 = Eigen::VectorXd::Constant(1, 1.0),
                       .v0 = Eigen::VectorXd::Constant(1, 0.5)};
  Options o = alpha(rho);
  o.fixed_step = h;
  const Solution s = solve(problem, {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const double am = (2.0 * rho - 1.0) / (rho + 1.0), af = rho / (rho + 1.0), Da = am - af,
               gamma = 0.5 - Da, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  const auto f = [&](double x, double v) { return -k * x - d * v; };
  double x = 1.0, v = 0.5, vd = f(x, v);
  // v'' from v' at t + h and t - h, as the start procedure has it.
  const double plus = f(x + h * v + 0.5 * h * h * vd, v + h * vd);
  const double minus = f(x - h * v + 0.5 * h * h * vd, v - h * vd);
  double a = vd + Da * 0.5 * (plus - minus);
  for (int n = 0; n < 40; ++n) {
    const double x0 = x + h * v + (0.5 - beta) * h * h * a, v0 = v + (1.0 - gamma) * h * a;
    // (1 - am) a1 + am a = (1 - af) f(x0 + beta h^2 a1, v0 + gamma h a1) + af vd.
    const double a1 = ((1.0 - af) * f(x0, v0) + af * vd - am * a) /
                      ((1.0 - am) + (1.0 - af) * (k * beta * h * h + d * gamma * h));
    x = x0 + beta * h * h * a1;
    v = v0 + gamma * h * a1;
    vd = f(x, v);
    a = a1;
    EXPECT_NEAR(s.state(static_cast<std::size_t>(n + 1)).q()[0], x, 1e-12);
  }
  EXPECT_NEAR(s.end().v()[0], v, 1e-12);
}

// Dense output over all steps but the first.
TEST(GeneralisedAlpha, DenseOutputHasOrderTwo) {
  const auto between = [](int steps_per_second) {
    Options o = alpha();
    o.output = Output::dense;
    o.fixed_step = 1.0 / steps_per_second;
    const HeavyTop form = HeavyTop::r3xso3;
    const Solution s = solve(lie_testing::heavy_top_problem(form), {0.0, 0.25}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    Errors e;
    Eigen::VectorXd exact(problems::heavy_top::size_of(form));
    for (double t = 0.0011; t < 0.25; t += 0.00137) {
      problems::heavy_top_exact(form, t, Out(exact.data(), exact.size()));
      const ModelState at = s.at(t);
      e.q = std::max(e.q, (at.q() - exact.head(12)).cwiseAbs().maxCoeff());
      e.v = std::max(e.v, (at.v() - exact.segment(12, 6)).cwiseAbs().maxCoeff());
      e.lambda = std::max(e.lambda, (at.lambda() - exact.tail(3)).cwiseAbs().maxCoeff());
    }
    return e;
  };
  const Errors a = between(1000), b = between(2000);
  EXPECT_NEAR(slope(a.q, b.q), 2.0, 0.15);
  EXPECT_NEAR(slope(a.v, b.v), 2.0, 0.15);
  EXPECT_NEAR(slope(a.lambda, b.lambda), 2.0, 0.15);
}

// An event reverses all velocities: the motion goes back the way it came, lambda included, to its
// beginning. The step before the event is a short one.
TEST(GeneralisedAlpha, EventsThatChangeVelocitiesKeepTheOrder) {
  const HeavyTop form = HeavyTop::r3xso3;
  constexpr double turn = 0.12537;
  const auto largest = [&](int steps_per_second) {
    Options o = alpha();
    o.fixed_step = 1.0 / steps_per_second;
    o.events = {{.name = "turn",
                 .when = [](const StateView& s) { return s.t() - turn; },
                 .action = EventAction::handle,
                 .handler = [](EventContext& c) { c.of(VariableClass::v) *= -1.0; }}};
    const Solution s = solve(lie_testing::heavy_top_problem(form), {0.0, 2.0 * turn}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(s.statistics().restarts, 1);
    Errors e;
    Eigen::VectorXd exact(problems::heavy_top::size_of(form));
    for (std::size_t i = 0; i < s.times().size(); ++i) {
      const ModelState at = s.state(i);
      if (at.t() <= turn) continue;
      problems::heavy_top_exact(form, std::max(0.0, 2.0 * turn - at.t()),
                                Out(exact.data(), exact.size()));
      exact.segment(12, 6) *= -1.0;
      e.q = std::max(e.q, (at.q() - exact.head(12)).cwiseAbs().maxCoeff());
      e.v = std::max(e.v, (at.v() - exact.segment(12, 6)).cwiseAbs().maxCoeff());
      e.lambda = std::max(e.lambda, (at.lambda() - exact.tail(3)).cwiseAbs().maxCoeff());
    }
    return e;
  };
  const Errors a = largest(2000), b = largest(4000);
  EXPECT_GT(slope(a.q, b.q), 1.8);
  EXPECT_GT(slope(a.v, b.v), 1.8);
  EXPECT_GT(slope(a.lambda, b.lambda), 1.8);
}

struct Ladder {
  std::vector<double> q, v, lambda;
  std::vector<long> steps;
};
Ladder controlled(const char* formulation, double tightest) {
  Ladder l;
  for (double tol = 1e-4; tol > 0.5 * tightest; tol *= 0.1) {
    Options o{.method = "generalised-alpha", .formulation = formulation, .rtol = tol, .atol = tol};
    const HeavyTopRun r = run_heavy_top(HeavyTop::r3xso3, o);
    EXPECT_EQ(r.status, Status::success) << r.message;
    l.q.push_back(r.largest.q), l.v.push_back(r.largest.v), l.lambda.push_back(r.largest.lambda);
    l.steps.push_back(r.accepted);
    EXPECT_LT(r.largest.q, 1000.0 * tol);
  }
  return l;
}
// Every tenth of the tolerance is a tenth of the error, within the factor that 0.75..1.25 allows.
void expect_proportional(const std::vector<double>& e) {
  for (std::size_t i = 1; i < e.size(); ++i) EXPECT_NEAR(std::log10(e[i - 1] / e[i]), 1.0, 0.15);
}

TEST(GeneralisedAlpha, ErrorsAreProportionalToTheTolerance) {
  for (const char* formulation : {"index3", "ggl"}) {
    const Ladder l = controlled(formulation, 1e-6);
    expect_proportional(l.q);
    expect_proportional(l.v);
    expect_proportional(l.lambda);
  }
}

// lambda of index 3 carries rounding errors of q over h^2: visible below 1e-8.
TEST(SlowGeneralisedAlpha, ErrorsAreProportionalToSmallTolerances) {
  const Ladder l = controlled("index3", 1e-9), stabilised = controlled("ggl", 1e-9);
  expect_proportional(l.q);
  expect_proportional(l.v);
  expect_proportional({l.lambda.begin(), l.lambda.begin() + 5});
  expect_proportional(stabilised.q);
  expect_proportional(stabilised.v);
  expect_proportional(stabilised.lambda);
}

// The best run with fixed steps is the one with the rho of the smallest errors that is not yet
// undamped, 0.8; its error is 5.9688e-3 with 2000 steps and falls with their square.
TEST(GeneralisedAlpha, NeedsFewMoreStepsThanFixedOnes) {
  const Ladder l = controlled("index3", 1e-6);
  for (std::size_t i = 0; i < l.q.size(); ++i)
    EXPECT_LT(static_cast<double>(l.steps[i]), 1.3 * 2000.0 * std::sqrt(5.9688e-3 / l.q[i]));
}

TEST(GeneralisedAlpha, RenormalisesOnDemand) {
  Options o = alpha();
  o.fixed_step = 1e-3;
  o.output = Output::end;
  const auto defect = [&](double renormalise) {
    o.method_options["renormalise"] = renormalise;
    const Solution s = solve(lie_testing::heavy_top_problem(HeavyTop::so3), {0.0, 2.0}, o);
    EXPECT_TRUE(s.ok()) << s.message();
    return so3_space().defect(s.end().q().data());
  };
  const double kept = defect(1.0), left = defect(0.0);
  EXPECT_LT(kept, 1e-15);
  EXPECT_LT(left, 1e-13);
  EXPECT_LT(kept, left);
}

TEST(GeneralisedAlpha, RefusesWhatItCannotUse) {
  const Problem problem = lie_testing::heavy_top_problem(HeavyTop::so3);
  const auto with = [&](const char* key, double value) {
    Options o = alpha();
    o.method_options[key] = value;
    return [&problem, o] { solve(problem, {0.0, 0.1}, o); };
  };
  EXPECT_THROW(with("rho", 1.0)(), InvalidArgument);
  EXPECT_THROW(with("rho", -0.1)(), InvalidArgument);
  EXPECT_THROW(with("approximation", 5.0)(), InvalidArgument);
  EXPECT_THROW(with("newton_tolerance", 0.0)(), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::generalised_alpha_test
