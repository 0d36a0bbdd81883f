// SPDX-License-Identifier: BSD-3-Clause
// What a file says and what it is silent about: words, keys that mean nothing, points left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/mechanism_file.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::mechanism_reader_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

// A block on a rail, or what is put in its place.
std::string text(const std::string& top, const std::string& joint, const std::string& more = {}) {
  return R"({"daedalus": "mechanism", "version": 1, "name": "x",)" + top + R"(
 "bodies": [{"name": "b", "mass": 2, "inertia": [0.1, 0.2, 0.2, 0, 0, 0], "position": [1, 0, 0]}],
 "joints": [{"name": "j", "bodies": ["ground", "b"], )" +
         joint + "}]" + more + "}";
}
const char* const rail = R"("type": "prismatic", "at": [1, 0, 0], "axis": [1, 0, 0])";
const char* const hinge = R"("type": "revolute", "at": [0, 0, 0], "axis": [0, 1, 0])";

std::string refusal(const std::string& content) {
  try {
    read_mechanism_text(content, "x.json");
  } catch (const InvalidArgument& wrong) {
    return wrong.what();
  }
  return "nothing was refused";
}
std::vector<std::string> notes(const std::string& content) {
  return read_mechanism_text(content, "x.json").entry.notes;
}
double end_of(const std::string& content, double t = 1.0) {
  const auto m = read_mechanism_text(content, "x.json").assembled({});
  Options o;
  o.rtol = 1e-9;
  o.atol = 1e-9;
  const Solution s = solve(m->assembled.problem, {0.0, t}, o);
  EXPECT_TRUE(s.ok()) << s.message();
  return m->assembled.coordinate(s.end(), m->joints.at("j"));
}

TEST(Words, OutsideOfTheListAreRefused) {
  EXPECT_THAT(refusal(text(R"("redundant": "refus",)", rail)), HasSubstr("allowed: drop, refuse"));
  EXPECT_THAT(refusal(text(R"("singular_start": "alow",)", rail)), HasSubstr("refuse, allow"));
  EXPECT_THAT(refusal(text(R"("reactions": "least_squares",)", rail)), HasSubstr("least-squares"));
}

TEST(Keys, WithoutMeaningAreNamed) {
  EXPECT_THAT(notes(text("", std::string(hinge) + R"(, "pitch": 0.1)")),
              Contains(AllOf(HasSubstr("'pitch' means nothing for a joint of type revolute"),
                             HasSubstr("x.json:"))));
  EXPECT_THAT(notes(text("", rail,
                         R"(, "forces": [{"name": "f", "type": "force", "body": "b",
                                          "value": [1, 0, 0], "stiffness": 3}])")),
              Contains(HasSubstr("'stiffness' means nothing for a force of type force")));
  EXPECT_THAT(notes(text("", R"("type": "spherical")")),
              Contains(HasSubstr("joint 'j' has no 'at': the origin of ground is taken")));
}

// theta_0 and z_0 have the name of the other springs' rest, too.
TEST(Keys, RestLengthOfJointSprings) {
  for (const char* key : {"rest", "rest_length"}) {
    const std::string spring =
        std::string(R"(, "forces": [{"name": "s", "type": "joint-spring", "joint": "j",
                         "stiffness": 8, ")") +
        key + R"(": 0.25}])";
    // z'' = -4 (z - 1/4): z = (1 - cos 2t) / 4.
    EXPECT_NEAR(end_of(text("", rail, spring)), 0.25 * (1.0 - std::cos(2.0)), 1e-7);
  }
}

TEST(Keys, NormalOfAPlane) {
  const char* const by_normal = R"("type": "point-on-plane", "at": [1, 0, 0], "normal": [1, 0, 0])";
  const auto m = read_mechanism_text(text("", by_normal), "x.json").assembled({});
  const Solution s = solve(m->assembled.problem, {0.0, 0.5}, {});
  const BodyState b = m->assembled.state_of(s.end(), m->bodies.at("b"));
  EXPECT_NEAR(b.position[0], 1.0, 1e-9);                 // held
  EXPECT_NEAR(b.position[2], -0.5 * 9.81 * 0.25, 1e-6);  // falls
}

TEST(Degrees, OfCoordinatesThatAreAngles) {
  for (const char* type : {"cylindrical", "screw"}) {
    const bool screw = *type == 's';
    const std::string joint = std::string(R"("type": ")") + type +
                              R"(", "at": [1, 0, 0], "axis": [1, 0, 0])" +
                              (screw ? R"(, "pitch": 0.1)" : "");
    const std::string which = screw ? "" : R"("coordinate": "angle", )";
    const std::string driven = text(R"("angle": "deg",)", joint,
                                    R"(, "drives": [{"name": "m", "joint": "j", )" + which +
                                        R"("value": {"polynomial": [0, 90]}}],
                  "limits": [{"name": "l", "joint": "j", )" +
                                        which + R"("upper": 45}])");
    const auto m = read_mechanism_text(driven, "x.json").assembled({});
    Options o;
    o.events = m->assembled.events;
    const Solution s = solve(m->assembled.problem, {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_NEAR(m->assembled.coordinate(s.end(), m->joints.at("j"), CoordinateOf::angle),
                std::acos(0.0), 1e-6);
    ASSERT_EQ(s.events().size(), 1U);
    EXPECT_NEAR(s.events()[0].t, 0.5, 1e-6);
  }
}

// A force without a point acts at the centre of mass: it does not turn the body.
TEST(Forces, ActAtTheCentre) {
  const std::string free = R"({"daedalus": "mechanism", "version": 1, "name": "x",
 "gravity": [0, 0, 0], "bodies": [{"name": "b", "mass": 2, "inertia": [0.1, 0.2, 0.2, 0, 0, 0],
 "position": [1, 0, 0]}], "forces": [{"name": "f", "type": "force", "body": "b", "value": [0, 4, 0]}]})";
  const auto m = read_mechanism_text(free, "x.json").assembled({});
  const Solution s = solve(m->assembled.problem, {0.0, 1.0}, {});
  const BodyState b = m->assembled.state_of(s.end(), m->bodies.at("b"));
  EXPECT_NEAR(b.position[1], 1.0, 1e-6);
  EXPECT_LT(b.angular_velocity_body.norm(), 1e-12);
  EXPECT_THAT(refusal(text("", rail, R"(, "forces": [{"name": "f", "type": "force",
                                          "value": [1, 0, 0]}])")),
              HasSubstr("needs 'body', 'bodies' or 'marker'"));
  EXPECT_THAT(refusal(text("", rail, R"(, "forces": [{"name": "s", "type": "spring-damper",
                "bodies": ["ground", "b"], "at": [1, 0, 0], "stiffness": 3}])")),
              HasSubstr("the two points of spring 's' coincide at the start"));
}

// Functions of formulas: each has a value, or is refused by name; none is nothing in silence.
TEST(Formulas, HaveEveryFunctionOrSaySo) {
  const auto push = [](const std::string& formula) {
    return text(R"("gravity": [0, 0, 0],)", std::string(rail) + R"(, "rate": 2)",
                R"(, "forces": [{"name": "f", "type": "force", "body": "b", "value": [")" +
                    formula + R"(", 0, 0]}])");
  };
  const std::vector<std::pair<std::string, double>> all{
      {"sign(-j.rate)", -1.0},
      {"cbrt(-8 - 0*t)", -2.0},
      {"exp2(3 + 0*t)", 8.0},
      {"expm1(1 + 0*t)", std::expm1(1.0)},
      {"log2(8 + 0*t)", 3.0},
      {"log10(100 + 0*t)", 2.0},
      {"log1p(2 + 0*t)", std::log(3.0)},
      {"asinh(-2 + 0*t)", std::asinh(-2.0)},
      {"acosh(2 + 0*t)", std::acosh(2.0)},
      {"atanh(0.5 + 0*t)", std::atanh(0.5)},
      {"hypot(3 + 0*t, 4)", 5.0},
      {"if j.rate > 1 then 2 else 3", 2.0},
      {"if j.rate > 1 and t > 5 then 2 else 3", 3.0},
      {"min(t, 7) - t + abs(-3 + 0*t)", 3.0},
      {"tanh(0.3 + 0*t)", std::tanh(0.3)}};
  int known = 0;
  for (const auto& [formula, value] : all) {
    SCOPED_TRACE(formula);
    if (refusal(push(formula)) != "nothing was refused") continue;  // not in the language
    ++known;
    // z'' = value / 2 from z' = 2, over a time in which no choice changes.
    EXPECT_NEAR(end_of(push(formula), 0.5), 1.0 + 0.25 * 0.25 * value, 1e-7);
  }
  EXPECT_GE(known, 10);
  EXPECT_THAT(refusal(push("floor(t)")), HasSubstr("is not allowed in a mechanism"));
  const std::string drive =
      text("", rail,
           R"-(, "drives": [{"name": "m", "joint": "j", "value": {"expression": "abs(t)"}}])-");
  EXPECT_THAT(notes(drive), Contains(HasSubstr("drive 'm' uses abs, min, max")));
  EXPECT_NEAR(end_of(drive), 1.0, 1e-6);
}

// Axes that are slightly off lock a four-bar: said, whatever the size of the pivot.
TEST(Freedom, ThatIsNotThereIsNamed) {
  for (const char* axis : {"[0.001, 0, 1]", "[0.00001, 0, 1]"}) {
    const std::string bars = std::string(R"({"daedalus": "mechanism", "version": 1, "name": "x",
 "gravity": [0, -9.81, 0], "bodies": [
 {"name": "a", "mass": 1, "inertia": [0.03, 0.01, 0.03, 0, 0, 0], "position": [0, 0.15, 0]},
 {"name": "b", "mass": 1, "inertia": [0.01, 0.08, 0.08, 0, 0, 0], "position": [0.4, 0.45, 0]},
 {"name": "c", "mass": 1, "inertia": [0.03, 0.01, 0.03, 0, 0, 0], "position": [0.8, 0.3, 0]}], "joints": [
 {"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]},
 {"name": "B", "type": "revolute", "bodies": ["a", "b"], "at": [0, 0.3, 0], "axis": [0, 0, 1]},
 {"name": "C", "type": "revolute", "bodies": ["b", "c"], "at": [0.8, 0.6, 0], "axis": [0, 0, 1]},
 {"name": "D", "type": "revolute", "bodies": ["ground", "c"], "at": [0.8, 0, 0], "axis": )") +
                             axis + "}]}";
    EXPECT_THAT(notes(bars), Contains(AllOf(HasSubstr("cannot move"), HasSubstr("D.t"))));
  }
}

TEST(Couplers, NeedTheirNumber) {
  EXPECT_THAT(refusal(text("", rail, R"(, "couplers": [{"name": "c", "type": "rack",
                                          "joints": ["j", "j"]}])")),
              HasSubstr("a rack needs 'radius'"));
  EXPECT_THAT(refusal(text("", rail, R"(, "limits": [{"name": "l", "joint": "j"}])")),
              HasSubstr("'lower' or 'upper'"));
}

TEST(Pictures, FollowTheFile) {
  const auto m =
      read_mechanism_text(
          text(R"("scene": {"up": [0, 1, 0], "view": [0, 0, 2], "ground": -0.5},)", rail), "x.json")
          .assembled({});
  EXPECT_EQ(m->assembled.scene.up, Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(m->assembled.scene.view, Eigen::Vector3d(0, 0, 2));
  EXPECT_EQ(m->assembled.scene.ground.value_or(0.0), -0.5);
}

TEST(Axes, OfAUniversalJointThatAreNotAtRightAngles) {
  EXPECT_THAT(notes(text("", R"("type": "universal", "at": [0, 0, 0], "axis": [0, 1, 0],
                               "axis2": [0, 0.17364817766693, 0.98480775301221])")),
              Contains(HasSubstr("axis and axis2 are 80 degrees apart")));
}

}  // namespace
}  // namespace daedalus::mechanism_reader_test
