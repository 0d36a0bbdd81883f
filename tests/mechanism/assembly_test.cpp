// SPDX-License-Identifier: BSD-3-Clause
// Assembly from guesses that are off, redundant rows by name, and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <daedalus/mechanism_file.hpp>

namespace daedalus::mechanism_assembly_test {
namespace {

using testing::HasSubstr;

std::string path_of(const std::string& name) {
  return std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/" + name + ".json";
}
std::vector<std::string> dropped(const std::string& name) {
  const auto m = read_mechanism_file(path_of(name)).assembled({});
  std::vector<std::string> rows;
  for (const RedundantRow& r : m->assembled.report.redundant) rows.push_back(r.joint + "." + r.row);
  return rows;
}

TEST(Redundancy, RowsAreNamedByJoint) {
  EXPECT_EQ(dropped("four-bar-planar"), (std::vector<std::string>{"D.z", "D.t1", "D.t2"}));
  EXPECT_EQ(dropped("bricard"), (std::vector<std::string>{"J5.t2"}));
  EXPECT_EQ(dropped("four-bars-2"),
            (std::vector<std::string>{"B1l.z", "B1l.t1", "B1l.t2", "B2l.z", "B2l.t1", "B2l.t2"}));
  EXPECT_EQ(dropped("andrews").size(), 9U);
  EXPECT_TRUE(dropped("four-bar-space").empty());
}

TEST(Redundancy, TheSentenceNamesTheLoop) {
  const auto m = read_mechanism_file(path_of("four-bar-planar")).assembled({});
  ASSERT_EQ(m->assembled.report.warnings.size(), 1U);
  EXPECT_EQ(m->assembled.report.warnings[0],
            "3 of the 20 rows are redundant: the loop A, B, C, D fixes the rows D.z, D.t1, D.t2 "
            "already; they are left out, and how these joints share forces along them cannot be "
            "known.");
  EXPECT_EQ(m->assembled.report.degrees_of_freedom, 1);
  EXPECT_EQ(m->assembled.report.grubler, -2);
}

Mechanism four_bar(double off, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Mechanism m("loop");
  std::vector<BodyId> bodies;
  std::vector<MarkerId> markers;
  // Links of a spatial four-bar, each guess moved and turned.
  const std::vector<Eigen::Vector3d> ends{{0, 0, 0}, {0, 0.3, 0}, {0.64, 0, 0.48}, {1, 0, 0}};
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d middle =
        0.5 * (ends[static_cast<std::size_t>(k)] + ends[static_cast<std::size_t>(k) + 1]);
    const Eigen::Vector3d shift(any(random), any(random), any(random)),
        turn(any(random), any(random), any(random));
    bodies.push_back(m.body({.name = std::string(1, static_cast<char>('a' + k)),
                             .mass = 1.0 + k,
                             .inertia = diagonal(0.02, 0.03, 0.04),
                             .position = Eigen::Vector3d(middle + off * shift),
                             .rotation = Rotation::about(turn, 2.0 * off)}));
    for (int side = 0; side < 2; ++side)
      markers.push_back(
          m.marker(std::string(1, static_cast<char>('a' + k)) + std::to_string(side), bodies.back(),
                   Eigen::Vector3d(ends[static_cast<std::size_t>(k + side)] - middle), Rotation()));
  }
  const Rotation about_x = Rotation::about({0.0, 1.0, 0.0}, std::acos(0.0)),
                 about_y = Rotation::about({1.0, 0.0, 0.0}, -std::acos(0.0));
  const auto on = [&](const char* name, BodyId b, const Eigen::Vector3d& at, const Rotation& r) {
    return m.marker(name, b, at, r);
  };
  JointOptions A, P, Q, D;
  A.marker = on("gA", {}, ends[0], about_x);
  A.marker2 = on("bA", bodies[0], Eigen::Vector3d(ends[0] - 0.5 * (ends[0] + ends[1])), about_x);
  P.marker = markers[1], P.marker2 = markers[2];
  Q.marker = markers[3], Q.marker2 = markers[4];
  D.marker = on("gD", {}, ends[3], about_y);
  D.marker2 = on("bD", bodies[2], Eigen::Vector3d(ends[3] - 0.5 * (ends[2] + ends[3])), about_y);
  m.revolute("A", {}, bodies[0], A);
  m.spherical("P", bodies[0], bodies[1], P);
  m.spherical("Q", bodies[1], bodies[2], Q);
  m.revolute("D", {}, bodies[2], D);
  return m;
}

// Every body off by up to 0.1 m and 0.2 rad: at most six iterations.
TEST(Positions, CloseFromTwentyGuesses) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Assembled a = four_bar(0.1, seed).assemble();
    EXPECT_LE(a.report.iterations, 6) << seed;
    EXPECT_LE(a.report.residual, 1e-12 * a.report.length) << seed;
    EXPECT_EQ(a.report.degrees_of_freedom, 2) << seed;
  }
}

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& wrong) {
    return wrong.what();
  }
  return "nothing was refused";
}

TEST(Refusals, SayWhatIsWrong) {
  const RigidBody good{.name = "crank", .mass = 1.0, .inertia = diagonal(0.1, 0.1, 0.1)};
  Mechanism m("bad");
  RigidBody bad = good;
  bad.mass = 0.0;
  EXPECT_THAT(refusal([&] { m.body(bad); }), HasSubstr("body 'crank' has mass 0"));
  EXPECT_THAT(refusal([&] { m.body(bad); }), HasSubstr("distance joint for a massless rod"));
  bad.mass = std::nan("");
  EXPECT_THAT(refusal([&] { m.body(bad); }), HasSubstr("has mass nan"));
  bad = good;
  bad.inertia = diagonal(0.1, -0.1, 0.1);
  EXPECT_THAT(refusal([&] { m.body(bad); }),
              HasSubstr("inertia of 'crank' is not positive definite"));
  bad.inertia = diagonal(0.1, 0.1, 0.5);
  EXPECT_THAT(refusal([&] { m.body(bad); }), HasSubstr("no body has these"));
  const BodyId crank = m.body(good);
  EXPECT_THAT(refusal([&] { m.body(good); }), HasSubstr("there is a body of this name already"));
  EXPECT_THAT(refusal([&] {
                m.revolute("A", crank, crank, {.axis = {1, 0, 0}});
              }),
              HasSubstr("joint 'A' joins 'crank' to itself"));
  EXPECT_THAT(refusal([&] {
                m.revolute("A", {}, crank, {.at = {0, 0, 0}});
              }),
              HasSubstr("axis is (0, 0, 0)"));
  EXPECT_THAT(refusal([&] {
                m.screw("S", {}, crank, {.axis = {1, 0, 0}});
              }),
              HasSubstr("pitch is 0"));
  EXPECT_THAT(refusal([&] {
                m.universal("U", {}, crank, {.axis = {1, 0, 0}, .axis2 = {2, 0, 0}});
              }),
              HasSubstr("are parallel"));
  EXPECT_THAT(refusal([&] { Mechanism("none").assemble(); }), HasSubstr("no bodies"));
}

TEST(Refusals, ARodThatIsTooShortNamesTheJoint) {
  Mechanism m("short");
  const BodyId a = m.body({.name = "a",
                           .mass = 1.0,
                           .inertia = diagonal(1, 1, 1),
                           .position = {0, 0, 0},
                           .hold = true});
  const BodyId b = m.body({.name = "b",
                           .mass = 1.0,
                           .inertia = diagonal(1, 1, 1),
                           .position = {1.2, 0, 0},
                           .hold = true});
  m.distance("rod", a, b, {.at = {0, 0, 0}, .at2 = {1.2, 0, 0}, .length = 0.5});
  const std::string said = refusal([&] { m.assemble(); });
  EXPECT_THAT(said, HasSubstr("cannot be assembled"));
  EXPECT_THAT(said, HasSubstr("joint 'rod' between 'a' and 'b'"));
}

TEST(Refusals, DrivesThatAskForTooMuch) {
  Mechanism m("driven");
  const BodyId a =
      m.body({.name = "a", .mass = 1.0, .inertia = diagonal(1, 1, 1), .position = {1, 0, 0}});
  const JointId j = m.revolute("A", {}, a, {.at = {0, 0, 0}, .axis = {0, 0, 1}});
  Mechanism far = m;
  far.drive("motor", j, TimeFunction(2.1));
  EXPECT_THAT(refusal([&] { far.assemble(); }), HasSubstr("'motor' asks for 2.1 rad at t = 0"));
  Mechanism twice = m;
  twice.drive("motor", j, TimeFunction(0.0));
  EXPECT_THAT(refusal([&] { twice.drive("other", j, TimeFunction(0.0)); }),
              HasSubstr("over-determined by 'other'"));
  Mechanism blocked = m;
  blocked.fixed("weld", {}, a, {.at = {1, 0, 0}});
  blocked.drive("motor", j, TimeFunction(0.0));
  EXPECT_THAT(refusal([&] { blocked.assemble(); }), HasSubstr("over-determined by 'motor'"));
  EXPECT_THAT(refusal([] {
                table({0.0, 1.0, 1.0, 2.0}, {0.0, 0.0, 0.0, 0.0});
              }),
              HasSubstr("knot 2"));
}

TEST(Files, MistakesComeWithTheirPlace) {
  const std::string text = R"({"daedalus": "mechanism", "version": 1, "name": "x",
 "bodies": [{"name": "crank", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]}],
 "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "crnk"], "at": [0, 0, 0], "axsi": [1, 0, 0]}]})";
  const std::string said = refusal([&] { read_mechanism_text(text, "x.json"); });
  EXPECT_THAT(said, HasSubstr("x.json:3:"));
  EXPECT_THAT(said, HasSubstr("did you mean 'crank'"));
  EXPECT_THAT(said, HasSubstr("did you mean 'axis'"));
}

}  // namespace
}  // namespace daedalus::mechanism_assembly_test
