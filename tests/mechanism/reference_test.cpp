// SPDX-License-Identifier: BSD-3-Clause
// Every mechanism of files/ against its reference block: counts, motion, energies, reactions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <daedalus/mechanism_file.hpp>
#include <daedalus/solve.hpp>

#include <nlohmann/json.hpp>

namespace daedalus::mechanism_reference_test {
namespace {

std::string path_of(const std::string& name) {
  return std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/" + name + ".json";
}
nlohmann::json document(const std::string& name) {
  std::ifstream stream(path_of(name));
  return nlohmann::json::parse(stream);
}
Eigen::Vector3d vector(const nlohmann::json& j) {
  return {j[0].get<double>(), j[1].get<double>(), j[2].get<double>()};
}

struct Case {
  const char* name;
  const char* method;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name << " " << c.method; }

class Reference : public testing::TestWithParam<Case> {};

// Demanded of tight runs: seven digits of positions and velocities, five of reactions.
constexpr double motion_bound = 1e-7, reaction_bound = 1e-5;

void expect_bodies(const nlohmann::json& list, const NamedMechanism& m, const StateView& end) {
  for (const auto& r : list) {
    SCOPED_TRACE(r["body"].get<std::string>());
    const BodyState s = m.assembled.state_of(end, m.bodies.at(r["body"]));
    const double size = 1.0 + vector(r["position"]).norm();
    EXPECT_LT((s.position - vector(r["position"])).norm(), motion_bound * size);
    if (r.contains("velocity")) {
      const Eigen::Vector3d v = vector(r["velocity"]);
      EXPECT_LT((s.velocity - v).norm(), motion_bound * (1.0 + v.norm()));
    }
    if (r.contains("angular_velocity_body")) {
      const Eigen::Vector3d w = vector(r["angular_velocity_body"]);
      EXPECT_LT((s.angular_velocity_body - w).norm(), motion_bound * (1.0 + w.norm()));
    }
    if (r.contains("quaternion")) {
      const auto& p = r["quaternion"];
      const Eigen::Matrix3d R = Rotation::quaternion(p[0], p[1], p[2], p[3]).matrix();
      EXPECT_LT((s.rotation - R).norm(), motion_bound * 3.0);
    }
  }
}

void expect_reactions(const nlohmann::json& all, const NamedMechanism& m, const StateView& end) {
  double largest = 0.0;
  for (const auto& [name, r] : all.items())
    largest = std::max({largest, vector(r["force"]).norm(), vector(r["moment"]).norm()});
  for (const auto& [name, r] : all.items()) {
    SCOPED_TRACE(name);
    const Wrench w = m.assembled.reaction(end, m.joints.at(name));
    EXPECT_TRUE(w.known);
    EXPECT_LE((w.force - vector(r["force"])).norm(), reaction_bound * largest);
    EXPECT_LE((w.moment - vector(r["moment"])).norm(), reaction_bound * largest);
  }
}

TEST_P(Reference, IsMetToItsDigits) {
  const Case c = GetParam();
  const nlohmann::json ref = document(c.name)["reference"];
  const MechanismFile file = read_mechanism_file(path_of(c.name));
  const auto m = file.assembled({});
  const AssemblyReport& report = m->assembled.report;
  const auto& counts = ref["counts"];
  EXPECT_EQ(report.rows, counts["rows"].get<int>());
  if (counts.contains("redundant")) {
    EXPECT_EQ(static_cast<int>(report.redundant.size()), counts["redundant"].get<int>());
  }
  if (counts.contains("degrees_of_freedom")) {
    EXPECT_EQ(report.degrees_of_freedom, counts["degrees_of_freedom"].get<int>());
  }
  EXPECT_LE(report.residual, 1e-12 * report.length);

  Options o;
  o.method = c.method;
  o.rtol = 1e-10;
  o.atol = 1e-10;
  o.output = Output::end;
  const Solution s = solve(m->assembled.problem, {0.0, ref["t"].get<double>()}, o);
  ASSERT_EQ(s.status(), Status::success) << s.message();
  const ModelState end = s.end();
  if (ref.contains("bodies") && !ref["bodies"][0].contains("angle_mod_2pi"))
    expect_bodies(ref["bodies"], *m, end);
  if (ref.contains("kinetic_energy")) {
    const Energies e = m->assembled.energies(end);
    const double T = ref["kinetic_energy"], U = ref["potential_energy"];
    EXPECT_NEAR(e.kinetic, T, 1e-6 * (1.0 + std::abs(T) + std::abs(U)));
    EXPECT_NEAR(e.potential, U, 1e-6 * (1.0 + std::abs(T) + std::abs(U)));
  }
  if (ref.contains("joint_reactions_on_second_body_ground_frame"))
    expect_reactions(ref["joint_reactions_on_second_body_ground_frame"], *m, end);
  if (ref.contains("drive_effort")) {
    for (const auto& [name, value] : ref["drive_effort"].items())
      EXPECT_NEAR(m->assembled.effort(end, m->drives.at(name)), value.get<double>(),
                  reaction_bound * (1.0 + std::abs(value.get<double>())));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, Reference,
    testing::Values(Case{"simple-pendulum", "adams-index2"}, Case{"four-bar-space", "adams-index2"},
                    Case{"four-bar-space", "hedop5"}, Case{"slider-crank-space", "adams-index2"},
                    Case{"spinning-top", "adams-index2"}, Case{"double-pendulum", "adams-index2"},
                    Case{"gyroscope", "adams-index2"}, Case{"press", "adams-index2"},
                    Case{"stewart", "adams-index2"}, Case{"double-wishbone", "adams-index2"},
                    Case{"chain-10", "adams-index2"}, Case{"four-bar-planar", "adams-index2"},
                    Case{"bricard", "adams-index2"}, Case{"andrews", "adams-index2"},
                    Case{"governor", "radau"}, Case{"arm6", "adams-index2"},
                    Case{"gear-pair", "hedop5"}, Case{"screw", "hedop5"}, Case{"screw", "adams-index2"}, Case{"screw", "radau"},
                    Case{"screw", "bdf"},
                    Case{"rack-pinion", "hedop5"}));

}  // namespace
}  // namespace daedalus::mechanism_reference_test
