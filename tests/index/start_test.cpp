// SPDX-License-Identifier: BSD-3-Clause
// Consistent start values of index 2 and 3 from guesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/solve.hpp>

#include "formulation/recorded_equations.hpp"
#include "index/models.hpp"
#include "start/jet.hpp"

namespace daedalus::index_start_test {
namespace {

using ::testing::HasSubstr;

Options solving(std::vector<std::string> fixed = {}) {
  Options o;
  o.start = StartStrategy::solve;
  o.fixed = std::move(fixed);
  o.rtol = 1e-8;
  o.atol = 1e-8;
  o.method = "bdf";
  return o;
}

Eigen::VectorXd start_of(const Problem& p, double t0, const Options& options) {
  const Solution s = solve(p, {t0, t0 + 1e-9}, options);
  EXPECT_EQ(s.status(), Status::success) << s.message();
  return s.state(0).y();
}

// x = 0.6 is fixed; y is determined up to its sign, u and v by the tangent, lambda by the forces:
// 2 lambda = u^2 + v^2 - 9.81 y on the unit circle.
TEST(ArrayStart, ImplicitPendulumOfIndexThree) {
  Eigen::VectorXd guess(5);
  guess << 0.6, -0.7, 0.5, 0.1, 0.0;
  const Eigen::VectorXd x =
      start_of(index_models::implicit_pendulum(guess), 0.0, solving({"x", "u"}));
  EXPECT_NEAR(x[0], 0.6, 1e-12);
  EXPECT_NEAR(x[1], -0.8, 1e-9);
  EXPECT_NEAR(x[2], 0.5, 1e-12);
  EXPECT_NEAR(x[3], 0.375, 1e-9);  // 0.6 * 0.5 = 0.8 v
  EXPECT_NEAR(x[4], 0.5 * (0.25 + 0.375 * 0.375 + 9.81 * 0.8), 1e-8);
}

// Both coordinates fixed off the circle: the length cannot be met, and is named.
TEST(ArrayStart, ConflictIsNamed) {
  Eigen::VectorXd guess(5);
  guess << 0.6, -0.7, 0.5, 0.1, 0.0;
  const Solution s = solve(index_models::implicit_pendulum(guess), {0.0, 1.0}, solving({"x", "y"}));
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_THAT(s.message(), HasSubstr("'length'"));
  EXPECT_THAT(s.message(), HasSubstr("'x', 'y' fixed"));
}

TEST(ArrayStart, HessenbergChainOfIndexThree) {
  Problem p = index_models::hessenberg_chain(3, true);
  auto& chain = std::get<SemiExplicitProblem>(p);
  chain.y0.array() += 0.05;
  chain.z0.array() -= 0.1;
  const Eigen::VectorXd x = start_of(p, 0.2, solving());
  EXPECT_LT((x - index_models::chain_solution(3, 0.2)).cwiseAbs().maxCoeff(), 1e-8);
}

// Multibody systems given by positions, velocities guessed as zero: the start solver of `solve` and
// the derivative array find the published velocities, accelerations and multipliers. Andrews:
// Hairer, Wanner (1996), section VII.7. Car axis at t = 0: springs at rest, so that only gravity
// acts, and velocities of the start of the road (Test set, problem CARAXIS).
struct Published {
  const char* name;
  Eigen::VectorXd v, w, lambda;
};

std::vector<Published> published() {
  Published andrews{"andrews", Eigen::VectorXd::Zero(7), Eigen::VectorXd::Zero(7),
                    Eigen::VectorXd::Zero(6)};
  andrews.w.head(2) << 14222.4439199541138705911625887, -10666.8329399655854029433719415;
  andrews.lambda.head(2) << 98.5668703962410896057654982170, -6.12268834425566265503114393122;
  Published car{"car-axis", Eigen::VectorXd(4), Eigen::VectorXd(4), Eigen::VectorXd::Zero(2)};
  car.v << -0.5, 0.0, -0.5, 0.0;
  car.w << 0.0, -1.0, 0.0, -1.0;
  return {andrews, car};
}

void expect_published(const Published& r, const Eigen::VectorXd& v, const Eigen::VectorXd& w,
                      const Eigen::VectorXd& lambda) {
  const auto relative = [](const Eigen::VectorXd& found, const Eigen::VectorXd& exact) {
    const double size = exact.cwiseAbs().maxCoeff();
    return (found - exact).cwiseAbs().maxCoeff() / (size > 0.0 ? size : 1.0);
  };
  EXPECT_LT(relative(v, r.v), 1e-10) << r.name;
  EXPECT_LT(relative(w, r.w), 1e-10) << r.name;
  EXPECT_LT(relative(lambda, r.lambda), 1e-10) << r.name;
}

TEST(ArrayStart, AndrewsAndCarAxisFromPositions) {
  for (const Published& r : published()) {
    const problems::Entry& e = *problems::find_problem(r.name);
    Problem guess = e.problem();
    auto& m = std::get<MultibodyProblem>(guess);
    m.v0.setZero();
    m.lambda0.resize(0);
    const auto modes = std::make_shared<const std::vector<double>>();
    const auto equations = recorded_equations(std::make_shared<const Problem>(guess), modes);
    const int nq = m.space.points(), nv = m.velocities(), nl = m.multipliers();
    JetSettings settings;
    settings.fixed.assign(static_cast<std::size_t>(nq + nv + nl), 0);
    for (int i = 0; i < nq; ++i) settings.fixed[static_cast<std::size_t>(i)] = 1;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(nq + nv + nl);
    x.head(nq) = m.q0;
    const Jet jet = solve_jet(*equations, e.t0, x, {}, settings);
    ASSERT_TRUE(jet.converged) << r.name;
    EXPECT_EQ(jet.reduction.index, 3) << r.name;
    expect_published(r, jet.x.col(0).segment(nq, nv), jet.x.col(1).segment(nq, nv),
                     jet.x.col(0).tail(nl));
    // The front door.
    Options o = solving();
    o.formulation = "index1";
    o.fixed.assign(equations->variables().begin(), equations->variables().begin() + nq);
    const Solution s = solve(guess, {e.t0, e.t0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    Eigen::VectorXd w = jet.x.col(1).segment(nq, nv);
    if (s.start().of(VariableClass::a).size() == nv) w = s.start().of(VariableClass::a);
    expect_published(r, s.start().v(), w, s.start().lambda());
  }
}

// Slider crank: positions, the crank's speed and the four elastic velocities are given (to nine
// digits), the other velocities are not. All levels hold, and nothing given moves.
TEST(ArrayStart, SliderCrankFromPositionsAndSomeVelocities) {
  const problems::Entry& e = *problems::find_problem("slider-crank");
  auto p = std::get<MultibodyProblem>(e.problem());
  const Eigen::VectorXd q0 = p.q0, v0 = p.v0;
  p.v0[1] = p.v0[2] = 0.0;
  p.lambda0.resize(0);
  Options o = solving({"dphi1", "dq1", "dq2", "dq3", "dq4"});
  o.formulation = "index1";
  const Solution s = solve(p, {e.t0, e.t0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.start().q() - q0).cwiseAbs().maxCoeff(), 1e-8);
  for (const int i : {0, 3, 4, 5, 6}) EXPECT_EQ(s.start().v()[i], v0[i]) << i;
  // What the published data say of the velocities that were not given.
  EXPECT_NEAR(s.start().v()[1], v0[1], 1e-7 * std::abs(v0[1]));
  EXPECT_NEAR(s.start().v()[2], v0[2], 1e-7);
  // The derivative array at what was found: every constraint, row-scaled.
  MultibodyProblem found = p;
  found.q0 = s.start().q(), found.v0 = s.start().v(), found.lambda0 = s.start().lambda();
  const auto modes = std::make_shared<const std::vector<double>>();
  const auto equations = recorded_equations(std::make_shared<const Problem>(Problem(found)), modes);
  Eigen::VectorXd x(17), rates = Eigen::VectorXd::Zero(17);
  x << found.q0, found.v0, found.lambda0;
  const Jet jet = solve_jet(*equations, e.t0, x, rates);
  ASSERT_TRUE(jet.converged);
  ASSERT_EQ(jet.reduction.constraints.size(), 9u);  // three levels of three
  for (const IndexReduction::Constraint& c : jet.reduction.constraints) {
    // The largest term of the row; one of angles that are zero has none but its lengths.
    const double terms = c.gradient.cwiseAbs().cwiseProduct(x.cwiseAbs().cwiseMax(1e-3)).maxCoeff();
    EXPECT_LT(std::abs(c.gradient.dot(x - jet.x.col(0))), 1e-12 * terms) << c.round;
  }
}

// The data of nine digits are no obstacle to tight tolerances: they are corrected, and this is
// said.
TEST(ArrayStart, SliderCrankStartsAtTightTolerances) {
  const problems::Entry& e = *problems::find_problem("slider-crank");
  const auto p = std::get<MultibodyProblem>(e.problem());
  const Solution s = solve(p, {e.t0, e.t0 + 1e-5}, {.rtol = 1e-10, .atol = 1e-10});
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_FALSE(s.warnings().empty());
  EXPECT_THAT(s.warnings()[0], HasSubstr("to the digits that they are given with"));
  EXPECT_LT((s.start().q() - p.q0).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(
      (s.start().v() - p.v0).cwiseQuotient(p.v0.cwiseAbs().cwiseMax(1.0)).cwiseAbs().maxCoeff(),
      1e-8);
  // Off by more than such digits: refused as before.
  MultibodyProblem off = p;
  off.v0[1] *= 1.0 + 1e-6;
  const Solution refused = solve(off, {e.t0, e.t0 + 1e-5}, {.rtol = 1e-10, .atol = 1e-10});
  EXPECT_EQ(refused.status(), Status::inconsistent_start);
}

// An impulse leaves velocities that the length forbids: restarts take the nearest that it allows,
// and a multiplier that fits (2 lambda = u^2 + v^2 - 9.81 y on the unit circle).
TEST(ArrayStart, RestartAfterAnEventIsConsistent) {
  Eigen::VectorXd guess(5);
  guess << 0.6, -0.8, 0.0, 0.0, 0.5 * 9.81 * 0.8;
  Options o = solving();
  Event kick;
  kick.name = "kick";
  kick.when = [](const StateView& s) { return s.t() - 0.1; };
  kick.action = EventAction::handle;
  const Eigen::Vector2d kick_of(1.0, 0.5);
  kick.handler = [kick_of](EventContext& c) {
    c.y[2] += kick_of[0];
    c.y[3] += kick_of[1];
    c.y[4] = 0.0;
  };
  o.events = {kick};
  const Solution s = solve(index_models::implicit_pendulum(guess), {0.0, 0.2}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 1u);
  bool seen = false;
  for (std::size_t i = 1; i < s.times().size(); ++i) {
    if (s.times()[i] != s.times()[i - 1]) continue;
    seen = true;
    const Eigen::VectorXd x = s.state(i).y();
    EXPECT_LT(std::abs(x[0] * x[0] + x[1] * x[1] - 1.0), 1e-10);
    EXPECT_LT(std::abs(x[0] * x[2] + x[1] * x[3]), 1e-10);
    EXPECT_LT((x - s.state(i - 1).y()).head<2>().norm(), 1e-6) << "an impulse moves no position";
    // Of the kick what lies along the rod is taken away, each component by its error scale.
    const Eigen::Vector2d n = x.head<2>(), kicked = s.state(i - 1).y().segment<2>(2) + kick_of;
    const Eigen::Vector2d scale = Eigen::Vector2d::Ones() + kicked.cwiseAbs();  // rtol = atol
    const Eigen::Vector2d along = scale.cwiseAbs2().cwiseProduct(n);
    EXPECT_LT((x.segment<2>(2) - kicked + along * (n.dot(kicked) / n.dot(along))).norm(), 1e-4);
    EXPECT_NEAR(2.0 * x[4], x[2] * x[2] + x[3] * x[3] - 9.81 * x[1], 1e-7);
  }
  EXPECT_TRUE(seen) << "both sides of the event are reported";
}

// Perturbed by 1e-2: initialised, and solved to the end of the interval.
TEST(ArrayStart, PerturbedCircuitsAndChemistry) {
  for (const char* name :
       {"transistor-amplifier", "ring-modulator", "ring-modulator-index2", "akzo"}) {
    const problems::Entry& e = *problems::find_problem(name);
    Problem p = e.problem();
    std::visit(
        [](auto& q) {
          if constexpr (requires { q.y0; })
            for (Eigen::Index i = 0; i < q.y0.size(); ++i)
              q.y0[i] +=
                  1e-2 * std::sin(1.0 + static_cast<double>(i)) * std::max(std::abs(q.y0[i]), 0.1);
          if constexpr (requires { q.z0; })
            for (Eigen::Index i = 0; i < q.z0.size(); ++i) q.z0[i] *= 1.01;
        },
        p);
    Options o;
    o.start = StartStrategy::solve;
    o.output = Output::end;
    const Solution s = solve(p, {e.t0, e.t_end}, o);
    EXPECT_EQ(s.status(), Status::success) << name << ": " << s.message();
  }
}

}  // namespace
}  // namespace daedalus::index_start_test
