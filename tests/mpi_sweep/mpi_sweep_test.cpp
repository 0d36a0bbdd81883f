// SPDX-License-Identifier: BSD-3-Clause
// `mpirun -n P daedalus sweep`: the same bits on any number of ranks, one message whatever fails,
// no hang, and a journal that goes on after a rank was lost.
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch_folder.hpp"

namespace daedalus::mpi_sweep_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Answer {
  int code = -1;
  std::string text;  // both streams
  double seconds = 0.0;
};

Answer shell(const std::string& command) {
  const auto begin = std::chrono::steady_clock::now();
  Answer answer;
  std::FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return answer;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    answer.text.append(buffer, n);
  const int status = pclose(pipe);
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// Two cores that others use as well: without binding, and yielding where a rank waits.
constexpr const char* shared_cores =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none "
    "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1 "
    "OPENBLAS_NUM_THREADS=1; ";

class MpiSweep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shell("command -v mpirun").code != 0) GTEST_SKIP() << "mpirun (openmpi-bin) is missing";
    const std::filesystem::path tool = DAEDALUS_TOOL;
    if (!std::filesystem::exists(tool.parent_path() / "libdaedalus_distributed.so"))
      GTEST_SKIP() << "the tool was built without MPI (libopenmpi-dev)";
  }
  // Open MPI makes one folder for all jobs of a user and removes it after the last one: tests that
  // run at the same time would take it from each other.
  std::string mpi_settings() const {
    return shared_cores + ("export OMPI_MCA_orte_tmpdir_base=" + folder.path().string() + "; ");
  }
  // What hangs is killed, and fails with code 124 or 137.
  Answer mpirun(int ranks, const std::string& words, const std::string& limit = "60") const {
    return shell(mpi_settings() + "timeout -k 1 " + limit + " mpirun -n " + std::to_string(ranks) +
                 " " + words);
  }
  Answer sweep(int ranks, const std::string& words) const {
    return mpirun(ranks, std::string(DAEDALUS_TOOL) + " sweep " + words);
  }
  const ScratchFolder folder;
};

const std::string grid = "pendulum --set length=0.5:2:60 --set mass=1,2 --t-end 1 ";
// Long enough to be hit in the middle: two seconds and more, and too few runs for lanes.
const std::string long_grid = "pendulum --set length=0.5:2:300 --t-end 100 ";

TEST_F(MpiSweep, TheNumberOfRanksAndThreadsChangesNoBit) {
  ASSERT_EQ(
      shell(DAEDALUS_TOOL " sweep " + grid + "--quiet --threads 1 --out " + (folder / "one.csv"))
          .code,
      0);
  const std::string one = contents(folder / "one.csv");
  ASSERT_EQ(count(one, "success"), 120);
  for (const int ranks : {1, 2, 3}) {
    const std::string file = folder / ("ranks" + std::to_string(ranks) + ".csv");
    const Answer answer = sweep(ranks, grid + "--quiet --out " + file);
    ASSERT_EQ(answer.code, 0) << answer.text;
    EXPECT_EQ(contents(file), one) << ranks << " ranks";
  }
  ASSERT_EQ(sweep(2, grid + "--quiet --threads 2 --out " + (folder / "t.csv")).code, 0);
  EXPECT_EQ(contents(folder / "t.csv"), one);
}

TEST_F(MpiSweep, MoreRanksThanRuns) {
  const Answer answer = sweep(3, "pendulum --set length=1,2 --t-end 0.1");
  EXPECT_EQ(answer.code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("2 of 2 runs finished, 0 failed, 3 threads"));
  EXPECT_EQ(count(answer.text, "runs finished"), 1) << "one rank speaks";
}

TEST_F(MpiSweep, SolveIsRefusedOnce) {
  const Answer answer = mpirun(4, std::string(DAEDALUS_TOOL) + " solve pendulum");
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(count(answer.text,
                  "4 ranks were started, and 'solve' runs on one: add --distributed (for problems "
                  "that can be cut: pde-1d, pde-2d, ...), or use 'sweep' for many runs"),
            1)
      << answer.text;
  // One rank is a plain run.
  EXPECT_EQ(mpirun(1, std::string(DAEDALUS_TOOL) + " solve pendulum --t-end 0.1").code, 0);
}

TEST_F(MpiSweep, WhatIsWrongOnAllRanksIsSaidOnce) {
  const Answer shard = sweep(3, grid + "--shard 1/2");
  EXPECT_EQ(shard.code, 2);
  EXPECT_EQ(count(shard.text, "daedalus: choose one: --shard or mpirun"), 1) << shard.text;
  const Answer name = sweep(3, "pendulum --set lenght=1,2");
  EXPECT_EQ(name.code, 2);
  EXPECT_EQ(count(name.text, "did you mean length"), 1) << name.text;
}

TEST_F(MpiSweep, WhatRankZeroCannotWriteEndsAll) {
  const Answer answer = sweep(3, grid + "--journal " + (folder / "nowhere/j.jsonl"));
  EXPECT_EQ(answer.code, 3);
  EXPECT_EQ(count(answer.text, "cannot be written"), 1) << answer.text;
  EXPECT_THAT(answer.text, Not(HasSubstr("MPI_ABORT")));
  EXPECT_LT(answer.seconds, 20.0);
}

TEST_F(MpiSweep, ARankThatFailsAloneEndsAllWithOneMessage) {
  const std::string model = std::string(DAEDALUS_SOURCE_DIR) + "/examples/models/pendulum.json";
  std::filesystem::copy_file(model, folder / "model.json");
  // Ranks 1 and 2 do not see the file: their folder is not shared.
  std::ofstream(folder / "start.sh")
      << "test $OMPI_COMM_WORLD_RANK = 0 || cd /\n"
         "exec " DAEDALUS_TOOL " sweep model.json --set length=1:2:50 --t-end 1\n";
  const Answer answer = mpirun(3, "sh -c 'cd " + (folder / "") + "; . ./start.sh'");
  EXPECT_NE(answer.code, 0);
  EXPECT_NE(answer.code, 124) << "it hung";
  EXPECT_EQ(count(answer.text, "daedalus: "), 1) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("daedalus: rank 1 of 3: "));
  EXPECT_LT(answer.seconds, 30.0);
}

// Starts the tool; rank `rank` is killed when the journal has five lines.
std::string killing_script(const std::string& journal, int rank, const std::string& sweep) {
  return "if test $OMPI_COMM_WORLD_RANK = " + std::to_string(rank) +
         "; then\n  me=$$\n  ( for i in $(seq 2000); do\n"
         "      test $(cat " +
         journal +
         " 2>/dev/null | wc -l) -ge 5 && break; sleep 0.01; done\n"
         "    kill -9 $me ) &\nfi\nexec " DAEDALUS_TOOL " sweep " +
         sweep + "\n";
}

TEST_F(MpiSweep, ALostRankEndsTheJobAndTheSameCommandGoesOn) {
  ASSERT_EQ(
      shell(DAEDALUS_TOOL " sweep " + long_grid + "--quiet --out " + (folder / "one.csv")).code, 0);
  for (const int rank : {0, 1}) {
    const std::string journal = folder / ("j" + std::to_string(rank) + ".jsonl"),
                      table = folder / ("t" + std::to_string(rank) + ".csv"),
                      words = long_grid + "--journal " + journal + " --out " + table;
    std::ofstream(folder / "kill.sh") << killing_script(journal, rank, words);
    const Answer killed = mpirun(2, "sh " + (folder / "kill.sh"));
    EXPECT_NE(killed.code, 0);
    EXPECT_NE(killed.code, 124) << "it hung";
    EXPECT_FALSE(std::filesystem::exists(table));
    const int kept = count(contents(journal), "\n") - 1;
    EXPECT_GE(kept, 4);
    EXPECT_LT(kept, 300);
    const Answer again = sweep(2, words);
    ASSERT_EQ(again.code, 0) << again.text;
    EXPECT_THAT(again.text, HasSubstr(" of them were in the journal"));
    EXPECT_EQ(contents(table), contents(folder / "one.csv"));
    EXPECT_EQ(count(contents(journal), "\n"), 301) << "no run twice";
  }
}

TEST_F(MpiSweep, SignalsOfBatchSystemsEndInOrder) {
  for (const char* signal : {"TERM", "USR1"}) {
    const std::string journal = folder / (std::string(signal) + ".jsonl");
    // More than any machine finishes while Open MPI waits before it passes SIGTERM on; lanes would
    // be fifty times as fast.
    const std::string words =
        "pendulum --set length=0.5:2:400000 --t-end 10 --engine threads --quiet --journal " +
        journal;
    std::ofstream(folder / "signal.sh")
        << "mpirun --mca odls_base_sigkill_timeout 2 -n 2 " DAEDALUS_TOOL " sweep " << words
        << " &\nme=$!\nfor i in $(seq 2000); do test $(cat " << journal
        << " 2>/dev/null | wc -l) -ge 5 && break; sleep 0.01; done\nkill -" << signal
        << " $me\nwait $me\n";
    const Answer stopped = shell(mpi_settings() + "timeout -k 1 60 sh " + (folder / "signal.sh"));
    EXPECT_EQ(stopped.code, 1) << stopped.text;
    EXPECT_EQ(count(stopped.text, "runs; the same command goes on"), 1) << signal << stopped.text;
    const int kept = count(contents(journal), "\n") - 1;
    EXPECT_GE(kept, 4);
    EXPECT_LT(kept, 400000);
  }
}

// The job files of the documents, with the variables that batch systems set.
TEST_F(MpiSweep, JobFilesRun) {
  const std::string jobs = std::string(DAEDALUS_SOURCE_DIR) + "/examples/jobs/";
  const auto job = [&](const std::string& variables, const std::string& name) {
    return shell(mpi_settings() + "cd " + (folder / "") + " && DAEDALUS=" DAEDALUS_TOOL " " +
                 variables + " timeout -k 1 60 bash " + jobs + name);
  };
  const Answer array =
      job("SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=1024 SWEEP_JOURNAL=a",
          "slurm-array.sh");
  EXPECT_EQ(array.code, 0) << array.text;
  EXPECT_EQ(count(contents(folder / "a.d/shard-005-of-1024.jsonl"), "\n"), 5) << "4 of 4096 runs";
  const Answer pbs =
      job("PBS_ARRAY_INDEX=7 DAEDALUS_SHARDS=1024 PBS_O_WORKDIR=. SWEEP_JOURNAL=p", "pbs-array.sh");
  EXPECT_EQ(pbs.code, 0) << pbs.text;
  EXPECT_EQ(count(contents(folder / "p.d/shard-007-of-1024.jsonl"), "\n"), 5);
  const Answer plain =
      job("DAEDALUS_SHARDS=3 SWEEP_RUNS=6 SWEEP_JOURNAL=s SWEEP_OUT=s.csv", "shell.sh");
  EXPECT_EQ(plain.code, 0) << plain.text;
  EXPECT_EQ(count(contents(folder / "s.csv"), "success"), 6);
  const Answer mpi =
      job("LAUNCHER='mpirun -n 2' SWEEP_RUNS=6 SWEEP_JOURNAL=m SWEEP_OUT=m.csv", "slurm-mpi.sh");
  EXPECT_EQ(mpi.code, 0) << mpi.text;
  EXPECT_EQ(contents(folder / "m.csv"), contents(folder / "s.csv"));
}

TEST_F(MpiSweep, PlainDaedalusLoadsNoMpi) {
  EXPECT_THAT(shell("ldd " DAEDALUS_TOOL).text, Not(HasSubstr("libmpi")));
  EXPECT_THAT(
      shell("LD_DEBUG=files " DAEDALUS_TOOL " sweep pendulum --set length=1,2 --t-end 0.1").text,
      Not(HasSubstr("libmpi")));
}

}  // namespace
}  // namespace daedalus::mpi_sweep_test
