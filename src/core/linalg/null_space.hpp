// SPDX-License-Identifier: BSD-3-Clause
// Null-space method for [M A^T; B 0] (Benzi, Golub, Liesen 2005, section 6), with the basis of
// coordinate partitioning (Wehage, Haug 1982): LU with partial pivoting of the transposed
// constraint matrix,
//   P B^T = [L1; L2] U,  N = L2 L1^-1,  B Z = 0 for Z = P^T [-N^T; I].
// With a basis Z_A of the kernel of A made in the same way
//   x = x_p + Z w,  B x_p = s,   (Z_A^T M Z) w = Z_A^T (r - M x_p),   A^T y = r - M x.
// M may be singular and unsymmetric; the whole matrix is regular if and only if A and B have full
// rank and Z_A^T M Z is regular. A pivot of B^T below 1e-14 of its column counts as zero: what is
// left of a constraint after the others have been eliminated is rounding error.
#pragma once

#include <vector>

#include "linalg/dense_lu.hpp"
#include "linalg/saddle_solver.hpp"

namespace daedalus {

class NullSpace final : public SaddleSolver {
 public:
  NullSpace(int nv, int nl);

  bool factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) override;
  void solve(double* xy) override;
  double reciprocal_condition() const override;
  std::string_view name() const override { return "null-space"; }

 private:
  // P C^T = [L1; L2] U and N of a constraint matrix C.
  struct Kernel {
    Eigen::MatrixXd lu;  // nv x nl
    Eigen::MatrixXd n;   // (nv - nl) x nl
    std::vector<int> row;
    std::vector<double> inverse, largest;
    void reserve(int nv, int nl);
    int factorise(const PieceMatrix& C);  // -1, or the constraint that depends on earlier ones
    void find_n();
  };
  const Kernel& pushes() const { return same_ ? motion_ : force_; }
  void reduce(const PieceMatrix& M);

  int nv_, nl_, nz_;
  bool same_ = false, ready_ = false;
  Kernel force_, motion_;  // of A and B; equal matrices share motion_
  PieceMatrix M_;
  Eigen::MatrixXd basis_, product_, gathered_, top_;
  DenseLu reduced_;
  Eigen::VectorXd scale_, work_, moved_, free_, rest_;
};

}  // namespace daedalus
