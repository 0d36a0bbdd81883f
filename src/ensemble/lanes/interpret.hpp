// SPDX-License-Identifier: BSD-3-Clause
// Programs over lanes, on the instruction sets that this build has. Which one runs is decided at
// run time; results have the same bits on all of them and in every width.
#pragma once

#include <string_view>
#include <vector>

#include "ensemble/lanes/program.hpp"

namespace daedalus::lanes {

// Runs instructions; slot s of lane i is at w[s * width + i].
using Run = void (*)(const Instruction* first, const Instruction* last, double* w);
// One function on one slot.
using OnSlot = void (*)(double* d, const double* a);

struct Functions {
  int width;
  Run run;
  OnSlot exp, log, sin, cos;
};

struct InstructionSet {
  std::string_view name;
  bool (*present)();  // on this processor
  int best_width;     // of the interpreter
  std::vector<Functions> widths;
};

// From the plainest on.
const std::vector<InstructionSet>& instruction_sets();
// The best one that is present; null: there is none of that name or width.
const Functions* functions(std::string_view set, int width);
const InstructionSet& best_set();

// d = op(a, b) of any operation of one or two operands, lane by lane: the mathematical library.
void lane_by_lane(int op, double* d, const double* a, const double* b, int width);

}  // namespace daedalus::lanes
