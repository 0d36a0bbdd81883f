// SPDX-License-Identifier: BSD-3-Clause
// A page that shows a mode of a mechanism moving.
#pragma once

#include <string>

#include <daedalus/analysis.hpp>
#include <daedalus/mechanism_file.hpp>

#include "tool/settings.hpp"

namespace daedalus::cli {

// Modes in which something swings, one per conjugate pair, slowest first; numbers of eigenvalues.
std::vector<std::size_t> swinging_modes(const Eigenvalues& at);

// Writes `target`: two periods of the mode with this number, from 1, at a size that can be seen.
void write_mode_page(const std::string& target, int number, const PreparedRun& run,
                     const NamedMechanism& m, const Eigenvalues& at);

}  // namespace daedalus::cli
