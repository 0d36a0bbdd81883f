// SPDX-License-Identifier: BSD-3-Clause
// Consistent start values of multibody systems: what is completed, refused and repaired.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "start/consistent.hpp"

namespace daedalus::multibody_test {
namespace {

using Eigen::VectorXd;
using ::testing::HasSubstr;

VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}
MultibodyProblem catalogue(const std::string& name) {
  return std::get<MultibodyProblem>(problems::find_problem(name)->problem());
}
Solution start_of(const Problem& p, double t0 = 0.0, Options o = {}) {
  return solve(p, {t0, t0}, o);
}

// State and derivative after the start-value solver, in the linear view (which holds
// accelerations).
State consistent_state(const MultibodyProblem& problem) {
  auto owned = std::make_shared<const Problem>(problem);
  const auto system = lower(owned, "index1", View::linear, {}, 0.0);
  State s = model_start(*system, *owned, 0.0);
  system->prepare(s);
  StartRequest request;
  request.weight = VectorXd::Constant(system->layout.tangents(), 1e-6);
  const StartReport report = make_consistent(*system, s, request);
  EXPECT_EQ(report.status, Status::success) << report.message;
  return s;
}

// Published start values of the multipliers and accelerations (Hairer, Wanner II, table VII.7.2).
TEST(StartMultibody, AndrewsMultipliersAndAccelerations) {
  MultibodyProblem p = catalogue("andrews");
  const VectorXd lambda = p.lambda0;
  p.lambda0 = VectorXd::Zero(6);  // found without the published guess
  const State s = consistent_state(p);
  const VectorXd found = s.x.segment(14, 6);
  EXPECT_LT((found - lambda).cwiseAbs().maxCoeff(), 1e-9);
  const VectorXd a = s.xd.segment(7, 7);
  const VectorXd published = vec(
      {14222.4439199541138705911625887, -10666.8329399655854029433719415, 0.0, 0.0, 0.0, 0.0, 0.0});
  EXPECT_LT((a - published).cwiseAbs().maxCoeff() / published.cwiseAbs().maxCoeff(), 1e-11);
}

TEST(StartMultibody, CarAxisMultipliersAreZero) {
  MultibodyProblem p = catalogue("car-axis");
  p.lambda0 = VectorXd();
  const Solution s = start_of(p);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT(s.start().lambda().cwiseAbs().maxCoeff(), 1e-9);
}

TEST(StartMultibody, PendulumMultiplierFollowsFromTheState) {
  MultibodyProblem p = catalogue("pendulum");
  p.q0 = vec({0.6, -0.8});
  p.v0 = vec({1.6, 1.2});  // speed 2 along the circle
  const Solution s = start_of(p);
  ASSERT_TRUE(s.ok()) << s.message();
  // lambda = |v|^2 - g y = 4 + 0.8 g
  EXPECT_NEAR(s.start().lambda()[0], 4.0 + 0.8 * 9.81, 1e-12);
  EXPECT_EQ(s.start().q(), p.q0);  // nothing else was touched
  EXPECT_EQ(s.start().v(), p.v0);
  EXPECT_TRUE(s.warnings().empty());
}

TEST(StartMultibody, EveryCatalogueProblemStarts) {
  for (const problems::Entry* e : problems::all_problems())
    if (e->form == "multibody") {
      const Solution s = start_of(e->problem(), e->t0);
      EXPECT_TRUE(s.ok()) << e->name << ": " << s.message();
    }
}

TEST(StartMultibody, OffTheConstraintIsRefusedByName) {
  MultibodyProblem p = catalogue("pendulum");
  p.q0 = vec({1.1, 0.0});
  const Solution s = start_of(p);
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_THAT(s.message(), HasSubstr("'constraint 1'"));
  EXPECT_THAT(s.message(), HasSubstr("0.105"));  // (1.21 - 1) / 2
  EXPECT_THAT(s.message(), HasSubstr("'solve'"));
  p = catalogue("pendulum");
  p.v0 = vec({0.3, 0.0});
  const Solution v = start_of(p);
  EXPECT_EQ(v.status(), Status::inconsistent_start);
  EXPECT_THAT(v.message(), HasSubstr("'rate of constraint 1'"));
  EXPECT_THAT(v.message(), HasSubstr("0.3"));
  // Only as far as it is seen: 1e-9 off is within the tolerance of 1e-6.
  p = catalogue("pendulum");
  p.q0 = vec({1.0 + 1e-9, 0.0});
  EXPECT_TRUE(start_of(p).ok());
}

TEST(StartMultibody, NonholonomicRowsAreChecked) {
  MultibodyProblem p = catalogue("knife-edge");
  p.v0 = vec({0.0, 0.5, 1.0});  // sideways
  const Solution s = start_of(p);
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_THAT(s.message(), HasSubstr("nonholonomic constraint 1"));
  EXPECT_THAT(s.message(), HasSubstr("0.5"));
}

TEST(StartMultibody, SolveMovesToTheNearestPoint) {
  MultibodyProblem p = catalogue("pendulum");
  p.q0 = vec({0.66, -0.88});  // ten percent too long
  p.v0 = vec({1.0, 1.0});
  Options o;
  o.start = StartStrategy::solve;
  o.rtol = 1e-10;
  o.atol = 1e-10;
  const Solution s = start_of(p, 0.0, o);
  ASSERT_TRUE(s.ok()) << s.message();
  // Mass proportional to the identity: the nearest point of the circle, and the tangential part of
  // v.
  EXPECT_LT((s.start().q() - vec({0.6, -0.8})).norm(), 1e-9);
  EXPECT_LT((s.start().v() - vec({1.12, 0.84})).norm(), 1e-9);  // (1.4)(0.8, 0.6)
  ASSERT_EQ(s.warnings().size(), 1u);
  EXPECT_THAT(s.warnings()[0], HasSubstr("'" + p.q_names[0] + "' from 0.66 to 0.6"));
  EXPECT_THAT(s.warnings()[0], HasSubstr("' from 1 to 1.12"));
}

TEST(StartMultibody, SolveChangesNothingThatIsConsistent) {
  Options o;
  o.start = StartStrategy::solve;
  const MultibodyProblem p = catalogue("pendulum");
  const Solution s = start_of(p, 0.0, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.start().q() - p.q0).norm(), 1e-14);
  EXPECT_TRUE(s.warnings().empty());
}

// The data of the slider crank are given to 9 digits: consistent to those, repaired beyond them.
TEST(StartMultibody, SliderCrankDataOfNineDigits) {
  const problems::Entry& e = *problems::find_problem("slider-crank");
  Options o;
  o.rtol = 1e-6;
  o.atol = 1e-6;
  const Solution given = start_of(e.problem(), e.t0, o);
  ASSERT_TRUE(given.ok()) << given.message();
  o.start = StartStrategy::solve;
  o.rtol = o.rtol * 1e-6;
  o.atol = 1e-12;
  const Solution s = start_of(e.problem(), e.t0, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const auto p = std::get<MultibodyProblem>(e.problem());
  EXPECT_LT((s.start().q() - p.q0).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((s.start().v() - p.v0).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT(s.statistics().position_residual, 1e-12);
}

TEST(StartMultibody, GivenIsTrusted) {
  MultibodyProblem p = catalogue("pendulum");
  p.q0 = vec({1.1, 0.0});
  Options o;
  o.start = StartStrategy::given;
  const Solution s = start_of(p, 0.0, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.start().q(), p.q0);
}

// Find the start height for which the pendulum has energy 0: with q0 on the circle, v0 the unknown.
TEST(StartMultibody, InitialEquationsChooseTheVelocity) {
  MultibodyProblem p = catalogue("pendulum");
  p.q0 = vec({0.6, -0.8});
  p.v0 = vec({0.8, 0.6});
  p.initial_equation_count = 1;
  p.initial_equations = autodiff([](const auto&, const auto& q, const auto& v, auto& r) {
    r[0] = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1];
  });
  Options o;
  o.start = StartStrategy::solve;
  o.fixed = {"x", "y"};
  o.rtol = 1e-10;
  o.atol = 1e-10;
  const Solution s = start_of(p, 0.0, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.start().q() - p.q0).norm(), 1e-12) << "fixed variables were changed";
  EXPECT_NEAR(s.start().v().squaredNorm(), 2.0 * 9.81 * 0.8, 1e-7);
  EXPECT_NEAR(s.start().q().dot(s.start().v()), 0.0, 1e-8);
}

// Without `solve` an initial equation that does not hold is named, never ignored.
TEST(StartMultibody, InitialEquationsThatDoNotHoldAreRefused) {
  MultibodyProblem p = catalogue("pendulum");
  p.initial_equation_count = 1;
  p.initial_equations = [](double, In, In v, Out r) { r[0] = v[1] - 2.5; };
  const Solution s = start_of(p);
  EXPECT_EQ(s.status(), Status::inconsistent_start) << s.message();
  EXPECT_THAT(s.message(), HasSubstr("initial equation 1"));
}

TEST(StartMultibody, FixedVariablesStay) {
  MultibodyProblem p = catalogue("pendulum");
  p.q0 = vec({0.6, -0.7});
  Options o;
  o.start = StartStrategy::solve;
  o.fixed = {"x"};
  o.rtol = 1e-10;
  o.atol = 1e-10;
  const Solution s = start_of(p, 0.0, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(s.start()["x"], 0.6);
  EXPECT_NEAR(s.start()["y"], -0.8, 1e-9);
}

// At the dead point of a crank with equal bars the second row of G is zero, up to round-off.
TEST(StartMultibody, ARowOfRoundOffIsNoConstraint) {
  const auto crank = [](double angle) {
    return MultibodyProblem{.name = "crank",
                            .space = euclidean(3),
                            .constraint_count = 2,
                            .force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
                              f[0] = 0.0;
                              f[1] = -1.0;
                              f[2] = 0.0;
                            }),
                            .constraint = autodiff([](const auto&, const auto& q, auto& g) {
                              using std::cos, std::sin;
                              g[0] = cos(q[0]) + cos(q[1]) - q[2];
                              g[1] = sin(q[0]) - sin(q[1]);
                            }),
                            .q0 = Eigen::Vector3d(angle, angle, 2.0 * std::cos(angle)),
                            .v0 = Eigen::Vector3d::Zero()};
  };
  const Solution dead = solve(crank(std::acos(0.0)), {0.0, 0.1}, {.method = "rk4"});
  EXPECT_EQ(dead.status(), Status::singular_matrix) << dead.message();
  EXPECT_NE(dead.message().find("lambda2"), std::string::npos) << dead.message();
  const Solution beside = solve(crank(1.0), {0.0, 0.1}, {.method = "rk4"});
  EXPECT_TRUE(beside.ok()) << beside.message();
}

}  // namespace
}  // namespace daedalus::multibody_test
