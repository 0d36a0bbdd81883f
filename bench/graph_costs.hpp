// SPDX-License-Identifier: BSD-3-Clause
// Costs of callables as expression graphs: values and Jacobians, compiled C++ with dual numbers and
// colouring against the interpreter and machine code, as ratios within one run.
#pragma once

#include <filesystem>

#include "runs.hpp"

namespace daedalus::bench {

void graph_costs(const std::filesystem::path& folder, const Provenance& from);

}  // namespace daedalus::bench
