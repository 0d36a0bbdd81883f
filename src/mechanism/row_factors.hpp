// SPDX-License-Identifier: BSD-3-Clause
// Orthogonal factors of many rows, B^T P = Q R, by elimination along the tree of the rows: each row
// in turn takes the columns that nothing earlier needs, reduces them to one, and hands the rest to
// the next row that meets them. Work is proportional to the number of joints of a tree.
#pragma once

#include <Eigen/SparseCore>
#include <cmath>
#include <vector>

#include <daedalus/types.hpp>

namespace daedalus::mechanism {

class RowFactors {
 public:
  // Rows of B have norms about 1; one of which less than the threshold is left is dependent.
  RowFactors(const SparseMatrix& B, double threshold);

  int rank() const { return rank_; }
  int rows() const { return static_cast<int>(order_.size()); }
  int row_at(int step) const { return order_[static_cast<std::size_t>(step)]; }
  // What was left of the row beside those eliminated before; 0: dependent.
  double pivot(int step) const { return std::abs(signed_pivot(step)); }
  double signed_pivot(int step) const;
  // The other entries of a row of R: visit(step of the column, value). A dependent row has none.
  template <class Visit>
  void for_entries(int step, Visit&& visit) const {
    const Front& front = fronts_[static_cast<std::size_t>(step)];
    for (std::size_t c = 1; !front.dependent && c < front.columns.size(); ++c)
      visit(front.columns[c], front.A(0, static_cast<Eigen::Index>(c)));
  }
  // The smallest x with B x = r; dependent rows are left to themselves.
  Eigen::VectorXd smallest(const Eigen::VectorXd& r) const;

 private:
  // A full matrix of the columns of B that are left (its rows) against rows of B (its columns, in
  // the order of elimination). Reflector k is in column k + skip below row k.
  struct Front {
    std::vector<int> places{};   // columns of B, later places of the results
    std::vector<int> columns{};  // steps; the first one is that of the front
    Eigen::MatrixXd A{};
    std::vector<double> tau{};
    bool dependent = false;
    int skip() const { return dependent ? 1 : 0; }
  };
  struct Piece {
    std::vector<int> places{}, columns{};
    Eigen::MatrixXd A{};
  };

  void assemble(Front& front, const std::vector<Piece>& pieces);
  void eliminate(Front& front, double threshold);
  static void reflect(Front& front, int row);
  Piece remainder(const Front& front) const;

  int rank_ = 0, width_ = 0;
  std::vector<int> order_{};  // row of each step
  std::vector<Front> fronts_{};
  std::vector<int> position_{};  // scratch of assemble: column of a front by step
};

}  // namespace daedalus::mechanism
