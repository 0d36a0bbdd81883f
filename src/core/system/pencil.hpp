// SPDX-License-Identifier: BSD-3-Clause
// The matrices alpha E + beta J of an implicit method: one union structure, one solver, formed and
// factorised on request.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/views.hpp>
#include "linalg/linear_solver.hpp"
#include "linalg/sparse_pattern.hpp"
#include "system/communicator.hpp"
#include "system/counter.hpp"
#include "system/iterative_solver.hpp"

namespace daedalus {

class Pencil final : public StepMatrix {
 public:
  Pencil(const SparsePattern& e, const SparsePattern& j, LinearSolverKind kind, Counter& counter);
  // Without a matrix: e() is kept for start values, j() is empty.
  Pencil(const SparsePattern& e, std::unique_ptr<IterativeSolver> products, Counter& counter);

  // Another structure, with a solver of its own; values are zero and nothing is factorised. Who
  // keeps what follows from the structure compares structure() before use.
  void restructure(const SparsePattern& e, const SparsePattern& j, LinearSolverKind kind);
  long structure() const { return structure_; }

  void set_e(std::span<const double> values);
  void set_j(std::span<const double> values);
  // Values are kept between calls; refreshing J alone leaves E as it is.
  Outcome factorise(double alpha, double beta) override;
  // False: GMRES did not converge; direct solvers always succeed.
  bool solve(double* x) override;
  // The same with its reason: krylov_failed, or what an evaluation on another rank left.
  Outcome try_solve(double* x, Communicator& ranks);
  // nullptr: there is a matrix.
  IterativeSolver* matrix_free() const { return matrix_free_.get(); }
  void add_e_times(double factor, const double* x, double* out) const override;
  int singular_column() const override { return solver_ ? solver_->singular_column() : -1; }
  double reciprocal_condition() const override {
    return solver_ ? solver_->reciprocal_condition() : std::numeric_limits<double>::quiet_NaN();
  }
  std::string_view solver_name() const { return solver_ ? solver_->name() : "krylov"; }
  const LinearSolver* solver() const { return solver_.get(); }  // nullptr: there is no matrix
  double alpha() const { return alpha_; }
  double beta() const { return beta_; }
  bool factorised() const { return factorised_; }
  const SparsePattern& pattern_e() const { return pattern_e_; }
  const SparsePattern& pattern_j() const { return pattern_j_; }
  // The union of both, and where the entries of each stand in it.
  const SparsePattern& pattern() const { return pattern_; }
  const std::vector<int>& map_e() const { return map_e_; }
  const std::vector<int>& map_j() const { return map_j_; }
  std::span<const double> e() const { return e_; }
  std::span<const double> j() const { return j_; }
  LinearSolverKind kind() const { return kind_; }
  void dense_e(Eigen::MatrixXd& E) const;  // for analyses outside the steps
  void dense_j(Eigen::MatrixXd& J) const;
  void archive(Archive& a);

 private:
  SparsePattern pattern_e_, pattern_j_;
  std::vector<int> map_e_, map_j_;  // filled while pattern_ is made, hence before it
  SparsePattern pattern_;
  std::vector<double> e_, j_, values_;
  LinearSolverKind kind_;
  std::unique_ptr<LinearSolver> solver_;  // null: matrix_free_ is there instead
  std::unique_ptr<IterativeSolver> matrix_free_;
  Counter& counter_;
  double alpha_ = 0.0, beta_ = 0.0;
  bool factorised_ = false;
  long structure_ = 0;
};

}  // namespace daedalus
