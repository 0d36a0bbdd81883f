// SPDX-License-Identifier: BSD-3-Clause
// Places that are no files, disks that are full, streams that are closed: results go where they
// belong or nowhere, and nothing that was there is lost.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <daedalus/trajectory_file.hpp>

#include "fuzz/repair.hpp"
#include "tool/plot.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::hostile_places_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> with(const std::vector<std::string>& a,
                              const std::vector<std::string>& b) {
  std::vector<std::string> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// With a method of short steps, so that there is something to write.
const std::vector<std::string> solve{"solve", "pendulum", "--method", "adams-index2", "--rtol",
                                     "1e-7",  "--t-end",  "0.3",      "--quiet"};

// Every way to name a file that is written, and the ending it wants.
struct Output {
  std::vector<std::string> words;  // the name follows
  std::string ending;
};
std::vector<Output> outputs() {
  const std::vector<std::string> sweep{
      "sweep", "pendulum", "--set", "length=1:2:40", "--t-end", "0.1", "--quiet", "--threads", "1"};
  const std::vector<std::string> longer{"solve", "pendulum", "--t-end", "10", "--quiet"};
  std::vector<Output> list;
  for (const char* ending : {".csv", ".json", ".npz", ".raw"})
    list.push_back({with(longer, {"--out"}), ending});
#ifdef DAEDALUS_TEST_HAS_HDF5
  list.push_back({with(longer, {"--out"}), ".h5"});
#endif
  list.push_back({with(longer, {"--report"}), ".html"});
  if (!find_gnuplot().empty()) list.push_back({with(longer, {"--plot"}), ".svg"});
  list.push_back({with(sweep, {"--out"}), ".csv"});
  list.push_back({with(sweep, {"--journal"}), ".jsonl"});
  return list;
}

TEST(HostilePlaces, PipesAndDevicesAreNotReplaced) {
  for (const Output& output : outputs()) {
    const ScratchFolder folder;
    const std::string pipe = folder / ("pipe" + output.ending),
                      link = folder / ("link" + output.ending);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink("/dev/null", link);
    for (const std::string& place : {pipe, link}) {
      const Answer answer = call(with(output.words, {place}));
      EXPECT_EQ(answer.code, 3) << place << answer.err;
      EXPECT_TRUE(has(answer.err, "a device or a pipe")) << answer.err;
    }
    EXPECT_TRUE(fs::is_fifo(pipe) && fs::is_symlink(link)) << output.ending;
    EXPECT_EQ(folder.files(), 2u);
  }
}

TEST(HostilePlaces, DevicesAreNotRead) {
  const ScratchFolder folder;
  for (const char* ending : {".csv", ".json", ".npz", ".raw", ".check"}) {
    const std::string link = folder / (std::string("zero") + ending);
    fs::create_symlink("/dev/zero", link);
    std::vector<std::vector<std::string>> all{{"convert", link, folder / "copy.csv"}};
    if (std::string(ending) == ".json")
      all = {{"report", link}, {"solve", link}, {"check", link}, {"check-table", link}};
    if (std::string(ending) == ".check") all = {with(solve, {"--resume", link})};
    for (const std::vector<std::string>& words : all) {
      const Answer answer = call(words);
      EXPECT_EQ(answer.code, 3) << words[0] << ending << answer.err;
      EXPECT_TRUE(has(answer.err, "device")) << words[0] << ending << answer.err;
    }
  }
}

TEST(HostilePlaces, LinksAreReplacedNotFollowed) {
  const ScratchFolder folder;
  std::ofstream(folder / "victim") << "precious";
  fs::create_symlink(folder / "victim", folder / "run.csv");
  fs::create_symlink(folder / "nowhere/x", folder / "run.json");
  EXPECT_EQ(call(with(solve, {"--out", folder / "run.csv"})).code, 0);
  EXPECT_EQ(call(with(solve, {"--out", folder / "run.json"})).code, 0);
  EXPECT_EQ(contents(folder / "victim"), "precious");
  EXPECT_TRUE(fs::symlink_status(folder / "run.csv").type() == fs::file_type::regular);
  EXPECT_GT(read_trajectory(folder / "run.json").t.size(), 5u);
}

// The tool in a process whose files cannot grow beyond some bytes: a disk that is full.
int with_little_room(const std::vector<std::string>& words, rlim_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit room{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &room);
    alarm(60);
    const Answer answer = call(words);
    // Why a file could not be written is said.
    _exit(answer.err.ends_with("could not be written\n") ? 77 : answer.code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(HostilePlaces, WithoutRoomNothingIsLostAndNothingIsHalf) {
  std::vector<Output> list = outputs();
  list.push_back({{"solve", "pendulum", "--t-end", "10", "--quiet", "--trace"}, ".trace"});
  for (const Output& output : list) {
    const ScratchFolder folder;
    const std::string place = folder / ("run" + output.ending);
    EXPECT_EQ(with_little_room(with(output.words, {place}), 3000), 3) << output.ending;
    // A journal holds whole lines, and the next sweep goes on from there.
    EXPECT_EQ(fs::exists(place), output.ending == ".jsonl") << output.ending;
    EXPECT_LE(folder.files(), 1u) << output.ending;
    EXPECT_EQ(call(with(output.words, {place})).code, 0) << output.ending;
    if (output.ending == ".jsonl") continue;
    const std::string good = contents(place);
    EXPECT_EQ(with_little_room(with(output.words, {place}), 3000), 3) << output.ending;
    EXPECT_TRUE(contents(place) == good) << output.ending << ": a good file was lost";
  }
}

// Room for the states, not for the file of them: nothing that was computed is lost.
TEST(HostilePlaces, StatesOfAFinishedRunAreKept) {
  const ScratchFolder folder;
  const std::string path = folder / "run.csv";
  EXPECT_EQ(call(with(solve, {"--out", folder / "whole.csv"})).code, 0);
  ASSERT_GT(contents(folder / "whole.csv").size(), 3000u);
  EXPECT_EQ(with_little_room(with(solve, {"--out", path}), 2500), 3);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(call({"recover", path, "--out", path}).code, 0);
  EXPECT_TRUE(contents(path) == contents(folder / "whole.csv"));
  EXPECT_EQ(folder.files(), 2u);
}

TEST(HostilePlaces, ClosedStreamsTakeNoResults) {
  const ScratchFolder folder;
  const auto shell = [&](const std::string& rest) {
    const int status = std::system((std::string(DAEDALUS_TOOL) + " " + rest).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const std::string run = "solve pendulum --t-end 0.3 --out '";
  EXPECT_EQ(shell(run + folder / "open.csv" + "' >/dev/null 2>&1"), 0);
  // What was to be printed could not be; what was to be written is there.
  EXPECT_EQ(shell(run + folder / "shut.csv" + "' <&- >&- 2>&-"), 3);
  EXPECT_EQ(shell(run + folder / "mute.csv" + "' --quiet <&- >&- 2>&-"), 0);
  for (const char* name : {"shut.csv", "mute.csv"})
    EXPECT_TRUE(contents(folder / name) == contents(folder / "open.csv")) << name;
  for (const char* words : {"--version", "--help", "list", "solve pendulum --t-end 0.3"})
    EXPECT_EQ(shell(std::string(words) + " >/dev/full 2>/dev/null"), 3) << words;
}

TEST(HostilePlaces, WithoutATemporaryFolderTheResultsStay) {
  if (find_gnuplot().empty()) GTEST_SKIP() << "gnuplot is not installed";
  const ScratchFolder folder;
  const char* const given = getenv("TMPDIR");
  const std::string before = given ? given : "";
  setenv("TMPDIR", (folder / "none").c_str(), 1);
  const Answer answer = call(
      {"solve", "pendulum", "--json", "--plot", folder / "run.svg", "--out", folder / "run.csv"});
  given ? setenv("TMPDIR", before.c_str(), 1) : unsetenv("TMPDIR");
  EXPECT_EQ(answer.code, 3);
  EXPECT_EQ(answer.json().at("status"), "success");
  EXPECT_GT(read_trajectory(folder / "run.csv").t.size(), 5u);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(HostilePlaces, NumbersOfRawFilesAreInRange) {
  const ScratchFolder folder;
  const std::string path = folder / "run.raw";
  std::ofstream(path) << "Title: t\nPlotname: Transient Analysis\nFlags: real\nNo. Variables: 2\n"
                         "No. Points: 1\nVariables:\n\t0\ttime\ttime\n\t1\tx\tnotype\nValues:\n"
                         " 0\t0\n\t1e400\n";
  const Answer answer = call({"convert", path, folder / "run.csv"});
  EXPECT_EQ(answer.code, 3);
  EXPECT_TRUE(has(answer.err, "out of range")) << answer.err;
}

TEST(HostilePlaces, ArraysStandOnceInAnArchive) {
  const ScratchFolder folder;
  const std::string path = folder / "run.npz";
  ASSERT_EQ(call(with(solve, {"--out", path})).code, 0);
  std::string twice = contents(path);
  const std::size_t end = twice.find(std::string("PK\x01\x02", 4));
  ASSERT_NE(end, std::string::npos);
  twice.insert(0, twice.substr(0, end));
  std::ofstream(path, std::ios::binary) << twice;
  const Answer answer = call({"convert", path, folder / "run.csv"});
  EXPECT_EQ(answer.code, 3);
  EXPECT_TRUE(has(answer.err, "twice")) << answer.err;
}

#ifdef DAEDALUS_TEST_HAS_HDF5
// With one bit changed a file is refused; with its hash made right again libhdf5 sees it, in a
// process of its own, and whatever that does is a refusal or a trajectory here.
void every_bit(std::size_t step) {
  const ScratchFolder folder;
  const std::string path = folder / "run.h5";
  ASSERT_EQ(
      call({"solve", "pendulum", "--t-end", "0.1", "--points", "3", "--quiet", "--out", path}).code,
      0);
  const std::string good = contents(path);
  const auto read = [&](const std::string& bytes, std::string& why) {
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      read_trajectory(path);
      return true;
    } catch (const FileError& error) {
      why = error.what();
      return false;
    }
  };
  long tries = 0, accepted = 0, crashes = 0, read_on = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += step, ++tries) {
    std::string bytes = good, why;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    accepted += read(bytes, why);
    fuzz::repair_hdf5(bytes);
    read_on += read(bytes, why);
    crashes += has(why, "crashed");
  }
  EXPECT_EQ(accepted, 0);
  std::printf("%ld bits: %ld accepted; hash repaired: %ld read, %ld crashes of libhdf5\n", tries,
              accepted, read_on, crashes);
}

TEST(HostilePlaces, BitsOfAnHdf5File) { every_bit(509); }
TEST(SlowHostilePlaces, EveryBitOfAnHdf5File) { every_bit(1); }
#endif

}  // namespace
}  // namespace daedalus::cli::hostile_places_test
