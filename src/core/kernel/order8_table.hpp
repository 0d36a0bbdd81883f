// SPDX-License-Identifier: BSD-3-Clause
// Explicit Runge-Kutta methods with two error estimates and a continuous solution that has stages
// of its own, as exact texts: the table that runs is the one that is checked.
#pragma once

#include <vector>

#include "kernel/herk_table.hpp"

namespace daedalus {

struct ExplicitTable {
  using Row = std::vector<ExactText>;
  // a_2, a_3, ...: the last row is b, and its stage the first one of the next step.
  std::vector<Row> a;
  Row difference;  // b - b^ of the finer embedded solution
  Row coarse;      // weights of the coarser one
  // Stages after the one at the end of the step. With all stages K_j the solution inside it is
  //   y_n + theta (D + (1 - theta) (h K_1 - D + theta (2 D - h K_1 - h K_end
  //       + (1 - theta) (r_1 + theta (r_2 + (1 - theta) (r_3 + theta r_4)))))),
  // D = y_{n+1} - y_n, r_k = h sum_j inside_kj K_j.
  std::vector<Row> later;
  std::vector<Row> inside;
};

// Order 8, estimates of order 5 and 3, continuous solution of order 7: the coefficients of DOP853
// (Hairer, Noersett, Wanner, Solving Ordinary Differential Equations I, 1993, sections II.5, II.6
// and II.10).
const ExplicitTable& order8_table();

// Weights of all stages, later ones included, for the solution at t_n + theta h.
std::vector<double> weights_inside(const ExplicitTable& table, double theta);

}  // namespace daedalus
