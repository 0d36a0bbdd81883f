// SPDX-License-Identifier: BSD-3-Clause
// A page that shows a mode of a mechanism moving.
#pragma once

#include <daedalus/analysis.hpp>
#include <daedalus/mechanism_file.hpp>

#include "tool/files.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {

// Modes in which something swings, one per conjugate pair, slowest first; numbers of eigenvalues.
std::vector<std::size_t> swinging_modes(const Eigenvalues& at);

// Writes the page: two periods of the mode with this number, from 1, at a size that can be seen.
void write_mode_page(AtomicFile& page, int number, const PreparedRun& run, const NamedMechanism& m,
                     const Eigenvalues& at);

}  // namespace daedalus::cli
