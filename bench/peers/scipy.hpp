// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace daedalus::peers {

// Why SciPy cannot be used, though it was there when this was built; empty: it can.
std::string scipy_obstacle();

}  // namespace daedalus::peers
