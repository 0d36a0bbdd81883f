// SPDX-License-Identifier: BSD-3-Clause
// Commands of the tool on Modelica files.
#include "tool/tool.hpp"

#include <filesystem>

#include "modelica/run_model.hpp"

namespace daedalus::cli {
namespace {

std::string spec(const std::string& file) { return modelica_test::spec_folder() + "/" + file; }

// A file that is gone with the test.
class ModelicaTool : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  ScratchFolder folder_;
};

TEST_F(ModelicaTool, FlattenTellsWhereEquationsComeFrom) {
  const Answer text = call({"flatten", spec("GearTrain.mo")});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("connect(motor.b, gear.a)"), std::string::npos) << text.out;
  const auto json = call({"flatten", spec("GearTrain.mo"), "--json"}).json();
  EXPECT_EQ(json["equations"].size(), 27u);
  EXPECT_FALSE(json["equations"][0]["from"].get<std::string>().empty());
}

TEST_F(ModelicaTool, FlattenRefusesWhatIsNoModelica) {
  EXPECT_EQ(call({"flatten", "pendulum"}).code, 2);
}

TEST_F(ModelicaTool, CommandsTakeModelicaFiles) {
  for (const char* command : {"check", "show", "explain", "eigen"}) {
    const Answer a = call({command, spec("Pendulum.mo"), "--json"});
    EXPECT_EQ(a.code, 0) << command << ": " << a.err;
    EXPECT_EQ(a.json()["kind"], "modelica") << command;
  }
}

TEST_F(ModelicaTool, CheckNamesTheIndex) {
  const Answer a = call({"check", spec("Pendulum.mo")});
  EXPECT_NE(a.out.find("structural 3, numerical 3"), std::string::npos) << a.out;
}

TEST_F(ModelicaTool, NewWritesAModelThatSolves) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const Answer made = call({"new", "Spring", "--modelica"}),
               again = call({"new", "Spring", "--modelica"});
  const Answer solved = call({"solve", "Spring.mo", "--json"});
  std::filesystem::current_path(before);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(again.code, 3);  // it does not write over a file
  EXPECT_EQ(solved.json()["status"], "success");
  EXPECT_EQ(call({"new", "1st", "--modelica"}).code, 2);
}

TEST_F(ModelicaTool, DiagnosticsAreJsonLinesForEditors) {
  const Answer a = call({"check", spec("wrong/UnknownVariable.mo"), "--diagnostics", "json"});
  EXPECT_EQ(a.code, 2);
  const auto line = nlohmann::json::parse(a.err.substr(0, a.err.find('\n')));
  EXPECT_EQ(line["line"], 7);
  EXPECT_EQ(line["column"], 39);
  EXPECT_EQ(line["severity"], "error");
  EXPECT_EQ(line["phase"], "lookup");
  EXPECT_NE(line["hint"].get<std::string>().find("'velocity'"), std::string::npos);
}

TEST_F(ModelicaTool, StructuralParametersHaveTheVariablesOfTheirStructure) {
  const auto json = call({"solve", spec("Ladder.mo"), "--set", "n=60", "--rtol", "1e-6", "--t-end",
                          "0.01", "--json"})
                        .json();
  EXPECT_EQ(json["status"], "success");
  EXPECT_TRUE(json["y"].contains("c[60].v"));
  EXPECT_FALSE(json["y"].contains("c[61].v"));
  const auto few = call({"solve", spec("Ladder.mo"), "--set", "n=3", "--t-end", "0.01", "--json"});
  EXPECT_FALSE(few.json()["y"].contains("c[4].v"));
}

TEST_F(ModelicaTool, ElementsThatAStructureDoesNotHaveAreNotSet) {
  const std::string path = write(
      "Row.mo",
      "model Row parameter Integer n = 4; model C parameter Real k = 1; Real x(start = 1, fixed = "
      "true); equation der(x) = -k*x; end C; C c[n]; end Row;");
  const auto json = call({"solve", path, "--set", "n=2", "--set", "c[2].k=0", "--json"}).json();
  EXPECT_EQ(json["y"]["c[2].x"], 1.0);
  EXPECT_EQ(call({"solve", path, "--set", "n=2", "--set", "c[3].k=0"}).code, 2);
}

TEST_F(ModelicaTool, SweepsGiveTheBitsOfSolve) {
  const auto sweep =
      call({"sweep", spec("Pendulum.mo"), "--set", "L=0.5:1.5:3", "--t-end", "0.2", "--json"})
          .json();
  ASSERT_EQ(sweep["runs"].size(), 3u);
  const auto one =
      call({"solve", spec("Pendulum.mo"), "--set", "L=1.5", "--t-end", "0.2", "--json"}).json();
  for (const auto& [name, value] : sweep["runs"][2]["y"].items())
    EXPECT_EQ(value, one["y"][name]) << name;
}

TEST_F(ModelicaTool, ProtectedVariablesAreShownWhenAskedFor) {
  const std::string path = write("P.mo",
                                 "model P Real x(start = 1, fixed = true); protected Real inside; "
                                 "equation der(x) = -inside; inside = 2*x; end P;");
  EXPECT_FALSE(call({"solve", path, "--json"}).json()["y"].contains("inside"));
  EXPECT_TRUE(call({"solve", path, "--json", "--protected"}).json()["y"].contains("inside"));
  EXPECT_EQ(call({"solve", path}).out.find("inside"), std::string::npos);
}

TEST_F(ModelicaTool, ExperimentGivesSpanAndTolerance) {
  const std::string path = write("E.mo",
                                 "model E Real x(start = 1, fixed = true); equation der(x) = -x; "
                                 "annotation(experiment(StopTime = 3, Tolerance = 1e-5)); end E;");
  const auto json = call({"solve", path, "--json"}).json();
  EXPECT_EQ(json["t"], 3.0);
  EXPECT_EQ(json["rtol"], 1e-5);
  EXPECT_EQ(call({"solve", path, "--t-end", "1", "--rtol", "1e-7", "--json"}).json()["t"], 1.0);
}

TEST_F(ModelicaTool, WrongModelsEndWithCodeTwoAndADocument) {
  const Answer a = call({"solve", spec("wrong/ShapeMismatch.mo"), "--json"});
  EXPECT_EQ(a.code, 2);
  EXPECT_EQ(a.json()["status"], "invalid_model");
  EXPECT_EQ(a.json()["diagnostics"].size(), 1u);
  EXPECT_EQ(call({"solve", "Nothing.There"}).code, 2);
  EXPECT_EQ(call({"solve", "missing.mo"}).code, 3);
}

}  // namespace
}  // namespace daedalus::cli
