// SPDX-License-Identifier: BSD-3-Clause
// Times of short calls, in turns within one run: other programs only ever add to them.
#pragma once

#include <functional>
#include <vector>

namespace daedalus::bench {

// Least seconds per call of each; NaN for one that returns false.
std::vector<double> fastest(const std::vector<std::function<bool()>>& calls);

}  // namespace daedalus::bench
