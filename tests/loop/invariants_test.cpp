// SPDX-License-Identifier: BSD-3-Clause
// Projection to invariants: held to the tolerance by methods of every kind, by the smallest change
// in the norm of the kinetic energy, on the constraints, without loss of order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/daedalus.hpp>

#include "formulation/lower.hpp"
#include "formulation/problem_invariants.hpp"
#include "loop/conserved.hpp"

namespace daedalus::invariants_test {
namespace {

using Eigen::VectorXd;
using ::testing::HasSubstr;

constexpr double gravity = 9.81;
constexpr double period = 2.3678419475;  // of the pendulum from the horizontal, 4 K(1/2) / sqrt(g)

double energy(const ModelState& s) { return 0.5 * s.v().squaredNorm() + gravity * s.q()[1]; }

Options held(const std::string& method, std::vector<std::string> names = {"energy"}) {
  Options o;
  o.method = method;
  o.project_invariants = std::move(names);
  return o;
}

// Largest |energy| over a thousand periods.
double worst_energy(Options o, Solution* run = nullptr) {
  double worst = 0.0;
  o.output = Output::times;
  for (int i = 1; i <= 1000; ++i) o.output_times.push_back(i * 0.999 * period);
  // Reported states are projected, so that the interpolant has no part in this.
  o.project_output = o.projection != ProjectionWhen::none;
  const Solution s =
      solve(problems::find_problem("pendulum")->problem(), {0.0, 1000.0 * period}, o);
  EXPECT_TRUE(s.ok()) << o.method << ": " << s.message();
  for (std::size_t i = 0; i < s.times().size(); ++i)
    worst = std::max(worst, std::abs(energy(s.state(i))));
  worst = std::max(worst, std::abs(energy(s.end())));
  if (run) *run = s;
  return worst;
}

class Holds : public ::testing::TestWithParam<const char*> {};

// |dE| = |M v . dv| of a change at the tolerance 1e-6 (1 + |v|), |v| <= 4.43: 2.4e-5.
TEST_P(Holds, EnergyOverAThousandPeriods) {
  constexpr double at_tolerance = 2.4e-5;
  EXPECT_LT(worst_energy(held(GetParam())), at_tolerance);
  EXPECT_GT(worst_energy(held(GetParam(), {})), 10.0 * at_tolerance)
      << "it would be held without the projection too, and the test shows nothing";
}
INSTANTIATE_TEST_SUITE_P(Methods, Holds, ::testing::Values("rk4", "rodas4", "bdf"));

TEST(Invariants, EnergyOfAChainAndItsConstraints) {
  const problems::Entry& e = *problems::find_problem("chain-planar");
  const auto p = std::get<MultibodyProblem>(e.problem());
  const auto value = [&](const ModelState& s) {
    Arguments<double> a;
    a.x = {s.q().data(), s.v().data(), nullptr, nullptr, nullptr};
    a.n = {static_cast<int>(s.q().size()), static_cast<int>(s.v().size()), 0, 0, 0};
    double result = 0.0;
    EXPECT_EQ(p.invariants.at(0).value(a, &result, 1), Eval::ok);
    return result;
  };
  for (const char* method : {"rk4", "bdf"}) {
    Options o = held(method);
    o.rtol = o.rtol * 0.1;
    o.atol = 1e-7;
    const Solution s = solve(p, {0.0, 3.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    o.project_invariants.clear();
    const Solution without = solve(p, {0.0, 3.0}, o);
    const double error = std::abs(value(s.end()) - value(s.start()));
    EXPECT_LT(error, 2e-6) << method;
    EXPECT_GT(std::abs(value(without.end()) - value(without.start())), 3.0 * error) << method;
    EXPECT_LT(s.statistics().position_residual, 1e-6);
    EXPECT_LT(s.statistics().velocity_residual, 1e-6);
  }
}

// Errors at t = 1 for h and h / 2 with every step projected: ratio 16.
TEST(Invariants, OrderIsKept) {
  const Problem p = problems::find_problem("pendulum")->problem();
  Options fine;
  fine.method = "hedop5";
  fine.rtol = 1e-13;
  fine.atol = 1e-13;
  const VectorXd exact = solve(p, {0.0, 1.0}, fine).end().y();
  std::vector<double> errors;
  for (const double h : {1.0 / 32, 1.0 / 64, 1.0 / 128}) {
    Options o = held("rk4");
    o.projection = ProjectionWhen::every_step;
    o.fixed_step = h;
    const Solution s = solve(p, {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(s.statistics().projections, s.statistics().accepted);
    EXPECT_LT(std::abs(energy(s.end())), 1e-8);
    errors.push_back((s.end().y() - exact).head(4).norm());
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.4);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4.0, 0.4);
}

// Dense output ends at the projected states, and projected output holds the invariant inside steps;
// the error test, of the step before the projection, asks for about as many steps.
TEST(Invariants, DenseOutputAndErrorTest) {
  const Problem p = problems::find_problem("pendulum")->problem();
  for (const char* method : {"rk4", "rodas4", "bdf"}) {
    Options o = held(method);
    const bool share = std::string_view(method) == "bdf";
    if (share) o.method_options["error_share"] = 1.0;
    o.projection = ProjectionWhen::every_step;
    o.output = Output::dense;
    const Solution s = solve(p, {0.0, 5.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    for (std::size_t i = 1; i < s.times().size(); i += 7) {
      const double t = std::nextafter(s.times()[i], 0.0);
      EXPECT_LT((s.at(t).y() - s.state(i).y()).head(4).cwiseAbs().maxCoeff(), 1e-12) << method;
    }
    o.output = Output::times;
    o.project_output = true;
    for (int i = 1; i < 100; ++i) o.output_times.push_back(0.05 * i);
    const Solution times = solve(p, {0.0, 5.0}, o);
    for (std::size_t i = 0; i < times.times().size(); ++i)
      EXPECT_LT(std::abs(energy(times.state(i))), 1e-9) << method;
    o = held(method, {});
    if (share) o.method_options["error_share"] = 1.0;
    const double without = static_cast<double>(solve(p, {0.0, 5.0}, o).statistics().accepted);
    EXPECT_NEAR(static_cast<double>(s.statistics().accepted) / without, 1.0, 0.1) << method;
  }
}

// One projection of a state of a system that holds the named invariants.
struct Lowered {
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<System> system;
  State start;
  VectorXd weight;
};
Lowered lowered(Problem p, const std::string& formulation, View view,
                std::vector<std::string> names) {
  Lowered l;
  l.problem = std::make_shared<const Problem>(std::move(p));
  l.system = lower(l.problem, formulation, view, {}, 0.0);
  l.system->invariants = problem_invariants(l.problem, formulation, *l.system, held("", names));
  l.start = model_start(*l.system, *l.problem, 0.0);
  l.system->prepare(l.start);
  EXPECT_EQ(l.system->invariants->mark(l.start, l.system->failure), Outcome::ok);
  l.weight.setConstant(l.system->layout.tangents(), 1e-6);
  return l;
}

// Momentum v1 + 4 v2 short by 0.5: in the norm of the kinetic energy both velocities change by 0.1;
// with lengths alone the heavy one would change four times as much.
TEST(Invariants, SmallestChangeInTheKineticNorm) {
  Lowered l = lowered(conserved::two_masses(), "index1", View::mechanical, {"momentum"});
  State s = l.start;
  s.x[2] -= 0.3;
  s.x[3] -= 0.05;
  const ProjectionResult r = l.system->project(s, l.weight, 0.0);
  EXPECT_EQ(r.outcome, Outcome::ok);
  EXPECT_TRUE(r.amended);
  EXPECT_NEAR(s.x[2], 1.0 - 0.3 + 0.1, 1e-12);
  EXPECT_NEAR(s.x[3], 2.0 - 0.05 + 0.1, 1e-12);
  EXPECT_EQ(s.x.head(2), l.start.x.head(2));
}

// Two invariants at once, and automatic projection leaves alone what is not seen in the error test.
TEST(Invariants, SeveralAtOnceAndTheThreshold) {
  Lowered l = lowered(conserved::two_masses(), "index1", View::mechanical, {"energy", "momentum"});
  State s = l.start;
  s.x[2] += 0.01;
  s.x[3] -= 0.02;
  ASSERT_EQ(l.system->project(s, l.weight, 0.0).outcome, Outcome::ok);
  EXPECT_NEAR(s.x[2], 1.0, 1e-8);  // two equations for two velocities
  EXPECT_NEAR(s.x[3], 2.0, 1e-8);
  s.x[2] += 1e-8;
  EXPECT_FALSE(l.system->project(s, l.weight, 0.1).amended);
  s.x[2] += 1e-5;
  EXPECT_TRUE(l.system->project(s, l.weight, 0.1).amended);
}

// On the constraints, and no shorter way to them: another tangential direction would be longer.
TEST(Invariants, MovesAlongTheConstraints) {
  for (const char* formulation : {"index1", "index3", "ggl"}) {
    const View view = std::string(formulation) == "index1" ? View::mechanical : View::residual;
    Lowered l = lowered(conserved::rod(), formulation, view, {"angular momentum", "energy"});
    State s = l.start;
    s.x.segment(4, 4) *= 1.001;  // still along the constraint
    ASSERT_EQ(l.system->project(s, l.weight, 0.0).outcome, Outcome::ok) << formulation;
    const auto q = s.x.head(4), v = s.x.segment(4, 4);
    const Eigen::Vector2d rod = q.tail(2) - q.head(2), turn = v.tail(2) - v.head(2);
    EXPECT_NEAR(rod.squaredNorm(), 1.0, 1e-10) << formulation;
    EXPECT_NEAR(rod.dot(turn), 0.0, 1e-10) << formulation;
    ASSERT_EQ(l.system->invariants->evaluate(s, l.system->counter, l.system->failure), Outcome::ok);
    EXPECT_LT(l.system->invariants->defect().cwiseAbs().maxCoeff(), 1e-8) << formulation;
  }
}

// At rest at the lowest point no small move changes the energy: the trial stays, the run goes on.
TEST(Invariants, EquilibriaAreNoObstacle) {
  auto p = std::get<MultibodyProblem>(problems::find_problem("pendulum")->problem());
  p.q0 = Eigen::Vector2d(0.0, -1.0);
  const Solution s = solve(p, {0.0, 10.0}, held("rk4"));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.end().q() - p.q0).norm(), 1e-12);
}

// y and z = 1 + y1 / 2 move together: with y moved alone z would be off by up to half the move.
TEST(Invariants, SemiExplicitProblemsKeepTheirEquations) {
  for (const char* method : {"bdf", "rodas4"}) {
    Options o = held(method, {"radius"});
    o.rtol = 1e-3;
    o.atol = 1e-3;
    const auto radius = [](const ModelState& s) { return s.y().head(2).squaredNorm(); };
    const Solution s = solve(conserved::circle(), {0.0, 500.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_GT(s.statistics().projections, 0);
    for (std::size_t i = 0; i < s.times().size(); ++i) {
      const ModelState at = s.state(i);
      EXPECT_NEAR(radius(at), 1.0, 1e-3) << method;
      EXPECT_NEAR(at.z()[0], 1.0 + 0.5 * at.y()[0], 1e-12) << method;
    }
    o.project_invariants.clear();
    EXPECT_GT(std::abs(radius(solve(conserved::circle(), {0.0, 500.0}, o).end()) - 1.0), 1e-2)
        << method;
  }
}

// An event may change an invariant: from there on the new value is held.
TEST(Invariants, EventsSetNewValues) {
  Event kick;
  kick.name = "kick";
  kick.when = [](const StateView& s) { return s.t() - 1.0; };
  kick.action = EventAction::handle;
  kick.handler = [](EventContext& c) {
    c.y[2] *= 1.5;
    c.y[3] *= 1.5;
  };
  Options o = held("rk4");
  o.events = {kick};
  const Solution s = solve(problems::find_problem("pendulum")->problem(), {0.0, 50.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 1u);
  const VectorXd before = s.events()[0].y;
  const double after = 0.5 * 2.25 * before.segment(2, 2).squaredNorm() + gravity * before[1];
  EXPECT_NEAR(energy(s.end()), after, 1e-4);
  EXPECT_GT(std::abs(after), 1.0);
}

TEST(Invariants, MisuseIsNamed) {
  const Problem p = problems::find_problem("pendulum")->problem();
  const auto message = [&](const Options& o) {
    try {
      (void)solve(p, {0.0, 1.0}, o);
    } catch (const InvalidArgument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(held("rk4", {"enrgy"})), HasSubstr("Did you mean 'energy'?"));
  Options none = held("rk4");
  none.projection = ProjectionWhen::none;
  EXPECT_THAT(message(none), HasSubstr("projection is none"));
  Options chart = held("rk4");
  chart.formulation = "state-space";
  EXPECT_THAT(message(chart), HasSubstr("'state-space'"));
}

}  // namespace
}  // namespace daedalus::invariants_test
