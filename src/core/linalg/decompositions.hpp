// SPDX-License-Identifier: BSD-3-Clause
// Eigen's dense decompositions behind plain functions and compiled once: each takes seconds in
// every file that instantiates it. For starts and analysis; they allocate. Golub, Van Loan (2013).
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

namespace daedalus {

// P A = L U with row interchanges (section 3.4).
class PivotedLu {
 public:
  PivotedLu() = default;
  explicit PivotedLu(const Eigen::MatrixXd& A) { compute(A); }
  void compute(const Eigen::MatrixXd& A);

  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& B) const;

  const Eigen::MatrixXd& factors() const { return lu_.matrixLU(); }
  const Eigen::VectorXi& permutation() const { return lu_.permutationP().indices(); }

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

// A P = Q R, the largest remaining column first (section 5.4.2).
struct PivotedQr {
  int rank = 0;             // pivots above epsilon times their number times the largest
  Eigen::VectorXd pivots;   // |r_ii|
  Eigen::VectorXi columns;  // column of A that became column i
  Eigen::MatrixXd q;        // square; its last rows - rank columns are orthogonal to the range of A
};
PivotedQr pivoted_qr(const Eigen::MatrixXd& A);

// The shortest x that minimises |A x - b| (section 5.5).
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

// A = U diag(values) V^T with square U and V, values falling (section 2.4).
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd u, v;
};
SingularValues singular_value_decomposition(const Eigen::MatrixXd& A);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

// Eigenvalues alpha_i / beta_i of A x = lambda B x, beta_i = 0 for infinite ones (section 7.7).
struct PencilEigenvalues {
  Eigen::VectorXcd alpha;
  Eigen::VectorXd beta;
};
PencilEigenvalues pencil_eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace daedalus
