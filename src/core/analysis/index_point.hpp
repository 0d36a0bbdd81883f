// SPDX-License-Identifier: BSD-3-Clause
// The index at one point of a solution, by whatever the problem allows.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include <daedalus/analysis.hpp>

#include "linalg/matrix_chain.hpp"

namespace daedalus {

// What index_analysis() leaves besides its result.
struct IndexTrace {
  bool look_nearby = true;  // given: whether the decisions are repeated at a point nearby
  // Sign of the determinant of the reduced leading matrix, with the rows that constraints have
  // replaced (round, row) on the way to it. Where it changes between two points of a solution, with
  // the same rows, the matrix is singular somewhere between them. 0: not known.
  double orientation = 0.0;
  std::vector<std::pair<int, int>> rows;
};
IndexAnalysis index_analysis_at(const Problem& problem, double t0, double tolerance, int max_size,
                                IndexTrace& trace);

// Whether E x' + J x = q is of index 0 or 1: W^T E = 0, and E + W W^T J is regular. Of multibody
// problems with their constraints at the level of accelerations this means that [M G^T; G 0] is
// regular, and so index 3 (2 without position constraints) of the problem as it is written.
RankDecision index1_decision(const Eigen::MatrixXd& E, const Eigen::MatrixXd& J, double tolerance);

}  // namespace daedalus
