// SPDX-License-Identifier: BSD-3-Clause
// Which instructions only one branch of a selection needs. Lanes compute everything; a thread of a
// GPU has branches, and the checks of a step are needed rarely.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "ensemble/lanes/program.hpp"

namespace daedalus::gpu {

struct Region {
  int parent = -1;
  std::size_t instruction = 0;  // the selection that it belongs to
  int branch = 0;               // 0: where the condition holds
};

// Region 0 is what is always needed. Regions that are not worth a branch are part of their parents.
struct Regions {
  std::vector<Region> all;
  std::vector<int> of;                        // by instruction
  std::vector<std::array<int, 2>> branch_of;  // by instruction; 0: it has none
};

// The list writes every slot once, but for inputs at its end.
Regions find_regions(const lanes::Program& program, const std::vector<lanes::Instruction>& list);

// Of an instruction.
int operand_count(const lanes::Instruction& i);

}  // namespace daedalus::gpu
