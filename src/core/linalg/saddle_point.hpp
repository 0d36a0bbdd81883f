// SPDX-License-Identifier: BSD-3-Clause
// The dense ways of solving [M A^T; B 0] [x; y] = [r; s]: range-space, and the whole matrix.
//
// Range-space method (Benzi, Golub, Liesen 2005, section 5.1): M = L L^T, S = B M^-1 A^T,
//   S y = B M^-1 r - s,   M x = r - A^T y.
// M may have blocks on its diagonal, and is factorised again only when its numbers have changed.
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
#include <span>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "linalg/saddle_solver.hpp"

namespace daedalus {

class SaddlePoint final : public SaddleSolver {
 public:
  // nv >= 1, nl >= 0; always_whole: no range-space method.
  SaddlePoint(int nv, int nl, bool always_whole = false);

  bool factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) override;
  bool factorise(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

  void solve(double* xy) override;

  // Smallest over largest |pivot| of S, or of the whole matrix when that was factorised; 1 for
  // nl = 0 with the range-space method; NaN when not factorised.
  double reciprocal_condition() const override;
  std::string_view name() const override { return always_whole_ ? "dense" : "range-space"; }

  bool fell_back() const override { return ready_ && !always_whole_ && path_ == Path::full; }

  // True when the range-space method was used, false for LU of the whole matrix.
  bool structured() const { return path_ != Path::full; }

  // True when M was diagonal and the range-space method used that.
  bool diagonal() const { return path_ == Path::diagonal; }

  // How often M was factorised: once if it is constant.
  long mass_factorisations() const { return mass_factorisations_; }

 private:
  enum class Path { diagonal, cholesky, full };
  using Matrix = Eigen::Map<const Eigen::MatrixXd>;
  // Square blocks on the diagonal, one after another, each column by column.
  struct Mass {
    const double* values;
    std::span<const int> blocks;
  };
  Mass mass_of(const PieceMatrix& M);
  Matrix dense_of(const PieceMatrix& G, Eigen::MatrixXd& storage) const;
  bool factorise(const Mass& M, const Matrix& A, const Matrix& B);
  bool factorise_structured(const Mass& M, const Matrix& A, const Matrix& B);
  bool factorise_full(const Mass& M, const Matrix& A, const Matrix& B);
  bool factorise_mass(const Mass& M);
  bool recovers_known_solution(const Mass& M, const Matrix& A, const Matrix& B);
  void half_solve(double* x, int count) const;  // L^-1 applied to `count` columns of length nv
  void half_solve_back(double* x) const;        // L^-T applied to one

  int nv_, nl_;
  bool always_whole_;
  Path path_ = Path::full;
  bool ready_ = false;
  std::vector<int> one_block_, blocks_;  // blocks_: of the factorised M
  std::vector<double> known_mass_;       // numbers of the factorised M
  Path mass_path_ = Path::cholesky;
  bool mass_regular_ = false;
  long mass_factorisations_ = 0;
  std::vector<double> cholesky_;    // blocks of the lower factor L, below the diagonal
  Eigen::VectorXd inverse_;         // 1 / l_jj
  Eigen::MatrixXd force_, motion_;  // L^-1 A^T and L^-1 B^T, nv x nl; equal matrices share force_
  bool same_directions_ = false;
  Eigen::VectorXd row_scale_, known_, trial_;
  DenseLu schur_, whole_;
  Eigen::MatrixXd dense_mass_, dense_a_, dense_b_;  // of sparse pieces
};

}  // namespace daedalus
