// SPDX-License-Identifier: BSD-3-Clause
// The variables of the model among those of a solution: multipliers eta of stabilised formulations
// come last and belong to the formulation. Tolerances and known values are given without them.
#pragma once

#include <daedalus/event.hpp>

namespace daedalus {

inline int model_size(const Variables& variables) {
  const Variables::Range* eta = variables.range_of(VariableClass::eta);
  return variables.size() - (eta ? eta->count : 0);
}

}  // namespace daedalus
