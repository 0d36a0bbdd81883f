// SPDX-License-Identifier: BSD-3-Clause
// Time per step of rodas4, and work of bdf, beside SUNDIALS IDA's in one run.
#pragma once

#include <filesystem>

#include "runs.hpp"

namespace daedalus::bench {

// Prints the table and writes compare.csv. Solvers take turns, so that a busy machine disturbs
// all of them; the smallest time of each is the one least disturbed.
void compare_with_peers(const std::filesystem::path& folder, const Provenance& from,
                        int repetitions);

// Evaluations plus Jacobian columns of bdf and of IDA (both settings of its Newton iteration) where
// they reach the same number of digits: prints a table, writes work.csv. Start values not counted.
void compare_work(const std::filesystem::path& folder, const Provenance& from);

}  // namespace daedalus::bench
