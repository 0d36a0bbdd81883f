// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "growth.hpp"

namespace daedalus::scaling {

// Cost of assembly and per step by the number of bodies, up to `largest`; exponents at the end.
void mechanisms(const Meter& meter, int largest);

}  // namespace daedalus::scaling
