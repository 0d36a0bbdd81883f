// SPDX-License-Identifier: BSD-3-Clause
// The invariants of a problem that Options::project_invariants names.
#pragma once

#include <memory>
#include <string_view>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

#include "system/invariants.hpp"
#include "system/system.hpp"

namespace daedalus {

// None: nothing is named. Throws InvalidArgument for names the problem does not have, and where no
// projection can hold invariants: without projection, and in formulations with other coordinates.
std::shared_ptr<Invariants> problem_invariants(std::shared_ptr<const Problem> problem,
                                               std::string_view formulation, const System& system,
                                               const Options& options);

}  // namespace daedalus
