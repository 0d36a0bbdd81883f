// SPDX-License-Identifier: BSD-3-Clause
// What a run over ranks cannot take, found before the first step and told to every rank: a text of
// one rank ends all of them with the same InvalidArgument.
#pragma once

#include <daedalus/distributed_problem.hpp>
#include <daedalus/method.hpp>

#include "distributed/mpi_communicator.hpp"

namespace daedalus::distributed {

// Collective. First global number of each rank, and the number of all unknowns.
std::vector<std::int64_t> checked_cut(const DistributedProblem& problem, MpiCommunicator& ranks);
// Collective. The method; every rank has the same options.
const Method& checked_method(const DistributedProblem& problem, Interval interval,
                             const Options& options, MpiCommunicator& ranks);
// Collective: throws on all ranks if one has something to say.
void refuse_together(std::string text, MpiCommunicator& ranks);

}  // namespace daedalus::distributed
