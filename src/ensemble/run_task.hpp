// SPDX-License-Identifier: BSD-3-Clause
// One run of an ensemble, from its task to what is kept of it.
#pragma once

#include <daedalus/ensemble.hpp>

namespace daedalus {

// A value that a problem does not allow is a failed run like others.
EnsembleRun run_task(const std::function<EnsembleTask(std::size_t)>& make, std::size_t k,
                     const std::function<bool()>& cancel);

}  // namespace daedalus
