// Accelerations and multipliers at a point of a multibody system:
//   [M  G^T] [v'    ]   [ f(t, q, v, lambda, c, s) ]
//   [G  0  ] [lambda] = [ -(second derivative of g with v' = 0) ]
// by one linear solve, or by Newton's method where f depends on lambda (friction).
#pragma once

#include <Eigen/Core>

#include "linalg/saddle_point.hpp"
#include "system/counter.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus {

class Accelerations {
 public:
  Accelerations(MechanicalView& view, Counter& counter);
  // Uses p.lambda as the first guess with friction; results in a() and lambda().
  Outcome solve(const MechanicalPoint& p);
  // The half-explicit stage: M, f and G^T at p, but the rows `pull` v' = `lower` instead of the
  // acceleration constraint.
  Outcome solve(const MechanicalPoint& p, const PieceMatrix& pull,
                const Eigen::VectorXd& lower);
  const Eigen::VectorXd& a() const { return a_; }
  const Eigen::VectorXd& lambda() const { return lambda_; }
  int singular_column() const { return saddle_.singular_column(); }

 private:
  Outcome iterate(const MechanicalPoint& p, const PieceMatrix& pull,
                  const Eigen::VectorXd& lower);

  MechanicalView& view_;
  Counter& counter_;
  SaddlePoint saddle_;
  PieceMatrix M_, G_, push_;
  Eigen::MatrixXd f_lambda_;
  Eigen::VectorXd f_, curvature_, rhs_, a_, lambda_;
};

}  // namespace daedalus
