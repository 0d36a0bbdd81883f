// SPDX-License-Identifier: BSD-3-Clause
// Model files wherever a command takes a problem.
#include <cmath>
#include <filesystem>
#include <iostream>

#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

std::string model(const std::string& name) {
  return std::string(DAEDALUS_SOURCE_DIR) + "/examples/models/" + name + ".json";
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Standard input for one call.
struct Input {
  explicit Input(const std::string& text) : stream(text), before(std::cin.rdbuf(stream.rdbuf())) {}
  ~Input() { std::cin.rdbuf(before); }
  std::istringstream stream;
  std::streambuf* before;
};

TEST(ModelFilesInTheTool, SolveCarriesKindFileAndSamples) {
  const Answer a =
      call({"solve", model("pendulum"), "--rtol", "1e-9", "--at", "1,2.5,10", "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  const auto json = a.json();
  EXPECT_EQ(json["problem"], "pendulum");
  EXPECT_EQ(json["kind"], "model");
  EXPECT_EQ(json["file"], model("pendulum"));
  EXPECT_EQ(json["status"], "success");
  EXPECT_LT(json["error"]["relative"].get<double>(), 1e-6);
  ASSERT_EQ(json["samples"].size(), 3u);
  EXPECT_EQ(json["samples"][2]["y"], json["y"]);
  // The output of the model stands with its variables.
  const double x = json["y"]["x"].get<double>(), y = json["y"]["y"].get<double>();
  EXPECT_NEAR(json["y"]["angle"].get<double>(), std::atan2(x, -y), 1e-12);

  // The same of the catalogue's problem, at the same times.
  const Answer b = call({"solve", "pendulum", "--rtol", "1e-9", "--at", "1,2.5,10", "--json"});
  ASSERT_EQ(b.code, 0) << b.err;
  const auto original = b.json();
  EXPECT_EQ(original["kind"], "catalogue");
  EXPECT_TRUE(original["file"].is_null());
  for (std::size_t k = 0; k < 3; ++k)
    for (const char* name : {"x", "y", "u", "v"})
      EXPECT_NEAR(json["samples"][k]["y"][name].get<double>(),
                  original["samples"][k]["y"][name].get<double>(), 1e-6);
  EXPECT_TRUE(call({"solve", "pendulum", "--json"}).json()["samples"].is_null());
  EXPECT_EQ(call({"solve", "pendulum", "--at", "11", "--json"}).code, 2);
  EXPECT_NE(call({"solve", "pendulum", "--at", "1,2"}).out.find("t = 2"), std::string::npos);
}

TEST(ModelFilesInTheTool, EveryCommandTakesThem) {
  const std::string file = model("pendulum");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"show", file},
           {"check", file},
           {"explain", file},
           {"eigen", file},
           {"order", file, "--method", "hedop5", "--h", "2^-7:2^-8"},
           {"compare", file, "--methods", "hedop5", "--formulations", "index2", "--t-end", "0.5"},
           {"sweep", file, "--set", "length=1,2", "--t-end", "0.5"}}) {
    std::vector<std::string> with = arguments;
    with.emplace_back("--json");
    const Answer a = call(with);
    ASSERT_EQ(a.code, 0) << arguments[0] << ": " << a.err;
    const auto json = a.json();
    EXPECT_EQ(json["kind"], "model") << arguments[0];
    EXPECT_EQ(json["file"], file) << arguments[0];
  }
  const Answer bench =
      call({"bench", file, "--methods", "hedop5", "--rtol", "1e-4:1e-4", "--json"});
  ASSERT_EQ(bench.code, 0) << bench.err;
  EXPECT_EQ(bench.json()["runs"][0]["file"], file);
  const Answer perturbed = call({"perturb", file, "--method", "implicit-euler", "--formulation",
                                 "index2", "--t-end", "0.1", "--json"});
  ASSERT_EQ(perturbed.code, 0) << perturbed.err;
  EXPECT_EQ(perturbed.json()["model_kind"], "model");
  EXPECT_EQ(perturbed.json()["file"], file);
}

TEST(ModelFilesInTheTool, ManyEventsShowTheirTwoEnds) {
  // sin(10 t) changes its sign 31 times before t = 10.
  const std::string text =
      "{\"daedalus\": \"model\", \"name\": \"signs\", \"interval\": [0.05, 10],\n"
      " \"variables\": {\"x\": {\"start\": 0}},\n"
      " \"equations\": [\"der(x) = if sin(10*time) > 0 then 1 else -1\"]}";
  const Input few(text);
  const Answer a = call({"solve", "-", "--kind", "model"});
  ASSERT_EQ(a.code, 0) << a.err;
  std::size_t listed = 0;
  for (std::size_t at = a.out.find("\nevent "); at != std::string::npos;
       at = a.out.find("\nevent ", at + 1))
    ++listed;
  EXPECT_EQ(listed, 12u) << a.out;
  EXPECT_NE(a.out.find("... 19 more"), std::string::npos) << a.out;
  const Input all(text);
  EXPECT_EQ(call({"solve", "-", "--kind", "model", "--json"}).json()["events"].size(), 31u);
}

TEST(ModelFilesInTheTool, StandardInputNeedsAKind) {
  const std::string text = contents(model("bouncing-ball"));
  {
    const Input input(text);
    const Answer a = call({"solve", "-", "--kind", "model", "--json"});
    ASSERT_EQ(a.code, 0) << a.err;
    EXPECT_EQ(a.json()["kind"], "model");
    EXPECT_EQ(a.json()["file"], "-");
    EXPECT_EQ(a.json()["events"][0]["name"], "impact");
  }
  const Input input(text);
  const Answer a = call({"solve", "-"});
  EXPECT_EQ(a.code, 2);
  EXPECT_NE(a.err.find("--kind"), std::string::npos) << a.err;
  EXPECT_EQ(call({"solve", "-", "--kind", "modle"}).code, 2);
}

TEST(ModelFilesInTheTool, WrongModelsAreDocumented) {
  const ScratchFolder folder;
  const std::string file = folder / "wrong.json";
  write(file,
        "{\"daedalus\": \"model\",\n \"variables\": {\"velocity\": 0},\n \"equations\": "
        "[\"der(velocity) = -velosity\"]}\n");
  for (const char* command : {"solve", "check", "show"}) {
    const Answer a = call({command, file, "--json"});
    EXPECT_EQ(a.code, 2) << command;
    const auto json = a.json();
    EXPECT_EQ(json["status"], "invalid_model");
    ASSERT_EQ(json["diagnostics"].size(), 1u);
    const auto& d = json["diagnostics"][0];
    EXPECT_EQ(d["file"], file);
    EXPECT_EQ(d["line"], 3);
    EXPECT_EQ(d["column"], 34);
    EXPECT_EQ(d["severity"], "error");
    EXPECT_EQ(d["hint"], "did you mean 'velocity'?");
    EXPECT_NE(a.err.find("^~~~~~~~"), std::string::npos) << a.err;
  }
  const Answer text = call({"solve", file});
  EXPECT_EQ(text.code, 2);
  EXPECT_TRUE(text.out.empty());
}

TEST(ModelFilesInTheTool, FilesThatAreNoModels) {
  const ScratchFolder folder;
  EXPECT_EQ(call({"solve", folder / "absent.json"}).code, 3);
  write(folder / "run.json", "{\"version\": 1}");
  const Answer a = call({"solve", folder / "run.json"});
  EXPECT_EQ(a.code, 2);
  EXPECT_NE(a.err.find("daedalus"), std::string::npos) << a.err;
  // A name that is no file keeps its hint.
  EXPECT_NE(call({"solve", "pendulun"}).err.find("did you mean pendulum"), std::string::npos);
}

TEST(ModelFilesInTheTool, ConvertWritesCpp) {
  const ScratchFolder folder;
  const std::string target = folder / "ball.cpp";
  const Answer a = call({"convert", model("bouncing-ball"), target, "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.json()["files"][0], target);
  const std::string source = contents(target);
  EXPECT_NE(source.find("ModelBuilder bouncing_ball()"), std::string::npos) << source;
  EXPECT_NE(source.find("clause.reinit(speed"), std::string::npos) << source;
  EXPECT_EQ(call({"convert", model("bouncing-ball"), folder / "ball.csv"}).code, 2);
}

TEST(ModelFilesInTheTool, FilesOutsideTheFolderNeedPermission) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "inner");
  write(folder / "force.csv", "0,1\n1,1\n");
  const std::string file = folder / "inner/m.json";
  write(file,
        "{\"daedalus\": \"model\", \"tables\": {\"force\": {\"file\": \"../force.csv\"}}, "
        "\"variables\": {\"x\": {\"fixed\": true}}, \"equations\": [\"der(x) = force(time)\"]}");
  EXPECT_EQ(call({"solve", file}).code, 2);
  const Answer a = call({"solve", file, "--allow", "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_NEAR(a.json()["y"]["x"].get<double>(), 1.0, 1e-6);
}

}  // namespace
}  // namespace daedalus::cli
