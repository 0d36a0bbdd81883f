// SPDX-License-Identifier: BSD-3-Clause
// Every allocation and every call that reads or writes fails once in turn, in all commands that
// write files: no crash, an exit code that tells the truth, no finished result lost, and the
// next run without faults gives what it would have given.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>

#include <daedalus/ensemble.hpp>
#include <daedalus/fit.hpp>
#include <daedalus/trajectory_file.hpp>
#ifdef DAEDALUS_TEST_HAS_HDF5
#include <daedalus/hdf5.hpp>
#endif

#include "injection/faults.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::injection_test {
namespace {

namespace fs = std::filesystem;
using faults::Kind;

// What a command has to do, and what has to hold after it.
struct Scene {
  std::string name;
  std::function<void(const std::string& folder)> prepare;
  std::vector<std::string> command;  // names of files below the folder begin with @
  std::string result;                // the file it makes
  // Rows of runs that failed for want of memory may stand in the table of a sweep.
  bool rows = false;
  // Eigen 3.4 frees a matrix twice where it finds no memory to give it another size: in
  // decompositions with singular values, and columns of sensitivities.
  bool files_only = false;
};

std::vector<std::string> in(const std::string& folder, std::vector<std::string> words) {
  for (std::string& word : words)
    if (word.starts_with("@")) word = folder + "/" + word.substr(1);
  return words;
}

struct Outcome {
  int signal = 0;  // that ended it; SIGALRM: it hung
  int code = 0;
  long calls = 0;
  std::string err;
};

// Commands run in processes of their own, so that every one finds this program as it began: what is
// made once per process is made again, and may fail.
Outcome tried(const std::vector<std::string>& words, Kind kind, long n, bool lasting) {
  struct Shared {
    long calls;
    char err[1000];
  };
  auto* const shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::vector<const char*> argv{"daedalus"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    int code = 99;
    std::ostringstream out, err;
    faults::arm(kind, n, lasting);
    try {
      code = run(static_cast<int>(argv.size()), argv.data(), out, err);
    } catch (...) {  // the tool lets nothing out
      code = 98;
    }
    shared->calls = faults::disarm();
    err.str().copy(shared->err, sizeof shared->err - 1);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome{WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                  WIFEXITED(status) ? WEXITSTATUS(status) : -1, shared->calls, shared->err};
  munmap(shared, sizeof(Shared));
  return outcome;
}

void need(const std::string& folder, const std::vector<std::string>& words, int code = 0) {
  const Outcome outcome = tried(in(folder, words), Kind::none, 0, false);
  ASSERT_EQ(outcome.code, code) << outcome.err;
}

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

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
void nothing(const std::string&) {}

const std::vector<std::string> solve{"solve", "pendulum", "--t-end", "0.3", "--quiet"};
const std::vector<std::string> sweep{"sweep", "pendulum",  "--set", "length=1,2,3", "--t-end",
                                     "0.2",   "--threads", "1",     "--quiet"};

// Parts of sweeps, and what puts them together.
void add_parts(std::vector<Scene>& list) {
  const std::vector<std::string> journal = with(sweep, {"--journal", "@sweep.jsonl"});
  list.push_back({"shard", nothing, with(journal, {"--shard", "1/1", "--out", "@sweep.csv"}),
                  "sweep.csv", true});
  list.push_back(
      {"merge",
       [=](const std::string& f) {
         for (const char* part : {"1/2", "2/2"}) need(f, with(journal, {"--shard", part}));
       },
       {"sweep", "--merge", "--journal", "@sweep.jsonl", "--quiet", "--out", "@all.json"},
       "all.json"});
  list.push_back({"merge tables",
                  [=](const std::string& f) {
                    need(f, with(sweep, {"--shard", "1/2", "--out", "@a.csv"}));
                    need(f, with(sweep, {"--shard", "2/2", "--out", "@b.csv"}));
                  },
                  {"sweep", "--quiet", "--out", "@all.csv", "--merge", "@a.csv", "@b.csv"},
                  "all.csv"});
}

// Commands that came later.
void add_others(std::vector<Scene>& list) {
  if (can_fit())
    list.push_back({"fit",
                    [](const std::string& f) {
                      std::ofstream(f + "/m.json")
                          << R"({"daedalus": "model", "name": "m", "interval": [0, 2],)"
                          << R"( "parameters": {"k": 1}, "variables": {"x": 1},)"
                          << R"( "equations": ["der(x) = -k*x"]})";
                      std::ofstream(f + "/d.csv") << "t,x\n0.5,0.68\n1,0.45\n2,0.2\n";
                    },
                    {"fit", "@m.json", "--data", "@d.csv", "--free", "k=0.1..10@1", "--sigma",
                     "x=0.01", "--rtol", "1e-6", "--threads", "1", "--quiet", "--journal",
                     "@fit.jsonl", "--out", "@fit.json"},
                    "fit.json"});
  list.push_back({"sensitivity",
                  nothing,
                  {"sensitivity", "pendulum", "--parameters", "length", "--t-end", "0.2", "--out",
                   "@columns.csv"},
                  "columns.csv",
                  false,
                  true});
  list.push_back({"eigen page",
                  nothing,
                  {"eigen", std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/cart.json",
                   "--at", "equilibrium", "--report", "@mode.html"},
                  "mode.html",
                  false,
                  true});
  // What a run with checkpoints has left.
  list.push_back({"recover",
                  [=](const std::string& f) {
                    need(f,
                         with(solve, {"--out", "@run.csv", "--checkpoint", "@run.check",
                                      "--checkpoint-interval", "5steps", "--max-steps", "12"}),
                         1);
                  },
                  {"recover", "@run.csv", "--out", "@found.csv"},
                  "found.csv"});
}

std::vector<Scene> scenes() {
  std::vector<Scene> list;
  std::vector<std::string> endings{"csv", "json", "npz", "raw"};
#ifdef DAEDALUS_TEST_HAS_HDF5
  endings.emplace_back("h5");
  enable_hdf5();  // to look at what was written
#endif
  for (const std::string& ending : endings)
    list.push_back(
        {"solve to " + ending, nothing, with(solve, {"--out", "@run." + ending}), "run." + ending});
  list.push_back({"sweep", nothing,
                  with(sweep, {"--journal", "@sweep.jsonl", "--out", "@sweep.csv"}), "sweep.csv",
                  true});
  list.push_back({"solve a model",
                  nothing,
                  {"solve", std::string(DAEDALUS_SOURCE_DIR) + "/examples/models/pendulum.json",
                   "--t-end", "0.3", "--quiet", "--out", "@run.csv"},
                  "run.csv"});
  list.push_back({"report",
                  [=](const std::string& f) {
                    need(f, with(solve, {"--out", "@run.json"}));
                  },
                  {"report", "@run.json"},
                  "run.html"});
  list.push_back({"convert",
                  [=](const std::string& f) {
                    need(f, with(solve, {"--out", "@run.npz"}));
                  },
                  {"convert", "@run.npz", "@copy.csv"},
                  "copy.csv"});
#ifdef DAEDALUS_TEST_HAS_HDF5
  list.push_back({"convert from HDF5",
                  [=](const std::string& f) {
                    need(f, with(solve, {"--out", "@run.h5"}));
                  },
                  {"convert", "@run.h5", "@copy.csv"},
                  "copy.csv"});
#endif
  list.push_back({"resume",
                  [=](const std::string& f) {
                    need(f,
                         with(solve, {"--out", "@run.csv", "--checkpoint", "@run.check",
                                      "--checkpoint-interval", "5steps", "--max-steps", "12"}),
                         1);
                  },
                  with(solve, {"--out", "@run.csv", "--resume", "@run.check",
                               "--checkpoint-interval", "7steps", "--max-steps", "1000"}),
                  "run.csv"});
  add_parts(list);
  add_others(list);
  return list;
}

// Runs take different times, and a journal spares some of a fit: what a report says of that is no
// result.
std::string result_of(const Scene& scene, const ScratchFolder& folder) {
  std::string text = contents(folder / scene.result);
  for (const std::string key : {"\"seconds\":", "\"known_evaluations\":"})
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos; ++at)
      text.erase(at + key.size(), text.find_first_of(",}", at) - at - key.size());
  return text;
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
      expected_ = result_of(scene_, folder_);
      if (scene_.name.starts_with("solve")) whole_ = read_trajectory(folder_ / scene_.result);
    }
  }
  long calls(Kind kind) const { return calls_.at(kind); }
  const std::string& name() const { return scene_.name; }
  bool files_only() const { return scene_.files_only; }

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
    const bool there = fs::exists(folder_ / scene_.result);
    ASSERT_TRUE(there || outcome.code != 0) << where << ": success without a result";
    if (there) {
      const std::string result = result_of(scene_, folder_);
      if (result == expected_) return;
      // A run that failed keeps the states it had; they are those of the whole run.
      if (scene_.result == "run.h5" && outcome.code == 0) {
        ASSERT_TRUE(same(folder_ / scene_.result)) << where << ": another result";
        return;
      }
      if (scene_.name.starts_with("solve") && outcome.code == 1)
        ASSERT_TRUE(begins(folder_ / scene_.result)) << where;
      else
        ASSERT_TRUE(scene_.rows && good_rows(result, expected_))
            << where << ", code " << outcome.code << ": another result\n"
            << (scene_.rows ? result : "");
    }
    // What the failed run left does not stand in the way of the next, and what it had finished is
    // still good. Where it left nothing, the next run is the first one again.
    if (files_of(path) == before_) return;
    const Outcome next = tried(in(path, scene_.command), Kind::none, 0, false);
    ASSERT_EQ(next.code, 0) << where << ", the next run: " << next.err;
    ASSERT_TRUE(result_of(scene_, folder_) == expected_) << where << ", next run";
  }

 private:
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
  ASSERT_GT(all, 0);
  if (kind == Kind::memory && injection.files_only()) return;
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
    const long all = injection.files_only() ? 0 : injection.calls(Kind::memory);
    for (long n = 1; n <= all; n += std::max(1L, all / 8)) injection.one(Kind::memory, n, true);
  }
}

}  // namespace
}  // namespace daedalus::cli::injection_test
