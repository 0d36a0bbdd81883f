// SPDX-License-Identifier: BSD-3-Clause
// Trajectories drawn with letters, for a look in the terminal.
#pragma once

#include <string>

#include "tool/plot.hpp"

namespace daedalus::cli {

// The first panels of the picture below each other, `width` columns wide; what is left out is said.
std::string ascii_plot(const Picture& picture, std::size_t width);

}  // namespace daedalus::cli
