// SPDX-License-Identifier: BSD-3-Clause
// Time per step of the ways of solving [M G^T; G 0], and its growth with the length of a chain.
#pragma once

#include <filesystem>

#include "runs.hpp"

namespace daedalus::bench {

// Prints both tables and writes linear-algebra.csv and chain-growth.csv.
void linear_algebra(const std::filesystem::path& folder, const Provenance& from, int repetitions);

}  // namespace daedalus::bench
