// SPDX-License-Identifier: BSD-3-Clause
// Every allocation and every call that reads or writes fails once in turn, in all commands that
// write files: no crash, an exit code that tells the truth, no finished result lost, and the
// next run without faults gives what it would have given.
#include <map>

#include <fmt/format.h>

#include <daedalus/ensemble.hpp>
#include <daedalus/trajectory_file.hpp>

#include "injection/faults.hpp"
#include "injection/scenes.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::injection_test {
namespace {

namespace fs = std::filesystem;
using faults::Kind;

// Files of a folder with what is in them.
using Files = std::map<std::string, std::string>;
Files files_of(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = contents(entry.path().string());
  return files;
}
void restore(const fs::path& folder, const Files& files) {
  for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
  for (const auto& [name, bytes] : files) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
}

// Runs take different times, and a journal spares some of a fit: what a report says of that is no
// result.
std::string without_times(std::string text) {
  for (const std::string key : {"\"seconds\":", "\"known_evaluations\":"})
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos; ++at)
      text.erase(at + key.size(), text.find_first_of(",}", at) - at - key.size());
  return text;
}

std::string result_of(const Scene& scene, const ScratchFolder& folder, const Outcome& outcome) {
  return without_times(scene.result.empty() ? outcome.out : contents(folder / scene.result));
}

// The table, apart from rows that say of themselves that there was no memory.
bool good_rows(const std::string& table, const std::string& expected) {
  std::istringstream here(table), there(expected);
  std::string a, b;
  while (std::getline(there, b))
    if (!std::getline(here, a) ||
        (a != b && a.find(std::string(",") + out_of_memory + ",") == std::string::npos))
      return false;
  return !std::getline(here, a);
}

class Injection {
 public:
  explicit Injection(Scene scene) : scene_(std::move(scene)) {
    const std::string path = folder_.path().string();
    scene_.prepare(path);
    before_ = files_of(path);
    for (const Kind kind : {Kind::memory, Kind::files}) {
      restore(path, before_);
      const Outcome plain = tried(in(path, scene_.command), kind, 0, false);
      EXPECT_EQ(plain.code, 0) << scene_.name << plain.err;
      calls_[kind] = plain.calls;
      expected_ = result_of(scene_, folder_, plain);
      EXPECT_FALSE(expected_.empty()) << scene_.name;
      if (is_run()) whole_ = read_trajectory(folder_ / scene_.result);
    }
  }
  long calls(Kind kind) const { return calls_.at(kind); }
  const std::string& name() const { return scene_.name; }
  bool prints() const { return scene_.result.empty(); }

  void one(Kind kind, long n, bool lasting = false) const {
    const std::string path = folder_.path().string();
    restore(path, before_);
    const Outcome outcome = tried(in(path, scene_.command), kind, n, lasting);
    const std::string where =
        fmt::format("{}, {} {} of {}", scene_.name, kind == Kind::memory ? "allocation" : "call", n,
                    calls_.at(kind));
    ASSERT_EQ(outcome.signal, 0) << where << ": it crashed or hung";
    ASSERT_TRUE(outcome.code == 0 || outcome.code == 1 || outcome.code == 3)
        << where << ": code " << outcome.code;
    // Whole or not there, whatever the code; and there if the code says so.
    const bool there =
        scene_.result.empty() ? outcome.code == 0 : fs::exists(folder_ / scene_.result);
    ASSERT_TRUE(there || outcome.code != 0) << where << ": success without a result";
    if (there) {
      const std::string result = result_of(scene_, folder_, outcome);
      if (result == expected_) return;
      // A run that failed keeps the states it had; they are those of the whole run.
      if (scene_.result == "run.h5" && outcome.code == 0) {
        ASSERT_TRUE(same(folder_ / scene_.result)) << where << ": another result";
        return;
      }
      if (is_run() && outcome.code == 1)
        ASSERT_TRUE(begins(folder_ / scene_.result)) << where;
      else
        ASSERT_TRUE(scene_.rows && good_rows(result, expected_))
            << where << ", code " << outcome.code << ": another result\n"
            << result.substr(0, 2000);
    }
    // What the failed run left does not stand in the way of the next, and what it had finished is
    // still good. Where it left nothing, the next run is the first one again.
    if (files_of(path) == before_) return;
    const Outcome next = tried(in(path, scene_.command), Kind::none, 0, false);
    ASSERT_EQ(next.code, 0) << where << ", the next run: " << next.err;
    ASSERT_TRUE(result_of(scene_, folder_, next) == expected_) << where << ", next run";
  }

 private:
  bool is_run() const { return scene_.name.starts_with("solve") && !scene_.result.empty(); }
  // Where a call failed that it could repeat, libhdf5 lays the same contents out in another way.
  bool same(const std::string& path) const {
    const FileTrajectory read = read_trajectory(path);
    return read.names == whole_.names && read.t == whole_.t && read.y == whole_.y &&
           read.run == whole_.run;
  }
  bool begins(const std::string& path) const {
    const FileTrajectory part = read_trajectory(path);
    return part.names == whole_.names && part.t.size() <= whole_.t.size() &&
           std::equal(part.t.begin(), part.t.end(), whole_.t.begin()) &&
           std::equal(part.y.begin(), part.y.end(), whole_.y.begin());
  }

  Scene scene_;
  ScratchFolder folder_;
  Files before_;
  std::map<Kind, long> calls_;
  std::string expected_;
  FileTrajectory whole_{};
};

// Where the slow tests begin, to look at one failure: DAEDALUS_INJECTION_FROM.
long begins_at() {
  const char* from = std::getenv("DAEDALUS_INJECTION_FROM");
  return from ? std::max(1L, std::atol(from)) : 1;
}

// `most` of the calls, the first and the last among them, spread evenly.
void spread(const Injection& injection, Kind kind, long most) {
  const long all = injection.calls(kind);
  if (all == 0 && injection.prints()) return;  // it reads no files
  ASSERT_GT(all, 0);
  const long step = std::max(1L, all / most);
  long tries = 0;
  for (long n = begins_at(); n <= all && !testing::Test::HasFatalFailure(); n += step, ++tries)
    injection.one(kind, n);
  injection.one(kind, all);
  std::printf("%s: %ld of %ld %s failed\n", injection.name().c_str(), tries, all,
              kind == Kind::memory ? "allocations" : "calls");
}

// DAEDALUS_INJECTIONS says how many of each command the slow tests take; all of them otherwise.
long asked_for() {
  const char* count = std::getenv("DAEDALUS_INJECTIONS");
  return count ? std::max(1L, std::atol(count)) : std::numeric_limits<long>::max();
}

TEST(Injection, CallsThatReadOrWriteFailOnce) {
  for (const Scene& scene : scenes()) spread(Injection(scene), Kind::files, 12);
}

TEST(SlowInjection, EveryCallThatReadsOrWritesFailsOnce) {
  for (const Scene& scene : scenes()) spread(Injection(scene), Kind::files, asked_for());
}

TEST(Injection, DisksStayFull) {
  for (const Scene& scene : scenes()) {
    const Injection injection(scene);
    const long all = injection.calls(Kind::files);
    for (long n = 1; n <= all; n += std::max(1L, all / 4)) injection.one(Kind::files, n, true);
  }
}

TEST(Injection, AllocationsFailOnce) {
  for (const Scene& scene : scenes()) spread(Injection(scene), Kind::memory, 20);
}

// Hours on one core for all commands: DAEDALUS_INJECTION_SCENE takes one of them.
TEST(SlowInjection, EveryAllocationFailsOnce) {
  const char* one = std::getenv("DAEDALUS_INJECTION_SCENE");
  for (const Scene& scene : scenes())
    if (!one || scene.name == one) spread(Injection(scene), Kind::memory, asked_for());
}

TEST(Injection, MemoryStaysShort) {
  for (const Scene& scene : scenes()) {
    const Injection injection(scene);
    const long all = injection.calls(Kind::memory);
    for (long n = 1; n <= all; n += std::max(1L, all / 8)) injection.one(Kind::memory, n, true);
  }
}

}  // namespace
}  // namespace daedalus::cli::injection_test
