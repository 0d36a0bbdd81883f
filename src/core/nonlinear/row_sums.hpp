// SPDX-License-Identifier: BSD-3-Clause
// Sums of |entries| over the rows of a sparse matrix, columns weighted.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <span>

#include "kernel/at.hpp"
#include "system/pencil.hpp"

namespace daedalus {

inline void add_row_sums(const SparsePattern& p, std::span<const double> values, double factor,
                         const Eigen::VectorXd& of_column, Eigen::VectorXd& out) {
  for (int c = 0; c < p.cols; ++c)
    for (int k = p.start[at(c)]; k < p.start[at(c) + 1]; ++k)
      out[p.row[at(k)]] += factor * std::abs(values[at(k)]) * of_column[c];
}

// The same with two weights of the columns at once: the entries are read once.
inline void add_row_sums(const SparsePattern& p, std::span<const double> values, double factor,
                         const Eigen::VectorXd& first, Eigen::VectorXd& first_out,
                         const Eigen::VectorXd& second, Eigen::VectorXd& second_out) {
  const int* const row = p.row.data();
  double *const a = first_out.data(), *const b = second_out.data();
  for (int c = 0; c < p.cols; ++c) {
    const double by_first = first[c], by_second = second[c];
    for (int k = p.start[at(c)], end = p.start[at(c) + 1]; k < end; ++k) {
      const double size = factor * std::abs(values[at(k)]);
      a[row[k]] += size * by_first;
      b[row[k]] += size * by_second;
    }
  }
}

}  // namespace daedalus
