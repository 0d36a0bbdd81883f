// SPDX-License-Identifier: BSD-3-Clause
// Every mechanism of files/ against its reference block: counts, motion, energies, reactions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <daedalus/analysis.hpp>
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
                    Case{"chain-100", "adams-index2"}, Case{"gear-pair", "hedop5"},
                    Case{"screw", "hedop5"}, Case{"screw", "adams-index2"}, Case{"screw", "radau"},
                    Case{"screw", "bdf"}, Case{"rack-pinion", "hedop5"}));

Solution tight(const MultibodyProblem& problem, double t, const char* method = "adams-index2") {
  Options o;
  o.method = method;
  o.rtol = 1e-10;
  o.atol = 1e-10;
  o.output = Output::end;
  return solve(problem, {0.0, t}, o);
}

// Further times of the same files.
TEST(MoreReferences, AtOtherTimes) {
  struct Later {
    const char *file, *block, *method;
    double t;
  };
  for (const Later& l : {Later{"bricard", "at_t_3.3", "adams-index2", 3.3}}) {
    SCOPED_TRACE(l.file);
    const auto m = read_mechanism_file(path_of(l.file)).assembled({});
    const Solution s = tight(m->assembled.problem, l.t, l.method);
    ASSERT_EQ(s.status(), Status::success) << s.message();
    expect_bodies(document(l.file)["reference"][l.block]["bodies"], *m, s.end());
  }
}

// Rows of parallelograms: to the digits before the first dead position, with the right energy after
// many of them.
TEST(MoreReferences, Parallelograms) {
  for (const char* name : {"four-bars-1", "four-bars-2", "four-bars-10", "four-bars-40"}) {
    SCOPED_TRACE(name);
    const nlohmann::json ref = document(name)["reference"];
    const auto m = read_mechanism_file(path_of(name)).assembled({});
    EXPECT_EQ(m->assembled.report.rows, ref["counts"]["rows"].get<int>());
    EXPECT_EQ(m->assembled.report.redundant.size(), ref["counts"]["redundant"].get<std::size_t>());
    EXPECT_EQ(m->assembled.report.degrees_of_freedom, 1);
    const Solution s = tight(m->assembled.problem, 0.5);
    ASSERT_EQ(s.status(), Status::success) << s.message();
    const BodyState bar = m->assembled.state_of(s.end(), m->bodies.at("bar0"));
    const nlohmann::json& at = ref["at"]["0.5"];
    for (int k = 0; k < 2; ++k)  // B0 is the upper end of a bar of 1 m
      EXPECT_NEAR(2.0 * bar.position[k], at["B0"][static_cast<std::size_t>(k)].get<double>(), 1e-7);
    const Energies e = m->assembled.energies(s.end());
    EXPECT_NEAR(e.kinetic + e.potential, ref["energy"].get<double>(), 1e-6);
  }
}

TEST(MoreReferences, RightOrRefusedBehindDeadPositions) {
  const nlohmann::json ref = document("four-bars-2")["reference"];
  const auto m = read_mechanism_file(path_of("four-bars-2")).assembled({});
  const Solution s = tight(m->assembled.problem, 10.0);
  const Energies e = m->assembled.energies(s.end());
  EXPECT_NEAR(e.kinetic + e.potential, ref["energy"].get<double>(), 1e-5);
  if (s.status() != Status::success) return;
  const BodyState bar = m->assembled.state_of(s.end(), m->bodies.at("bar0"));
  EXPECT_NEAR(2.0 * bar.position[0], ref["at"]["10.0"]["B0"][0].get<double>(), 1e-4);
  EXPECT_NEAR(2.0 * bar.position[1], ref["at"]["10.0"]["B0"][1].get<double>(), 1e-4);
}

TEST(MoreReferences, InThePlane) {
  const nlohmann::json ref = document("cart")["reference"];
  const auto m = read_mechanism_file(path_of("cart")).assembled({});
  const Solution s = tight(m->assembled.problem, 2.0);
  ASSERT_EQ(s.status(), Status::success) << s.message();
  const BodyState cart = m->assembled.state_of(s.end(), m->bodies.at("cart")),
                  rod = m->assembled.state_of(s.end(), m->bodies.at("rod"));
  EXPECT_NEAR(cart.position[0], ref["cart_x"].get<double>(), motion_bound);
  EXPECT_NEAR(cart.velocity[0], ref["cart_velocity"].get<double>(), motion_bound);
  EXPECT_NEAR(m->assembled.coordinate(s.end(), m->joints.at("hinge")),
              ref["rod_angle"].get<double>(), motion_bound);
  EXPECT_NEAR(rod.angular_velocity_body[2], ref["rod_rate"].get<double>(), motion_bound);
}

TEST(MoreReferences, Nonholonomic) {
  const nlohmann::json disc = document("rolling-disc")["reference"];
  const auto m = read_mechanism_file(path_of("rolling-disc")).assembled({});
  EXPECT_EQ(m->assembled.report.rows, 1);
  EXPECT_EQ(m->assembled.report.nonholonomic_rows, 2);
  const Solution s = tight(m->assembled.problem, 5.0);
  ASSERT_EQ(s.status(), Status::success) << s.message();
  expect_bodies(disc["bodies"], *m, s.end());
  const BodyState there = m->assembled.state_of(s.end(), m->bodies.at("disc"));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(there.rotation(i, j),
                  disc["bodies"][0]["rotation_rows"][static_cast<std::size_t>(i)]
                      [static_cast<std::size_t>(j)]
                          .get<double>(),
                  motion_bound);
  const nlohmann::json blade = document("knife-edge")["reference"];
  const auto sled = read_mechanism_file(path_of("knife-edge")).assembled({});
  const Solution slid = tight(sled->assembled.problem, 5.0);
  ASSERT_EQ(slid.status(), Status::success) << slid.message();
  nlohmann::json bodies = blade["bodies"];
  expect_bodies(bodies, *sled, slid.end());
}

TEST(MoreReferences, EigenvaluesAtRest) {
  for (const char* name : {"bushing", "double-rod"}) {
    SCOPED_TRACE(name);
    const nlohmann::json ref = document(name)["reference"]["eigenvalues_at_rest"];
    const auto m = read_mechanism_file(path_of(name)).assembled({});
    const Eigenvalues found =
        eigenvalues(m->assembled.problem, steady_state(m->assembled.problem, 0.0));
    ASSERT_TRUE(found.found) << found.message;
    ASSERT_EQ(found.values.size(), ref.size());
    for (const auto& pair : ref) {
      const std::complex<double> wanted(pair[0].get<double>(), pair[1].get<double>());
      double nearest = 1.0;
      for (const auto& value : found.values) nearest = std::min(nearest, std::abs(value - wanted));
      EXPECT_LT(nearest, 1e-9 * std::abs(wanted));
    }
  }
}

// The lower mode of two rods moves both the same way, the other against each other.
TEST(MoreReferences, ModesMoveBodies) {
  const auto m = read_mechanism_file(path_of("double-rod")).assembled({});
  const Eigenvalues found =
      eigenvalues(m->assembled.problem, steady_state(m->assembled.problem, 0.0));
  const std::vector<Mode> modes = m->assembled.modes(found);
  ASSERT_EQ(modes.size(), 4U);
  for (const Mode& mode : modes) {
    const double w2 = std::norm(mode.value);
    // (K - w^2 M) a = 0 in the two angles, M = [4/3 1/2; 1/2 1/3], K = g diag(3/2, 1/2).
    const std::complex<double> a = mode.bodies[0].rotation[2], b = mode.bodies[1].rotation[2];
    EXPECT_NEAR(std::abs((9.81 * 1.5 - w2 * 4.0 / 3.0) * a - w2 * 0.5 * b), 0.0, 1e-8);
    EXPECT_NEAR(mode.frequency_hz, std::sqrt(w2) / 6.283185307179586, 1e-9);
  }
}

TEST(MoreReferences, UrdfIsTheSameAsJson) {
  if (!urdf_is_available()) GTEST_SKIP();
  const auto json = read_mechanism_file(path_of("arm6")).assembled({});
  const auto urdf =
      read_mechanism_file(std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/arm6.urdf")
          .assembled({});
  const Eigen::VectorXd &a = json->assembled.problem.q0, &b = urdf->assembled.problem.q0;
  const Eigen::Index n = std::min(a.size(), b.size());  // limits of the URDF may follow an angle
  EXPECT_LT((a.head(n) - b.head(n)).cwiseAbs().maxCoeff(), 1e-14);
  const Eigen::MatrixXd M = json->assembled.problem.mass_matrix,
                        other = urdf->assembled.problem.mass_matrix;
  EXPECT_LT((M - other.topLeftCorner(M.rows(), M.cols())).cwiseAbs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace daedalus::mechanism_reference_test
