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

}  // namespace daedalus
