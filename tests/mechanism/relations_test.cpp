// SPDX-License-Identifier: BSD-3-Clause
// What must not matter does not: coordinates, the order of joints, which body comes first, where
// the origin of a body is; and what must hold does: balance of forces, momentum, work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <daedalus/mechanism_file.hpp>
#include <daedalus/solve.hpp>

#include <nlohmann/json.hpp>

namespace daedalus::mechanism_relations_test {
namespace {

using nlohmann::json;

json document(const std::string& name) {
  std::ifstream stream(std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/" + name +
                       ".json");
  return json::parse(stream);
}
std::shared_ptr<const NamedMechanism> assembled(const json& text) {
  return read_mechanism_text(text.dump(), "x.json").assembled({});
}
Solution run(const NamedMechanism& m, double t) {
  Options o;
  o.method = "adams-index2";
  o.rtol = 1e-9;
  o.atol = 1e-9;
  o.output = Output::end;
  return solve(m.assembled.problem, {0.0, t}, o);
}
constexpr double same_motion = 1e-6;

void expect_same_motion(const NamedMechanism& a, const Solution& end_a, const NamedMechanism& b,
                        const Solution& end_b) {
  ASSERT_EQ(end_a.status(), Status::success) << end_a.message();
  ASSERT_EQ(end_b.status(), Status::success) << end_b.message();
  const ModelState at_a = end_a.end(), at_b = end_b.end();
  for (const auto& [name, id] : a.bodies) {
    const BodyState x = a.assembled.state_of(at_a, id),
                    y = b.assembled.state_of(at_b, b.bodies.at(name));
    EXPECT_LT((x.position - y.position).norm(), same_motion) << name;
    EXPECT_LT((x.rotation - y.rotation).norm(), same_motion) << name;
    EXPECT_LT((x.velocity - y.velocity).norm(), 10.0 * same_motion) << name;
  }
}

class Files : public testing::TestWithParam<const char*> {};

TEST_P(Files, MoveAlikeInAllCoordinates) {
  json text = document(GetParam());
  const auto standard = assembled(text);
  const double t = 0.5;
  const Solution s = run(*standard, t);
  for (const char* space : {"se3", "r3xs3", "s3-semidirect"}) {
    SCOPED_TRACE(space);
    text["coordinates"] = space;
    const auto other = assembled(text);
    const Solution o = run(*other, t);
    expect_same_motion(*standard, s, *other, o);
    for (const auto& [name, joint] : standard->joints) {
      const Wrench x = standard->assembled.reaction(s.end(), joint),
                   y = other->assembled.reaction(o.end(), other->joints.at(name));
      EXPECT_EQ(x.known, y.known);
      EXPECT_LT((x.force - y.force).norm(), 1e-4 * (1.0 + x.force.norm())) << name;
      EXPECT_LT((x.moment - y.moment).norm(), 1e-4 * (1.0 + x.moment.norm())) << name;
    }
  }
}

TEST_P(Files, DoNotDependOnTheOrderOfJointsAndBodies) {
  json text = document(GetParam());
  const auto standard = assembled(text);
  const Solution s = run(*standard, 0.5);
  std::reverse(text["joints"].begin(), text["joints"].end());
  const auto reversed = assembled(text);
  EXPECT_EQ(reversed->assembled.report.redundant.size(),
            standard->assembled.report.redundant.size());
  EXPECT_EQ(reversed->assembled.report.degrees_of_freedom,
            standard->assembled.report.degrees_of_freedom);
  expect_same_motion(*standard, s, *reversed, run(*reversed, 0.5));
}

// The sum of all reactions and applied forces on a body is its change of momentum.
TEST_P(Files, ForcesBalance) {
  const auto m = assembled(document(GetParam()));
  const Solution s = run(*m, 0.5);
  ASSERT_EQ(s.status(), Status::success) << s.message();
  Options o;
  o.method = "adams-index2";
  o.rtol = 1e-11;
  o.atol = 1e-11;
  o.output = Output::dense;
  const double h = 1e-4;
  const Solution dense = solve(m->assembled.problem, {0.0, 0.5 + h}, o);
  ASSERT_EQ(dense.status(), Status::success);
  const json text = document(GetParam());
  if (text.contains("forces") && !text["forces"].empty()) return;  // gravity and joints alone
  for (const auto& [name, id] : m->bodies) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    double mass = 0.0, largest = 0.0;
    for (const json& b : text["bodies"])
      if (b["name"] == name) mass = b["mass"].get<double>();
    bool known = true;
    for (const json& j : text["joints"]) {
      const Wrench w = m->assembled.reaction(dense.at(0.5), m->joints.at(j["name"]));
      const bool second = j["bodies"][1] == name, first = j["bodies"][0] == name;
      if (!first && !second) continue;
      known = known && w.known;
      sum += second ? w.force : -w.force;
      largest = std::max(largest, w.force.norm());
    }
    if (!known) continue;
    for (int k = 0; k < 3; ++k)
      sum[k] += mass * text["gravity"][static_cast<std::size_t>(k)].get<double>();
    const std::string velocity = name + ".u_x";
    const auto momentum = [&](double t) {
      const ModelState at = dense.at(t);
      // The velocity of the centre of mass is what the problem carries.
      const auto& names = at.variables().names;
      const auto it = std::find(names.begin(), names.end(), velocity);
      const auto k = it - names.begin();
      return Eigen::Vector3d(mass * at.all().segment<3>(k));
    };
    const Eigen::Vector3d rate = (momentum(0.5 + h) - momentum(0.5 - h)) / (2.0 * h);
    EXPECT_LT((sum - rate).norm(), 1e-4 * (largest + rate.norm())) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Spatial, Files,
                         testing::Values("four-bar-space", "double-pendulum", "gyroscope",
                                         "four-bar-planar", "double-wishbone"));

// First and second body exchanged: the same motion, reactions of the other sign.
TEST(Relations, ExchangedBodies) {
  json text = document("four-bar-space");
  const auto standard = assembled(text);
  for (json& j : text["joints"])
    if (j["type"] == "spherical" || j["type"] == "revolute")
      std::swap(j["bodies"][0], j["bodies"][1]);
  for (json& j : text["joints"])
    if (j.contains("rate") && j["type"] == "revolute") j["rate"] = -j["rate"].get<double>();
  const auto other = assembled(text);
  const Solution a = run(*standard, 0.5), b = run(*other, 0.5);
  expect_same_motion(*standard, a, *other, b);
  for (const json& j : text["joints"]) {
    if (j["type"] != "spherical") continue;
    const Wrench x = standard->assembled.reaction(a.end(), standard->joints.at(j["name"])),
                 y = other->assembled.reaction(b.end(), other->joints.at(j["name"]));
    EXPECT_LT((x.force + y.force).norm(), 1e-5 * x.force.norm());
  }
}

// The origin of a body's frame somewhere else: nothing changes.
TEST(Relations, ShiftedOrigin) {
  json text = document("double-pendulum");
  const auto standard = assembled(text);
  for (json& b : text["bodies"]) {
    if (b.contains("rotation")) continue;
    b["com"] = {0.1, -0.2, 0.3};
    for (std::size_t k = 0; k < 3; ++k)
      b["position"][k] = b["position"][k].get<double>() - b["com"][k].get<double>();
    b.erase("velocity");
    b.erase("angular_velocity");
  }
  json still = document("double-pendulum");
  for (json& b : still["bodies"]) {
    b.erase("velocity");
    b.erase("angular_velocity");
  }
  const auto here = assembled(still), there = assembled(text);
  EXPECT_LT((here->assembled.problem.q0 - there->assembled.problem.q0).cwiseAbs().maxCoeff(),
            1e-14);
  EXPECT_LT((here->assembled.problem.v0 - there->assembled.problem.v0).cwiseAbs().maxCoeff(),
            1e-13);
}

// Inverse dynamics, then forward: the moments of the drives as torques give the same motion.
TEST(Relations, InverseThenForward) {
  json text = document("arm6");
  const auto driven = assembled(text);
  Options o;
  o.method = "adams-index2";
  o.rtol = 1e-10;
  o.atol = 1e-10;
  o.output = Output::dense;
  const Solution s = solve(driven->assembled.problem, {0.0, 1.0}, o);
  ASSERT_EQ(s.status(), Status::success) << s.message();
  const int points = 400;
  text["forces"] = json::array();
  for (const json& d : text["drives"]) {
    json t = json::array(), y = json::array();
    for (int k = 0; k <= points; ++k) {
      const double at = static_cast<double>(k) / points;
      t.push_back(at);
      y.push_back(driven->assembled.effort(s.at(at), driven->drives.at(d["name"])));
    }
    for (const json& j : text["joints"])
      if (j["name"] == d["joint"])
        text["forces"].push_back({{"name", d["name"]},
                                  {"type", "torque"},
                                  {"bodies", j["bodies"]},
                                  {"axis", j["axis"]},
                                  {"at", j["at"]},
                                  {"value", {{"table", {{"t", t}, {"y", y}}}}}});
  }
  for (json& j : text["joints"])
    for (const json& d : text["drives"])
      if (j["name"] == d["joint"]) {
        const json& h = d["value"]["harmonic"];
        j["rate"] = h["amplitude"].get<double>() * h["omega"].get<double>();
      }
  text.erase("drives");
  const auto free = assembled(text);
  const Solution f = solve(free->assembled.problem, {0.0, 1.0}, o);
  ASSERT_EQ(f.status(), Status::success) << f.message();
  for (const std::string& name : driven->joint_order)
    EXPECT_NEAR(free->assembled.coordinate(f.end(), free->joints.at(name)),
                driven->assembled.coordinate(s.end(), driven->joints.at(name)), 1e-5)
        << name;
}

// Nothing touches ground and no gravity: momentum stays.
TEST(Relations, FreeFlightKeepsMomentum) {
  json text = document("double-pendulum");
  text["gravity"] = {0, 0, 0};
  json kept = json::array();
  for (const json& j : text["joints"])
    if (j["bodies"][0] != "ground" && j["bodies"][1] != "ground") kept.push_back(j);
  text["joints"] = kept;
  text["bodies"][0]["velocity"] = {1.0, -0.5, 0.3};
  text["bodies"][0]["angular_velocity"] = {0.4, 2.0, -1.0};
  const auto m = assembled(text);
  const Solution s = run(*m, 2.0);
  ASSERT_EQ(s.status(), Status::success) << s.message();
  const MultibodyProblem& p = m->assembled.problem;
  const auto momentum = [&](const ModelState& at) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int b = 0; b < 2; ++b)
      sum += p.mass_matrix.coeff(6 * b, 6 * b) * at.view().v().segment<3>(6 * b);
    return sum;
  };
  EXPECT_LT((momentum(s.end()) - momentum(s.start())).norm(), 1e-12);
}

}  // namespace
}  // namespace daedalus::mechanism_relations_test
