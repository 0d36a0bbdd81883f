// Square complex systems with the structure of a real one: alpha E + J with complex alpha, as
// implicit Runge-Kutta methods have them. Values and vectors are pairs (real, imaginary) in one
// array. Rules about allocation, scaling and singular matrices as for LinearSolver.
#pragma once

#include <memory>
#include <span>

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
  int singular_column() const { return singular_column_; }

 protected:
  int singular_column_ = -1;
};

// The kind that make_linear_solver would take for the pattern, unless it is said.
std::unique_ptr<ComplexSolver> make_complex_solver(const SparsePattern& pattern, bool dense);

}  // namespace daedalus
