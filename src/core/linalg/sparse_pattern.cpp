// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_pattern.hpp"

#include <algorithm>
#include <string>

#include "daedalus/types.hpp"

namespace daedalus {

int SparsePattern::find(int r, int c) const {
  if (r < 0 || r >= rows || c < 0 || c >= cols) return -1;
  const auto first = row.begin() + start[c], last = row.begin() + start[c + 1];
  const auto found = std::lower_bound(first, last, r);
  return found != last && *found == r ? static_cast<int>(found - row.begin()) : -1;
}

double SparsePattern::density() const {
  const double all = static_cast<double>(rows) * cols;
  return all > 0 ? nonzeros() / all : 0.0;
}

SparsePattern SparsePattern::dense(int rows, int cols) {
  SparsePattern p{rows, cols, std::vector<int>(cols + 1), {}};
  p.row.reserve(static_cast<std::size_t>(rows) * cols);
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) p.row.push_back(r);
    p.start[c + 1] = p.nonzeros();
  }
  return p;
}

SparsePattern SparsePattern::identity(int n) {
  SparsePattern p{n, n, std::vector<int>(n + 1), std::vector<int>(n)};
  for (int c = 0; c < n; ++c) {
    p.row[c] = c;
    p.start[c + 1] = c + 1;
  }
  return p;
}

SparseValues leading_ones(int n, int count) {
  SparseValues v{{n, n, {0}, {}}, std::vector<double>(static_cast<std::size_t>(count), 1.0)};
  for (int c = 0; c < n; ++c) {
    if (c < count) v.pattern.row.push_back(c);
    v.pattern.start.push_back(v.pattern.nonzeros());
  }
  return v;
}

SparsePattern unite(const SparsePattern& a, const SparsePattern& b, std::vector<int>* map_a,
                    std::vector<int>* map_b) {
  if (a.rows != b.rows || a.cols != b.cols)
    throw InvalidArgument("unite: the patterns are " + std::to_string(a.rows) + " x " +
                          std::to_string(a.cols) + " and " + std::to_string(b.rows) + " x " +
                          std::to_string(b.cols) + ", equal sizes are required");
  SparsePattern u{a.rows, a.cols, std::vector<int>(a.cols + 1), {}};
  u.row.reserve(a.row.size() + b.row.size());
  if (map_a) map_a->resize(a.row.size());
  if (map_b) map_b->resize(b.row.size());
  for (int c = 0; c < a.cols; ++c) {
    int i = a.start[c], j = b.start[c];
    const int i_end = a.start[c + 1], j_end = b.start[c + 1];
    while (i < i_end || j < j_end) {
      const bool take_a = i < i_end && (j == j_end || a.row[i] <= b.row[j]);
      const bool take_b = j < j_end && (i == i_end || b.row[j] <= a.row[i]);
      const int position = u.nonzeros();
      u.row.push_back(take_a ? a.row[i] : b.row[j]);
      if (take_a && map_a) (*map_a)[i] = position;
      if (take_b && map_b) (*map_b)[j] = position;
      i += take_a;
      j += take_b;
    }
    u.start[c + 1] = u.nonzeros();
  }
  return u;
}

}  // namespace daedalus
