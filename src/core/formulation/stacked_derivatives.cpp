// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/stacked_derivatives.hpp"

#include <algorithm>

#include "kernel/at.hpp"

namespace daedalus {

StackedDerivatives stack(std::vector<StackedDerivatives::Part> parts, int n) {
  StackedDerivatives result;
  std::vector<std::vector<int>> rows(at(n));  // by column
  const auto each = [](const StackedDerivatives::Part& part, auto&& visit) {
    const SparsePattern& p = part.known->pattern(part.vector);
    for (int c = 0; c < p.cols; ++c)
      for (int k = p.start[at(c)]; k < p.start[at(c) + 1]; ++k)
        visit(part.row + p.row[at(k)], part.column + c);
  };
  for (const StackedDerivatives::Part& part : parts)
    each(part, [&](int row, int column) { rows[at(column)].push_back(row); });
  result.pattern = {n, n, {0}, {}};
  for (std::vector<int>& column : rows) {
    std::sort(column.begin(), column.end());
    result.pattern.row.insert(result.pattern.row.end(), column.begin(), column.end());
    result.pattern.start.push_back(result.pattern.nonzeros());
  }
  for (StackedDerivatives::Part& part : parts) {
    part.place.clear();
    each(part,
         [&](int row, int column) { part.place.push_back(result.pattern.find(row, column)); });
    result.scratch.resize(std::max(result.scratch.size(), part.place.size()));
  }
  result.parts = std::move(parts);
  return result;
}

}  // namespace daedalus
