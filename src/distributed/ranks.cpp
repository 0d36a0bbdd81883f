// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <daedalus/distributed.hpp>

#include "distributed/run.hpp"
#include "distributed/sweep_ranks.hpp"

namespace daedalus {
namespace {

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun == 0) {
      int level = MPI_THREAD_SINGLE;
      if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        throw InvalidArgument("MPI could not be started");
      begun_here_ = true;
      if (level < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        throw InvalidArgument("this MPI allows no threads beside the one that calls it");
      }
    }
    // Messages of this object never meet those of the program.
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &size_);
  }
  ~MpiRanks() override {
    MPI_Comm_free(&world_);
    if (begun_here_) MPI_Finalize();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  EnsembleResult solve_ensemble(std::size_t count,
                                const std::function<EnsembleTask(std::size_t)>& task,
                                const EnsembleSettings& settings) override {
    return distributed::solve_over_ranks(world_, count, task, settings);
  }

  void broadcast(std::string& bytes) override {
    unsigned long length = bytes.size();
    MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, world_);
    bytes.resize(length);
    constexpr std::size_t most = std::numeric_limits<int>::max();
    for (std::size_t begin = 0; begin < bytes.size(); begin += most)
      MPI_Bcast(bytes.data() + begin, static_cast<int>(std::min(most, bytes.size() - begin)),
                MPI_CHAR, 0, world_);
  }

  DistributedSolution solve(const DistributedProblem& problem, Interval interval,
                            const Options& options, const Distribution& distribution) override {
    return distributed::solve_cut(world_, problem, interval, options, distribution);
  }
  Solution gather(const Solution& own) override { return distributed::gather_states(world_, own); }

  int first_to_differ(std::string_view text) override {
    std::string first(text);
    broadcast(first);
    const int own = first == text ? size_ : rank_;
    int found = size_;
    MPI_Allreduce(&own, &found, 1, MPI_INT, MPI_MIN, world_);
    return found == size_ ? -1 : found;
  }

  End conclude(int code, double patience) override {
    struct {
      int value, rank;
    } own{code, rank_}, all{};
    MPI_Request request = MPI_REQUEST_NULL;
    // Equal values: the lowest rank.
    MPI_Iallreduce(&own, &all, 1, MPI_2INT, MPI_MAXLOC, world_, &request);
    const auto begin = std::chrono::steady_clock::now();
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return {.code = all.value, .rank = all.rank};
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
      if (code != 0 && waited.count() > patience)
        return {.code = code, .rank = rank_, .alone = true};
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  [[noreturn]] void abort(int code) override {
    MPI_Abort(world_, code);
    std::_Exit(code);  // where the launcher takes its time
  }

 private:
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  bool begun_here_ = false;
};

}  // namespace

std::unique_ptr<Ranks> start_ranks() { return std::make_unique<MpiRanks>(); }

}  // namespace daedalus
