// SPDX-License-Identifier: BSD-3-Clause
// Curves, laws of force in C++, shared reactions, documents written back, large sets of rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include <daedalus/mechanism_file.hpp>
#include <daedalus/solve.hpp>

#include <nlohmann/json.hpp>

#include "mechanism/least_squares.hpp"

namespace daedalus::mechanism_features_test {
namespace {

constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double g = 9.81;

Solution run(const Assembled& a, double t, const char* method = "auto", double tol = 1e-9) {
  Options o;
  o.method = method;
  o.rtol = tol;
  o.atol = tol;
  o.events = a.events;
  o.output = Output::end;
  return solve(a.problem, {0.0, t}, o);
}

// ---- points on curves ----

Mechanism bead(JointType type, const JointOptions& options, JointId& joint) {
  Mechanism m("bead");
  const BodyId b = m.body({.name = "bead",
                           .mass = 0.7,
                           .inertia = diagonal(0.02, 0.03, 0.04),
                           .position = {0.3, 0.0, 0.0},
                           .angular_velocity = {0.5, 1.0, -0.3}});
  joint = m.joint(type, "track", m.ground(), b, options);
  return m;
}

TEST(PointOnCurve, AStraightOneIsALine) {
  JointId on_curve, on_line;
  JointOptions curve, line{.at = {0, 0, 0}, .axis = {1.0, 0.5, -1.0}};
  line.at2 = {0.3, 0.0, 0.0};
  line.axis = {1.0, 0.5, -1.0};
  line.at = {0.3, 0.0, 0.0};
  for (const double x : {-1.0, 0.0, 0.7, 1.5, 4.0, 9.0})
    curve.curve.emplace_back(0.3 + x, 0.5 * x, -x);
  const Assembled a = bead(JointType::point_on_curve, curve, on_curve).assemble(),
                  b = bead(JointType::point_on_line, line, on_line).assemble();
  EXPECT_EQ(a.report.rows, 2);
  EXPECT_EQ(a.report.degrees_of_freedom, 4);
  EXPECT_NEAR(a.coordinate(run(a, 1e-3).start(), on_curve), 1.5, 1e-12);  // chord length from -1
  for (const char* method : {"hedop5", "adams-index2", "radau"}) {
    SCOPED_TRACE(method);
    const Solution s = run(a, 0.8, method), r = run(b, 0.8);
    ASSERT_TRUE(s.ok() && r.ok()) << s.message() << r.message();
    const BodyState x = a.state_of(s.end(), {0}), y = b.state_of(r.end(), {0});
    EXPECT_LT((x.position - y.position).norm(), 1e-7);
    EXPECT_LT((x.velocity - y.velocity).norm(), 1e-7);
    EXPECT_NEAR(a.coordinate(s.end(), on_curve) - 1.5, b.coordinate(r.end(), on_line), 1e-7);
    EXPECT_NEAR(a.rate(s.end(), on_curve), b.rate(r.end(), on_line), 1e-7);
    EXPECT_LT((a.reaction(s.end(), on_curve).force - b.reaction(r.end(), on_line).force).norm(),
              1e-5);
  }
}

// A closed circle, upright: a pendulum that may go round and round.
TEST(PointOnCurve, ACircleIsAPendulum) {
  JointOptions circle;
  constexpr int points = 120;
  for (int k = 0; k < points; ++k)
    circle.curve.emplace_back(std::sin(2 * pi * k / points), 0.0, -std::cos(2 * pi * k / points));
  circle.closed = true;
  circle.at2 = {0.0, 0.0, -1.0};
  circle.rate = 7.0;  // more than sqrt(4 g): it turns over
  Mechanism m("ring");
  const BodyId b = m.body({.name = "bead", .mass = 0.5, .position = {0, 0, -1.0}, .point = true});
  const JointId track = m.joint(JointType::point_on_curve, "track", m.ground(), b, circle);
  const Assembled a = m.assemble();
  const Solution s = run(a, 3.0);
  ASSERT_TRUE(s.ok()) << s.message();
  const Energies start = a.energies(s.start()), end = a.energies(s.end());
  EXPECT_NEAR(end.kinetic + end.potential, start.kinetic + start.potential, 1e-6);
  const Eigen::Vector3d x = a.state_of(s.end(), b).position;
  EXPECT_NEAR(x.norm(), 1.0, 1e-6);
  EXPECT_GT(a.coordinate(s.end(), track), 2.0 * 2.0 * pi);  // counts turns

  Mechanism w("pendulum");
  const BodyId p = w.body({.name = "bob",
                           .mass = 0.5,
                           .position = {0, 0, -1.0},
                           .velocity = a.state_of(s.start(), b).velocity,
                           .point = true});
  w.distance("rod", w.ground(), p, {.at = {0, 0, 0}, .at2 = {0, 0, -1.0}});
  const Assembled other = w.assemble();
  const Solution r = run(other, 3.0);
  EXPECT_LT((other.state_of(r.end(), p).position - x).norm(), 1e-4);  // a spline of 120 points
}

TEST(PointOnCurve, IsDrivenAndRefused) {
  JointId track;
  JointOptions o;
  for (int k = 0; k < 6; ++k) o.curve.emplace_back(0.3 * k, 0.1 * k * k, 0.05 * k * k * k);
  Mechanism m = bead(JointType::point_on_curve, o, track);
  const double start = m.assemble().report.residual;
  EXPECT_LT(start, 1e-12);
  Mechanism driven = bead(JointType::point_on_curve, o, track);
  const Assembled free = m.assemble();
  const double s0 = free.coordinate(run(free, 1e-3).start(), track);
  const DriveId motor = driven.drive("motor", track, polynomial({s0, 0.5}));
  const Assembled a = driven.assemble();
  EXPECT_EQ(a.report.degrees_of_freedom, 3);
  const Solution s = run(a, 1.0);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_NEAR(a.coordinate(s.end(), track), s0 + 0.5, 1e-8);
  EXPECT_NEAR(a.rate(s.end(), track), 0.5, 1e-7);
  EXPECT_NE(a.effort(s.end(), motor), 0.0);
  o.curve.resize(3);
  EXPECT_THROW(bead(JointType::point_on_curve, o, track), InvalidArgument);
  o.curve = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  try {
    bead(JointType::point_on_curve, o, track);
    FAIL();
  } catch (const InvalidArgument& wrong) {
    EXPECT_THAT(wrong.what(), testing::HasSubstr("points 1 and 2"));
  }
}

// ---- laws of force in C++ ----

TEST(Callback, ASpringOfOnesOwnIsASpring) {
  const auto make = [](bool own, MechanismSpace space) {
    Mechanism m("spring", space);
    const BodyId a = m.body({.name = "a",
                             .mass = 1.0,
                             .inertia = diagonal(0.1, 0.2, 0.15),
                             .position = {0, 0, 0},
                             .angular_velocity = {1, 2, 3}}),
                 b = m.body({.name = "b",
                             .mass = 2.0,
                             .inertia = diagonal(0.2, 0.2, 0.3),
                             .position = {1, 0, 0.2}});
    if (own)
      m.callback("own", a, b, {.at = {0.1, 0.2, 0.0}, .at2 = {0.9, -0.1, 0.3}},
                 [](const auto& t, const auto& p, const auto& q) {
                   using std::sqrt;
                   auto load = no_load(t);
                   const auto d = (q.position - p.position).eval();
                   const auto rate = (q.velocity - p.velocity).eval();
                   const auto l = sqrt(d.dot(d));
                   load.force = -((30.0 * (l - 0.4) + 0.5 * d.dot(rate) / l) / l) * d;
                   return load;
                 });
    else
      m.spring_damper("own", a, b,
                      {.at = {0.1, 0.2, 0.0},
                       .at2 = {0.9, -0.1, 0.3},
                       .stiffness = 30.0,
                       .damping = 0.5,
                       .rest_length = 0.4});
    return m.assemble();
  };
  for (const MechanismSpace space : {MechanismSpace::r3xso3, MechanismSpace::se3}) {
    const Assembled own = make(true, space), other = make(false, space);
    const Solution s = run(own, 1.0), r = run(other, 1.0);
    ASSERT_TRUE(s.ok()) << s.message();
    for (int k = 0; k < 2; ++k)
      EXPECT_LT(
          (own.state_of(s.end(), {k}).velocity - other.state_of(r.end(), {k}).velocity).norm(),
          1e-9);
  }
}

// ---- reactions of redundant joints ----

// A door on two hinges at rest: each carries half of its weight.
TEST(Reactions, HingesOfADoorShareItsWeight) {
  Mechanism m("door");
  const BodyId door = m.body({.name = "door",
                              .mass = 20.0,
                              .inertia = diagonal(7.0, 8.0, 2.0),
                              .position = {0.4, 0, 1.0}});
  const JointId low = m.revolute("low", m.ground(), door, {.at = {0, 0, 0.2}, .axis = {0, 0, 1}});
  const JointId high = m.revolute("high", m.ground(), door, {.at = {0, 0, 1.8}, .axis = {0, 0, 1}});
  AssemblyOptions options;
  const Assembled unknown = m.assemble(options);
  EXPECT_EQ(unknown.report.redundant.size(), 5U);
  EXPECT_FALSE(unknown.reaction(run(unknown, 0.1).end(), low).known);
  options.shared_reactions = true;
  const Assembled a = m.assemble(options);
  const Solution s = run(a, 0.1);
  const Wrench l = a.reaction(s.end(), low), h = a.reaction(s.end(), high);
  EXPECT_TRUE(l.known && l.shared && h.shared);
  EXPECT_NEAR(l.force[2], 10.0 * g, 1e-6);
  EXPECT_NEAR(h.force[2], 10.0 * g, 1e-6);
  EXPECT_NEAR((l.force + h.force - Eigen::Vector3d(0, 0, 20.0 * g)).norm(), 0.0, 1e-6);
  // Moments about the centre of mass balance.
  const Eigen::Vector3d c = a.state_of(s.end(), door).position;
  const Eigen::Vector3d sum = l.moment + h.moment +
                              (Eigen::Vector3d(0, 0, 0.2) - c).cross(l.force) +
                              (Eigen::Vector3d(0, 0, 1.8) - c).cross(h.force);
  EXPECT_LT(sum.norm(), 1e-6);
  // The hinges pull as far as it makes the moments in them smaller: neither part is zero.
  EXPECT_LT(h.force[0], -1.0);
  EXPECT_GT(std::abs(l.moment[1]), 1.0);
}

// ---- many rows ----

TEST(ManyRows, FactorsFindWhatFullMatricesFind) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  constexpr int blocks = 150;
  std::vector<Eigen::Triplet<double>> entries;
  int rows = 0;
  // Blocks of three rows on neighbouring columns; every tenth block repeats a sum of two rows.
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(4 * blocks, 4 * blocks + 4);
  for (int b = 0; b < blocks; ++b) {
    for (int k = 0; k < 3; ++k, ++rows)
      for (int c = 0; c < 8; ++c)
        if (any(random) > -0.6) full(rows, 4 * b + c) = any(random);
    if (b % 10 == 9) {
      full.row(rows) = 0.5 * full.row(rows - 1) - 2.0 * full.row(rows - 3);
      ++rows;
    }
  }
  full.conservativeResize(rows, Eigen::NoChange);
  for (int r = 0; r < rows; ++r) full.row(r).normalize();
  const SparseMatrix B = full.sparseView();
  const mechanism::RowRank rank = mechanism::rank_in_order(B, 1e-9);
  ASSERT_EQ(rank.dependent.size(), static_cast<std::size_t>(blocks / 10));
  EXPECT_EQ(rank.rank + blocks / 10, rows);
  for (const mechanism::DependentRow& d : rank.dependent) {
    EXPECT_EQ((d.row + 1) % 31, 0) << d.row;  // the later row is the dependent one
    Eigen::RowVectorXd sum = full.row(d.row);
    for (const auto& [row, factor] : d.of) {
      EXPECT_LT(row, d.row);
      sum -= factor * full.row(row);
    }
    EXPECT_LT(sum.norm(), 1e-9);
  }
  const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(full.cols(), [&] { return any(random); });
  const Eigen::VectorXd r = B * x;
  const Eigen::VectorXd found = mechanism::SmallestSolution(B, 1e-9)(r);
  const Eigen::VectorXd wanted = full.completeOrthogonalDecomposition().solve(r);
  EXPECT_LT((found - wanted).norm(), 1e-9 * wanted.norm());
}

TEST(ManyRows, ParallelogramsNameTheirRows) {
  const auto m = read_mechanism_file(std::string(DAEDALUS_SOURCE_DIR) +
                                     "/tests/mechanism/files/four-bars-40.json")
                     .assembled({});
  const AssemblyReport& report = m->assembled.report;
  ASSERT_EQ(report.rows, 605);
  ASSERT_EQ(report.redundant.size(), 120U);
  ASSERT_EQ(report.loops.size(), 40U);
  for (std::size_t k = 0; k < 40; ++k) {
    const std::string joint = "B" + std::to_string(k + 1) + "l";
    const std::array<const char*, 3> rows{"z", "t1", "t2"};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(report.redundant[3 * k + i].joint, joint);
      EXPECT_EQ(report.redundant[3 * k + i].row, rows[i]);
    }
    EXPECT_LE(report.loops[k].joints.size(), 5U) << joint;
  }
}

// A loop is named by its own joints whatever the order, with full matrices and with sparse factors.
TEST(ManyRows, LoopsNameTheirOwnJointsInAnyOrder) {
  for (const char* name : {"four-bars-10", "four-bars-40"})
    for (const bool shuffled : {false, true}) {
      SCOPED_TRACE(name);
      std::ifstream stream(std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/" + name +
                           ".json");
      nlohmann::json text = nlohmann::json::parse(stream);
      std::mt19937 random(5);
      auto& joints = text["joints"];
      std::reverse(joints.begin(), joints.end());
      if (shuffled) std::shuffle(joints.begin(), joints.end(), random);
      const auto m = read_mechanism_text(text.dump(), "x.json").assembled({});
      const AssemblyReport& report = m->assembled.report;
      const auto loops = report.redundant.size() / 3;
      EXPECT_EQ(report.loops.size(), loops);
      std::size_t named = 0;
      for (const RedundantLoop& loop : report.loops) named += loop.joints.size();
      // Four joints each; where two loops share their last joint, those of both.
      EXPECT_LE(named, (shuffled ? 6 : 4) * loops);
    }
}

// ---- documents ----

TEST(Documents, AreReadBackToTheSameProblem) {
  namespace fs = std::filesystem;
  int count = 0;
  for (const auto& entry :
       fs::directory_iterator(std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files")) {
    if (entry.path().extension() == ".urdf" && !urdf_is_available()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    const MechanismFile file = read_mechanism_file(entry.path().string());
    const auto m = file.assembled({});
    const std::string text = mechanism_text(*m, file.entry.t_end);
    const MechanismFile again = read_mechanism_text(text, "again.json");
    const auto n = again.assembled({});
    const MultibodyProblem &a = m->assembled.problem, &b = n->assembled.problem;
    ++count;
    EXPECT_EQ(again.entry.t_end, file.entry.t_end);
    EXPECT_EQ(n->run.rtol, m->run.rtol);
    ASSERT_EQ(a.q0.size(), b.q0.size());
    EXPECT_TRUE(a.q0 == b.q0);
    EXPECT_TRUE(a.v0 == b.v0);
    EXPECT_EQ(a.lambda_names, b.lambda_names);
    EXPECT_EQ(m->assembled.events.size(), n->assembled.events.size());
    Arguments<double> at;
    at.t = 0.37;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(b.multipliers());
    at.x = {a.q0.data(), a.v0.data(), none.data(), none.data(), nullptr};
    at.n = {static_cast<int>(a.q0.size()), static_cast<int>(a.v0.size()), 0, 0, 0};
    Eigen::VectorXd f(a.velocities()), h(a.velocities());
    a.force(at, f.data(), static_cast<int>(f.size()));
    b.force(at, h.data(), static_cast<int>(h.size()));
    EXPECT_TRUE(f == h);
    if (a.constraint_count == 0) continue;
    Eigen::VectorXd c(a.constraint_count), e(a.constraint_count);
    a.constraint(at, c.data(), a.constraint_count);
    b.constraint(at, e.data(), a.constraint_count);
    EXPECT_TRUE(c == e);
  }
  EXPECT_GE(count, 28);
}

TEST(Documents, KeepPictures) {
  const MechanismFile file = read_mechanism_text(
      R"json({"daedalus": "mechanism", "version": 1, "name": "s", "scene": {"up": [0, 1, 0], "ground": 2},
 "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]}]})json",
      "s.json");
  const auto m = file.assembled({});
  const auto n = read_mechanism_text(mechanism_text(*m, 1.0), "again.json").assembled({});
  EXPECT_EQ(n->assembled.scene.up, Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(n->assembled.scene.ground, m->assembled.scene.ground);
}

TEST(Documents, KeepLawsFunctionsAndStandards) {
  const char* text =
      R"json({"daedalus": "mechanism", "version": 1, "name": "all", "gravity": [0, 0, -9.81],
 "parameters": {"k": 5}, "angle": "deg",
 "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "position": [1, 0, 0],
             "rotation": {"rpy": [10, 20, 30]}}],
 "joints": [{"name": "j", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]}],
 "forces": [{"name": "s", "type": "spring-damper", "bodies": ["ground", "a"], "at": [0, 0, 3], "at2": [1, 0, 0],
             "rest_length": 1, "force_length": {"expression": "k*x + x^3*tanh(x)"},
             "force_rate": {"table": {"x": [-9, -1, 1, 9], "y": [-5, -1, 1, 5], "kind": "spline"}}},
            {"name": "w", "type": "torque", "body": "a", "axis": [0, 1, 0],
             "value": {"expression": "2*sin(3*t) - 0.1*j.rate*abs(j) + max(t, k)"}}],
 "limits": [{"name": "l", "joint": "j", "lower": -100, "upper": 100, "action": "bounce", "restitution": 0.5}],
 "run": {"t_end": 0.7, "rtol": 1e-7, "atol": 1e-9, "method": "radau", "formulation": "ggl"}})json";
  const MechanismFile file = read_mechanism_text(text, "all.json");
  const auto m = file.assembled({{"k", 7.0}});
  const MechanismFile again = read_mechanism_text(mechanism_text(*m, 0.7), "again.json");
  const auto n = again.assembled({});
  EXPECT_EQ(n->run.method, "radau");
  EXPECT_EQ(n->run.formulation, "ggl");
  EXPECT_EQ(n->run.atol, 1e-9);
  const Solution s = run(m->assembled, 0.7), r = run(n->assembled, 0.7);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LT((s.end().y() - r.end().y()).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace daedalus::mechanism_features_test
