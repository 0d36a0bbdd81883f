// Saddle-point systems [M A^T; B 0] [x; y] = [r; s] as they arise from constrained mechanics, where
// M is the mass matrix and A, B are constraint matrices (A = B unless the directions of forces and
// constraints differ or are taken at different points).
//
// Range-space method (Benzi, Golub, Liesen 2005, section 5.1): M = L L^T, S = B M^-1 A^T,
//   S y = B M^-1 r - s,   M x = r - A^T y.
// When it is not safe, LU with partial pivoting of the whole matrix, each row divided by its
// largest entry. It is taken to be safe when
//   M is symmetric up to rounding:  |m_ij - m_ji| <= 16 eps sqrt(m_ii m_jj);
//   M is safely positive definite:  the j-th pivot of Cholesky keeps at least 1e-8 of m_jj (a
//     ratio that does not depend on the units of the variables; at 1e-8 half of the digits of
//     the pivot have cancelled);
//   the pivots of S are usable;
//   a solution known beforehand (x = 1, -1, 1, ..., and y so that A^T y is as large as M x) is
//     recovered to 1e-10: this is what notices that a small mass in M makes B x = s inaccurate,
//     which no ratio of pivots shows. 1e-10 is far above rounding for systems that are solved
//     well and below any tolerance in use, and the test costs one solve. It is left out when the
//     smallest over the largest pivot, of M times of S, is above 1e-4: so mild a condition costs
//     four of sixteen digits at most. Variables whose units
//     lie more than about 1e5 apart fail it, too, and lose speed but no digits.
#pragma once

#include <Eigen/Core>

#include "linalg/dense_lu.hpp"
#include "linalg/piece_matrix.hpp"

namespace daedalus {

class SaddlePoint {
 public:
  SaddlePoint(int nv, int nl);  // nv >= 1, nl >= 0

  // M is nv x nv, A and B are nl x nv. False: singular or not finite.
  bool factorise(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

  bool factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B);

  // In place: [r; s] becomes [x; y], length nv + nl. Only after a successful factorise.
  void solve(double* xy);

  // True when the range-space method was used, false for LU of the whole matrix.
  bool structured() const { return path_ != Path::full; }

  // True when M was diagonal and the range-space method used that.
  bool diagonal() const { return path_ == Path::diagonal; }

  // After a failed factorise: column of the whole matrix whose pivot vanished (nv + i stands for
  // the multiplier of constraint i), or -1 when unknown.
  int singular_column() const { return singular_column_; }

  // Smallest over largest |pivot| of S, or of the whole matrix when that was factorised; 1 for
  // nl = 0 with the range-space method; NaN when not factorised.
  double reciprocal_condition() const;

 private:
  enum class Path { diagonal, cholesky, full };
  bool factorise_structured(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                            const Eigen::MatrixXd& B);
  bool factorise_full(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
  bool factorise_mass(const Eigen::MatrixXd& M);
  bool recovers_known_solution(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                               const Eigen::MatrixXd& B);
  bool cholesky_columns(int first, int end, const Eigen::MatrixXd& M);
  void half_solve(double* x, int count) const;  // L^-1 applied to `count` columns of length nv
  void half_solve_back(double* x) const;        // L^-T applied to one

  int nv_, nl_;
  Path path_ = Path::full;
  bool ready_ = false;
  int singular_column_ = -1;
  Eigen::MatrixXd cholesky_;        // lower factor L below the diagonal
  Eigen::VectorXd inverse_;         // 1 / l_jj
  Eigen::MatrixXd force_, motion_;  // L^-1 A^T and L^-1 B^T, nv x nl; equal matrices share force_
  bool same_directions_ = false;
  Eigen::VectorXd row_scale_, known_, trial_;
  DenseLu schur_, whole_;
};

}  // namespace daedalus
