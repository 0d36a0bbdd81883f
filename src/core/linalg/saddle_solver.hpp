// SPDX-License-Identifier: BSD-3-Clause
// One interface to the ways of solving the stage systems of constrained mechanics
//   [M A^T; B 0] [x; y] = [r; s],
// M the mass matrix, A and B constraint matrices: A = B at one point, different ones where forces
// act at one point and the constraints are imposed at another (Arnold 1998, (3.82)-(3.85)).
//   dense        LU with partial pivoting of the whole matrix
//   sparse       sparse LU (KLU) of the whole matrix
//   range-space  S = B M^-1 A^T, small when there are few constraints; needs M positive definite
//   null-space   Z_A^T M Z_B, small when there are few degrees of freedom; M may be singular
// Benzi, Golub, Liesen (2005), sections 5 and 6.
#pragma once

#include <memory>
#include <string_view>

#include <daedalus/options.hpp>

#include "linalg/piece_matrix.hpp"

namespace daedalus {

// Nothing allocates after the first factorise, except that the sparse kind chooses pivots anew when
// the old ones have become inaccurate, and that a change of structure sets a solver up again.
class SaddleSolver {
 public:
  SaddleSolver() = default;
  SaddleSolver(const SaddleSolver&) = delete;
  SaddleSolver& operator=(const SaddleSolver&) = delete;
  virtual ~SaddleSolver();

  // M is nv x nv, A and B are nl x nv. False: singular or not finite.
  virtual bool factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) = 0;

  // In place: [r; s] becomes [x; y], length nv + nl. Only after a successful factorise.
  virtual void solve(double* xy) = 0;

  // Smallest over largest |pivot| of what was factorised: an order of magnitude. NaN: unknown.
  virtual double reciprocal_condition() const = 0;

  virtual std::string_view name() const = 0;  // as Options::linear_algebra is spelled in the tool

  // The last factorise went through the whole matrix because the way asked for was not safe.
  virtual bool fell_back() const { return false; }

  // After a failed factorise: column of the whole matrix whose pivot vanished (nv + i stands for
  // the multiplier of constraint i), or -1 when unknown.
  int singular_column() const { return singular_column_; }

 protected:
  int singular_column_ = -1;
};

// Beyond this number of unknowns the dense ways are refused: one matrix takes half a gigabyte.
inline constexpr int max_dense_saddle = 8000;

// The way that `automatic` stands for: see saddle_solver.cpp for the measurements behind it.
LinearAlgebra saddle_kind(LinearAlgebra asked, const PieceMatrix& M, const PieceMatrix& G);

// For matrices of the structure of M and of G (A and B). Throws InvalidArgument naming
// linear_algebra when the dense ways would need a matrix beyond max_dense_saddle.
std::unique_ptr<SaddleSolver> make_saddle_solver(LinearAlgebra kind, const PieceMatrix& M,
                                                 const PieceMatrix& G);

std::string_view to_string(LinearAlgebra kind);

}  // namespace daedalus
