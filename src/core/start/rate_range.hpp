// SPDX-License-Identifier: BSD-3-Clause
// Range and left null space of a large sparse E = dF/dx', for start values: rows and columns fall
// into groups that no entry joins, most of them a single entry, and each group is decomposed by
// itself. O(n) when the groups are small; a large group must be square and regular.
#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linalg/decompositions.hpp"
#include "linalg/linear_solver.hpp"

namespace daedalus {

class RateRange {
 public:
  // Nothing: a group is too large for dense decompositions, and not regular.
  static std::optional<RateRange> find(const SparsePattern& pattern,
                                       std::span<const double> values);

  // Orthonormal basis W of the left null space: W^T E = 0.
  const Eigen::SparseMatrix<double>& kernel() const { return kernel_; }
  // The shortest x with E x = r - W W^T r.
  Eigen::VectorXd least_squares(const Eigen::VectorXd& r) const;

 private:
  struct Group {
    std::vector<int> rows, columns;
    Eigen::MatrixXd inverse;               // pseudo-inverse, of small groups
    std::shared_ptr<LinearSolver> solver;  // of large ones
  };
  // Groups of rows and columns; place: of a row within its group. False in filled: an empty row.
  struct Places {
    std::vector<char> filled;
    std::vector<int> row;
  };
  using Basis = std::vector<Eigen::Triplet<double>>;
  Places find_groups(const SparsePattern& p, std::span<const double> values);
  // Decomposes one group and adds what it has of the null space; false: too large and not regular.
  static bool decompose(Group& g, const SparsePattern& p, std::span<const double> values,
                        const Places& places, Basis& basis, int& count);

  std::vector<Group> groups_;
  Eigen::SparseMatrix<double> kernel_;
  int columns_ = 0;
};

}  // namespace daedalus
