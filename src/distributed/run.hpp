// SPDX-License-Identifier: BSD-3-Clause
// One DAE over the ranks of a communicator, by the library's own loop.
#pragma once

#include <mpi.h>

#include <daedalus/distributed_problem.hpp>

namespace daedalus::distributed {

// Collective.
DistributedSolution solve_cut(MPI_Comm world, const DistributedProblem& problem, Interval interval,
                              const Options& options, const Distribution& distribution);
// Collective: on rank 0 the states of all unknowns, on others what they have.
Solution gather_states(MPI_Comm world, const Solution& own);

}  // namespace daedalus::distributed
