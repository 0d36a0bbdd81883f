// SPDX-License-Identifier: BSD-3-Clause
// Problems that fail on the way: wrong signs, discontinuities, impasse points, regions where
// formulas are not finite. Every message names the culprit.
#include "broken/support.hpp"

namespace daedalus::broken_test {
namespace {

TEST(WrongSign, OfADamperIsNamed) {
  MultibodyProblem p;
  p.name = "two masses";
  p.space = euclidean(2);
  p.mass = [](double, In, MatrixOut M) { M.setIdentity(); };
  p.force = [](double, In q, In v, Out f) { f << -q[0] + q[1] - 0.1 * v[0], -q[1] + 80.0 * v[1]; };
  p.q0 = vec({1.0, 0.1});
  p.v0 = vec({0.0, 0.0});
  p.q_names = {"left", "right"};
  p.v_names = {"vleft", "vright"};
  names(p, 20.0, {"grows beyond bounds", "'vright' in equation 'balance of vright'"});
}

// The balance of mass holds, and y2 feeds itself.
TEST(WrongSign, OfAReactionIsNamed) {
  SemiExplicitProblem p;
  p.name = "reaction";
  p.f = [](double, In y, In z, Out f) {
    const double slow = 0.04 * y[0], back = 1e4 * y[1] * z[0], fast = 3e7 * y[1] * y[1];
    f << -slow + back, slow - back + fast;
  };
  p.g = [](double, In y, In z, Out g) { g[0] = y[0] + y[1] + z[0] - 1.0; };
  p.y0 = vec({1.0, 0.0});
  p.z0 = vec({0.0});
  p.y_names = {"A", "B"};
  p.z_names = {"C"};
  p.equations = {"rate of A", "rate of B", "mass balance"};
  names(p, 1e3, {"grows beyond bounds: 'B'", "'B' in equation 'rate of B'"});
}

// The run goes on beyond the jump, and says what it cost.
TEST(Discontinuity, OfALoadIsNamedInAWarning) {
  MassMatrixProblem p;
  p.name = "load";
  p.rhs = [](double t, In y, Out f) { f << -y[0] + (t > 0.4 ? 100.0 : 0.0), y[0]; };
  p.y0 = vec({1.0, 0.0});
  p.index = 0;
  p.variables = {"current", "charge"};
  p.equations = {"source", "capacitor"};
  names(p, 1.0, {"discontinuity", "equation 'source' jumps near t = 0.4"});
}

ImplicitProblem valve(double opening) {
  ImplicitProblem p;
  p.name = "valve";
  p.residual = [opening](double t, In y, In yp, Out r) {
    r << yp[0] + y[1], y[1] - (t > 0.4 ? opening + y[0] : y[0]);
  };
  p.y0 = vec({1.0, 1.0});
  p.yp0 = vec({-1.0, 0.0});
  p.variables = {"level", "flow"};
  p.equations = {"balance", "valve"};
  return p;
}

TEST(Discontinuity, OfAnAlgebraicEquationIsNamed) {
  names(valve(1.0), 1.0, {"discontinuity", "equation 'valve' jumps near t = 0.4"});
  EXPECT_EQ(said(valve(0.0), 1.0), "");
}

// Where Newton's method fails for that reason the Jacobian is not blamed.
TEST(Discontinuity, TakesThePlaceOfGeneralAdvice) {
  SemiExplicitProblem p{.name = "constraint"};
  p.f = autodiff([](auto t, const auto& y, const auto& z, auto& f) {
    using std::cos;
    f[0] = cos(t) + z[0];
    f[1] = -y[1];
  });
  p.g = autodiff([](auto t, const auto& y, const auto&, auto& g) {
    using std::sin;
    g[0] = y[0] + 0.1 * y[0] * y[0] * y[0] - sin(t);
    if (t > 1.0) g[0] += 3.0 * (y[0] * y[0] + 1.0);
  });
  p.hessenberg_blocks = {2};
  p.y0 = vec({0.0, 1.0});
  p.z0 = vec({0.0});
  const Solution s = solve(p, {0.0, 2.0}, {.method = "phem56", .rtol = 1e-6, .atol = 1e-6});
  ASSERT_EQ(s.status(), Status::newton_failed) << s.message();
  EXPECT_NE(s.message().find("'algebraic equation 1' jumps near t = 1"), std::string::npos);
  EXPECT_EQ(s.message().find("Check the Jacobian"), std::string::npos) << s.message();
}

TEST(ImpassePoint, OfAFoldIsNamed) {
  ImplicitProblem p;
  p.name = "fold";
  p.residual = [](double, In y, In yp, Out r) {
    r << yp[0] - 1.0, y[1] * y[1] * y[1] - 3.0 * y[1] + 2.0 - y[0];
  };
  p.y0 = vec({-1.0, -2.1038034027355357});  // root of d^3 - 3 d + 3
  p.yp0 = vec({1.0, 0.0});
  p.variables = {"load", "deflection"};
  p.equations = {"rate", "fold"};
  names(p, 8.0, {"impasse", "'fold' loses its hold on 'deflection'"});
}

// Two rods hold one mass; their far ends move apart until both are stretched, at t = 1.
TEST(ImpassePoint, OfAStretchedMechanismIsNamed) {
  MultibodyProblem p = pendulum();
  p.constraint_count = 2;
  p.constraint = autodiff([](auto t, const auto& q, auto& g) {
    const auto x = q[0] - 1.0 - t;
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[1] = 0.5 * (x * x + q[1] * q[1] - 1.0);
  });
  const double y = std::sqrt(0.75);
  p.q0 = vec({0.5, -y});
  p.v0 = vec({0.5, 0.25 / y});
  p.lambda_names = {"rod one", "rod two"};
  names(p, 3.0,
        {"impasse", "'acceleration of constraint 1' and 'acceleration of constraint 2' lose"});
}

TEST(NotFinite, OfARootIsNamed) {
  SemiExplicitProblem p;
  p.name = "outflow";
  p.f = [](double, In y, In, Out f) { f << -1.0, std::sqrt(y[0]); };
  p.y0 = vec({0.5, 0.0});
  p.y_names = {"height", "volume"};
  p.equations = {"level", "outflow"};
  names(p, 1.0, {"not finite", "'outflow'", "t = 0.5"});
}

TEST(NotFinite, OfALogarithmIsNamed) {
  ImplicitProblem p;
  p.name = "logarithm";
  p.residual = [](double, In y, In yp, Out r) { r << yp[0] + 1.0, y[1] - std::log(y[0]); };
  p.y0 = vec({0.5, std::log(0.5)});
  p.yp0 = vec({-1.0, -2.0});
  p.equations = {"fall", "logarithm"};
  names(p, 1.0, {"not finite", "'logarithm'", "t = 0.5"});
}

}  // namespace
}  // namespace daedalus::broken_test
