// SPDX-License-Identifier: BSD-3-Clause
// The runs of an ensemble over the ranks of a communicator. Rank 0 hands out runs in their order,
// to whoever asks, and computes as well; one thread of each rank talks, the others compute.
#pragma once

#include <mpi.h>

#include <daedalus/ensemble.hpp>

namespace daedalus::distributed {

EnsembleResult solve_over_ranks(MPI_Comm world, std::size_t count,
                                const std::function<EnsembleTask(std::size_t)>& task,
                                const EnsembleSettings& settings);

}  // namespace daedalus::distributed
