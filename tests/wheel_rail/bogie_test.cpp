// SPDX-License-Identifier: BSD-3-Clause
// Two wheelsets in the frame of a bogie, tracks that move at the start, and what is drawn of it
// all.
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/wheel_rail.hpp>

namespace daedalus::bogie_test {
namespace {

const problems::Entry& entry(const char* name) { return *problems::find_problem(name); }

Options coarse(const MultibodyProblem& p, double tol = 1e-5) {
  Options o;
  o.method = "bdf";
  o.formulation = "ggl";
  o.rtol = tol;
  const int l = p.multipliers();
  Eigen::VectorXd atol = Eigen::VectorXd::Constant(2 * p.space.points() + p.contact_count + l, tol);
  atol.tail(l).setConstant(1e6 * tol);
  o.atol = atol;
  o.output = Output::dense;
  return o;
}

// Kinetic energy, springs and load of the bogie's problem.
double energy(const WheelsetData& d, const BogieFrame& b, const ModelState& s) {
  const In q = s.q(), v = s.v();
  double e = 0.5 * b.mass * v[10] * v[10] + 0.5 * b.inertia * v[11] * v[11] +
             0.5 * b.lateral_spring * q[10] * q[10] + 0.5 * b.yaw_spring * q[11] * q[11];
  for (int k = 0; k < 2; ++k) {
    const int i = 5 * k;
    const double sa = std::sin(q[i + 2]), ca = std::cos(q[i + 2]);
    const double turn = v[i + 4] - d.speed / d.rolling_radius + v[i + 3] * sa;
    const double side = q[i] - q[10] - (k == 0 ? 1.0 : -1.0) * b.half_wheelbase * q[11];
    const double yaw = q[i + 3] - q[11];
    e += 0.5 * d.mass * (v[i] * v[i] + v[i + 1] * v[i + 1]) +
         0.5 * d.inertia * (v[i + 2] * v[i + 2] + v[i + 3] * v[i + 3] * ca * ca) +
         0.5 * d.rolling_inertia * turn * turn + 0.5 * d.lateral_spring * side * side +
         0.5 * d.yaw_spring * yaw * yaw - d.load() * q[i + 1];
  }
  return e;
}

// Without friction and dampers nothing takes energy; with dampers it falls. The motion turns some
// 10 J between its forms, 0.01 J is a thousandth of that.
TEST(Bogie, KeepsItsEnergyWithoutFrictionAndDampers) {
  WheelsetData d;
  d.vertical_force = 1e5;
  CreepModel creep;
  creep.law = CreepLaw::tanh;
  creep.friction = 0.0;
  const WheelRail pair(Profile::cone(0.5, -0.0262), Rail(Profile::uic60()));
  const auto contact =
      std::make_shared<QuasiElasticOnline>(pair, ContactGrid::uniform(-60e-3, 60e-3, 120), 2e-5);
  const auto loss = [&](double damper) {
    BogieFrame frame;
    frame.lateral_damper = damper;
    frame.yaw_damper = damper;
    const WheelsetModel m = WheelsetModel(d, contact, creep).with_bogie(frame);
    const MultibodyProblem p = m.problem(m.on_rails(5e-3, 0.0));
    const Solution s = solve(p, {0.0, 0.3}, coarse(p, 1e-7));
    EXPECT_TRUE(s.ok()) << s.message();
    return energy(d, frame, s.at(0.0)) - energy(d, frame, s.at(0.3));
  };
  EXPECT_NEAR(loss(0.0), 0.0, 0.01);
  EXPECT_GT(loss(3e4), 0.3);
}

TEST(Bogie, MirroredStartGivesTheMirroredMotion) {
  const auto end = [](double y0) {
    const Problem p = entry("bogie").problem({{"y0", y0}, {"law", 1.0}});
    return solve(p, {0.0, 0.15}, coarse(std::get<MultibodyProblem>(p))).at(0.15);
  };
  const ModelState right = end(3e-3), left = end(-3e-3);
  for (const char* name : {"y1", "y2", "gamma1", "gamma2", "alpha1", "y_frame", "gamma_frame"})
    EXPECT_NEAR(left[name], -right[name], 1e-9) << name;
  EXPECT_NEAR(left["lambda_right1"], right["lambda_left1"], 1e-2);
  EXPECT_GT(std::abs(right["y1"] - right["y2"]), 1e-6);  // not one wheelset drawn twice
}

// Every contact point of the rigid bogie is watched: the four wheels jump in the first swing.
TEST(Bogie, RigidContactPointsJumpOnBothWheelsets) {
  const problems::Values values{{"contact", 1.0}, {"y0", 0.5e-3}, {"law", 1.0}};
  const Problem p = entry("bogie").problem(values);
  Options o = coarse(std::get<MultibodyProblem>(p));
  o.events = entry("bogie").events(values);
  ASSERT_EQ(o.events.size(), 12U);
  const Solution s = solve(p, {0.0, 0.25}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  for (const char* wheel : {"right1", "right2"}) {
    const auto& all = s.events();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const EventRecord& e) {
      return e.name.find(std::string("jump of ") + wheel) == 0;
    })) << wheel;
  }
}

// Irregularities move the track at x = 0 already: the start follows it, for both wheelsets.
TEST(Bogie, StartFollowsAMovingTrack) {
  for (const char* name : {"wheelset-excited", "bogie"})
    for (const double contact : {0.0, 1.0}) {
      const problems::Values values{{"irregularity", 1e-3}, {"law", 1.0}, {"contact", contact}};
      const Problem p = entry(name).problem(values);
      Options o = coarse(std::get<MultibodyProblem>(p));
      o.start = StartStrategy::given;  // refuses positions and velocities that do not fit
      o.events = entry(name).events(values);
      const Solution s = solve(p, {0.0, 0.002}, o);
      EXPECT_TRUE(s.ok()) << name << ' ' << contact << ": " << s.message();
      EXPECT_GT(std::get<MultibodyProblem>(p).v0.head(1).cwiseAbs().maxCoeff(), 1e-3);
    }
}

// Numbers computed independently: distances of at most 20 and 100 um at two places of the wheel.
TEST(WheelRailPicture, LevelLines) {
  const WheelRail pair(Profile::s1002(0.5), Rail(Profile::uic60()));
  struct Row {
    double xi_v, low20, high20, low100, high100;
  };
  for (const Row& r :
       {Row{9.64e-3, -9.81, 8.74, -12.76, 14.15}, Row{9.10e-3, -4.66, 10.05, -11.28, 14.94}}) {
    const auto lines = level_lines(pair, {r.xi_v, 0.025, 0.0, 0.0}, {20e-6, 100e-6}, 97);
    ASSERT_EQ(lines.size(), 2U);
    const auto ends = [](const ContactPicture::Level& line) {
      double low = 1.0, high = -1.0, reach = 0.0;
      for (const auto& p : line.outline) {
        low = std::min(low, p[1] * 1e3);
        high = std::max(high, p[1] * 1e3);
        reach = std::max(reach, p[0] * 1e3);
      }
      return std::array{low, high, reach};
    };
    const auto near20 = ends(lines[0]), near100 = ends(lines[1]);
    EXPECT_NEAR(near20[0], r.low20, 0.03);
    EXPECT_NEAR(near20[1], r.high20, 0.03);
    EXPECT_NEAR(near100[0], r.low100, 0.03);
    EXPECT_NEAR(near100[1], r.high100, 0.03);
    // A circle of 0.5 m rises by 100 um in 10 mm.
    EXPECT_NEAR(near100[2], 10.0, 0.1);
    EXPECT_EQ(lines[1].outline.front(), lines[1].outline.back());
  }
  EXPECT_THROW(level_lines(pair, {9e-3, 0.025, 0.0, 0.0}, {20e-6}, 4), InvalidArgument);
}

// Drawn wheels stand on drawn rails: sections of wheel and rail, ten times as large, overlap by the
// approach of the quasi-elastic contact only, and the contact point is that of the picture.
TEST(WheelRailPicture, SceneIsTrueToScale) {
  const problems::Entry& e = entry("pascal");
  const Problem problem = e.problem({{"y0", 4.5e-3}});
  const Solution s = solve(problem, {0.0, 1e-3}, coarse(std::get<MultibodyProblem>(problem)));
  ASSERT_TRUE(s.ok()) << s.message();
  const ModelState state = s.at(1e-3);
  const Scene scene = e.scene({{"y0", 4.5e-3}});
  const auto drawn = [&](const std::string& name) {
    for (const Body& body : scene.bodies)
      if (body.name == name) {
        std::vector<double> x(static_cast<std::size_t>(body.motion_count));
        body.motion(state, x.data());
        return x;
      }
    ADD_FAILURE() << "no body " << name;
    return std::vector<double>(7);
  };
  WheelsetData d;
  d.rolling_radius = 0.45;
  CreepModel creep;
  creep.friction = 0.01;
  const WheelRail pair(Profile::s1002(0.45), Rail(Profile::uic60()));
  const WheelsetModel m(d, std::make_shared<QuasiElasticOnline>(pair, wear_profile_grid(), 2e-5),
                        creep);
  const WheelsetPicture p = picture(m, state.t(), state.q(), state.v(), state.lambda());
  for (const std::size_t i : {0U, 1U}) {
    const std::string side = i == 0 ? "right" : "left";
    const auto contact = drawn(side + " contact");
    EXPECT_NEAR(contact[1], p.contacts[i].point[1], 2e-6);
    EXPECT_NEAR(contact[2], p.contacts[i].point[2], 2e-6);
    const auto wheel = drawn(side + " wheel x 10"), rail = drawn(side + " rail x 10");
    double deepest = -1.0;
    for (std::size_t k = 0; k < wheel.size(); k += 3)
      for (std::size_t j = 0; j + 5 < rail.size(); j += 3) {
        const double a = rail[j + 1], b = rail[j + 4], y = wheel[k + 1];
        if ((y - a) * (y - b) > 0.0) continue;
        const double part = (y - a) / (b - a);
        deepest =
            std::max(deepest, wheel[k + 2] - (rail[j + 2] + part * (rail[j + 5] - rail[j + 2])));
      }
    EXPECT_LT(deepest, 2e-3) << side;  // z points down
    EXPECT_GT(deepest, -1e-3) << side;
  }
  // The wheelset itself is where its coordinates say.
  EXPECT_EQ(drawn("wheelset")[1], state["y"]);
}

}  // namespace
}  // namespace daedalus::bogie_test
