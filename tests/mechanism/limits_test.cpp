// SPDX-License-Identifier: BSD-3-Clause
// Limits of angles that go round, bounces that keep rolling, coordinates of driven joints, tables
// that end; rows of velocities that follow from others; friction and gears.
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

TEST(Limits, BeyondWhichTheMechanismStartsAreNamed) {
  const auto warnings = [](double lower, double upper, LimitAction action) {
    Wheel w;
    w.m.limit("range", w.shaft, {.lower = lower, .upper = upper, .action = action});
    std::string all;
    for (const std::string& text : w.m.assemble().report.warnings)
      if (text.find(" bound ") != std::string::npos) all += text + "\n";
    return all;
  };
  for (const LimitAction action : {LimitAction::record, LimitAction::bounce}) {
    EXPECT_THAT(warnings(0.5, 2.0, action), testing::HasSubstr("below its lower bound 0.5"));
    EXPECT_THAT(warnings(-2.0, -0.5, action), testing::HasSubstr("above its upper bound -0.5"));
    EXPECT_EQ(warnings(0.0, 1.0, action), "");
    EXPECT_EQ(warnings(-1.0, 1.0, action), "");
  }
  // The same position, a turn further: limits less than a turn apart tell which turn it is.
  EXPECT_EQ(warnings(6.0, 7.0, LimitAction::bounce), "");
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

// A constant rate is followed without an error by any step; values inside one that turns a body by
// more than half a turn would be those of the shorter way back.
TEST(DenseOutput, OfATurningBodyGoesTheWholeWay) {
  Wheel w;
  w.m.drive("motor", w.shaft, polynomial({0.0, 2.0}));
  const Assembled a = w.m.assemble();
  for (const char* method : {"mdop8", "mdop5", "phem56", "hedop5"}) {
    const Solution s = solve(a.problem, {0.0, 10.0}, {.method = method, .output = Output::dense});
    ASSERT_TRUE(s.ok()) << method << s.message();
    for (double t = 0.25; t < 10.0; t += 0.25)
      EXPECT_NEAR(a.coordinate(s.at(t), w.shaft), 2.0 * t, 1e-6) << method << ' ' << t;
    EXPECT_LT(s.statistics().steps(), 100) << method;
  }
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

// Two wheels on one axle: neither slips along it, which one row says already. Torques M_l and M_r
// turn the heading far beyond a quarter turn: rows fixed in ground would lose hold on the way.
TEST(VelocityRows, TwoWheelsOnOneAxle) {
  const double r = 0.3, half_track = 0.7, left = 10.0, right = 26.0;
  Mechanism m("axle");
  const BodyId chassis = m.body(
      {.name = "chassis", .mass = 100.0, .inertia = diagonal(20, 60, 70), .position = {0, 0, r}});
  m.planar("plane", m.ground(), chassis, {.at = {0, 0, r}, .axis = {0, 0, 1}});
  std::vector<BodyId> wheels;
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "left" : "right";
    const Triple at{0, side * half_track, r};
    wheels.push_back(
        m.body({.name = name, .mass = 5.0, .inertia = diagonal(0.2, 0.3, 0.2), .position = at}));
    m.revolute("axle " + name, chassis, wheels.back(), {.at = at, .axis = {0, 1, 0}});
    m.joint(JointType::wheel, "roll " + name, m.ground(), wheels.back(),
            {.at = {0, 0, 0}, .axis = {0, 1, 0}, .radius = r, .normal = {0, 0, 1}, .centre = at});
    m.torque("motor " + name, {.body = wheels.back(),
                               .reaction_body = chassis,
                               .value = {side > 0 ? left : right},
                               .axis = {0, 1, 0}});
  }
  const Assembled a = m.assemble();
  ASSERT_EQ(a.report.redundant.size(), 1U);
  EXPECT_EQ(a.report.redundant[0].joint, "roll right");
  EXPECT_EQ(a.report.degrees_of_freedom, 2);
  // Speed v and yaw w of the axle's middle: the spins of the wheels are (v -+ w half_track) / r.
  const double mass = 110.0 + 2.0 * 0.3 / (r * r),
               yaw_inertia = 70.0 + 2.0 * (0.2 + 5.0 * half_track * half_track) +
                             2.0 * 0.3 * half_track * half_track / (r * r);
  const double t = 4.0, v = (left + right) / r / mass * t,
               w = (right - left) * half_track / r / yaw_inertia * t, heading = 0.5 * w * t;
  ASSERT_GT(heading, 2.0);
  for (const char* method : {"auto", "radau", "hedop5"}) {
    SCOPED_TRACE(method);
    const Solution s = solve(a.problem, {0.0, t}, run_options(a, 1e-8, method));
    ASSERT_TRUE(s.ok()) << s.message();
    const BodyState end = a.state_of(s.end(), chassis);
    EXPECT_NEAR(end.rotation(0, 0), std::cos(heading), 1e-5);
    EXPECT_NEAR(end.rotation(1, 0), std::sin(heading), 1e-5);
    EXPECT_NEAR(end.velocity[0], v * std::cos(heading), 1e-5 * v);
    EXPECT_NEAR(end.velocity[1], v * std::sin(heading), 1e-5 * v);
  }
}

// What a drive prescribes agrees with other rows at one time only, in whichever order they come.
TEST(VelocityRows, DrivesThatAreNotFree) {
  for (const bool rod_first : {false, true}) {
    Mechanism m("held");
    const BodyId body = m.body({.name = "body", .mass = 1.0, .inertia = diagonal(1, 1, 1)});
    JointId rod;
    const auto hold = [&] { m.fixed("weld", m.ground(), body, {.at = {0, 0, 0}}); };
    if (!rod_first) hold();
    rod = m.distance("rod", m.ground(), body, {.at = {0, 0, -1}, .at2 = {0.3, 0, 0}});
    if (rod_first) hold();
    m.drive("motor", rod, harmonic(std::hypot(1.0, 0.3), 0.1, 2.0));
    EXPECT_THAT([&] { m.assemble(); },
                testing::ThrowsMessage<InvalidArgument>(testing::AllOf(
                    testing::HasSubstr("over-determined by 'motor'"), testing::HasSubstr("weld"))));
  }
  Mechanism m("turned");
  const BodyId body = m.body({.name = "body", .mass = 1.0, .inertia = diagonal(1, 1, 1)});
  const JointId hinge = m.revolute("hinge", m.ground(), body, {.axis = {0, 0, 1}});
  m.fixed("weld", m.ground(), body, {.at = {0, 0, 0}});
  m.drive_rate("motor", hinge, TimeFunction(0.0));
  EXPECT_THAT([&] { m.assemble(); }, testing::ThrowsMessage<InvalidArgument>(
                                         testing::HasSubstr("over-determined by 'motor'")));
}

// A bead on a straight level wire is pressed by its weight: it slows down by mu g.
TEST(Friction, OnACurveTakesItsReaction) {
  Mechanism m("bead");
  const double mu = 0.2, g = 9.81, v0 = 3.0, t = 0.5;
  const BodyId bead = m.body({.name = "bead",
                              .mass = 2.0,
                              .inertia = diagonal(1, 1, 1),
                              .position = {1, 0, 0},
                              .velocity = {v0, 0, 0}});
  JointOptions o;
  o.at = {0, 0, 0};
  for (int k = 0; k < 6; ++k) o.curve.emplace_back(1.0 * k, 0.0, 0.0);
  const JointId wire = m.joint(JointType::point_on_curve, "wire", m.ground(), bead, o);
  m.friction("rub", wire, {.coefficient = mu, .from_reaction = true});
  const Assembled a = m.assemble();
  const Solution s = solve(a.problem, {0.0, t}, run_options(a, 1e-8));
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(a.state_of(s.end(), bead).position[0], 1.0 + v0 * t - 0.5 * mu * g * t * t, 1e-6);
}

// What a gear does to its second wheel is what makes it turn faster.
TEST(Reactions, OfAGear) {
  Mechanism m("gears");
  m.gravity({0, 0, 0});
  const double J1 = 0.5, J2 = 0.2, ratio = -2.0, M = 3.0;
  std::vector<BodyId> wheels;
  std::vector<JointId> shafts;
  for (const double J : {J1, J2}) {
    const std::string name = "wheel" + std::to_string(wheels.size());
    const Triple at{static_cast<double>(wheels.size()), 0, 0};
    wheels.push_back(m.body(
        {.name = name, .mass = 1.0, .inertia = diagonal(0.7 * J, 0.7 * J, J), .position = at}));
    shafts.push_back(
        m.revolute("shaft of " + name, m.ground(), wheels.back(), {.at = at, .axis = {0, 0, 1}}));
  }
  const JointId teeth = m.gear("teeth", shafts[0], shafts[1], ratio);
  m.torque("motor", {.body = wheels[0], .value = {M}, .axis = {0, 0, 1}});
  const Assembled a = m.assemble();
  const Solution s = solve(a.problem, {0.0, 0.3}, run_options(a, 1e-8));
  ASSERT_TRUE(s.ok()) << s.message();
  const Wrench w = a.reaction(s.end(), teeth);
  EXPECT_NEAR(w.moment[2], J2 * ratio * M / (J1 + ratio * ratio * J2), 1e-6);
  EXPECT_LT(w.force.norm(), 1e-9);
}

}  // namespace
}  // namespace daedalus::mechanism_limits_test
