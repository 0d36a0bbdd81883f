// SPDX-License-Identifier: BSD-3-Clause
// The algebraic equations hidden in M x' = f with a constant singular M: W^T f = 0 for a basis W of
// the left null space of M (Steinebach 1988, (9.3): there the last columns of U in the singular
// value decomposition M = U diag(S, 0) V^T).
//
// The null space is taken from a QR decomposition with column pivoting instead: for the same rank
// it is the same space, W^T f = 0 and M dx = 0 are the same conditions in any basis, and the start
// values are equal up to round-off (tests/start compares both), at about a tenth of the work. As
// there the rank counts what lies above n times the machine precision, here after rows and columns
// of M were brought to comparable size, so that units do not decide. The basis is then reduced so
// that each column combines as few equations as possible, which gives it a name.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace daedalus {

struct MassKernel {
  Eigen::MatrixXd basis;           // W; a zero row of M gives a unit vector
  std::vector<std::string> names;  // of its columns: "node 4 + node 5"
  int rank = 0;
  // Of the pivots of the scaled matrix: the first neglected over the last counted one (0: nothing
  // was neglected), and the last counted over the largest one.
  double neglected = 0.0, counted = 1.0;
  bool unclear() const { return neglected > 1e-10 || counted < 1e-10; }
};
MassKernel mass_kernel(const Eigen::MatrixXd& mass, const std::vector<std::string>& equations);

}  // namespace daedalus
