// SPDX-License-Identifier: BSD-3-Clause
// Bad inputs: what is refused or warned about, and the words that help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <daedalus/mechanism_file.hpp>

namespace daedalus::mechanism_bad_input_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A four-bar of spatial joints with places to break it.
struct Text {
  std::string top{}, crank = R"("mass": 1, "inertia": [0.01, 0.02, 0.02, 0, 0, 0])";
  std::string axis_of_D = "[0, 0, 1]", more_joints{}, forces{}, drives{}, limits{}, rates{};
  std::string str() const {
    return R"({"daedalus": "mechanism", "version": 1, "name": "x", "gravity": [0, -9.81, 0],)" +
           top +
           R"(
 "bodies": [{"name": "crank", )" +
           crank + R"(, "position": [0, 0.15, 0]},
  {"name": "coupler", "mass": 1, "inertia": [0.01, 0.08, 0.08, 0, 0, 0], "position": [0.4, 0.45, 0]},
  {"name": "rocker", "mass": 1, "inertia": [0.03, 0.01, 0.03, 0, 0, 0], "position": [0.8, 0.3, 0]}],
 "joints": [
  {"name": "A", "type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 0, 1])" +
           rates + R"(},
  {"name": "B", "type": "revolute", "bodies": ["crank", "coupler"], "at": [0, 0.3, 0], "axis": [0, 0, 1]},
  {"name": "C", "type": "revolute", "bodies": ["coupler", "rocker"], "at": [0.8, 0.6, 0], "axis": [0, 0, 1]},
  {"name": "D", "type": "revolute", "bodies": ["ground", "rocker"], "at": [0.8, 0, 0], "axis": )" +
           axis_of_D + "}" + more_joints + R"(],
 "drives": [)" +
           drives + R"(], "forces": [)" + forces + R"(], "limits": [)" + limits + "]}";
  }
};

std::string refusal(const std::string& text) {
  try {
    read_mechanism_text(text, "x.json");
  } catch (const InvalidArgument& wrong) {
    return wrong.what();
  }
  return "nothing was refused";
}
std::string refusal(const Text& text) { return refusal(text.str()); }

std::string warnings(const Text& text) {
  const MechanismFile file = read_mechanism_text(text.str(), "x.json");
  std::string all;
  for (const std::string& note : file.entry.notes) all += note + "\n";
  return all;
}
std::string body(const char* text) { return refusal(Text{.crank = text}); }

TEST(BadInput, Bodies) {
  EXPECT_THAT(body(R"("mass": 0, "inertia": [1, 1, 1, 0, 0, 0])"),
              AllOf(HasSubstr("body 'crank' has mass 0"), HasSubstr("x.json:2:"),
                    HasSubstr("distance joint for a massless rod, or `point`")));
  EXPECT_THAT(body(R"("mass": 1, "inertia": [1, -1, 1, 0, 0, 0])"),
              AllOf(HasSubstr("inertia of 'crank' is not positive definite"), HasSubstr("-1"),
                    HasSubstr("about (0, 1, 0)")));
  EXPECT_THAT(body(R"("mass": 1, "inertia": [1, 1, 3, 0, 0, 0])"), HasSubstr("no body has these"));
  EXPECT_THAT(body(R"("mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "colour": 3)"),
              HasSubstr("'colour'"));
  EXPECT_THAT(refusal(R"({"daedalus": "mechanism", "version": 1, "name": "x", "bodies": []})"),
              HasSubstr("needs 'bodies'"));
}

TEST(BadInput, Names) {
  EXPECT_THAT(
      refusal(Text{
          .more_joints =
              R"(, {"name": "E", "type": "revolut", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 0, 1]})"}),
      HasSubstr("did you mean 'revolute'"));
  EXPECT_THAT(
      refusal(Text{
          .more_joints =
              R"(, {"name": "E", "type": "spherical", "bodies": ["crank", "crank"], "at": [0, 0, 0]})"}),
      HasSubstr("joint 'E' joins 'crank' to itself"));
  EXPECT_THAT(
      refusal(Text{
          .more_joints =
              R"(, {"name": "A", "type": "spherical", "bodies": ["ground", "crank"], "at": [0, 0, 0]})"}),
      AllOf(HasSubstr("two joints 'A'"), HasSubstr("line 6")));
  EXPECT_THAT(refusal(Text{.drives = R"({"name": "motor", "joint": "a", "value": 0})"}),
              HasSubstr("there is no joint 'a'"));
}

TEST(BadInput, Geometry) {
  // Too short a rod between bodies that cannot come nearer.
  EXPECT_THAT(refusal(
                  R"({"daedalus": "mechanism", "version": 1, "name": "x", "bodies": [
 {"name": "a", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "hold": true},
 {"name": "b", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "position": [1.2, 0, 0], "hold": true}],
 "joints": [{"name": "rod", "type": "distance", "bodies": ["a", "b"], "at": [0, 0, 0], "at2": [1.2, 0, 0], "length": 0.5}]})"),
              AllOf(HasSubstr("cannot be assembled"), HasSubstr("joint 'rod'"),
                    HasSubstr("0.7 m apart at the nearest"), HasSubstr("'a' and 'b'")));
  // An axis that points the other way on the second body.
  EXPECT_THAT(refusal(
                  R"({"daedalus": "mechanism", "version": 1, "name": "x",
 "bodies": [{"name": "rocker", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]}],
 "markers": [{"name": "g", "body": "ground", "axis": [0, 0, 1]}, {"name": "r", "body": "rocker", "axis": [0, 0, -1]}],
 "joints": [{"name": "D", "type": "revolute", "markers": ["g", "r"]}]})"),
              AllOf(HasSubstr("joint 'D' closes only with its axis reversed"),
                    HasSubstr("turn body 'rocker' in the guess")));
  EXPECT_THAT(refusal(Text{.axis_of_D = "[0, 0, 0]"}), HasSubstr("axis is (0, 0, 0)"));
}

TEST(BadInput, Redundancy) {
  EXPECT_THAT(warnings({}),
              HasSubstr("3 of the 20 rows are redundant: the loop A, B, C, D fixes the "
                        "rows D.z, D.t1, D.t2 already"));
  EXPECT_THAT(refusal(Text{.top = R"("redundant": "refuse",)"}),
              HasSubstr("3 of the 20 rows are redundant"));
  EXPECT_THAT(warnings(Text{.axis_of_D = "[0.00006, 0.00008, 1]"}),
              AllOf(HasSubstr("the loop A, B, C, D is nearly redundant and cannot move: row D.t"),
                    HasSubstr("align the axes, or set rank_tolerance to 1e-4")));
}

TEST(BadInput, DeadPositionAtTheStart) {
  // All bars on one line: the rank is full beside it.
  EXPECT_THAT(
      refusal(
          R"({"daedalus": "mechanism", "version": 1, "name": "x", "planar": true, "bodies": [
 {"name": "a", "mass": 1, "inertia": 1, "position": [0.5, 0]}, {"name": "b", "mass": 1, "inertia": 1, "position": [1.5, 0]},
 {"name": "c", "mass": 1, "inertia": 1, "position": [1.5, 0]}], "joints": [
 {"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
 {"name": "B", "type": "revolute", "bodies": ["a", "b"], "at": [1, 0]},
 {"name": "C", "type": "revolute", "bodies": ["b", "c"], "at": [2, 0]},
 {"name": "D", "type": "revolute", "bodies": ["ground", "c"], "at": [1, 0]}]})"),
      AllOf(HasSubstr("dead position"), HasSubstr("A, B, C, D"),
            HasSubstr("start elsewhere, or add a drive")));
}

TEST(BadInput, Drives) {
  const char* motor = R"({"name": "motor", "joint": "A", "value": 0})";
  EXPECT_THAT(refusal(Text{.drives = std::string(motor) +
                                     R"(, {"name": "other", "joint": "D", "value": 0})"}),
              HasSubstr("over-determined by 'other'"));
  EXPECT_THAT(refusal(Text{.drives = std::string(motor) +
                                     R"(, {"name": "other", "joint": "A", "value": 0})"}),
              HasSubstr("over-determined by 'other'"));
  EXPECT_THAT(refusal(Text{.drives = R"({"name": "motor", "joint": "A", "value": 2.1})"}),
              AllOf(HasSubstr("'motor' asks for 2.1 rad at t = 0"),
                    HasSubstr("the mechanism starts at 0")));
  EXPECT_THAT(
      refusal(Text{
          .drives =
              R"({"name": "motor", "joint": "A", "value": {"table": {"t": [0, 1, 1, 2], "y": [0, 0, 0, 0]}}})"}),
      HasSubstr("knot 2"));
  EXPECT_THAT(
      refusal(Text{
          .drives =
              R"({"name": "motor", "joint": "A", "value": {"table": {"t": [0, 1], "y": [0, 1], "kind": "linear"}}})"}),
      HasSubstr("must be twice differentiable"));
  EXPECT_THAT(
      refusal(Text{.drives =
                       R"({"name": "motor", "joint": "A", "value": {"expression": "sin(t)/t"}})"}),
      HasSubstr("drive 'motor' is"));
  EXPECT_THAT(
      refusal(Text{
          .drives = R"-({"name": "motor", "joint": "A", "value": {"expression": "sin(w*t)"}})-"}),
      AllOf(HasSubstr("there is no 'w'"), HasSubstr("^")));
  EXPECT_THAT(
      refusal(
          Text{.drives = R"({"name": "motor", "joint": "A", "value": {"expression": "sin(t"}})"}),
      HasSubstr("^"));
}

TEST(BadInput, Units) {
  EXPECT_THAT(
      warnings(Text{
          .limits =
              R"({"name": "l", "joint": "A", "lower": -90, "upper": 90, "action": "record"})"}),
      HasSubstr("looks like degrees"));
  EXPECT_THAT(warnings(Text{.crank = R"("mass": 1, "inertia": [10, 12, 12, 0, 0, 0])"}),
              HasSubstr("looks like millimetres"));
  std::string text = Text{}.str();
  text.replace(text.find("-9.81"), 5, "-981");
  const MechanismFile file = read_mechanism_text(text, "x.json");
  EXPECT_THAT(file.entry.notes, testing::Contains(HasSubstr("gravity 981: in cm/s^2?")));
}

TEST(BadInput, Rates) {
  EXPECT_THAT(
      refusal(Text{
          .more_joints =
              R"(, {"name": "W", "type": "fixed", "bodies": ["ground", "crank"], "at": [0, 0, 0]})",
          .rates = R"(, "rate": 1)"}),
      HasSubstr("the rate of A cannot hold"));
}

TEST(BadInput, Documents) {
  EXPECT_THAT(refusal(R"({"daedalus": "mechanism", "version": 2, "name": "x", "bodies": []})"),
              HasSubstr("version 2 is newer than this program"));
  const std::string whole = Text{}.str();
  EXPECT_THAT(refusal(whole.substr(0, whole.size() / 2)), HasSubstr("x.json:"));
  EXPECT_THAT(refusal(whole + " more"), HasSubstr("x.json:"));
  EXPECT_THAT(body(R"("mass": "1,5", "inertia": [1, 1, 1, 0, 0, 0])"), HasSubstr("x.json:2:"));
}

TEST(BadInput, Includes) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "daedalus-includes";
  fs::create_directories(folder);
  std::ofstream(folder / "a.json")
      << R"({"daedalus": "mechanism", "version": 1, "name": "a", "include": "b.json", "bodies": []})";
  std::ofstream(folder / "b.json")
      << R"({"daedalus": "mechanism", "version": 1, "name": "b", "include": "a.json", "bodies": []})";
  std::ofstream(folder / "c.json")
      << R"({"daedalus": "mechanism", "version": 1, "name": "c", "include": "none.json", "bodies": []})";
  const auto said = [&](const char* name) -> std::string {
    try {
      read_mechanism_file((folder / name).string());
    } catch (const InvalidArgument& wrong) {
      return wrong.what();
    }
    return "nothing was refused";
  };
  EXPECT_THAT(said("a.json"), AllOf(HasSubstr("a circle of includes"), HasSubstr("a.json includes"),
                                    HasSubstr("b.json includes")));
  EXPECT_THAT(said("c.json"), HasSubstr("none.json' cannot be read"));
  // What is included can be named: a loop closed in a JSON.
  std::ofstream(folder / "base.json") << Text{}.str();
  std::ofstream(folder / "more.json")
      << R"({"daedalus": "mechanism", "version": 1, "name": "more", "include": "base.json",
 "drives": [{"name": "motor", "joint": "A", "value": {"polynomial": [0, 1]}}]})";
  const auto m = read_mechanism_file((folder / "more.json").string()).assembled({});
  EXPECT_EQ(m->assembled.report.degrees_of_freedom, 0);
  fs::remove_all(folder);
}

std::string urdf(const std::string& middle) {
  return R"(<robot name="r"><link name="base"/>
<link name="foot"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
)" + middle +
         "</robot>";
}
std::string urdf_refusal(const std::string& middle) {
  try {
    read_urdf_text(urdf(middle), "r.urdf");
  } catch (const InvalidArgument& wrong) {
    return wrong.what();
  }
  return "nothing was refused";
}

// Files that go down as deep as they are long.
TEST(BadInput, LongChainsAndSums) {
  const auto drive = [](const std::string& value) {
    return refusal(Text{.drives = R"({"name": "m", "joint": "A", "value": )" + value + "}"});
  };
  std::string sum = "t";
  for (int k = 0; k < 100000; ++k) sum += "+t";
  EXPECT_THAT(drive(R"({"expression": ")" + sum + R"("})"), HasSubstr("more than 256 operations"));
  EXPECT_THAT(drive(R"({"table": {"t": [0, 1e-320, 2e-320, 1], "y": [0, 1, 2, 3]}})"),
              HasSubstr("times too close"));
  EXPECT_THAT(drive(R"({"table": {"t": [0, 1, 2, 3], "y": [0, 1e308, -1e308, 0]}})"),
              HasSubstr("the curve is no number"));
  if (!urdf_is_available()) return;
  std::string chain = R"(<robot name="r"><link name="l0"/>)";
  for (int k = 1; k < 20000; ++k)
    chain += "<link name=\"l" + std::to_string(k) + R"("><inertial><mass value="1"/>)" +
             R"(<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j)" +
             std::to_string(k) + (k == 1 ? R"(" type="revolute">)" : R"(" type="fixed">)") +
             R"(<parent link="l)" + std::to_string(k - 1) + R"("/><child link="l)" +
             std::to_string(k) + R"("/></joint>)";
  const MechanismFile file = read_urdf_text(chain + "</robot>", "chain.urdf");
  EXPECT_EQ(file.assembled({})->bodies.size(), 1U);
}

TEST(BadInput, Urdf) {
  if (!urdf_is_available()) GTEST_SKIP();
  const std::string left =
      R"(<joint name="l" type="revolute"><parent link="left"/><child link="foot"/><axis xyz="0 0 1"/></joint>)";
  const std::string base =
      R"(<joint name="b" type="fixed"><parent link="base"/><child link="left"/></joint>)";
  const std::string right =
      R"(<joint name="r" type="revolute"><parent link="base"/><child link="foot"/><axis xyz="0 0 1"/></joint>)";
  EXPECT_THAT(urdf_refusal(R"(<link name="left"/>)" + base + left + right),
              AllOf(HasSubstr("link 'foot' has two parents, 'left' and 'base'"),
                    HasSubstr("close the loop in a JSON with include")));
  EXPECT_THAT(urdf_refusal(""), HasSubstr("2 links could be the root: base, foot"));
  EXPECT_THAT(urdf_refusal(right + R"(<link name="a"/><link name="b"/>
<joint name="x" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="y" type="fixed"><parent link="b"/><child link="a"/></joint>)"),
              HasSubstr("link 'a' does not hang on the root 'base'"));
  EXPECT_THAT(urdf_refusal("<xacro:macro/>"),
              HasSubstr("is a xacro macro file; expand it first (xacro "));
  EXPECT_THAT(
      urdf_refusal(
          R"(<joint name="r" type="revolute"><parent link="base"/><child link="foot"/><axis xyz="0 0 0"/></joint>)"),
      HasSubstr("axis is zero"));
  EXPECT_THAT(urdf_refusal(
                  R"(<link name="hand"><inertial><origin xyz="0 0 1"/></inertial></link>
<joint name="h" type="fixed"><parent link="foot"/><child link="hand"/></joint>)" +
                  right),
              HasSubstr("the inertial of link 'hand' has no mass"));
  const MechanismFile mesh = read_urdf_text(
      urdf(
          R"(<link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><mesh filename="package://x.stl"/></geometry></visual></link>
<joint name="h" type="revolute"><parent link="foot"/><child link="hand"/><axis xyz="0 0 1"/></joint>)" +
          right),
      "r.urdf");
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_THAT(mesh.warnings[0].message,
              HasSubstr("mesh 'package://x.stl' is not read; 'hand' is drawn as a box"));
}

// Places in the document, and what is known there.
TEST(BadInput, SaysWhere) {
  EXPECT_THAT(refusal(Text{.drives = R"({"name": "motor", "joint": "a", "value": 0})"}),
              HasSubstr("(at /drives/0/joint)"));
  EXPECT_THAT(refusal(Text{.crank = R"("mass": "1,5", "inertia": [1, 1, 1, 0, 0, 0])"}),
              AllOf(HasSubstr("(at /bodies/0/mass)"), testing::Not(HasSubstr("has mass 0"))));
  const std::string whole = Text{}.str();
  EXPECT_THAT(refusal(whole.substr(0, 200)), HasSubstr("(byte "));
  const auto force = [](const std::string& formula) {
    return R"({"name": "f", "type": "force", "body": "crank", "value": [{"expression": ")" +
           formula + R"("}, 0, 0]})";
  };
  EXPECT_THAT(refusal(Text{.forces = force("sin(tt)")}), HasSubstr("known are"));
  EXPECT_THAT(refusal(Text{.forces = force("1/t")}), HasSubstr("this is inf at t = 0"));
  EXPECT_THAT(refusal(Text{.forces = force("1/A")}),
              HasSubstr("force 'f' has no finite value at the start"));
}

TEST(BadInput, CouplersThatHoldOneJoint) {
  Mechanism m("couplers");
  const BodyId a = m.body({.name = "a", .mass = 1.0, .inertia = diagonal(1, 1, 1)});
  const BodyId b = m.body({.name = "b", .mass = 1.0, .inertia = diagonal(1, 1, 1)});
  const JointId first = m.revolute("first", m.ground(), a, {.axis = {0, 0, 1}}),
                second = m.revolute("second", m.ground(), b, {.axis = {0, 0, 1}});
  const auto said = [](auto&& couple) -> std::string {
    try {
      couple();
    } catch (const InvalidArgument& wrong) {
      return wrong.what();
    }
    return "nothing was refused";
  };
  EXPECT_THAT(said([&] { m.gear("mesh", first, second, 0.0); }),
              HasSubstr("coupler 'mesh': ratio is 0"));
  EXPECT_THAT(said([&] { m.rack("mesh", first, second, 0.0); }),
              HasSubstr("coupler 'mesh': radius is 0"));
  EXPECT_THAT(said([&] { m.gear("mesh", first, first, 2.0); }), HasSubstr("a joint to itself"));
}

// A force that lacks its number does nothing, which nobody wanted.
TEST(BadInput, ForcesWithoutNumbers) {
  EXPECT_THAT(warnings(Text{.forces = R"({"name": "rub", "type": "friction", "joint": "A",
      "coefficient": 0.2})"}),
              HasSubstr("force 'rub' does nothing: it has no normal"));
}

}  // namespace
}  // namespace daedalus::mechanism_bad_input_test
