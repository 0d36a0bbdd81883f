// SPDX-License-Identifier: BSD-3-Clause
// The staircase of a pencil s A + B: its infinite part is deflated by rank decisions alone, so that
// infinite eigenvalues of higher index never pass through a division (Van Dooren 1979; Demmel,
// Kagstrom 1993):
//   U^T (s A + B) V = [s A_f + B_f, s A_fi + B_fi; 0, s A_i + B_i],
// A_f and B_i regular, A_i nilpotent beside B_i.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace daedalus {

struct Staircase {
  bool regular = false;
  int index = -1;
  int finite = 0;
  std::vector<int> ranks;
  double gap = 1e16;
  // U^T and V with the balancing: left (s A / tau + B) right is the staircase, in time t / tau.
  Eigen::MatrixXd left, right;
  double tau = 1.0;
  Eigen::MatrixXd A, B;  // transformed
  int missing = 0;       // singular: rows that depend on each other for all s
  // Singular: combination of equations and of variables that shows it, in units of the given ones.
  Eigen::VectorXd equations, variables;
};

Staircase staircase(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double tolerance);

}  // namespace daedalus
