// SPDX-License-Identifier: BSD-3-Clause
// Subscripts of standard containers from the int counts used everywhere.
#pragma once

#include <cstddef>

namespace daedalus {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace daedalus
