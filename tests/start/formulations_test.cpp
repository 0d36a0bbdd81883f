// SPDX-License-Identifier: BSD-3-Clause
// Consistent start values of multibody systems in every formulation: the smallest change in the
// norm of the kinetic energy, fixed variables, conflicts, data of nine digits, restarts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

namespace daedalus::formulations_test {
namespace {

using Eigen::VectorXd;
using ::testing::HasSubstr;

VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// Masses 1, 3 and 2 on a line, the first two tied together: q1 = q2. The nearest consistent place
// in the norm of the kinetic energy is their centre of gravity; without the masses the middle.
MultibodyProblem tied() {
  return MultibodyProblem{
      .name = "tied",
      .space = euclidean(3),
      .constraint_count = 1,
      .mass = autodiff([](const auto&, const auto&, auto& M) {
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) M(i, j) = 0.0;
        M(0, 0) = 1.0;
        M(1, 1) = 3.0;
        M(2, 2) = 2.0;
      }),
      .force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
        f[0] = 4.0;
        f[1] = 0.0;
        f[2] = 0.0;
      }),
      .constraint = autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[0] - q[1]; }),
      .q0 = vec({0.0, 4.0, 1.0}),
      .v0 = vec({8.0, 0.0, 1.0})};
}

struct Way {
  const char *formulation, *method;
};
class EveryFormulation : public ::testing::TestWithParam<Way> {};

TEST_P(EveryFormulation, SmallestChangeInTheKineticNorm) {
  Options o;
  o.formulation = GetParam().formulation;
  o.method = GetParam().method;
  o.start = StartStrategy::solve;
  const Solution s = solve(tied(), {0.0, 0.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.start().q() - vec({3.0, 3.0, 1.0})).norm(), 1e-14);
  EXPECT_LT((s.start().v() - vec({2.0, 2.0, 1.0})).norm(), 1e-14);
  EXPECT_NEAR(s.start().lambda()[0], 3.0, 1e-13);  // v' = 1 for both: 1 = 4 - lambda
  // Refused without `solve`, by name.
  o.start = StartStrategy::automatic;
  const Solution given = solve(tied(), {0.0, 0.0}, o);
  EXPECT_EQ(given.status(), Status::inconsistent_start);
  EXPECT_THAT(given.message(), HasSubstr("'rate of constraint 1'"));
  EXPECT_THAT(given.message(), HasSubstr("'constraint 1'"));
}

INSTANTIATE_TEST_SUITE_P(All, EveryFormulation,
                         ::testing::Values(Way{"index3", "bdf"}, Way{"index2", "bdf"},
                                           Way{"index1", "bdf"}, Way{"index1", "rk4"},
                                           Way{"index1", "rodas4"}, Way{"baumgarte", "bdf"},
                                           Way{"baumgarte", "rodas4"}, Way{"ggl", "bdf"},
                                           Way{"stabilised-index1", "bdf"},
                                           Way{"overdetermined", "bdf"},
                                           Way{"overdetermined-plain", "bdf"},
                                           Way{"regularised", "bdf"}, Way{"index2", "hedop5"}),
                         [](const auto& tested) {
                           std::string name = tested.param.formulation;
                           name += std::string("_") + tested.param.method;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// g = q1 + q2 + q3 - 9 with q3 fixed: 5 have to be shared, in proportion to 1 / mass. The error
// scale would share them by atol + rtol |q|, alike here.
TEST(StartFormulations, TheFixedOnesStayAndTheOthersMoveByMass) {
  MultibodyProblem p = tied();
  p.constraint =
      autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[0] + q[1] + q[2] - 9.0; });
  p.q0 = vec({1.0, 1.0, 3.0});
  p.v0 = vec({0.0, 0.0, 4.0});
  Options o;
  o.method = "bdf";
  o.start = StartStrategy::solve;
  o.fixed = {"q3", "v3"};
  const Solution s = solve(p, {0.0, 0.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.start().q() - vec({4.0, 2.0, 3.0})).norm(), 1e-9);
  EXPECT_LT((s.start().v() - vec({-3.0, -1.0, 4.0})).norm(), 1e-9);
  EXPECT_EQ(s.start()["q3"], 3.0);
  EXPECT_EQ(s.start()["v3"], 4.0);
}

TEST(StartFormulations, ConflictsAreNamed) {
  Options o;
  o.method = "bdf";
  o.start = StartStrategy::solve;
  o.fixed = {"q1", "q2"};
  const Solution s = solve(tied(), {0.0, 0.0}, o);
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_THAT(s.message(), HasSubstr("'constraint 1' keeps residual -4"));
  EXPECT_THAT(s.message(), HasSubstr("'q1', 'q2' fixed"));
  EXPECT_EQ(s.start().q(), tied().q0) << "left as given";
  o.fixed = {"q1"};
  EXPECT_TRUE(solve(tied(), {0.0, 0.0}, o).ok());
}

// Where the conflict is: positions before velocities, velocities before initial equations, and only
// the rows that take part.
TEST(StartFormulations, ConflictsAreNamedWhereTheyAre) {
  const auto message = [](const MultibodyProblem& p, std::vector<std::string> fixed) {
    Options o;
    o.method = "bdf";
    o.start = StartStrategy::solve;
    o.fixed = std::move(fixed);
    const Solution s = solve(p, {0.0, 0.0}, o);
    EXPECT_TRUE(s.ok() || s.status() == Status::inconsistent_start) << s.message();
    return s.ok() ? std::string() : s.message();
  };
  // Velocities: q1 and q2 meet, v1 = 8 and v2 = 0 cannot.
  const std::string rate = message(tied(), {"v1", "v2"});
  EXPECT_THAT(rate, HasSubstr("found at t = 0: 'rate of constraint 1' keeps residual 8. With"));
  // Positions and velocities: the former are to be mended first.
  const std::string both = message(tied(), {"q1", "q2", "v1", "v2"});
  EXPECT_THAT(both, HasSubstr("found at t = 0: 'constraint 1' keeps residual -4. With"));
  // Rows 1 and 3 contradict each other once q1 is fixed, q2 = q1 and q2 = q1 + 1; row 2 can be met.
  MultibodyProblem p = tied();
  p.constraint_count = 3;
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) {
    g[0] = q[0] - q[1];
    g[1] = q[2] - q[0];
    g[2] = q[1] - q[0] - 1.0;
  });
  const std::string two = message(p, {"q1"});
  EXPECT_THAT(two, HasSubstr("'constraint 1' keeps residual -0.5"));
  EXPECT_THAT(two, HasSubstr("'constraint 3' keeps residual -0.5"));
  EXPECT_THAT(two, ::testing::Not(HasSubstr("'constraint 2'")));
  // Initial equations: v3 = 2 against v3 = 1 fixed, while the constraints can be met.
  p = tied();
  p.initial_equation_count = 1;
  p.initial_equations = [](double, In, In v, Out r) { r[0] = v[2] - 2.0; };
  const std::string initial = message(p, {"v3"});
  EXPECT_THAT(initial, HasSubstr("found at t = 0: 'initial equation 1' keeps residual -1. With"));
  EXPECT_EQ(message(p, {"v1"}), "") << "no conflict";
  EXPECT_EQ(message(tied(), {"q2", "q3", "v1"}), "") << "no conflict";
}

// All positions of the slider crank fixed at nine digits: 2e-10 is left in the second constraint,
// and nothing may move. Rates are larger, but can be met. Consistent positions can stay fixed.
TEST(StartFormulations, FixedDataOfNineDigitsAreAConflictOfPositions) {
  MultibodyProblem p =
      std::get<MultibodyProblem>(problems::find_problem("slider-crank")->problem());
  Options o;
  o.start = StartStrategy::solve;
  const Solution free = solve(p, {0.0, 0.0}, o);
  ASSERT_TRUE(free.ok()) << free.message();
  o.fixed = {"phi1", "phi2", "x3", "q1", "q2", "q3", "q4"};
  const Solution s = solve(p, {0.0, 0.0}, o);
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_THAT(s.message(),
              HasSubstr("found at t = 0: 'constraint 2' keeps residual 2.03e-10. With"));
  p.q0 = free.start().q();
  const Solution consistent = solve(p, {0.0, 0.0}, o);
  EXPECT_TRUE(consistent.ok()) << consistent.message();
}

// The data of the slider crank are given to nine digits. Each row afterwards, by its largest term.
TEST(StartFormulations, SliderCrankBecomesConsistentToRoundOff) {
  const problems::Entry& e = *problems::find_problem("slider-crank");
  const auto p = std::get<MultibodyProblem>(e.problem());
  std::map<std::string, double> c;
  for (const Parameter& parameter : e.parameters) c[parameter.name] = parameter.value;
  const double l1 = c.at("l1"), l2 = c.at("l2"), Omega = c.at("Omega");
  const auto worst = [&](const VectorXd& q, const VectorXd& v) {
    const double length = l2 + q[6];
    const std::vector<std::vector<double>> rows{
        {l1 * std::sin(q[0]), length * std::sin(q[1])},
        {q[2], -l1 * std::cos(q[0]), -length * std::cos(q[1])},
        {q[0], -Omega * e.t0},
        {l1 * std::cos(q[0]) * v[0], length * std::cos(q[1]) * v[1], std::sin(q[1]) * v[6]},
        {l1 * std::sin(q[0]) * v[0], length * std::sin(q[1]) * v[1], v[2], -std::cos(q[1]) * v[6]},
        {v[0], -Omega}};
    double largest = 0.0;
    for (const std::vector<double>& terms : rows) {
      double sum = 0.0, term = 0.0;
      for (const double x : terms) sum += x, term = std::max(term, std::abs(x));
      if (sum != 0.0) largest = std::max(largest, std::abs(sum) / term);
    }
    return largest;
  };
  EXPECT_GT(worst(p.q0, p.v0), 1e-10) << "nothing to repair";
  for (const double tolerance : {1e-3, 1e-10})
    for (const char* formulation : {"index3", "index2", "index1", "ggl"}) {
      Options o;
      o.method = "bdf";
      o.formulation = formulation;
      o.start = StartStrategy::solve;
      o.rtol = tolerance;
      o.atol = tolerance;
      const Solution s = solve(p, {e.t0, e.t0}, o);
      ASSERT_TRUE(s.ok()) << s.message();
      EXPECT_LE(worst(s.start().q(), s.start().v()), 1e-13) << formulation << ' ' << tolerance;
      EXPECT_LT((s.start().q() - p.q0).cwiseAbs().maxCoeff(), 1e-7);
    }
}

// An impulse along the rod leaves a velocity that the constraint forbids; the restart takes the
// nearest one, the part along the circle.
TEST(StartFormulations, RestartsAfterEventsAreMadeConsistentToo) {
  for (const Way& way :
       {Way{"index1", "rk4"}, Way{"index3", "bdf"}, Way{"ggl", "bdf"}, Way{"index1", "rodas4"}}) {
    const Problem p = problems::find_problem("pendulum")->problem();
    VectorXd q, before;
    Event kick;
    kick.name = "kick";
    kick.when = [](const StateView& s) { return s.t() - 0.3; };
    kick.action = EventAction::handle;
    kick.handler = [&](EventContext& c) {
      q = vec({c.y[0], c.y[1]});
      before = vec({c.y[2], c.y[3]});
      c.y[2] += 1.0;  // not tangential
      c.y[3] += 0.5;
    };
    Options o;
    o.formulation = way.formulation;
    o.method = way.method;
    o.rtol = 1e-8;
    o.atol = 1e-8;
    o.events = {kick};
    const Solution refused = solve(p, {0.0, 0.5}, o);
    EXPECT_EQ(refused.status(), Status::inconsistent_start) << way.method;
    EXPECT_THAT(refused.message(), HasSubstr("After the handler of event 'kick'"));
    o.start = StartStrategy::solve;
    const Solution s = solve(p, {0.0, 0.5}, o);
    ASSERT_TRUE(s.ok()) << way.formulation << ' ' << way.method << ": " << s.message();
    std::size_t after = 0;
    while (after + 1 < s.times().size() && !(s.times()[after] == s.times()[after + 1])) ++after;
    ASSERT_LT(after + 1, s.times().size()) << "no jump was recorded";
    const ModelState jumped = s.state(after + 1);
    EXPECT_LT(std::abs(jumped.q().dot(jumped.v())), 1e-14);
    const VectorXd along = vec({-jumped.q()[1], jumped.q()[0]});
    EXPECT_NEAR(along.dot(jumped.v()), along.dot(before + vec({1.0, 0.5})), 1e-7);
    EXPECT_LT(s.statistics().velocity_residual, 1e-4);
  }
}

}  // namespace
}  // namespace daedalus::formulations_test
