// SPDX-License-Identifier: BSD-3-Clause
// Square linear systems whose structure is fixed at construction and whose values change.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "linalg/sparse_pattern.hpp"

namespace daedalus {

enum class LinearSolverKind { automatic, dense, sparse, krylov };  // krylov: no matrix at all

std::string_view to_string(LinearSolverKind kind);

// Neither factorise nor solve allocates after the first factorise, except that the sparse kind
// chooses pivots anew when the old ones have become inaccurate for the new values.
// Matrices of stiff systems are badly scaled by rows and columns. Each row is divided by the size
// of its largest entry; "singular" then means a pivot that is exactly zero, below 1e-300 or not
// finite. Anything milder is left to reciprocal_condition(), from which a caller can warn.
class LinearSolver {
 public:
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;
  virtual ~LinearSolver();

  // Values in the order of the pattern; false: singular or not finite.
  virtual bool factorise(std::span<const double> values) = 0;

  // In place: right-hand side becomes solution. Only after a successful factorise.
  virtual void solve(double* x) = 0;
  // The same for several right-hand sides, one after another in memory.
  virtual void solve_columns(double* x, int n, int count) {
    for (int k = 0; k < count; ++k) solve(x + static_cast<std::ptrdiff_t>(k) * n);
  }

  // After a failed factorise: the column (0 .. n-1) whose pivot vanished, or -1 when unknown.
  int singular_column() const { return singular_column_; }

  // Smallest over largest |pivot|: an order of magnitude, not a bound. NaN when unknown.
  virtual double reciprocal_condition() const;

  virtual std::string_view name() const = 0;  // "dense" or "sparse"

 protected:
  int singular_column_ = -1;
};

// Throws InvalidArgument when the pattern is not square or is malformed.
std::unique_ptr<LinearSolver> make_linear_solver(
    const SparsePattern& pattern, LinearSolverKind kind = LinearSolverKind::automatic);

}  // namespace daedalus
