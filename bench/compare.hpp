// Time per step of rodas4 beside SUNDIALS IDA's in one run.
#pragma once

#include <filesystem>

#include "runs.hpp"

namespace daedalus::bench {

// Prints the table and writes compare.csv. Solvers take turns, so that a busy machine disturbs
// all of them; the smallest time of each is the one least disturbed.
void compare_with_peers(const std::filesystem::path& folder, const Provenance& from,
                        int repetitions);

}  // namespace daedalus::bench
