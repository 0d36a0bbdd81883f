// SPDX-License-Identifier: BSD-3-Clause
// Limits of angles that go round, bounces that keep rolling, coordinates of driven joints, tables
// that end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/mechanism.hpp>
#include <daedalus/mechanism/run.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::mechanism_limits_test {
namespace {

constexpr double full_turn = 6.283185307179586;

struct Wheel {
  Mechanism m{"wheel"};
  JointId shaft{};
  explicit Wheel(std::optional<double> rate = {}) {
    m.gravity({0, 0, 0});
    const BodyId wheel = m.body({.name = "wheel", .mass = 1.0, .inertia = diagonal(0.3, 0.3, 0.5)});
    shaft = m.revolute("shaft", m.ground(), wheel, {.axis = {0, 0, 1}, .rate = rate});
  }
};

Solution run(const Assembled& a, double t) {
  Options o;
  o.events = a.events;
  return solve(a.problem, {0.0, t}, o);
}

// A wheel that passes its upper limit and goes on never comes to the lower one, however far it
// goes.
TEST(RecordedLimits, AreNotPassedFromTheOtherSide) {
  for (const double bound : {1.0, 3.1, 3.14159}) {
    SCOPED_TRACE(bound);
    Wheel w(2.0);
    w.m.limit("range", w.shaft, {.lower = -bound, .upper = bound});
    const Solution s = run(w.m.assemble(), 10.0);
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(s.events().size(), 1U);
    EXPECT_EQ(s.events()[0].name, "range upper");
    EXPECT_NEAR(s.events()[0].t, 0.5 * bound, 1e-6);
  }
}

TEST(RecordedLimits, OfADrivenJointFollowItsDrive) {
  Wheel w;
  w.m.drive("motor", w.shaft, polynomial({0.0, 2.0}));
  w.m.limit("range", w.shaft, {.lower = -1.0, .upper = 1.0});
  const Assembled a = w.m.assemble();
  EXPECT_EQ(a.problem.dynamic_count, 0);  // nothing is followed: the drive tells the turns
  const Solution s = run(a, 10.0);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 1U);
  EXPECT_NEAR(s.events()[0].t, 0.5, 1e-6);
  EXPECT_NEAR(a.coordinate(s.end(), w.shaft), 20.0, 1e-9);  // not 20 less three turns
}

// A cart hits a wall while a motor turns a rod on it: the impact keeps the motor's rate, and the
// cart goes back with its share of the speed.
TEST(Bounces, KeepRowsOfVelocities) {
  Mechanism m("struck");
  m.gravity({0, 0, 0});
  const double e = 0.6;
  const BodyId cart = m.body(
      {.name = "cart", .mass = 1.0, .inertia = diagonal(0.1, 0.1, 0.1), .velocity = {1.5, 0, 0}});
  const BodyId rod = m.body({.name = "rod",
                             .mass = 2.0,
                             .inertia = diagonal(0.05, 0.01, 0.05),
                             .position = {0, 0.5, 0},
                             .velocity = {1.5, 0, 0}});
  const JointId rail = m.prismatic("rail", m.ground(), cart, {.at = {0, 0, 0}, .axis = {1, 0, 0}});
  const JointId hinge = m.revolute("hinge", cart, rod, {.at = {0, 0, 0}, .axis = {0, 0, 1}});
  m.drive_rate("motor", hinge, TimeFunction(3.0));
  m.limit("wall", rail, {.upper = 1.0, .action = LimitAction::bounce, .restitution = e});
  const Assembled a = m.assemble();
  Options o;
  o.events = a.events;
  o.output = Output::dense;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  const Solution s = solve(a.problem, {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 1U);
  const double hit = s.events()[0].t, instant = 1e-7;
  const double before = a.rate(s.at(hit - instant), rail),
               after = a.rate(s.at(hit + instant), rail);
  EXPECT_GT(before, 0.5);
  EXPECT_NEAR(after, -e * before, 1e-5);
  EXPECT_NEAR(a.rate(s.at(hit + instant), hinge), 3.0, 1e-8);
}

TEST(Tables, EndWithTheRun) {
  const std::vector<double> t{0.0, 1.0, 2.0, 3.0}, y{0.0, 0.02, 0.1, 0.12};
  for (const TableEnd end : {TableEnd::hold, TableEnd::error}) {
    const TimeFunction f = table(t, y, TableKind::spline, end);
    EXPECT_NEAR(f(3.0), 0.12, 1e-15);
    EXPECT_NEAR(f.rate(3.0), f.rate(3.0 - 1e-9), 1e-8);  // not that of what is held
    Mechanism m("ram");
    const BodyId b = m.body({.name = "b", .mass = 1.0, .inertia = diagonal(1, 1, 1)});
    const JointId rail = m.prismatic("rail", m.ground(), b, {.at = {0, 0, 0}, .axis = {1, 0, 0}});
    m.drive("motor", rail, f);
    const Assembled a = m.assemble();
    const Solution s = run(a, 3.0);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_NEAR(a.rate(s.end(), rail), f.rate(3.0), 1e-6);
    EXPECT_TRUE(run_warnings(a, 3.0).empty());
    if (end == TableEnd::error) continue;
    ASSERT_EQ(run_warnings(a, 4.0).size(), 1U);
    EXPECT_THAT(run_warnings(a, 4.0)[0],
                testing::AllOf(testing::HasSubstr("drive 'motor'"), testing::HasSubstr("t = 3"),
                               testing::HasSubstr("the velocity jumps")));
  }
}

// Drives over many turns, with steps as large as the tolerance allows, and beyond half a turn.
TEST(Drives, TurnOverAndOver) {
  for (const char* method : {"auto", "hedop5", "adams-index2", "radau", "bdf", "bliedf"})
    for (const double tolerance : {1e-2, 1e-6}) {
      SCOPED_TRACE(testing::Message() << method << " " << tolerance);
      Wheel w;
      w.m.drive("motor", w.shaft, polynomial({0.0, 30.0, 1.0}));
      const Assembled a = w.m.assemble();
      const Solution s = solve(a.problem, {0.0, 10.0}, run_options(a, tolerance, method));
      ASSERT_TRUE(s.ok()) << s.message();
      EXPECT_NEAR(a.coordinate(s.end(), w.shaft), 400.0, 1e-6 + 1e-2 * tolerance);
      EXPECT_NEAR(a.rate(s.end(), w.shaft), 50.0, 20.0 * tolerance);
      EXPECT_GT(400.0 / full_turn, 60.0);
    }
}

}  // namespace
}  // namespace daedalus::mechanism_limits_test
