// SPDX-License-Identifier: BSD-3-Clause
#include "methods/partitioned_multistep/engine_motion.hpp"

namespace daedalus::partitioned_multistep {

Motion::Motion(System& system)
    : view_(*system.mechanical_view()),
      counter_(system.counter),
      M_(view_.make_mass()),
      G_(view_.make_constraint_matrix()),
      none_(PieceMatrix::dense(0, view_.sizes().velocities)),
      solver_(make_saddle_solver(LinearAlgebra::automatic, M_, none_)) {
  rhs_.setZero(view_.sizes().velocities);
}

Outcome Motion::solve(double t, const double* x, double* v_rate) {
  const MechanicalPoint p = view_.point(t, x);
  if (const Outcome o = view_.mass(p, M_); o != Outcome::ok) return o;
  if (const Outcome o = view_.force(p, rhs_.data()); o != Outcome::ok) return o;
  if (view_.sizes().multipliers() > 0) {
    if (const Outcome o = view_.constraint_matrix(p, G_); o != Outcome::ok) return o;
    G_.add_transposed_times(-1.0, p.lambda, rhs_.data());
  }
  counter_.now().factorisations += 1;
  if (!solver_->factorise(M_, none_, none_)) return Outcome::matrix_singular;
  counter_.now().solves += 1;
  solver_->solve(rhs_.data());
  for (int i = 0; i < rhs_.size(); ++i) v_rate[i] = rhs_[i];
  return rhs_.allFinite() ? Outcome::ok : Outcome::matrix_singular;
}

}  // namespace daedalus::partitioned_multistep
