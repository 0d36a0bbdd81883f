// SPDX-License-Identifier: BSD-3-Clause
// The cell rows j0 <= j < j1 of a staggered grid as one rank has them. Unknowns are numbered by
// rows of cells, in each u, v, p: 3 n - 1 of them, fewer in the last row, which has no v above it
// and whose last p vanishes. Ghosts are the rows on both sides, as far as own rows read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace daedalus::problems::stokes {

struct Strip {
  int n, j0, j1;

  int per_row() const { return 3 * n - 1; }
  bool last() const { return j1 == n; }
  int rows() const { return j0 == j1 ? 0 : (j1 - j0) * per_row() - (last() ? n + 1 : 0); }
  int below() const { return j0 > 0 && j0 < j1 ? 2 * n - 1 : 0; }  // ghosts u, v of row j0 - 1

  // Places among own values and ghosts.
  int u(int i, int j) const { return base(j) + i; }
  int v(int i, int j) const { return base(j) + n - 1 + i; }
  int p(int i, int j) const { return base(j) + n - 1 + (j + 1 < n ? n : 0) + i; }

  std::vector<std::int64_t> ghosts() const {
    std::vector<std::int64_t> g;
    if (j0 == j1) return g;
    if (j0 > 0)
      for (int k = 0; k < 2 * n - 1; ++k) g.push_back(first_of_row(j0 - 1) + k);
    if (!last())
      for (int k = 0; k < per_row() - (j1 + 1 == n ? n + 1 : 0); ++k)
        g.push_back(first_of_row(j1) + k);
    return g;
  }
  std::int64_t first_of_row(int j) const { return static_cast<std::int64_t>(j) * per_row(); }

  struct Place {
    char field;  // 'u', 'v' or 'p'
    int i, j;
  };
  Place place(std::int64_t number) const {
    const auto j = static_cast<int>(number / per_row());
    const auto k = static_cast<int>(number - first_of_row(j));
    const int v_count = j + 1 < n ? n : 0;
    if (k < n - 1) return {'u', k, j};
    if (k < n - 1 + v_count) return {'v', k - (n - 1), j};
    return {'p', k - (n - 1) - v_count, j};
  }
  // As the whole grid numbers it: u1 ..., v1 ..., p1 ...
  std::string name(std::int64_t number) const {
    const Place at = place(number);
    const int width = at.field == 'u' ? n - 1 : n;
    return at.field + std::to_string(at.i + static_cast<std::int64_t>(width) * at.j + 1);
  }
  std::string equation(std::int64_t number) const {
    const Place at = place(number);
    if (at.field != 'p') return "balance of " + name(number);
    return "divergence in cell " + name(number).substr(1);
  }

 private:
  int base(int j) const {
    if (j < j0) return rows();
    return j < j1 ? (j - j0) * per_row() : rows() + below();
  }
};

}  // namespace daedalus::problems::stokes
