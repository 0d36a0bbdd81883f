// SPDX-License-Identifier: BSD-3-Clause
// Structural sparsity of a function found by probing, for up to 10^5 columns and more.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "linalg/sparse_pattern.hpp"

namespace daedalus {

// lane[j] in {-1, 0, 1, 2, 3} says which of four marks column j carries (-1: none); on return
// hits[i] has bit k set if row i reacts to mark k. False: the function could not be evaluated.
using Probe = std::function<bool(std::span<const signed char> lane, std::span<unsigned char> hits)>;

// Empty when a probe could not be evaluated.
std::optional<SparsePattern> detect_pattern(int rows, int cols, const Probe& probe);

}  // namespace daedalus
