// SPDX-License-Identifier: BSD-3-Clause
// Netlists in the tool: analyses, JSON, raw files, exit codes.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <daedalus/raw_file.hpp>

#include "circuit/reference.hpp"
#include "tool/run.hpp"

namespace daedalus {
namespace {

struct Answer {
  int code;
  std::string out, err;
  circuits::Json json() const { return circuits::Json::parse(out); }
};

Answer call(std::vector<std::string> words) {
  words.insert(words.begin(), "daedalus");
  std::vector<const char*> arguments;
  for (const std::string& w : words) arguments.push_back(w.c_str());
  std::ostringstream out, err;
  const int code = cli::run(static_cast<int>(arguments.size()), arguments.data(), out, err);
  return {code, out.str(), err.str()};
}

std::string temporary(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(NetlistsInTheTool, SolveGivesTheFieldsOfTheContract) {
  const auto json = call({"solve", circuits::path("cvloop.cir"), "--json"}).json();
  EXPECT_EQ(json["kind"], "netlist");
  EXPECT_EQ(json["status"], "success");
  EXPECT_EQ(json["rtol"], 1e-6);
  EXPECT_TRUE(json["y"].contains("i(v1)"));
  EXPECT_TRUE(json["op"].contains("v(a)"));
  EXPECT_EQ(json["circuit"]["index"]["topology"], 2);
  EXPECT_EQ(json["circuit"]["index"]["numerical"], 2);
  EXPECT_EQ(json["circuit"]["index"]["cause"], circuits::Json({"v1", "c1", "c2"}));
  int marked = 0;
  for (const auto& edge : json["circuit"]["graph"]["edges"]) marked += edge["marked"].get<bool>();
  EXPECT_EQ(marked, 3);
}

TEST(NetlistsInTheTool, AnalysesAreSelected) {
  const std::string emitter = circuits::path("emitter.cir");
  const auto ac = call({"solve", emitter, "--json", "--analysis", "ac"}).json();
  EXPECT_GT(ac["ac"].size(), 10U);
  EXPECT_TRUE(ac["ac"][0]["y"]["v(out)"].contains("re"));
  EXPECT_TRUE(ac["t"].is_null());
  EXPECT_EQ(call({"solve", emitter, "--json", "--analysis", "pz"}).json()["poles"].size(), 6U);
  const Answer wrong = call({"solve", emitter, "--analysis", "noise"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("allowed are op, dc, tran, ac, pz"), std::string::npos) << wrong.err;
  EXPECT_EQ(call({"solve", "pendulum", "--analysis", "op"}).code, 2);
}

TEST(NetlistsInTheTool, RawFilesHoldTheRunAndSmallSignals) {
  for (const char* name : {"run.raw", "run.ascii.raw"}) {
    const std::string file = temporary(name);
    ASSERT_EQ(
        call({"solve", circuits::path("rc.cir"), "--quiet", "--points", "101", "--out", file}).code,
        0);
    const RawVectors run = read_raw(file).front();
    EXPECT_EQ(run.points(), 101U);
    EXPECT_EQ(run.names[0], "time");
    EXPECT_NEAR(run.values.at(100 * run.names.size() + 2), 0.020810394370, 1e-6) << run.names[2];
    ASSERT_EQ(call({"solve", circuits::path("opamp.cir"), "--analysis", "ac", "--out", file}).code,
              0);
    EXPECT_TRUE(read_raw(file).front().complex_values);
  }
}

TEST(NetlistsInTheTool, CheckTellsIndexAndRemarks) {
  const std::string file = temporary("remarks.cir");
  std::ofstream(file) << "t\nV1 a 0 1\nR1 a 0 2M\nC1 a 0 1u\n.op\n.tran 1u 1m\n";
  const Answer answer = call({"check", file});
  EXPECT_EQ(answer.code, 0) << answer.err;
  for (const char* words : {"loop v1-c1", "milliohm", "2meg"})
    EXPECT_NE(answer.out.find(words), std::string::npos) << words << "\n" << answer.out;
}

TEST(NetlistsInTheTool, WrongAndMissingFilesHaveTheirCodes) {
  const std::string file = temporary("wrong.cir");
  std::ofstream(file) << "t\nR1 a 0 4k7\n.op\n";
  const Answer wrong = call({"solve", file, "--json"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.json()["status"], "invalid_model");
  EXPECT_EQ(wrong.json()["diagnostics"][0]["line"], 2);
  EXPECT_EQ(call({"solve", temporary("not-there.cir")}).code, 3);
}

}  // namespace
}  // namespace daedalus
