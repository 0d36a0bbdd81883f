// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/accelerations.hpp"

#include <cmath>

namespace daedalus {
namespace {

constexpr double slow_rate = 0.1;  // of the iteration with friction: a new derivative pays

}  // namespace

int variable_of_column(const Layout& layout, const MechanicalSizes& n, int column) {
  if (column < 0 || column >= n.velocities + n.multipliers()) return -1;
  return column < n.velocities
             ? layout.find(VariableClass::v)->tangent + column
             : layout.find(VariableClass::lambda)->tangent + column - n.velocities;
}

Accelerations::Accelerations(MechanicalView& view, Counter& counter)
    : view_(view), counter_(counter), stage_(std::make_shared<StageMatrix>()) {
  const int nv = view.sizes().velocities, nl = view.sizes().multipliers();
  stage_->solver = view.make_saddle_solver();
  stage_->mass = view.make_mass();
  G_ = view.make_constraint_matrix();
  f_.setZero(nv);
  curvature_.setZero(nl);
  rhs_.setZero(nv + nl);
  a_.setZero(nv);
  lambda_.setZero(nl);
}

Outcome Accelerations::solve(const MechanicalPoint& at) {
  if (view_.sizes().multipliers() > 0) {
    if (const Outcome o = view_.constraint_matrix(at, G_); o != Outcome::ok) return o;
    if (const Outcome o = view_.acceleration_term(at, curvature_.data()); o != Outcome::ok)
      return o;
    curvature_ *= -1.0;
  }
  return iterate(at, G_, G_, curvature_);
}

Outcome Accelerations::solve(const MechanicalPoint& at, const PieceMatrix& pull,
                             const Eigen::VectorXd& lower) {
  if (view_.sizes().multipliers() > 0)
    if (const Outcome o = view_.constraint_matrix(at, G_); o != Outcome::ok) return o;
  return iterate(at, G_, pull, lower);
}

Outcome Accelerations::solve(const MechanicalPoint& at, const PieceMatrix& push,
                             const PieceMatrix& pull, const Eigen::VectorXd& lower,
                             const double* load) {
  return iterate(at, push, pull, lower, load);
}

void Accelerations::substitute(double* rhs) {
  counter_.now().solves += 1;
  stage_->solver->solve(rhs);
}

Outcome Accelerations::iterate(const MechanicalPoint& at, const PieceMatrix& push,
                               const PieceMatrix& pull, const Eigen::VectorXd& lower,
                               const double* load) {
  const int nv = view_.sizes().velocities, nl = view_.sizes().multipliers();
  MechanicalPoint p = at;
  lambda_ = Eigen::Map<const Eigen::VectorXd>(at.lambda, nl);
  p.lambda = lambda_.data();
  if (const Outcome o = view_.mass(p, stage_->mass); o != Outcome::ok) return o;
  const bool friction = view_.force_depends_on_lambda();
  if (friction && push_.rows() == 0) {
    push_ = view_.make_constraint_matrix();
    f_lambda_.setZero(nv, nl);
  }
  // Coulomb friction is homogeneous of degree one in lambda: one derivative serves all iterations
  // unless signs change; twenty iterations cover a bad first guess.
  bool renew = true;
  double last = 0.0;
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Outcome o =
        friction && renew ? view_.force_lambda(p, f_.data(), f_lambda_) : view_.force(p, f_.data());
    if (o != Outcome::ok) return o;
    rhs_.head(nv) = f_;
    if (load) rhs_.head(nv) += Eigen::Map<const Eigen::VectorXd>(load, nv);
    rhs_.tail(nl) = lower;
    if (friction) {
      if (renew) push_.matrix() = push.matrix() - f_lambda_.transpose();
      rhs_.head(nv).noalias() -= f_lambda_ * lambda_;
    }
    if (renew) {
      counter_.now().factorisations += 1;
      if (!stage_->solver->factorise(stage_->mass, friction ? push_ : push, pull))
        return Outcome::matrix_singular;
    }
    counter_.now().solves += 1;
    stage_->solver->solve(rhs_.data());
    if (!rhs_.allFinite()) return Outcome::matrix_singular;
    const double change = nl > 0 ? (rhs_.tail(nl) - lambda_).cwiseAbs().maxCoeff() : 0.0;
    a_ = rhs_.head(nv);
    lambda_ = rhs_.tail(nl);
    // With friction the matrix is that of Newton's method and not of the projection.
    view_.lend(friction ? nullptr : stage_);
    if (!friction) return Outcome::ok;
    counter_.now().newton_iterations += 1;
    const double allowed = 1e-12 * (1.0 + lambda_.cwiseAbs().maxCoeff());
    // What remains of a linear convergence at the observed rate.
    const double rate = iteration > 0 && last > 0.0 ? change / last : 1.0;
    if (change <= allowed || (rate < slow_rate && rate / (1.0 - rate) * change <= allowed))
      return Outcome::ok;
    renew = iteration > 0 && rate >= slow_rate;
    last = change;
  }
  counter_.now().newton_failures += 1;
  return Outcome::newton_failed;
}

}  // namespace daedalus
