// SPDX-License-Identifier: BSD-3-Clause
// One run of an ensemble, from its task to what is kept of it.
#pragma once

#include <daedalus/ensemble.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

// A value that a problem does not allow is a failed run like others.
EnsembleRun run_task(const std::function<EnsembleTask(std::size_t)>& make, std::size_t k,
                     const std::function<bool()>& cancel);

// The lack of memory in a callable is a failed run: here it is thrown again, so that nobody takes
// it for a property of the problem.
void lacks_no_memory(const Solution& solution);

}  // namespace daedalus
