// SPDX-License-Identifier: BSD-3-Clause
// Accelerations and multipliers at a point of a multibody system:
//   [M  G^T] [v'    ]   [ f(t, q, v, lambda, c, s) ]
//   [G  0  ] [lambda] = [ -(second derivative of g with v' = 0) ]
// by one linear solve, or by Newton's method where f depends on lambda (friction).
#pragma once

#include <Eigen/Core>
#include <memory>

#include <daedalus/stepper/layout.hpp>
#include "system/archive_pivots.hpp"
#include "system/counter.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {

// The variable of a column of this matrix, a velocity or a multiplier; -1: there is no such column.
int variable_of_column(const Layout& layout, const MechanicalSizes& n, int column);

class Accelerations {
 public:
  Accelerations(MechanicalView& view, Counter& counter);
  // Uses p.lambda as the first guess with friction; results in a() and lambda().
  Outcome solve(const MechanicalPoint& p);
  // The half-explicit stage: M, f and G^T at p, but the rows `pull` v' = `lower` instead of the
  // acceleration constraint.
  Outcome solve(const MechanicalPoint& p, const PieceMatrix& pull, const Eigen::VectorXd& lower);
  // The same with the constraint matrix `push` at p known already; `load` is added to the force.
  Outcome solve(const MechanicalPoint& p, const PieceMatrix& push, const PieceMatrix& pull,
                const Eigen::VectorXd& lower, const double* load = nullptr);
  // One more right-hand side (of v' and lambda, replaced by the solution) for the matrix of the
  // last solve.
  void substitute(double* rhs);
  const Eigen::VectorXd& a() const { return a_; }
  const Eigen::VectorXd& lambda() const { return lambda_; }
  // Of the matrix of the last solve; see SaddleSolver.
  double reciprocal_condition() const { return stage_->solver->reciprocal_condition(); }
  int singular_column() const { return stage_->solver->singular_column(); }
  int singular_variable(const Layout& layout) const {
    return variable_of_column(layout, view_.sizes(), singular_column());
  }
  void archive(Archive& a) { archive_pivots(a, *stage_->solver); }

 private:
  Outcome iterate(const MechanicalPoint& p, const PieceMatrix& push, const PieceMatrix& pull,
                  const Eigen::VectorXd& lower, const double* load = nullptr);

  MechanicalView& view_;
  Counter& counter_;
  std::shared_ptr<StageMatrix> stage_;
  PieceMatrix G_, push_;  // push_: with friction, G less the derivative of the force
  Eigen::MatrixXd f_lambda_;
  Eigen::VectorXd f_, curvature_, rhs_, a_, lambda_;
};

}  // namespace daedalus
