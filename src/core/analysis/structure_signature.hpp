// SPDX-License-Identifier: BSD-3-Clause
// The combinatorics of the Sigma method: transversal of largest value, smallest offsets, strongly
// connected parts (Pryce 2001; Tarjan 1972), and the Dulmage-Mendelsohn parts where there is none.
#pragma once

#include <vector>

#include <daedalus/analysis.hpp>

namespace daedalus {

// One list of (variable, order) per equation.
struct SignatureRow {
  int variable, order;
};
using Signature = std::vector<std::vector<SignatureRow>>;

struct Transversal {
  std::vector<int> variable_of, equation_of;  // -1: none
  bool complete = false;
};
// As many entries as possible; where every equation gets one, of the largest sum of orders:
// shortest paths with potentials (Kuhn 1955; Edmonds, Karp 1972), many at once.
Transversal max_transversal(const Signature& signature, int variables);

// Parts reached by alternating paths from unmatched equations (over) or variables (under).
StructuralAnalysis::Block overdetermined_part(const Signature& signature, const Transversal& with);
StructuralAnalysis::Block underdetermined_part(const Signature& signature, int variables,
                                               const Transversal& with);

struct Offsets {
  std::vector<int> c, d;
};
Offsets min_offsets(const Signature& signature, int variables, const Transversal& with);

std::vector<StructuralAnalysis::Block> triangular_blocks(const Signature& signature,
                                                         const Transversal& with,
                                                         const Offsets& offsets);

}  // namespace daedalus
