// SPDX-License-Identifier: BSD-3-Clause
// Runs that outgrow one machine, over MPI: library daedalus::distributed. This header needs no MPI.
//
//   const std::unique_ptr<Ranks> ranks = start_ranks();  // every process that mpirun started
//   const EnsembleResult result = ranks->solve_ensemble(grid.size(), task);
//   if (ranks->rank() == 0) use(result.runs);
//
// Calls named collective are made by every rank, in the same order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <daedalus/distributed_problem.hpp>
#include <daedalus/ensemble.hpp>

namespace daedalus {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Collective. Runs go to whichever rank is free; a run has the same numbers wherever it is made.
  // `settings.threads` is per rank (0: one), `cancel` is asked on every rank and ends the ensemble
  // on all; `finished` and `known` count on rank 0, which alone has all runs in its result. The
  // others have those they made.
  virtual EnsembleResult solve_ensemble(std::size_t count,
                                        const std::function<EnsembleTask(std::size_t run)>& task,
                                        const EnsembleSettings& settings = {}) = 0;

  // Collective: everybody has the bytes of rank 0.
  virtual void broadcast(std::string& bytes) = 0;

  // Collective: one problem that is cut over all ranks. Every rank has the same status, message and
  // counts, and the states of its own unknowns. Throws InvalidArgument, on all ranks the same.
  virtual DistributedSolution solve(const DistributedProblem& problem, Interval interval,
                                    const Options& options,
                                    const Distribution& distribution = {}) = 0;
  // Collective: on rank 0 the solution with the states of all unknowns, on others their own.
  virtual Solution gather(const Solution& own) = 0;

  // Collective: the first rank whose text is not that of rank 0; -1: all have the same.
  virtual int first_to_differ(std::string_view text) = 0;

  struct End {
    int code = 0;        // the largest of all ranks
    int rank = 0;        // the first that gave it
    bool alone = false;  // the others did not come in time: this rank failed by itself
  };
  // Collective, the last call of a command: a rank that failed waits `patience` seconds for the
  // others to fail as well; a rank that did not waits for all.
  virtual End conclude(int code, double patience) = 0;
  // Ends all ranks at once.
  [[noreturn]] virtual void abort(int code) = 0;
};

// Throws InvalidArgument where MPI cannot be had. The destructor ends MPI, if this began it.
std::unique_ptr<Ranks> start_ranks();

}  // namespace daedalus
