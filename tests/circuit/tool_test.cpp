// SPDX-License-Identifier: BSD-3-Clause
// Netlists in the tool: analyses, JSON, raw files, exit codes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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

// A corner of the source lies a rounding error beside the third of these times.
TEST(NetlistsInTheTool, NoPointOfAGridIsLostAtCorners) {
  const std::string file = temporary("grid.raw");
  for (const std::size_t points : {5U, 21U, 41U}) {
    ASSERT_EQ(call({"solve", circuits::path("rc.cir"), "--quiet", "--points",
                    std::to_string(points), "--out", file})
                  .code,
              0);
    EXPECT_EQ(read_raw(file).front().points(), points);
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

// Values of the command line reach the operating point and every analysis, with suffixes.
TEST(NetlistsInTheTool, SetValuesReachAllAnalyses) {
  const std::string file = temporary("divider.cir");
  std::ofstream(file) << "t\n.param RL=1k\nV1 a 0 2 AC 1\nR1 a b 1k\nR2 b 0 {RL}\nC1 b 0 1n\n.op\n"
                         ".ac lin 1 1 1\n.pz\n.dc V1 2 2 1\n.tran 1u 10u\n";
  for (const char* value : {"RL=3k", "rl=3000"}) {
    const auto run = call({"solve", file, "--json", "--set", value}).json();
    EXPECT_NEAR(run["op"]["v(b)"].get<double>(), 1.5, 1e-9) << value;
    EXPECT_NEAR(run["ac"][0]["y"]["v(b)"]["magnitude"].get<double>(), 0.75, 1e-6);
    EXPECT_NEAR(run["ac"][0]["y"]["v(b)"]["db"].get<double>(), 20.0 * std::log10(0.75), 1e-4);
    EXPECT_NEAR(run["dc"]["points"][0]["y"]["v(b)"].get<double>(), 1.5, 1e-9);
    EXPECT_NEAR(run["poles"][0]["re"].get<double>(), -1.0 / (750.0 * 1e-9), 1.0);
    const auto op = call({"solve", file, "--json", "--analysis", "op", "--set", value}).json();
    EXPECT_NEAR(op["op"]["v(b)"].get<double>(), 1.5, 1e-9) << value;
    EXPECT_EQ(op["circuit"]["operating_point"]["devices"].size(), 3U);
  }
  EXPECT_EQ(call({"solve", file, "--set", "RX=1k"}).code, 2);
  EXPECT_EQ(call({"solve", file, "--set", "RL=1x"}).code, 2);
}

TEST(NetlistsInTheTool, AllAnalysesAreInTheText) {
  const std::string file = temporary("all.cir");
  std::ofstream(file)
      << "t\nV1 a 0 SIN(0 1 1k) AC 1\nR1 a b 1k\nC1 b 0 100n\n.op\n.ac dec 1 10 1k\n"
         ".pz\n.tran 1u 1m\n.meas tran top MAX v(b)\n.print tran p(R1)\n";
  const Answer answer = call({"solve", file});
  EXPECT_EQ(answer.code, 0) << answer.err;
  for (const char* words : {"operating point by newton", "small signals: 3 frequencies",
                            "stable at", "top ", "p(r1)", "damping"})
    EXPECT_NE(answer.out.find(words), std::string::npos) << words << "\n" << answer.out;
  const auto json = call({"solve", file, "--json"}).json();
  EXPECT_NEAR(json["meas"]["top"].get<double>(), 0.85, 0.05);
  EXPECT_TRUE(json["y"].contains("p(r1)"));
}

TEST(NetlistsInTheTool, ReasonsAreThoseOfWhoChose) {
  const auto reason = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"solve", circuits::path("cvloop.cir"), "--json"});
    return call(words).json()["reason"].get<std::string>();
  };
  EXPECT_EQ(reason({}).rfind("circuit of index 2", 0), 0U) << reason({});
  EXPECT_EQ(reason({"--method", "radau5"}), "chosen by the user");
  const auto explained = call({"explain", circuits::path("cvloop.cir"), "--json"}).json();
  EXPECT_EQ(explained["reason"].get<std::string>().rfind("circuit of index 2", 0), 0U);
}

TEST(NetlistsInTheTool, FormulationsAreThoseOfCircuits) {
  const auto run = [](const char* formulation) {
    return call({"solve", circuits::path("halfwave.cir"), "--json", "--formulation", formulation});
  };
  for (const char* name : {"charge", "charge-variables"}) {
    const auto json = run(name).json();
    EXPECT_EQ(json["status"], "success") << name;
    EXPECT_EQ(json["formulation"], name);
    EXPECT_NEAR(json["y"]["v(out)"].get<double>(), 6.80882181899, 1e-5) << name;
  }
  EXPECT_EQ(run("conventional").code, 2);
  EXPECT_EQ(run("ggl").code, 2);
}

TEST(NetlistsInTheTool, LargeCircuitsAreCheckedWithoutDenseMatrices) {
  const std::string file = temporary("ladder.cir");
  std::ofstream out(file);
  out << "ladder\nV1 n0 0 1\n";
  for (int k = 1; k <= 3000; ++k)
    out << "R" << k << " n" << k - 1 << " n" << k << " 1k\nC" << k << " n" << k << " 0 1p\n";
  out << ".tran 1u 1m\n";
  out.close();
  const Answer answer = call({"check", file});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("index 1"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("left out"), std::string::npos) << answer.out;
}

// In a process of its own, which is asked to end in the middle.
TEST(NetlistsInTheTool, SignalsKeepWhatIsFinished) {
  for (const char* line :
       {".dc V1 0 1 1.1e-6", ".ac lin 1000000 1 1meg", ".tran 1u 1m\n.ac lin 1000000 1 1meg"}) {
    const std::string file = temporary("long.cir"), out = temporary("long.txt");
    std::ofstream netlist(file);
    netlist << "t\nV1 n0 0 0 AC 1\n.model DX D(CJO=1p)\n" << line << "\n";
    for (int k = 1; k <= 50; ++k)
      netlist << "R" << k << " n" << k - 1 << " n" << k << " 1k\nD" << k << " n" << k << " 0 DX\n";
    netlist.close();
    const pid_t child = fork();
    if (child == 0) {
      const Answer answer = call({"solve", file});
      std::ofstream(out) << answer.out << answer.err;
      _exit(answer.code);
    }
    usleep(300000);
    kill(child, SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << line;
    EXPECT_EQ(WEXITSTATUS(status), 1) << line;
    std::stringstream text;
    text << std::ifstream(out).rdbuf();
    const bool sweep = std::string(line).rfind(".dc", 0) == 0;
    EXPECT_NE(text.str().find(sweep ? "direct sweep: " : "small signals: "), std::string::npos)
        << text.str();
    EXPECT_EQ(text.str().find("1000000 frequencies"), std::string::npos);
    EXPECT_NE(text.str().find("nterrupted"), std::string::npos) << text.str();
  }
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
