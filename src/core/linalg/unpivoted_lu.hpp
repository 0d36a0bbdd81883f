// SPDX-License-Identifier: BSD-3-Clause
// LU of small sparse matrices with pivots on the diagonal, in an order that only the structure
// decides (minimum degree: Markowitz 1957; Duff, Erisman, Reid 2017, chapter 7). Matrices of stiff
// kinetics and of circuits with a capacitor at each node hardly fill in and need no row exchanges;
// their steps then cost a fraction of dense ones. Where the values do need exchanges factorise()
// says so, and the caller takes another solver. Nothing is remembered from one matrix to the next.
#pragma once

#include <memory>
#include <vector>

#include "linalg/sparse_pattern.hpp"

namespace daedalus {

class UnpivotedLu {
 public:
  // Null: an entry of the diagonal is missing, the factors fill in, or the size does not suit.
  static std::unique_ptr<UnpivotedLu> make(const SparsePattern& pattern);

  // Where entry k of the pattern goes; the others have to be zero. Rows are expected to be of one
  // size, about 1: only then growth tells of lost digits.
  const std::vector<int>& position() const { return position_; }
  std::vector<double>& data() { return data_; }

  // False: without row exchanges digits would be lost. data() is used up.
  bool factorise();
  void solve(double* x);
  double reciprocal_condition() const;  // smallest over largest |pivot|

 private:
  struct Row {
    int first, diagonal, end;  // in data_: lower part, diagonal, upper part
  };
  std::vector<int> order_;     // of elimination: original numbers
  std::vector<int> position_;  // of the entries of the pattern
  std::vector<Row> row_;
  std::vector<int> column_;  // of data_, in the order of elimination
  std::vector<int> target_;  // of every update, in the order in which they are made
  std::vector<double> data_, inverse_, largest_, work_;
};

}  // namespace daedalus
