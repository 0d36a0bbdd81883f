// SPDX-License-Identifier: BSD-3-Clause
// An elimination order for matrices with zeros on the diagonal, such as [A B^T; B 0]. An unknown
// without a diagonal entry is paired with a neighbour that has one and is eliminated right after
// it, when the elimination has filled its diagonal: pivots then stay on the diagonal, and an order
// that keeps factors sparse remains one (pairs as in Duff, Pralet 2005; on staggered grids the
// pivots are safe, de Niet, Wubs 2009). The pairs are ordered by approximate minimum degree
// (Amestoy, Davis, Duff 1996).
#pragma once

#include <vector>

#include "linalg/sparse_pattern.hpp"

namespace daedalus {

struct PairedOrdering {
  std::vector<int> order;   // unknowns in the order of elimination; empty: nothing to pair
  double entries = 0.0;     // estimate of the entries of L
  double operations = 0.0;  // and of those that find L and U
  int pairs = 0;
};
// Of a square matrix.
PairedOrdering paired_ordering(const SparsePattern& pattern);

}  // namespace daedalus
