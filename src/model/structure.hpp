// SPDX-License-Identifier: BSD-3-Clause
// Balance, matching and index of a model, before anything is compiled, in the user's names.
#pragma once

#include "analysis/structure_signature.hpp"
#include "model/flat.hpp"

namespace daedalus {

struct ModelStructure {
  StructureReport report;
  std::vector<int> variable_index;  // empty: all 1
  std::vector<Diagnostic> diagnostics;
  std::vector<char> differentiated;  // by variable
  int common_index = 1;              // of all branches taken together; some mode may have more
};

Signature signature_of(const FlatModel& flat);
// With `modes` also in each mode that chooses between formulas.
ModelStructure analyse(const FlatModel& flat, const ModelBuilder::Data& built, bool modes = true);
void analyse_modes(const FlatModel& flat, const ModelBuilder::Data& built,
                   ModelStructure& structure);

}  // namespace daedalus
