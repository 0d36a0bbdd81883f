// SPDX-License-Identifier: BSD-3-Clause
// One of these per file that is compiled for an instruction set.
#pragma once

#include "ensemble/lanes/interpret.hpp"

namespace daedalus::lanes {

InstructionSet plain_set();
InstructionSet avx2_set();
InstructionSet avx512_set();

}  // namespace daedalus::lanes
