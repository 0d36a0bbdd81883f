// SPDX-License-Identifier: BSD-3-Clause
// Error against cost: every method with error control on every non-stiff problem it fits.
#pragma once

#include <filesystem>

#include "runs.hpp"

namespace daedalus::bench {

// Writes work-precision.csv and returns the number of runs in it.
int work_precision(const std::filesystem::path& folder, const Provenance& from);

}  // namespace daedalus::bench
