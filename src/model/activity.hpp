// SPDX-License-Identifier: BSD-3-Clause
// Which relations anything looks at: in `b and x > 1` nobody asks for x > 1 while the discrete b is
// false. Such a relation makes no events, and round-off in it no chattering.
#pragma once

#include <vector>

#include "model/flat.hpp"

namespace daedalus {

// By relation: a formula of modes and parameters that is not zero while something depends on its
// outcome; the number 1 where that is always so.
std::vector<Expr> relation_activity(const FlatModel& flat);

}  // namespace daedalus
