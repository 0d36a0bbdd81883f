// SPDX-License-Identifier: BSD-3-Clause
// Whole runs and the pieces of a step, measured by Google Benchmark.
#pragma once

#include <filesystem>

#include "runs.hpp"

namespace daedalus::bench {

// Makes the benchmarks known; a call and not a static initialiser, since the catalogue has to
// exist.
void register_micro();

// Runs what --benchmark_filter selects, prints it and writes micro.csv.
void run_micro(const std::filesystem::path& folder, const Provenance& from);

}  // namespace daedalus::bench
