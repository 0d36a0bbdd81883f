// SPDX-License-Identifier: BSD-3-Clause
// Names, links, locks and signals that mean harm, or are only unlucky.
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <array>

#include <daedalus/fit.hpp>
#include <daedalus/trajectory_file.hpp>

#include "io/atomic_file.hpp"
#include "tool/plot.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::hostile_test {
namespace {

namespace fs = std::filesystem;

// --- commands through names ---------------------------------------------------------------------

TEST(Hostile, NoNameIsACommandOfGnuplot) {
  if (find_gnuplot().empty()) GTEST_SKIP() << "gnuplot is not installed";
  const ScratchFolder folder;
  const std::string canary = folder / "canary";
  int number = 0;
  for (const std::string& name :
       {"|touch " + canary + "; exit 0 #.svg", std::string("`touch canary`.svg"),
        std::string("a\nset output 'elsewhere'\n.svg"), std::string("x'; system \"id\" #.svg"),
        std::string("$(id).svg"), std::string("-e.svg"), std::string("@x\t\"q\".svg")}) {
    std::string safe = name;  // of slashes it may have none: the file has to be possible
    for (char& c : safe)
      if (c == '/') c = '_';
    const std::string path = folder / safe;
    const Answer answer = call({"solve", "pendulum", "--quiet", "--plot", path});
    EXPECT_EQ(answer.code, 0) << safe << ": " << answer.err;
    EXPECT_TRUE(has(contents(path), "</svg>")) << safe;
    EXPECT_EQ(folder.files(), static_cast<std::size_t>(++number)) << safe << ": another file came";
  }
  EXPECT_FALSE(fs::exists(canary));
}

TEST(Hostile, ScriptsHaveOneNameAndNoLineOfAUser) {
  Trajectory trajectory;
  trajectory.names = {"x\nset output 'elsewhere'", "`id`", "it's"};
  trajectory.t = {0.0, 1.0};
  trajectory.y.assign(2, Eigen::VectorXd::Ones(3));
  const Picture picture{"t\nsystem 'id'", "s\r!id", trajectory, {{"y", {0, 1, 2}}}, false};
  const std::string script = gnuplot_script(picture, PictureKind::svg);
  EXPECT_TRUE(has(script, "set output 'picture'\n"));
  for (const char* line : {"\nset output 'elsewhere'", "\nsystem", "\n!id", "\r"})
    EXPECT_FALSE(has(script, line)) << line;
  EXPECT_TRUE(has(script, "'it''s'"));
}

// --- files that appear whole
// ----------------------------------------------------------------------

TEST(Hostile, PicturesThatCannotBeWrittenFailBeforeTheRun) {
  const Answer answer = call({"solve", "pendulum", "--json", "--plot", "/nonexistent/x.svg"});
  EXPECT_EQ(answer.code, 3);
  EXPECT_TRUE(has(answer.err, "/nonexistent/x.svg")) << answer.err;
  EXPECT_TRUE(answer.out.empty());  // no run
}

// Commands with their options that name a file, and the ending it wants.
struct Writer {
  std::vector<std::string> words;
  const char *option, *ending;
};
std::vector<Writer> writers() {
  const std::string root = DAEDALUS_SOURCE_DIR;
  const std::vector<std::string> sensitivity{"sensitivity", "pendulum", "--json", "--parameters",
                                             "length",      "--t-end",  "0.1"},
      sweep{"sweep", "pendulum", "--json", "--set", "length=1,2", "--t-end", "0.1"},
      fit{"fit",
          root + "/examples/models/reactions.json",
          "--data",
          root + "/tests/fit/data/abc.csv",
          "--free",
          "k1=0.1..10,k2=0.01..1",
          "--json",
          "--sigma",
          "A=0.01,B=0.01,C=0.01"};
  std::vector<Writer> all{
      {sensitivity, "--out", ".csv"},
      {sweep, "--out", ".csv"},
      {sweep, "--report", ".html"},
      {{"eigen", root + "/tests/mechanism/files/cart.json", "--json"}, "--report", ".html"}};
  if (can_fit()) {
    all.push_back({fit, "--out", ".json"});
    all.push_back({fit, "--report", ".html"});
  }
  return all;
}

std::vector<std::string> with_file(const Writer& writer, const std::string& path) {
  std::vector<std::string> words = writer.words;
  words.insert(words.end(), {writer.option, path});
  return words;
}

TEST(Hostile, FilesThatCannotBeWrittenFailBeforeTheRun) {
  for (const Writer& writer : writers()) {
    const std::string path = std::string("/nonexistent/x") + writer.ending;
    const Answer answer = call(with_file(writer, path));
    EXPECT_EQ(answer.code, 3) << writer.words[0] << writer.option;
    EXPECT_TRUE(has(answer.err, path)) << answer.err;
    EXPECT_TRUE(answer.out.empty()) << writer.words[0] << writer.option << " ran before";
  }
}

TEST(Hostile, NoCommandWritesAFileThatIsInUse) {
  for (const Writer& writer : writers()) {
    const ScratchFolder folder;
    const std::string path = folder / (std::string("x") + writer.ending);
    {
      const FileLock taken(path);
      const Answer answer = call(with_file(writer, path));
      EXPECT_EQ(answer.code, 3) << writer.words[0] << writer.option;
      EXPECT_TRUE(has(answer.err, "in use by another run")) << answer.err;
    }
    EXPECT_EQ(call(with_file(writer, path)).code, 0) << writer.words[0] << writer.option;
    EXPECT_EQ(folder.files(), 1u) << writer.words[0] << writer.option;
  }
}

TEST(Hostile, JournalsAreNotReplacedByResults) {
  const ScratchFolder folder;
  for (const Writer& writer : writers()) {
    if (writer.words[0] != "fit" && writer.words[0] != "sweep") continue;
    const std::string path = folder / (std::string("x") + writer.ending);
    std::vector<std::string> words = with_file(writer, path);
    words.insert(words.end(), {"--journal", folder / (std::string("./x") + writer.ending)});
    const Answer answer = call(words);
    EXPECT_EQ(answer.code, 2) << writer.words[0] << writer.option;
    EXPECT_TRUE(has(answer.err, "name one file")) << answer.err;
    EXPECT_EQ(folder.files(), 0u);
  }
}

TEST(Hostile, AFitThatIsNotWholeReplacesNothing) {
  if (!can_fit()) GTEST_SKIP() << "built without Ceres";
  for (const Writer& writer : writers()) {
    if (writer.words[0] != "fit") continue;
    const ScratchFolder folder;
    const std::string name = std::string("x") + writer.ending;
    std::ofstream(folder / name) << "a good one";
    std::vector<std::string> words = with_file(writer, folder / name);
    words.insert(words.end(), {"--max-iterations", "1"});
    EXPECT_EQ(call(words).code, 1);
    EXPECT_EQ(contents(folder / name), "a good one");
    EXPECT_EQ(folder.files(), 2u) << "what was found is lost";
  }
}

TEST(Hostile, APictureThatIsNotWholeReplacesNothing) {
  const ScratchFolder folder, programs;
  std::ofstream(programs / "gnuplot") << "#!/bin/sh\nprintf '<svg>half' > picture\nexit 0\n";
  fs::permissions(programs / "gnuplot", fs::perms::owner_all);
  std::ofstream(folder / "run.svg") << "a good one";
  const std::string before = getenv("PATH");
  setenv("PATH", programs.path().c_str(), 1);
  const Answer answer = call({"solve", "pendulum", "--quiet", "--plot", folder / "run.svg"});
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(answer.code, 3);
  EXPECT_EQ(contents(folder / "run.svg"), "a good one");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Hostile, TemporaryNamesFollowNoLinks) {
  const ScratchFolder folder;
  std::ofstream(folder / "victim") << "precious";
  // The one name that has to be known beforehand, so that a resumed run finds it.
  fs::create_symlink(folder / "victim", folder / "run.csv.part");
  const Answer part = call({"solve", "pendulum", "--quiet", "--out", folder / "run.csv",
                            "--checkpoint", folder / "run.check"});
  EXPECT_EQ(part.code, 3);
  EXPECT_TRUE(has(part.err, "symbolic link")) << part.err;
  fs::create_symlink(folder / "victim", folder / "other.check.part");
  EXPECT_EQ(call({"solve", "pendulum", "--quiet", "--checkpoint", folder / "other.check",
                  "--checkpoint-interval", "3steps", "--max-steps", "9"})
                .code,
            1);
  EXPECT_EQ(contents(folder / "victim"), "precious");
}

TEST(Hostile, TemporaryNamesCannotBeForeseen) {
  const ScratchFolder folder;
  const fs::path a = new_file_beside(folder / "x"), b = new_file_beside(folder / "x");
  EXPECT_NE(a, b);
  EXPECT_GE(a.filename().string().size(), std::string("x.part-").size() + 12);
}

// --- sharing
// --------------------------------------------------------------------------------------

TEST(Hostile, TwoRunsNeverShareAFile) {
  const ScratchFolder folder;
  const FileLock out(folder / "run.csv"), check(folder / "run.check"), page(folder / "run.html");
  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"solve", "pendulum", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = call(words);
    return answer.code == 3 && has(answer.err, "in use by another run");
  };
  EXPECT_TRUE(refused({"--out", folder / "run.csv"}));
  EXPECT_TRUE(refused({"--checkpoint", folder / "run.check"}));
  EXPECT_TRUE(refused({"--report", folder / "run.html"}));
  const std::vector<std::string> sweep{"sweep",   "pendulum", "--set",     "length=1,2",
                                       "--t-end", "0.1",      "--journal", folder / "s.jsonl"};
  EXPECT_EQ(call(sweep).code, 0);
  const int journal = open((folder / "s.jsonl").c_str(), O_RDWR);
  flock(journal, LOCK_EX);
  const Answer second = call(sweep);
  EXPECT_EQ(second.code, 3);
  EXPECT_TRUE(has(second.err, "in use by another sweep")) << second.err;
  close(journal);
}

TEST(Hostile, LocksOfTheDeadAreFree) {
  const ScratchFolder folder;
  const std::string path = folder / "run.csv";
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(path);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(path + ".lock"));
  EXPECT_EQ(call({"solve", "pendulum", "--quiet", "--out", path}).code, 0);
  EXPECT_EQ(folder.files(), 1u);  // and nothing is left of it
}

// --- signals
// --------------------------------------------------------------------------------------

// The tool in a process of its own, which sends itself a signal after `steps` steps of the clock.
struct Ended {
  int code;
  std::string out;
};
Ended with_signal(int signal, const std::vector<std::string>& words, long microseconds) {
  const ScratchFolder folder;
  const std::string out = folder / "out";
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream stream(out);
    const Answer answer = call(words);
    stream << answer.out;
    stream.close();
    _exit(answer.code);
  }
  usleep(static_cast<useconds_t>(microseconds));
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), contents(out)};
}

TEST(Hostile, EverySignalThatAsksToEndKeepsTheData) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const ScratchFolder folder;
    const Ended ended = with_signal(signal,
                                    {"solve", "pendulum", "--json", "--t-end", "1e7", "--max-steps",
                                     "100000000", "--out", folder / "run.csv"},
                                    400000);
    EXPECT_EQ(ended.code, 1) << signal;
    EXPECT_TRUE(has(ended.out, "\"status\": \"cancelled\"")) << signal << ended.out;
    EXPECT_GT(read_trajectory(folder / "run.csv").t.size(), 10u) << signal;
    EXPECT_EQ(folder.files(), 1u) << signal;
  }
}

TEST(Hostile, EveryCommandPrintsWhatIsFinished) {
  const ScratchFolder folder;
  std::ofstream(folder / "long.json")
      << R"({"daedalus": "model", "name": "long", "interval": [0, 100000],)"
      << R"( "parameters": {"k": 1}, "variables": {"x": 1, "v": 0},)"
      << R"( "equations": ["der(x) = v", "der(v) = -k*x"]})";
  std::size_t number = 0;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"compare", "andrews", "--rtol", "1e-10", "--json"},
           {"bench", "andrews", "ring-modulator", "--rtol", "1e-3:1e-10", "--json"},
           {"perturb", "pendulum", "--h", "2^-3:2^-16", "--json"},
           {"order", "andrews", "--h", "2^-12:2^-22", "--json"},
           {"sweep", "andrews", "--set", "m1=0.01:0.1:4000", "--json"},
           {"eigen", "pendulum", "--at", "1e7", "--json"},
           {"check",
            std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/simple-pendulum.json",
            "--t-end", "1e7", "--json"},
           {"sensitivity", folder / "long.json", "--parameters", "k", "--check", "--json"},
           {"report", folder / "long.json", "--json"},
           {"reproduce", "--all", "--json"}}) {
    const int signal = std::array{SIGTERM, SIGHUP, SIGINT}[++number % 3];
    const Ended ended = with_signal(signal, words, 300000);
    // 0: it was faster than the signal.
    EXPECT_TRUE(ended.code == 1 || ended.code == 0) << words[0] << " " << ended.code;
    // What was cut short says so.
    EXPECT_EQ(ended.code == 0 && has(ended.out, "was cancelled"), false) << words[0];
    ASSERT_TRUE(nlohmann::json::accept(ended.out)) << words[0] << ": " << ended.out;
    if (ended.code == 1)
      EXPECT_EQ(nlohmann::json::parse(ended.out).value("status", ""), "cancelled") << words[0];
  }
}

TEST(Hostile, AnInterruptedSweepReplacesNoTable) {
  const ScratchFolder folder;
  std::ofstream(folder / "sweep.csv") << "a whole table";
  const Ended ended = with_signal(
      SIGTERM,
      {"sweep", "andrews", "--set", "m1=0.01:0.1:100000", "--quiet", "--out", folder / "sweep.csv"},
      300000);
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(contents(folder / "sweep.csv"), "a whole table");
  EXPECT_TRUE(has(contents(folder / "sweep.failed.csv"), "m1"));
}

// --- leftovers
// ------------------------------------------------------------------------------------

TEST(Hostile, LeftoversOfAKilledRunAreRecovered) {
  const ScratchFolder folder;
  const std::string out = folder / "run.csv";
  const pid_t child = fork();
  if (child == 0)
    _exit(call({"solve", "pendulum", "--quiet", "--t-end", "1e7", "--max-steps", "100000000",
                "--out", out})
              .code);
  usleep(500000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_FALSE(fs::exists(out));
  ASSERT_EQ(leftovers(out).size(), 1u);
  const Answer answer = call({"recover", out, "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto first = answer.json().at("recovered").at(0);
  const FileTrajectory read = read_trajectory(folder / "run.recovered.csv");
  EXPECT_EQ(read.t.size(), first.at("states").get<std::size_t>());
  EXPECT_GT(read.t.size(), 100u);
  EXPECT_TRUE(std::is_sorted(read.t.begin(), read.t.end()));
  EXPECT_TRUE(leftovers(out).empty());
  EXPECT_EQ(call({"recover", out}).code, 3);
}

// --- files of an enemy
// ------------------------------------------------------------------------------

TEST(Hostile, JournalsThatWereChangedAreRefused) {
  const ScratchFolder folder;
  const std::string path = folder / "sweep.jsonl";
  const std::vector<std::string> sweep{
      "sweep", "pendulum", "--set", "length=1,2,3", "--t-end", "0.1", "--quiet", "--journal", path};
  ASSERT_EQ(call(sweep).code, 0);
  const std::string good = contents(path);
  ASSERT_GT(good.size(), 500u);
  int refused = 0, tries = 0;
  for (std::size_t i = 0; i + 1 < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    std::ofstream(path, std::ios::binary) << bad;
    ++tries;
    refused += call(sweep).code == 3;
  }
  EXPECT_EQ(refused, tries);
  std::ofstream(path, std::ios::binary) << good.substr(0, good.size() - 20);  // killed: goes on
  EXPECT_EQ(call(sweep).code, 0);
}

TEST(Hostile, DeepAndHugeJsonIsRefused) {
  const ScratchFolder folder;
  const std::string path = folder / "run.json";
  std::ofstream(path) << std::string(1000000, '[');
  const Answer deep = call({"report", path});
  EXPECT_EQ(deep.code, 3);
  EXPECT_TRUE(has(deep.err, "nested more than")) << deep.err;
  std::ofstream(path) << "{\"version\":1,\n \"t\":1e400}";
  const Answer huge = call({"report", path});
  EXPECT_EQ(huge.code, 3);
  EXPECT_TRUE(has(huge.err, "line 2, column 6")) << huge.err;
  EXPECT_EQ(call({"report", folder.path().string()}).code, 3);
}

}  // namespace
}  // namespace daedalus::cli::hostile_test
