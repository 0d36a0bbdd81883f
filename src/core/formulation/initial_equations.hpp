// SPDX-License-Identifier: BSD-3-Clause
// Initial equations of a problem as extra rows for the start-value solver.
#pragma once

#include <memory>

#include <daedalus/problem.hpp>

#include "start/consistent.hpp"

namespace daedalus {

StartRequest initial_equations(std::shared_ptr<const Problem> problem, System& system);

}  // namespace daedalus
