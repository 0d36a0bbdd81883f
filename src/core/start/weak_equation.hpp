// SPDX-License-Identifier: BSD-3-Clause
// Impasse points of M x' = f: where the algebraic equations W^T f = 0 stop determining the
// variables M does not see (g_z singular), solutions end or turn back, and steps become arbitrarily
// small.
#pragma once

#include <optional>
#include <string>

#include "system/system.hpp"

namespace daedalus {

struct WeakEquation {
  std::string equation, variable;
  double share;  // of the smallest pivot of g_z at the reference state
};
// The equation whose derivative has fallen most between the two states, if it fell to less than a
// twentieth. Compared with the reference, units and formulas that are small anywhere do not matter.
std::optional<WeakEquation> weak_equation(System& system, const State& reference, const State& now);

}  // namespace daedalus
