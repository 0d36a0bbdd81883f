// SPDX-License-Identifier: BSD-3-Clause
// The tool killed at any moment and resumed: the output file is that of an uninterrupted run.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <random>

#include <daedalus/method.hpp>
#include <daedalus/trajectory_file.hpp>

#include "tool/tool.hpp"

namespace daedalus::cli::resume_test {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Runs the tool in a process of its own and kills it after some time. True: it was killed.
bool killed_after(const std::vector<std::string>& arguments, long microseconds) {
  const pid_t child = fork();
  if (child == 0) _exit(call(arguments).code);
  usleep(static_cast<useconds_t>(microseconds));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

// Killed again and again until it ends; returns how often.
int expect_the_same_file(const std::vector<std::string>& run, const std::string& ending,
                         unsigned seed, long longest) {
  const ScratchFolder folder;
  const std::string whole = folder / ("whole" + ending), out = folder / ("run" + ending),
                    check = folder / "run.check";
  EXPECT_EQ(call(with(run, {"--quiet", "--out", whole})).code, 0);
  const std::vector<std::string> common =
      with(run, {"--quiet", "--out", out, "--checkpoint-interval", "2steps"});
  std::mt19937 random(seed);
  int kills = 0;
  for (int k = 0; k < 60 && !std::filesystem::exists(out); ++k) {
    const bool resume = std::filesystem::exists(check);
    const std::vector<std::string> arguments =
        with(common, {resume ? "--resume" : "--checkpoint", check});
    const long pause =
        k < 25 ? static_cast<long>(random() % static_cast<unsigned long>(longest)) : 60000000L;
    if (k < 25) {
      kills += killed_after(arguments, pause);
    } else {
      EXPECT_EQ(call(arguments).code, 0);
    }
  }
  // JSON says how long the run took and which command it was; its numbers come last.
  const auto numbers = [&](const std::string& file) {
    const std::string text = contents(file);
    return ending == ".json" ? text.substr(text.rfind("\"trajectory\"")) : text;
  };
  const std::string a = numbers(whole), b = numbers(out);
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  EXPECT_TRUE(a == b) << run[1] << ", seed " << seed << ", killed " << kills
                      << " times: the files differ from byte " << differ.first - a.begin() << " of "
                      << a.size();
  return kills;
}

TEST(Resume, KilledRunsGiveTheSameFile) {
  // A method with many steps, so that there is something to kill.
  const std::vector<std::string> run{"solve",   "pendulum", "--rtol",   "1e-8",
                                     "--t-end", "4",        "--method", "adams-index2"};
  EXPECT_GT(expect_the_same_file(run, ".csv", 1, 60000), 0);
  expect_the_same_file(with(run, {"--points", "301"}), ".npz", 2, 60000);
}

TEST(SlowResume, KilledRunsOfManyMethodsGiveTheSameFile) {
  unsigned seed = 10;
  for (const std::vector<std::string>& run : std::vector<std::vector<std::string>>{
           {"solve", "andrews", "--method", "bdf"},
           {"solve", "andrews", "--method", "hedop5"},
           {"solve", "car-axis", "--method", "rodas4", "--formulation", "baumgarte"},
           {"solve", "heavy-top-so3", "--t-end", "0.2"},
           {"solve", "ring-modulator", "--t-end", "1e-5"},
           {"solve", "andrews", "--linear-algebra", "sparse", "--method", "bdf"},
           {"solve", "andrews", "--linear-algebra", "sparse", "--method", "rodas4"},
           {"solve", "pendulum", "--formulation", "state-space"},
           {"solve", "pendulum", "--method", "bdf", "--watch-drift"}}) {
    ++seed;
    expect_the_same_file(run, seed % 2 ? ".csv" : ".npz", seed, 300000);
  }
}

TEST(SlowResume, TwoHundredKillsOverEightMethodsAndFourFormats) {
  unsigned seed = 1000;
  int kills = 0, runs = 0;
  std::vector<std::string> endings{".csv", ".json", ".npz"};
#ifdef DAEDALUS_TEST_HAS_HDF5
  endings.emplace_back(".h5");
#endif
  const auto methods = std::vector<std::vector<std::string>>{
      {"solve", "andrews", "--method", "bdf"},
      {"solve", "andrews", "--method", "hedop5"},
      {"solve", "car-axis", "--method", "rodas4", "--formulation", "baumgarte"},
      {"solve", "pendulum", "--method", "radau5"},
      {"solve", "heavy-top-so3", "--t-end", "0.2"},
      {"solve", "ring-modulator", "--t-end", "1e-5", "--method", "radau"},
      {"solve", "pendulum", "--formulation", "state-space"},
      {"solve", "kvaerno-a", "--method", "implicit-euler", "--fixed-step", "1e-3"}};
  // A run that is faster than the pause is not killed: as many rounds as it takes.
  for (int round = 0; round < 20 && kills < 200; ++round)
    for (const std::vector<std::string>& run : methods)
      for (const std::string& ending : endings) {
        kills += expect_the_same_file(run, ending, ++seed, 60000);
        ++runs;
      }
  std::printf("%d runs, %d kills\n", runs, kills);
  EXPECT_GE(kills, 200);
}

// Every method by its name, on the first problem that it solves in some hundred steps.
TEST(SlowResume, KilledRunsOfEveryMethodGiveTheSameFile) {
  unsigned seed = 100;
  int kills = 0;
  for (const Method* each : all_methods()) {
    const Method& method = *each;
    std::vector<std::string> run;
    for (const char* problem :
         {"pendulum", "heavy-top-so3", "jay", "index2-p2", "kvaerno-a", "robertson", "akzo"}) {
      run = {"solve", problem, "--method", method.name, "--rtol", "1e-5"};
      if (method.error_order == 0 || method.fixed_step_only || method.equal_steps_only)
        run.insert(run.end(), {"--fixed-step", "1e-3"});
      if (std::string(problem) == "heavy-top-so3") run.insert(run.end(), {"--t-end", "0.1"});
      if (call(with(run, {"--quiet"})).code == 0) break;
      run.clear();
    }
    ASSERT_FALSE(run.empty()) << method.name;
    ++seed;
    kills += expect_the_same_file(run, seed % 2 ? ".csv" : ".npz", seed, 60000);
    if (HasFailure()) ADD_FAILURE() << method.name;
  }
  EXPECT_GT(kills, static_cast<int>(all_methods().size()));
}

TEST(Resume, RefusesWhatDoesNotBelongTogether) {
  const ScratchFolder folder;
  const std::string out = folder / "run.csv", check = folder / "run.check";
  // A run that ends before its time leaves the checkpoint, and nothing at the place of the result.
  const std::vector<std::string> run{
      "solve", "pendulum", "--quiet", "--out", out, "--checkpoint-interval", "5steps"};
  EXPECT_EQ(call(with(run, {"--checkpoint", check, "--max-steps", "30"})).code, 1);
  ASSERT_TRUE(std::filesystem::exists(check));
  EXPECT_FALSE(std::filesystem::exists(out));
  const Answer again = call(with(run, {"--checkpoint", check}));
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("--resume " + check), std::string::npos) << again.err;
  const Answer other =
      call({"solve", "pendulum", "--quiet", "--out", out, "--resume", check, "--rtol", "1e-9"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("rtol is"), std::string::npos) << other.err;
  const Answer heavier =
      call({"solve", "pendulum", "--quiet", "--out", out, "--resume", check, "--set", "mass=2"});
  EXPECT_EQ(heavier.code, 2);
  EXPECT_NE(heavier.err.find("parameters are"), std::string::npos) << heavier.err;
  const Answer without = call({"solve", "pendulum", "--quiet", "--resume", check});
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("output file"), std::string::npos) << without.err;
  EXPECT_EQ(call({"solve", "pendulum", "--resume", folder / "none.check"}).code, 3);
  std::ofstream(folder / "foreign.check") << "t,x\n";
  const Answer foreign = call({"solve", "pendulum", "--resume", folder / "foreign.check"});
  EXPECT_EQ(foreign.code, 3);
  EXPECT_NE(foreign.err.find("foreign.check' cannot be used: byte 0"), std::string::npos)
      << foreign.err;
  // More steps are allowed now.
  EXPECT_EQ(call(with(run, {"--resume", check})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(check));
  EXPECT_EQ(folder.files(), 2u);  // run.csv and foreign.check
}

TEST(Resume, JsonDiffersInTheTimeTakenOnly) {
  const ScratchFolder folder;
  const std::string check = folder / "run.check";
  EXPECT_EQ(call({"solve", "pendulum", "--quiet", "--out", folder / "a.json"}).code, 0);
  EXPECT_EQ(call({"solve", "pendulum", "--quiet", "--out", folder / "b.json", "--checkpoint", check,
                  "--checkpoint-interval", "7steps", "--max-steps", "40"})
                .code,
            1);
  EXPECT_EQ(
      call({"solve", "pendulum", "--quiet", "--out", folder / "b.json", "--resume", check}).code,
      0);
  Json a = Json::parse(contents(folder / "a.json")), b = Json::parse(contents(folder / "b.json"));
  EXPECT_GT(b["statistics"]["seconds"].get<double>(), 0.0);
  a["statistics"].erase("seconds");
  b["statistics"].erase("seconds");
  EXPECT_NE(a["command"], b["command"]);
  a.erase("command");
  b.erase("command");
  EXPECT_EQ(a, b);
}

TEST(Files, FailedRunsReplaceNothing) {
  const ScratchFolder folder;
  const std::string out = folder / "run.npz", trace = folder / "t.jsonl";
  ASSERT_EQ(call({"solve", "pendulum", "--quiet", "--out", out, "--trace", trace}).code, 0);
  const std::string states = contents(out), steps = contents(trace);
  const Answer failed = call({"solve", "pendulum", "--quiet", "--max-steps", "5", "--method",
                              "rodas4", "--out", out, "--trace", trace});
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(contents(out), states);
  EXPECT_EQ(contents(trace), steps);
  EXPECT_NE(failed.err.find("run.failed.npz"), std::string::npos) << failed.err;
  EXPECT_EQ(read_trajectory(folder / "run.failed.npz").t.size(), 5u);
}

TEST(Files, ConvertReadsEveryFormat) {
  const ScratchFolder folder;
  ASSERT_EQ(call({"solve", "pendulum", "--quiet", "--out", folder / "a.csv"}).code, 0);
  EXPECT_EQ(call({"convert", folder / "a.csv", folder / "b.npz"}).code, 0);
  EXPECT_EQ(call({"convert", folder / "b.npz", folder / "c.json"}).code, 0);
  EXPECT_EQ(call({"convert", folder / "c.json", folder / "d.csv"}).code, 0);
  EXPECT_EQ(contents(folder / "a.csv"), contents(folder / "d.csv"));
  std::ofstream(folder / "bad.npz", std::ios::binary) << contents(folder / "b.npz").substr(0, 900);
  const Answer bad = call({"convert", folder / "bad.npz", folder / "e.csv"});
  EXPECT_EQ(bad.code, 3);
  EXPECT_NE(bad.err.find("bad.npz' cannot be used: byte"), std::string::npos) << bad.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "e.csv"));
}

}  // namespace
}  // namespace daedalus::cli::resume_test
