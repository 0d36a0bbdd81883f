// SPDX-License-Identifier: BSD-3-Clause
// Time-dependent constraints, with and without given derivatives, differentiable and plain.
#include "forms/support.hpp"

namespace daedalus::rheonomic_test {
namespace {

using namespace forms_test;

constexpr double gravity = 9.81, drive = 0.3, frequency = 3.0;

// A pendulum of length 1 whose pivot moves: p(t) = drive sin(frequency t).
MultibodyProblem driven_pendulum(bool differentiable, bool given) {
  MultibodyProblem p;
  p.name = "driven pendulum";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = 0.0;
    f[1] = -gravity;
  });
  const auto g = [](const auto& t, const auto& q, auto& out) {
    using std::sin;
    const auto x = q[0] - drive * sin(frequency * t);
    out[0] = 0.5 * (x * x + q[1] * q[1] - 1.0);
  };
  if (differentiable)
    p.constraint = autodiff(g);
  else
    p.constraint = [g](double t, In q, Out out) { g(t, q, out); };
  if (given) {
    p.constraint_jacobian = autodiff([](const auto& t, const auto& q, auto& G) {
      using std::sin;
      G(0, 0) = q[0] - drive * sin(frequency * t);
      G(0, 1) = q[1];
    });
    p.constraint_time_derivative = autodiff([](const auto& t, const auto& q, auto& out) {
      using std::cos;
      using std::sin;
      out[0] = -(q[0] - drive * sin(frequency * t)) * drive * frequency * cos(frequency * t);
    });
    p.acceleration_term = autodiff([](const auto& t, const auto& q, const auto& v, auto& k) {
      using std::cos;
      using std::sin;
      const auto x = q[0] - drive * sin(frequency * t);
      const auto u = v[0] - drive * frequency * cos(frequency * t);
      k[0] = u * u + v[1] * v[1] + x * drive * frequency * frequency * sin(frequency * t);
    });
  }
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({drive * frequency, 0.0});
  return p;
}

// The angle from the vertical: phi'' = -g sin phi - p'' cos phi, q = (p + sin phi, -cos phi).
VectorXd driven_exact(double t_end) {
  SemiExplicitProblem p;
  p.name = "angle";
  p.f = autodiff([](const auto& t, const auto& y, const auto&, auto& f) {
    using std::cos;
    using std::sin;
    f[0] = y[1];
    f[1] = -gravity * sin(y[0]) + drive * frequency * frequency * sin(frequency * t) * cos(y[0]);
  });
  p.y0 = vec({0.5 * EIGEN_PI, 0.0});
  const VectorXd y = end_of(p, {0.0, t_end}, tight("rodas4", 1e-12));
  const double a = frequency * t_end;
  const double accel = -drive * frequency * frequency * std::sin(a);
  VectorXd x(5);
  x << drive * std::sin(a) + std::sin(y[0]), -std::cos(y[0]),
      drive * frequency * std::cos(a) + std::cos(y[0]) * y[1], std::sin(y[0]) * y[1],
      // along the rod: lambda = phi'^2 + g cos phi - p'' sin phi
      y[1] * y[1] + gravity * std::cos(y[0]) - accel * std::sin(y[0]);
  return x;
}

TEST(Rheonomic, MatchesTheEquationOfTheAngle) {
  const VectorXd exact = driven_exact(1.0);
  for (const bool differentiable : {true, false})
    for (const bool given : {true, false}) {
      const MultibodyProblem p = driven_pendulum(differentiable, given);
      for (const std::string method : {"rodas4", "rk4"}) {
        const bool differences = !differentiable && !given;
        if (differences && method == "rodas4")
          continue;  // its Jacobians would be second differences
        const VectorXd end = end_of(p, {0.0, 1.0}, tight(method, 1e-9));
        EXPECT_LT(distance(end, exact), differences ? 1e-4 : 1e-6)
            << method << " differentiable " << differentiable << " given " << given;
      }
    }
}

TEST(Rheonomic, PlainConstraintInALinearlyImplicitMethod) {
  const VectorXd exact = driven_exact(0.5);
  const VectorXd end = end_of(driven_pendulum(false, false), {0.0, 0.5}, tight("rodas4", 1e-5));
  EXPECT_LT(distance(end, exact), 1e-2);
}

TEST(Rheonomic, LowerLevelsByFirstOrderMethods) {
  const VectorXd exact = driven_exact(1.0);
  for (const bool given : {true, false})
    for (const auto& [method, formulation] :
         {std::pair{"implicit-euler", "index1"}, std::pair{"implicit-euler", "index2"},
          std::pair{"implicit-euler", "index3"}, std::pair{"half-explicit-euler", "index2"}}) {
      const MultibodyProblem p = driven_pendulum(true, given);
      EXPECT_NEAR(ratio(p, {0.0, 1.0}, fixed(method, 1e-3, formulation), exact, 0, 4), 2.0, 0.2)
          << method << " " << formulation;
      EXPECT_NEAR(ratio(p, {0.0, 1.0}, fixed(method, 1e-3, formulation), exact, 4, 1), 2.0, 0.4)
          << method << " " << formulation;
    }
}

// What is computed from g alone is what a careful user would have given.
TEST(Rheonomic, GivenAndAutomaticDerivativesAgreeToRoundOff) {
  for (const auto& [method, formulation, h] :
       {std::tuple{"rodas4", "index1", 0.01}, std::tuple{"rk4", "index1", 0.01},
        std::tuple{"implicit-euler", "index2", 0.01}, std::tuple{"implicit-euler", "index3", 0.01},
        std::tuple{"half-explicit-euler", "index2", 0.01}}) {
    Options o = fixed(method, h, formulation);
    o.rtol = 1e-13;  // Newton to round-off
    o.atol = 1e-13;
    o.projection = ProjectionWhen::none;
    const VectorXd a = end_of(driven_pendulum(true, true), {0.0, 1.0}, o);
    const VectorXd b = end_of(driven_pendulum(true, false), {0.0, 1.0}, o);
    EXPECT_LT(distance(a, b) / (1.0 + a.cwiseAbs().maxCoeff()), 1e-10) << method << formulation;
  }
}

// Round-off in the constraints is not a reason to give up.
TEST(Rheonomic, ToleranceNearRoundOff) {
  for (const auto& [method, formulation] :
       {std::pair{"rk4", "index1"}, std::pair{"rodas4", "index1"},
        std::pair{"half-explicit-euler", "index2"}}) {
    Options o = fixed(method, 0.01, formulation);
    o.rtol = 1e-13;
    o.atol = 1e-13;
    for (const bool given : {true, false}) end_of(driven_pendulum(true, given), {0.0, 1.0}, o);
  }
}

// A wrong acceleration term is not repaired in secret: the constraint drifts.
TEST(Rheonomic, AWrongAccelerationTermShows) {
  MultibodyProblem p = driven_pendulum(true, true);
  p.acceleration_term = autodiff([](const auto&, const auto&, const auto& v, auto& k) {
    k[0] = v[0] * v[0] + v[1] * v[1];  // as if the pivot stood still
  });
  Options o = tight("rk4", 1e-9);
  o.projection = ProjectionWhen::none;
  EXPECT_GT(distance(end_of(p, {0.0, 1.0}, o), driven_exact(1.0)), 1e-2);
}

TEST(Rheonomic, ResidualsAreReported) {
  Options o = tight("rodas4", 1e-8);
  o.output = Output::steps;
  const Solution s = solve(driven_pendulum(true, false), {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT(s.statistics().position_residual, 1e-8);
  EXPECT_LT(s.statistics().velocity_residual, 1e-7);
}

}  // namespace
}  // namespace daedalus::rheonomic_test
