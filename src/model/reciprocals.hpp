// SPDX-License-Identifier: BSD-3-Clause
// Division by what is constant during a run becomes multiplication by its reciprocal, which is
// computed once. Results differ by rounding.
#pragma once

#include "model/flat.hpp"

namespace daedalus {

void use_reciprocals(FlatModel& flat);

}  // namespace daedalus
