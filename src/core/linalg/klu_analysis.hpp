// SPDX-License-Identifier: BSD-3-Clause
// The symbolic analysis behind both sparse solvers: KLU's own (block triangular form, approximate
// minimum degree), or the paired order where that promises fewer entries in the factors.
#pragma once

#include <klu.h>

#include "linalg/paired_ordering.hpp"

namespace daedalus {

// Below this size neither the order nor its choice matters.
inline constexpr int min_paired = 200;

// nullptr: out of memory. est_flops holds the operations that the elimination is expected to take.
inline klu_symbolic* analyse(SparsePattern& p, klu_common& common) {
  klu_symbolic* own = klu_analyze(p.cols, p.start.data(), p.row.data(), &common);
  if (!own || p.cols < min_paired || 2 * own->maxblock < p.cols) return own;
  PairedOrdering paired = paired_ordering(p);
  if (paired.pairs == 0 || paired.entries > own->lnz) return own;
  common.btf = 0;
  klu_symbolic* given = klu_analyze_given(p.cols, p.start.data(), p.row.data(), paired.order.data(),
                                          paired.order.data(), &common);
  common.btf = 1;
  if (!given) return own;
  klu_free_symbolic(&own, &common);
  given->est_flops = paired.operations;
  return given;
}

}  // namespace daedalus
