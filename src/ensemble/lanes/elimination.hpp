// SPDX-License-Identifier: BSD-3-Clause
// Sparse elimination over expressions: zeros of the structure are left out, and the order of the
// pivots is fixed beforehand from sample values. Whether it serves a trajectory is checked where it
// is used (backward error of a solution): nothing is exchanged at run time.
#pragma once

#include <optional>
#include <vector>

#include <daedalus/expr.hpp>

namespace daedalus::lanes {

struct PivotOrder {
  std::vector<int> row, column;
};

// Matrices row by row; `pattern` is not zero where an entry may be. Pivots are at least a tenth of
// their column in all samples where there are such, and among these the ones that fill in least.
// Nothing: some sample is singular.
std::optional<PivotOrder> choose_pivots(int n, const std::vector<char>& pattern,
                                        std::vector<std::vector<double>> samples);

class Elimination {
 public:
  Elimination(const std::vector<Expr>& matrix, const PivotOrder& order);
  std::vector<Expr> solve(const std::vector<Expr>& right) const;
  // Whether |A x - b| <= bound (|A||x| + |b|) in every row.
  Expr is_solution(const std::vector<Expr>& x, const std::vector<Expr>& b, double bound) const;

 private:
  int n_;
  PivotOrder order_;
  std::vector<Expr> matrix_, factors_, inverse_;  // inverse_: of the pivots
};

}  // namespace daedalus::lanes
