// SPDX-License-Identifier: BSD-3-Clause
// Wrong input of a stranger: every refusal names the profile or field, the value and the place.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include <catalogue/catalogue.hpp>
#include <daedalus/wheel_rail.hpp>

namespace daedalus::input_test {
namespace {

void refused(const std::function<void()>& call, const std::vector<std::string>& parts) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected words on " << parts.front();
  } catch (const InvalidArgument& e) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " in: " << e.what();
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();

TEST(WheelRailInput, Profiles) {
  refused(
      [] {
        Profile::measured("track 7", {0.0, 0.01, 0.01, 0.02}, {0.0, 0.1, 0.2, 0.3});
      },
      {"'track 7'", "point 3 at 0.01 follows point 2 at 0.01", "function"});
  refused(
      [] {
        Profile::measured("worn", {0.0, 0.02, 0.01}, {0.0, 0.1, 0.2});
      },
      {"'worn'", "point 3 at 0.01"});
  refused(
      [] {
        Profile::measured("worn", {0.0, 0.01, 0.02}, {0.0, nan, 0.2});
      },
      {"'worn'", "point 2 is (0.01, nan)", "finite"});
  refused(
      [] {
        Profile::measured("worn", {0.0, infinite, 0.02}, {0.0, 0.0, 0.2});
      },
      {"'worn'", "point 2 is (inf, 0)"});
  refused([] { Profile::measured("worn", {0.0, 0.01}, {0.0, 0.1}); }, {"'worn'", "2 points"});
  refused(
      [] {
        Profile::measured("worn", {0.0, 0.01, 0.02}, {0.0, 0.1});
      },
      {"'worn'", "3 places for 2 values"});
  refused([] { Profile::cone(0.5, nan); }, {"'cone'", "slope = nan"});
  refused([] { Profile::cone(0.5, -0.02, 0.06, -0.06); }, {"'cone'", "from 0.06 to -0.06"});
  refused([] { Profile::s1002(infinite); }, {"'S1002'", "inf"});
  refused([] { Profile::circle(infinite, 0.06); }, {"'circle'", "radius = inf"});
  refused([] { Rail(Profile::uic60(), Profile::circle(0.3, 0.06), 5.0, 5.0); },
          {"'UIC60'", "'circle'", "from = 5"});
}

TEST(WheelRailInput, Contacts) {
  const WheelRail pair(Profile::s1002(0.5), Rail(Profile::uic60()));
  for (const double nu : {0.0, -2e-5, nan, infinite})
    refused([&] { QuasiElasticOnline(pair, wear_profile_grid(), nu); },
            {"'S1002'", "'UIC60'", "nu = "});
  refused([&] { QuasiElasticOnline(pair, ContactGrid::uniform(-0.07, 0.04, 100), 2e-5); },
          {"'S1002'", "[-0.07, 0.04]", "[-0.06, 0.06]"});
  // A rail's profile, whose heights start at zero, as wheel.
  refused(
      [] {
        QuasiElasticOnline(WheelRail(Profile::uic60(), Rail(Profile::uic60())),
                           ContactGrid::uniform(-0.03, 0.03, 60), 2e-5);
      },
      {"'UIC60'", "radius 0", "at s = "});
}

TEST(WheelRailInput, Wheelsets) {
  const WheelRail pair(Profile::s1002(0.5), Rail(Profile::uic60()));
  const auto contact = std::make_shared<QuasiElasticOnline>(pair, wear_profile_grid(), 2e-5);
  const auto with = [&](auto change) {
    WheelsetData d;
    CreepModel creep;
    TrackAlignment track;
    BogieFrame frame;
    change(d, creep, track, frame);
    return WheelsetModel(d, contact, creep, track).with_bogie(frame);
  };
  refused([&] { with([](auto& d, auto&, auto&, auto&) { d.vertical_force = nan; }); },
          {"vertical_force = nan"});
  // Arnold (1998), Remark 37, with more than the weight of 2010 kg: lambda would never be negative.
  refused(
      [&] {
        with([](auto& d, auto&, auto&, auto&) { d.vertical_force = -(d.mass * d.gravity + 1e3); });
      },
      {"vertical_force = -20718.1 N", "more than -19718.1 N", "off the rails"});
  refused([&] { with([](auto& d, auto&, auto&, auto&) { d.gravity = 0.0; }); },
          {"vertical_force = 0 N", "more than -0 N"});
  refused([&] { with([](auto&, auto& c, auto&, auto&) { c.material.young = -1.0; }); },
          {"material.young = -1"});
  refused([&] { with([](auto&, auto& c, auto&, auto&) { c.friction = infinite; }); },
          {"friction = inf"});
  refused([&] { with([](auto&, auto&, auto& t, auto&) { t.amplitude = 1e-3, t.length = 0.0; }); },
          {"track.length = 0"});
  refused([&] { with([](auto&, auto&, auto& t, auto&) {
                  t.waves = {{1e-3, -3.0, 0.0}};
                }); },
          {"wavelength", "-3"});
  refused([&] { with([](auto&, auto&, auto&, auto& f) { f.half_wheelbase = 0.0; }); },
          {"half_wheelbase = 0"});
  const WheelsetModel good = with([](auto&, auto&, auto&, auto&) {});
  refused([&] { good.on_rails(nan, 0.0); }, {"y = nan"});
  refused([&] { good.on_rails(0.0, 1.2); }, {"gamma = 1.2 rad", "'S1002'", "'UIC60'", "up to"});
  refused([&] { good.on_rails(-0.2, 0.0, 7.0); }, {"y = -0.2 m", "x = 7 m", "'S1002'"});
  refused([&] { with([](auto& d, auto&, auto&, auto&) { d.rail_distance = 2.0; }).on_rails(0, 0); },
          {"even the centred wheelset finds no rail"});
  const MultibodyProblem rigid = good.rigid_problem(good.on_rails(0.0, 0.0), wear_profile_grid());
  refused([&] { good.jump_events(rigid, wear_profile_grid(), 0.0); }, {"hysteresis = 0"});
}

TEST(WheelRailInput, Catalogue) {
  const problems::Entry& e = *problems::find_problem("pascal");
  const auto set = [&](const char* name, double value, const std::vector<std::string>& parts) {
    refused([&] { e.problem({{name, value}}); }, parts);
  };
  set("nu", 0.0, {"nu = 0", "'S1002'"});
  set("y0", 0.2, {"y = 0.2 m", "'S1002'", "'UIC60'"});
  set("arc", -1.0, {"'arc' = -1"});
  set("rail_spline", -1e-3, {"'rail_spline' = -0.001"});
  set("modulus", 0.0, {"young = 0"});
  set("contact", 3.0, {"'contact' = 3"});
  set("cells", 0.5, {"'cells' = 0.5"});
  set("V", 0.0, {"speed = 0"});
  set("mu", -0.1, {"friction = -0.1"});
  set("Fz", -2e4, {"vertical_force = -20000 N (F_z)", "more than -19718.1 N"});
  const problems::Entry& rig = *problems::find_problem("wheelset");
  refused([&] { rig.problem({{"g", -9.81}}); }, {"'wheelset'", "'g' is -9.81", "positive"});
  refused([&] { rig.problem({{"m", 0.0}}); }, {"'wheelset'", "'m' is 0", "positive"});
}

}  // namespace
}  // namespace daedalus::input_test
