// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of the assembly: smallest solutions of underdetermined systems, and which rows
// follow from earlier ones. Full matrices up to a size, sparse factors beyond: chains of 10^4
// bodies pass through here.
#pragma once

#include <Eigen/QR>
#include <Eigen/SparseCore>
#include <optional>
#include <vector>

#include <daedalus/types.hpp>

#include "mechanism/row_factors.hpp"

namespace daedalus::mechanism {

// The smallest x with |B x - r| least; rows of B have norms about 1. Of many rows dependent ones
// are left to themselves.
class SmallestSolution {
 public:
  SmallestSolution(const SparseMatrix& B, double threshold);
  Eigen::VectorXd operator()(const Eigen::VectorXd& r) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> full_{};
  std::optional<RowFactors> sparse_{};
};

struct DependentRow {
  int row = -1;
  std::vector<std::pair<int, double>> of;  // row = sum of factors times earlier rows
};
struct RowRank {
  int rank = 0;
  std::vector<int> kept;
  std::vector<DependentRow> dependent;
  // Of kept rows: what is left of them beside the earlier ones, the smallest.
  double smallest_pivot = 1.0;
  DependentRow weakest;
};
// Rows of B in their order: one that adds less than the threshold to those before is dependent.
RowRank rank_in_order(const SparseMatrix& B, double threshold);

// The same matrix with rows of norm 1; their former norms.
SparseMatrix with_unit_rows(const SparseMatrix& B, Eigen::VectorXd& norms);

}  // namespace daedalus::mechanism
