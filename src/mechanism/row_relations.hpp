// SPDX-License-Identifier: BSD-3-Clause
// Which rows a row is made of, by as few as there are nearby: a loop is named by its own joints,
// and in a long row of loops none of them speaks of all before.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "mechanism/row_factors.hpp"

namespace daedalus::mechanism {

class RowRelations {
 public:
  explicit RowRelations(const RowFactors& factors);
  // Factors of rows eliminated before, dependent ones among them, that make up the row of this
  // step, apart from its pivot.
  std::vector<std::pair<int, double>> of(int step) const;

 private:
  using Column = std::vector<std::pair<int, double>>;  // entries of R by step of their pivot
  using Remainder = std::map<int, double>;
  // Whether dependent rows alone make up what is left; adds their factors.
  bool ends_in_dependent(const Remainder& left, int step, Column& made) const;

  const RowFactors& factors_;
  std::vector<Column> columns_{};
  std::map<int, std::vector<int>> dependent_{};  // steps of dependent rows by their last entry
};

}  // namespace daedalus::mechanism
