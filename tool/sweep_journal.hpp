// SPDX-License-Identifier: BSD-3-Clause
// Journals of sweeps: which kind they are, and who writes them.
#pragma once

#include "io/journal.hpp"
#include "tool/json.hpp"

namespace daedalus::cli {

inline constexpr JournalKind sweep_journal{"sweep", "run"};

// Version, build, the processor's abilities that libm and BLAS choose their code by, threads and
// shard: what may explain other last digits.
Json written_by(int threads, const std::string& shard);

}  // namespace daedalus::cli
