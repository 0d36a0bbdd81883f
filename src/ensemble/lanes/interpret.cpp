// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/interpret.hpp"

#include "ensemble/lanes/sets.hpp"
#include "graph/operations.hpp"

namespace daedalus::lanes {

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> all = [] {
    std::vector<InstructionSet> present;
    for (const InstructionSet& s : {plain_set(), avx2_set(), avx512_set()})
      if (s.present()) present.push_back(s);
    return present;
  }();
  return all;
}

const Functions* functions(std::string_view set, int width) {
  for (const InstructionSet& s : instruction_sets())
    if (s.name == set)
      for (const Functions& f : s.widths)
        if (f.width == width) return &f;
  return nullptr;
}

const InstructionSet& best_set() { return instruction_sets().back(); }

void lane_by_lane(int op, double* d, const double* a, const double* b, int width) {
  for (int i = 0; i < width; ++i) d[i] = graph::apply(static_cast<graph::Op>(op), a[i], b[i]);
}

}  // namespace daedalus::lanes
