// SPDX-License-Identifier: BSD-3-Clause
// Problems whose equations are wrong from the start: redundant constraints, wrong Jacobians, index
// 4, inconsistent start values, singular mass matrices, zero rows. Every message names the culprit.
#include "broken/support.hpp"

namespace daedalus::broken_test {
namespace {

TEST(RedundantConstraint, OfAMechanismIsNamed) {
  MultibodyProblem p = pendulum();
  p.constraint_count = 2;
  p.constraint = [](double, In q, Out g) {
    g[0] = 0.5 * (q.squaredNorm() - 1.0);
    g[1] = q.squaredNorm() - 1.0;
  };
  p.lambda_names = {"rod", "bar"};
  names(p, 1.0, {"constraint 1", "constraint 2", "'rod' and 'bar'", "depend on each other"});
}

SemiExplicitProblem divider(double share) {
  SemiExplicitProblem p;
  p.name = "divider";
  p.f = [](double, In y, In z, Out f) { f[0] = -y[0] + z[0] - z[1]; };
  p.g = [share](double, In y, In z, Out g) {
    g[0] = z[0] + z[1] - y[0];
    g[1] = 2.0 * z[0] + share * z[1] - 0.5 * (2.0 + share) * y[0];
  };
  p.y0 = vec({1.0});
  p.z0 = vec({0.5, 0.5});
  p.z_names = {"z", "w"};
  p.equations = {"rate", "node one", "node two"};
  return p;
}

TEST(RedundantConstraint, OfACircuitIsNamedAndAnIndependentOneIsNot) {
  names(divider(2.0), 1.0, {"'node one' and 'node two' depend on each other", "'z' and 'w'"});
  check_names(divider(2.0), {"'node one' and 'node two'"});
  EXPECT_EQ(said(divider(1.0), 1.0), "");  // the variant that is not broken
}

TEST(WrongJacobian, OfARightHandSideIsNamed) {
  MassMatrixProblem p;
  p.name = "fast and slow";
  p.rhs = [](double, In y, Out f) { f << -1e4 * (y[0] - y[1] * y[1]), -y[0] * y[1]; };
  p.jacobian = [](double, In y, MatrixOut J) { J << 1e4, 2e4 * y[1], -y[1], -y[0]; };
  p.y0 = vec({1.0, 1.0});
  p.index = 0;
  p.variables = {"a", "b"};
  p.equations = {"fast", "slow"};
  names(p, 10.0, {"jacobian", "the entry of 'a' in the row of 'fast'"});
  check_names(p, {"the entry of 'a' in the row of 'fast'"});
}

TEST(WrongJacobian, OfAConstraintIsNamed) {
  MultibodyProblem p = pendulum();
  p.q0 = vec({0.6, -0.8});
  p.constraint_jacobian = [](double, In q, MatrixOut G) { G << q[0], -q[1]; };
  names(p, 1.0, {"constraint_jacobian", "'y'"});
  check_names(p, {"constraint_jacobian", "'y'"});
}

TEST(IndexFour, OfALinearChainIsNamed) {
  ImplicitProblem p;
  p.name = "chain";
  p.residual = [](double t, In y, In yp, Out r) {
    r << y[0] - std::sin(t), yp[0] - y[1], yp[1] - y[2], yp[2] - y[3];
  };
  p.y0 = vec({0.0, 1.0, 0.0, -1.0});
  p.yp0 = vec({1.0, 0.0, -1.0, 0.0});
  p.variables = {"a", "b", "c", "d"};
  p.equations = {"path", "first", "second", "third"};
  names(p, 1.0, {"index 4", "'path' has to be differentiated 3 times", "'d'"});
}

TEST(IndexFour, OfAPathWithPrescribedJerkIsNamed) {
  SemiExplicitProblem p;
  p.name = "jerk";
  p.f = [](double, In y, In z, Out f) { f << y[1], y[2] * y[2], z[0] - y[2]; };
  p.g = [](double t, In y, In, Out g) { g[0] = y[0] - 0.5 * t * t; };
  p.y0 = vec({0.0, 0.0, 1.0});
  p.z0 = vec({1.0});
  p.y_names = {"position", "velocity", "acceleration"};
  p.z_names = {"jerk"};
  p.equations = {"k1", "k2", "k3", "path"};
  // Collocation gets through, and is exact for this motion.
  names(p, 1.0, {"index 4", "'path'", "'jerk'", "declares index 1"}, {.method = "rodas5p"});
}

TEST(InconsistentStart, OfAPendulumIsNamed) {
  MultibodyProblem p = pendulum();
  p.q0 = vec({1.1, 0.0});
  names(p, 1.0, {"constraint 1", "0.105", "not consistent"});
  check_names(p, {"constraint 1"});
}

TEST(InconsistentStart, OfAnImplicitSystemIsNamed) {
  ImplicitProblem p;
  p.name = "law";
  p.residual = [](double, In y, In yp, Out r) { r << yp[0] + y[1], y[1] - y[0] * y[0] - 1.0; };
  p.y0 = vec({1.0, 1.0});
  p.yp0 = vec({-2.0, 0.0});
  p.equations = {"rate", "gas law"};
  names(p, 1.0, {"'gas law' has residual -1", "not consistent"});
  check_names(p, {"gas law"});
}

TEST(SingularMass, OfABodyWithoutMassIsNamed) {
  MultibodyProblem p = pendulum();
  p.constraint_count = 0;
  p.constraint = {};
  p.lambda_names = {};
  p.mass = [](double, In, MatrixOut M) {
    M.setZero();
    M(0, 0) = 1.0;
  };
  names(p, 1.0, {"balance of vy", "'vy'"});
  check_names(p, {"vy"});
}

// A body that burns away: M = diag(1, 1 - t), or M = diag(1, 1 - x) with x = t.
MultibodyProblem burning(bool on_the_way) {
  MultibodyProblem p;
  p.name = "burning";
  p.space = euclidean(2);
  p.mass = autodiff([on_the_way](const auto& t, const auto& q, auto& M) {
    M(0, 0) = 1.0;
    M(0, 1) = M(1, 0) = 0.0;
    M(1, 1) = 1.0 - (on_the_way ? q[0] : t);
  });
  p.force = [](double, In, In, Out f) { f << 0.0, -1.0; };
  p.q0 = vec({0.0, 0.0});
  p.v0 = vec({1.0, 0.0});
  p.q_names = {"x", "y"};
  p.v_names = {"vx", "vy"};
  return p;
}

// Not rk4: its estimate vanishes where a rate depends on t alone, and it steps over the place.
TEST(SingularMass, OfABodyThatLosesItsMassIsNamedWithTheTime) {
  for (const char* method : {"auto", "bdf", "rodas4", "radau", "hedop5", "generalised-alpha",
                             "bliedf", "adams-index2", "implicit-euler"})
    for (const bool on_the_way : {false, true})
      names(burning(on_the_way), 2.0, {"at t = 1 ", "'balance of vy' loses its hold on 'vy'"},
            {.method = method});
}

// Given steps, with a stage or an end exactly there.
TEST(SingularMass, OfABodyThatLosesItsMassIsNamedWithGivenSteps) {
  for (const char* method : {"rk4", "hedop5", "herk2", "half-explicit-euler", "adams-type-2", "bdf",
                             "implicit-euler", "generalised-alpha", "crouch-grossman3"})
    names(burning(false), 2.0, {"is singular at t = ", "first at the column of 'vy'"},
          {.method = method, .fixed_step = 0.25});
}

TEST(SingularMass, OfEqualRowsIsNamed) {
  MassMatrixProblem p;
  p.name = "twins";
  p.mass_matrix = Eigen::MatrixXd::Ones(2, 2).sparseView();
  p.rhs = [](double, In y, Out f) { f << -y[0], -y[0]; };
  p.y0 = vec({1.0, 1.0});
  p.index = 0;
  p.variables = {"a", "b"};
  p.equations = {"first", "second"};
  names(p, 1.0, {"'first' and 'second' depend on each other"});
}

TEST(ZeroRow, OfAForgottenEquationIsNamed) {
  SemiExplicitProblem p;
  p.name = "forgotten";
  p.f = [](double, In, In z, Out f) { f[0] = -z[0] + z[1]; };
  p.g = [](double, In y, In z, Out g) { g << z[0] - y[0], 0.0; };
  p.y0 = vec({1.0});
  p.z0 = vec({1.0, 0.0});
  p.z_names = {"za", "zb"};
  p.equations = {"rate", "first", "forgotten"};
  names(p, 1.0, {"Equation 'forgotten' contains none of the variables", "'zb'"});
}

TEST(ZeroRow, OfAMassMatrixProblemIsNamed) {
  MassMatrixProblem p;
  p.name = "empty";
  p.mass_matrix = diagonal({1.0, 0.0});
  p.rhs = [](double, In y, Out f) { f << -y[0], 0.0; };
  p.y0 = vec({1.0, 1.0});
  p.variables = {"a", "b"};
  p.equations = {"rate", "empty"};
  names(p, 1.0,
        {"Equation 'empty' contains none of the variables", "'b' occurs in none of the equations"});
}

// Nothing is wrong with it; the run is too short of steps.
TEST(Healthy, IsNotBlamed) {
  const std::string text = said(pendulum(), 10.0, {.max_steps = 5});
  EXPECT_THAT(text, HasSubstr("5 steps were not enough"));
  for (const char* word : {"wrong", "depend", "index", "discontinuity", "grows", "impasse"})
    EXPECT_THAT(text, Not(HasSubstr(word)));
}

}  // namespace
}  // namespace daedalus::broken_test
