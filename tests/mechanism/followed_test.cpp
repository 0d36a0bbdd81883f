// SPDX-License-Identifier: BSD-3-Clause
// Angles of many turns keep their count whatever the step: screws, gears, torsion springs, limits.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/mechanism.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::mechanism_followed_test {
namespace {

constexpr double full_turn = 6.283185307179586;

struct Run {
  const char* method;
  const char* formulation;
};
void PrintTo(const Run& r, std::ostream* out) { *out << r.method << " " << r.formulation; }

class Turns : public testing::TestWithParam<Run> {
 protected:
  static Options options() {
    Options o;
    o.method = GetParam().method;
    if (*GetParam().formulation) o.formulation = GetParam().formulation;
    o.rtol = 1e-8;
    o.atol = 1e-8;
    o.output = Output::end;
    return o;
  }
};

// A nut with so smooth a motion that one step turns it many times: z'' = -g p^2 / (p^2 + J/m),
// p = pitch over a full turn. The contact of thread and nut must not skip a turn.
TEST_P(Turns, OfAScrewAreCounted) {
  Mechanism m("screw");
  const double pitch = 0.05, mass = 2.0, J = 0.02, p = pitch / full_turn, t = 6.0;
  const BodyId nut = m.body(
      {.name = "nut", .mass = mass, .inertia = diagonal(0.02, 0.02, J), .position = {0, 0, 1}});
  const JointId thread =
      m.screw("thread", m.ground(), nut, {.at = {0, 0, 1}, .axis = {0, 0, 1}, .pitch = pitch});
  const Assembled a = m.assemble();
  const Solution s = solve(a.problem, {0.0, t}, options());
  ASSERT_EQ(s.status(), Status::success) << s.message();
  const double z = -0.5 * 9.81 * p * p / (p * p + J / mass) * t * t;
  EXPECT_GT(std::abs(z) / pitch, 20.0);  // turns
  EXPECT_NEAR(a.coordinate(s.end(), thread, CoordinateOf::length), z, 1e-5);
  EXPECT_NEAR(a.coordinate(s.end(), thread), z / p, 1e-3);
  EXPECT_NEAR(a.state_of(s.end(), nut).position[2], 1.0 + z, 1e-5);
}

// A gear of an odd ratio, started fast: both wheels turn by their share, many times.
TEST_P(Turns, OfAGearAreCounted) {
  Mechanism m("gears");
  m.gravity({0, 0, 0});
  const auto wheel = [&](const char* name, double x) {
    return m.body(
        {.name = name, .mass = 1.0, .inertia = diagonal(0.01, 0.01, 0.02), .position = {x, 0, 0}});
  };
  const BodyId a = wheel("a", 0.0), b = wheel("b", 0.3);
  const Triple axis{0, 0, 1};
  const JointId first = m.revolute("first", {}, a, {.at = {0, 0, 0}, .axis = axis, .rate = 50.0}),
                second = m.revolute("second", {}, b, {.at = {0.3, 0, 0}, .axis = axis});
  const double ratio = -0.7371;
  m.gear("teeth", first, second, ratio);
  const Assembled made = m.assemble();
  const Solution s = solve(made.problem, {0.0, 2.0}, options());
  ASSERT_EQ(s.status(), Status::success) << s.message();
  EXPECT_NEAR(made.coordinate(s.end(), first), 100.0, 1e-4);
  EXPECT_NEAR(made.coordinate(s.end(), second), 100.0 * ratio, 1e-4);
}

// A flywheel on a torsion spring that is wound up by many turns: theta = A cos(omega t).
TEST_P(Turns, OfATorsionSpringAreCounted) {
  Mechanism m("torsion");
  m.gravity({0, 0, 0});
  const BodyId wheel = m.body({.name = "wheel", .mass = 1.0, .inertia = diagonal(0.3, 0.3, 0.5)});
  const JointId shaft = m.revolute("shaft", {}, wheel, {.axis = {0, 0, 1}, .turns = 5.0});
  m.joint_spring("spring", shaft, {.stiffness = 2.0});
  const Assembled a = m.assemble();
  const Solution s = solve(a.problem, {0.0, 3.0}, options());
  ASSERT_EQ(s.status(), Status::success) << s.message();
  EXPECT_NEAR(a.coordinate(s.end(), shaft), 5.0 * full_turn * std::cos(2.0 * 3.0), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Methods, Turns,
                         testing::Values(Run{"auto", ""}, Run{"hedop5", "index2"},
                                         Run{"adams-index2", "index2"}, Run{"phem56", "index2"},
                                         Run{"radau", "ggl"}, Run{"radau", "index3"},
                                         Run{"bdf", "ggl"}, Run{"bdf", "index1"},
                                         Run{"rk4", "index1"}));

TEST(Limits, AnEventCountsTurns) {
  Mechanism m("spun");
  m.gravity({0, 0, 0});
  const BodyId wheel = m.body({.name = "wheel", .mass = 1.0, .inertia = diagonal(0.3, 0.3, 0.5)});
  const JointId shaft = m.revolute("shaft", {}, wheel, {.axis = {0, 0, 1}, .rate = 10.0});
  m.limit("three turns", shaft, {.upper = 3.0 * full_turn, .action = LimitAction::stop});
  const Assembled a = m.assemble();
  Options o;
  o.events = a.events;
  const Solution s = solve(a.problem, {0.0, 10.0}, o);
  ASSERT_EQ(s.status(), Status::stopped_by_event) << s.message();
  EXPECT_NEAR(s.end_time(), 0.3 * full_turn, 1e-6);
}

// A pendulum that hits a stop with restitution: the speed turns round, the joint keeps it.
TEST(Limits, BounceKeepsAShareOfTheSpeed) {
  Mechanism m("clapper");
  const BodyId rod = m.body(
      {.name = "rod", .mass = 1.0, .inertia = diagonal(0.01, 0.1, 0.1), .position = {0.5, 0, 0}});
  const JointId hinge = m.revolute("hinge", {}, rod, {.axis = {0, 1, 0}});
  m.limit("stop", hinge, {.upper = 1.0, .action = LimitAction::bounce, .restitution = 0.5});
  const Assembled a = m.assemble();
  Options o;
  o.events = a.events;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  const double inertia = 0.1 + 0.25;
  // theta falls with J theta'' = m g l cos(theta): theta'^2 = 2 m g l sin(theta) / J.
  const double before = std::sqrt(2.0 * 9.81 * 0.5 * std::sin(1.0) / inertia);
  o.output = Output::dense;
  const Solution all = solve(a.problem, {0.0, 0.6}, o);
  ASSERT_EQ(all.status(), Status::success) << all.message();
  ASSERT_GE(all.events().size(), 1U);
  const double hit = all.events()[0].t;
  const ModelState after = all.at(hit + 1e-6);
  EXPECT_NEAR(a.rate(after, hinge), -0.5 * before, 1e-4);
  const Energies e = a.energies(all.at(hit + 0.05));
  EXPECT_NEAR(e.kinetic + e.potential,
              0.5 * inertia * 0.25 * before * before - 9.81 * 0.5 * std::sin(1.0), 1e-5);
}

}  // namespace
}  // namespace daedalus::mechanism_followed_test
