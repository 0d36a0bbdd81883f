// SPDX-License-Identifier: BSD-3-Clause
// The last constraint row of a method whose last stage serves z_{n+1} alone (Arnold 1998, Remark
// 27).
#pragma once

#include <optional>
#include <vector>

#include "kernel/exact_number.hpp"
#include "kernel/herk_table.hpp"

namespace daedalus {

// Conditions on the row x_1, ..., x_m with sum c. Once multiplied by x_m = 1 / w_mm they are
// linear, because x_m w_mj = -sum_{i<m} x_i w_ij.
struct RowConditions {
  ExactNumber c;
  int stage_order;    // sum_j x_j c_j^l = c^(l+1) / (l+1), l = 0 .. stage_order - 1
  int power;          // sum_j w_mj chat_j^power = power, by (3.76)
  bool second_stage;  // sum_j w_mj chat_j gamma_j2 = 0, by (3.75)
  // w_m1 = 0 in any case: kappa = 0.
  std::vector<std::optional<ExactNumber>> given;  // entries that are parameters, one per column
};

// The table has m stages whose last row of gamma is not yet there. As many entries must be open as
// there are conditions; empty if these are singular.
std::optional<std::vector<ExactNumber>> solve_row(const HerkTable& table,
                                                  const RowConditions& conditions);

}  // namespace daedalus
