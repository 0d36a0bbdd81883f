// SPDX-License-Identifier: BSD-3-Clause
// More broken problems of the same kinds in other forms, and messages about Newton's method and
// round-off.
#include "broken/support.hpp"

namespace daedalus::broken_further_test {
namespace {

using namespace broken_test;

// Both rods cannot have their lengths: the constraints depend on each other, and contradict.
TEST(ContradictoryConstraints, AreCalledThat) {
  MultibodyProblem p = pendulum();
  p.constraint_count = 2;
  p.constraint = autodiff([](auto, const auto& q, auto& g) {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    g[1] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 4.0);
  });
  p.lambda_names = {"rod", "bar"};
  for (const StartStrategy start : {StartStrategy::automatic, StartStrategy::solve})
    names(p, 1.0, {"constraint 1' and 'acceleration of constraint 2'", "contradict each other"},
          {.start = start});
}

TEST(ContradictoryConstraints, OfACircuitAreCalledThatAndRedundantOnesAreNot) {
  const auto nodes = [](double sum) {
    MassMatrixProblem p;
    p.name = "nodes";
    p.mass_matrix = diagonal({1.0, 0.0, 0.0});
    p.rhs = autodiff([sum](auto, const auto& y, auto& f) {
      f[0] = -y[1];
      f[1] = y[1] + y[2] - 2.0 * y[0];
      f[2] = 2.0 * y[1] + 2.0 * y[2] - 4.0 * y[0] + sum;
    });
    p.y0 = vec({1.0, 1.0, 1.0});
    p.equations = {"rate", "node one", "node two"};
    return p;
  };
  names(nodes(1.0), 1.0, {"'node one' and 'node two' depend on each other", "contradict"});
  EXPECT_THAT(said(nodes(0.0), 1.0), Not(HasSubstr("contradict")));
}

// Equations that Newton's method meets in spite of a wrong matrix: the result is good, or not.
TEST(WrongJacobian, OfARunThatSucceedsIsNamedInAWarning) {
  SemiExplicitProblem p;
  p.name = "law";
  p.f = [](double, In y, In z, Out f) { f[0] = -y[0] + z[0]; };
  p.g = [](double, In y, In z, Out g) { g[0] = z[0] * z[0] * z[0] + z[0] - 2.0 * y[0]; };
  p.f_y = [](double, In, In, MatrixOut J) { J(0, 0) = -1.0; };
  p.f_z = [](double, In, In, MatrixOut J) { J(0, 0) = 1.0; };
  p.g_y = [](double, In, In, MatrixOut J) { J(0, 0) = 2.0; };
  p.g_z = [](double, In, In z, MatrixOut J) { J(0, 0) = 3.0 * z[0] * z[0] + 1.0; };
  p.y0 = vec({1.0});
  p.z0 = vec({1.0});
  p.equations = {"rate", "cubic law"};
  names(p, 5.0, {"g_y", "the entry of 'y1' in the row of 'cubic law' is 2, differences give -2"});
  p.g_y = [](double, In, In, MatrixOut J) { J(0, 0) = -2.0; };
  EXPECT_EQ(said(p, 5.0), "");
}

// The damper of a pendulum feeds it. Later, centripetal terms hide this.
TEST(WrongSign, OfADamperOfAMechanismIsNamed) {
  MultibodyProblem p = pendulum();
  p.force = autodiff([](auto, const auto&, const auto& v, auto& f) {
    f[0] = 50.0 * v[0];
    f[1] = -9.81 + 50.0 * v[1];
  });
  names(p, 50.0, {"grows beyond bounds", "'vy' in equation 'balance of vy'"}, {.max_steps = 5000});
}

TEST(IndexFour, OfAMassMatrixProblemIsNamed) {
  MassMatrixProblem p;
  p.name = "shift";
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(4, 4);
  M(1, 0) = M(2, 1) = M(3, 2) = 1.0;
  p.mass_matrix = M.sparseView();
  p.rhs = autodiff([](auto t, const auto& y, auto& f) {
    using std::cos;
    f[0] = y[0] - cos(t);
    for (int i = 1; i < 4; ++i) f[i] = y[i];
  });
  p.y0 = vec({1.0, 0.0, -1.0, 0.0});
  p.equations = {"path", "a", "b", "c"};
  names(p, 1.0, {"index 4", "'path' has to be differentiated 3 times", "'y4'"});
}

TEST(SingularMass, OfRankOneInAMechanismIsNamed) {
  MultibodyProblem p;
  p.name = "rank one";
  p.space = euclidean(2);
  p.mass_matrix = Eigen::MatrixXd::Ones(2, 2).sparseView();
  p.force = autodiff([](auto, const auto& q, const auto&, auto& f) {
    f[0] = -q[0];
    f[1] = -q[1];
  });
  p.q0 = vec({1.0, 0.0});
  p.v0 = vec({0.0, 0.0});
  names(p, 1.0, {"'balance of v1' and 'balance of v2' depend on each other", "A mass is missing"});
}

TEST(ImpassePoint, OfAShrinkingRodIsNamed) {
  MultibodyProblem p = pendulum();
  p.constraint = autodiff([](auto t, const auto& q, auto& g) {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - (1.0 - t) * (1.0 - t));
  });
  p.v0 = vec({-1.0, 0.0});
  names(p, 2.0, {"impasse", "'acceleration of constraint 1' loses its hold on 'rod'"},
        {.max_steps = 3000});
}

TEST(ZeroRow, OfAnImplicitProblemIsNamed) {
  ImplicitProblem p;
  p.name = "empty";
  p.residual = autodiff([](auto, const auto& y, const auto& d, auto& r) {
    r[0] = d[0] + y[0];
    r[1] = 0.0 * y[1];
  });
  p.y0 = vec({1.0, 1.0});
  p.yp0 = vec({-1.0, 0.0});
  p.equations = {"decay", "empty"};
  names(p, 1.0, {"Equation 'empty' contains none of the variables", "'y2' occurs in none"});
}

// y = y0 + h y^2 has no real solution with h = 0.5 from y0 = 0.553, where the first step leads.
TEST(NewtonFailure, NamesTheEquationThatIsNotMet) {
  MassMatrixProblem p;
  p.name = "growth";
  p.rhs = autodiff([](auto, const auto& y, auto& f) {
    f[0] = -y[0];
    f[1] = y[1] * y[1];
  });
  p.y0 = vec({1.0, 0.4});
  p.index = 0;
  p.equations = {"decay", "growth law"};
  names(p, 5.0, {"Newton's method keeps failing", "met worst there is 'growth law'"},
        {.method = "implicit-euler", .fixed_step = 0.5});
}

// The rates of a position with 16 digits are known to 1e-16 / h, accelerations to 1e-16 / h^2.
TEST(RoundOff, TooTightForTheIndexIsSaid) {
  const Options tight{
      .method = "bdf", .formulation = "index3", .rtol = 1e-15, .atol = 1e-15, .max_steps = 400};
  names(pendulum(), 1.0, {"tolerance is below round-off for a variable of index 3", "'rod'"},
        tight);
  Options fair = tight;
  fair.rtol = 1e-8;
  fair.atol = 1e-8;
  fair.max_steps = 20;
  EXPECT_THAT(said(pendulum(), 1.0, fair), Not(HasSubstr("round-off:")));
}

// Driven far, the motion turns so fast that eigenvalues at its end tell of rotation only.
TEST(WrongSign, OfTheDampersOfATurningMechanismIsNamed) {
  MultibodyProblem p = pendulum();
  p.force = [](double, In, In v, Out f) { f << 5.0 * v[0], 5.0 * v[1] - 9.81; };
  names(p, 20.0,
        {"grow with the velocities that they act on, like exp(5 t)", "'vx' in equation",
         "'vy' in equation", "a sign is wrong"});
  p.force = [](double, In, In v, Out f) { f << -5.0 * v[0], -5.0 * v[1] - 9.81; };
  EXPECT_EQ(said(p, 20.0), "");
}

// An equation that is nothing but its jump: the part of its terms is a number of order one.
TEST(Discontinuity, OfARelayIsNamedWithASensibleSize) {
  MassMatrixProblem p;
  p.name = "relay";
  p.rhs = [](double, In y, Out f) { f << -y[0], y[0] > 0.5 ? 1e3 : -1e3; };
  p.y0 = vec({1.0, 0.0});
  p.equations = {"cooling", "relay"};
  const Options o{.rtol = 1e-8, .atol = 1e-8};
  names(p, 2.0, {"equation 'relay' jumps near t = 0.693147", " of the size of its terms"}, o);
  EXPECT_THAT(said(p, 2.0, o), Not(HasSubstr("e+")));
}

TEST(InconsistentStart, ThatWasTakenAsGivenIsNamedWhenNoStepSucceeds) {
  MultibodyProblem p = pendulum();
  p.q0 = vec({1e-6, 0.0});
  names(p, 1.0, {"not consistent: 'constraint 1' has residual -0.5"},
        {.start = StartStrategy::given});
}

}  // namespace
}  // namespace daedalus::broken_further_test
