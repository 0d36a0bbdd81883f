// SPDX-License-Identifier: BSD-3-Clause
// Compressed-column structure of a matrix without its values.
#pragma once

#include <vector>

namespace daedalus {

// Entry k stands in row[k]; column c owns the entries start[c] .. start[c + 1] - 1, rows ascending.
struct SparsePattern {
  int rows = 0, cols = 0;
  std::vector<int> start;  // cols + 1
  std::vector<int> row;    // sorted within each column

  int nonzeros() const { return static_cast<int>(row.size()); }
  int find(int r, int c) const;  // position of entry (r, c), or -1
  double density() const;        // nonzeros / (rows * cols); 0 for an empty matrix

  static SparsePattern dense(int rows, int cols);
  static SparsePattern identity(int n);
};

struct SparseValues {
  SparsePattern pattern;
  std::vector<double> values;
};
// n x n, ones in the first `count` places of the diagonal.
SparseValues leading_ones(int n, int count);

// Union of two structures of equal size; map_x[k] is the position of entry k of x in the union.
SparsePattern unite(const SparsePattern& a, const SparsePattern& b,
                    std::vector<int>* map_a = nullptr, std::vector<int>* map_b = nullptr);

}  // namespace daedalus
