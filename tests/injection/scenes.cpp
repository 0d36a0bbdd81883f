// SPDX-License-Identifier: BSD-3-Clause
#include "injection/scenes.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <daedalus/fit.hpp>
#ifdef DAEDALUS_TEST_HAS_HDF5
#include <daedalus/hdf5.hpp>
#endif

#include "tool/tool.hpp"

namespace daedalus::cli::injection_test {

std::vector<std::string> in(const std::string& folder, std::vector<std::string> words) {
  for (std::string& word : words)
    if (word.starts_with("@")) word = folder + "/" + word.substr(1);
  return words;
}

Outcome tried(const std::vector<std::string>& words, faults::Kind kind, long n, bool lasting) {
  struct Shared {
    long calls;
    char err[1000], out[1 << 16];
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
    out.str().copy(shared->out, sizeof shared->out - 1);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome{WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                  WIFEXITED(status) ? WEXITSTATUS(status) : -1, shared->calls, shared->out,
                  shared->err};
  munmap(shared, sizeof(Shared));
  return outcome;
}

namespace {

namespace fs = std::filesystem;

void need(const std::string& folder, const std::vector<std::string>& words, int code = 0) {
  const Outcome outcome = tried(in(folder, words), faults::Kind::none, 0, false);
  ASSERT_EQ(outcome.code, code) << outcome.err;
}

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
void nothing(const std::string&) {}

// A method with many steps: some are left where a run is cut off.
const std::vector<std::string> solve{"solve",   "pendulum", "--t-end",     "0.3",
                                     "--quiet", "--method", "adams-index2"};
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
                  "columns.csv"});
  list.push_back({"eigen page",
                  nothing,
                  {"eigen", std::string(DAEDALUS_SOURCE_DIR) + "/tests/mechanism/files/cart.json",
                   "--at", "equilibrium", "--report", "@mode.html"},
                  "mode.html"});
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

// Commands that print: on success what they always print.
void add_printed(std::vector<Scene>& list) {
  const std::string source = DAEDALUS_SOURCE_DIR "/";
  const std::string circuit = source + "tests/circuit/spec/halfwave.cir",
                    modelica = source + "tests/modelica/textbook/EvtChain.mo",
                    arm = source + "tests/mechanism/files/cart.json",
                    clocked = source + "examples/models/sampled-controller.json";
  const std::vector<std::vector<std::string>> commands{
      {"check", "pendulum"},
      {"check", "andrews"},
      {"check", circuit},
      {"check", clocked},
      {"eigen", "transistor-amplifier"},
      {"explain", "pendulum"},
      {"order", "jay", "--method", "radau5", "--h", "0.1,0.05"},
      {"sensitivity", "robertson", "--parameters", "k1", "--t-end", "1"},
      {"flatten", modelica},
      {"solve", modelica, "--t-end", "1"},
      {"solve", circuit, "--t-end", "1e-3"},
      {"solve", clocked, "--t-end", "0.1"},
      {"solve", arm, "--t-end", "0.1"},
      {"show", "rodas4"},
      {"list", "problems"}};
  for (std::vector<std::string> command : commands) {
    const std::string name =
        command[0] + " " + fs::path(command[1]).filename().string() + " printed";
    command.emplace_back("--json");
    list.push_back({name, nothing, std::move(command), ""});
  }
}

}  // namespace

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
  add_printed(list);
  return list;
}

}  // namespace daedalus::cli::injection_test
