// SPDX-License-Identifier: BSD-3-Clause
// Finished runs as bytes of a message. Ranks are of one binary: no other order of bytes is read.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <daedalus/ensemble.hpp>

namespace daedalus::distributed {

using NumberedRun = std::pair<std::size_t, EnsembleRun>;

void pack(const NumberedRun& run, std::vector<char>& bytes);
// Throws std::runtime_error for bytes that no rank of this version sent.
std::vector<NumberedRun> unpack(std::span<const char> bytes);

}  // namespace daedalus::distributed
