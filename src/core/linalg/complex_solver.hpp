// SPDX-License-Identifier: BSD-3-Clause
// Square complex systems with the structure of a real one: alpha E + J with complex alpha, as
// implicit Runge-Kutta methods have them. Values and vectors are pairs (real, imaginary) in one
// array. Rules about allocation, scaling and singular matrices as for LinearSolver.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "linalg/sparse_pattern.hpp"

namespace daedalus {

class ComplexSolver {
 public:
  ComplexSolver() = default;
  ComplexSolver(const ComplexSolver&) = delete;
  ComplexSolver& operator=(const ComplexSolver&) = delete;
  virtual ~ComplexSolver();

  // Two numbers for each entry of the pattern; false: singular or not finite.
  virtual bool factorise(std::span<const double> values) = 0;
  virtual void solve(double* x) = 0;  // in place, 2 n numbers
  // The values for which the present pivots were chosen, and the same choice again: a run that is
  // resumed goes on with the pivots it had. Empty: pivots are chosen in every factorise.
  virtual std::vector<double>& pivot_values() { return no_values_; }
  virtual void choose_pivots_again() {}
  int singular_column() const { return singular_column_; }

 protected:
  int singular_column_ = -1;
  std::vector<double> no_values_;
};

// The kind that make_linear_solver would take for the pattern, unless it is said.
std::unique_ptr<ComplexSolver> make_complex_solver(const SparsePattern& pattern, bool dense);
// The kind of the real solver of the same structure, whose analysis it shares.
std::unique_ptr<ComplexSolver> make_complex_solver(const SparsePattern& pattern,
                                                   const LinearSolver& real);

}  // namespace daedalus
