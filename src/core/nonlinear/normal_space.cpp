// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/normal_space.hpp"

namespace daedalus {

NormalSpace::NormalSpace(System& system)
    : system_(system),
      view_(*system.mechanical_view()),
      nv_(view_.sizes().velocities),
      nl_(view_.sizes().multipliers()),
      solver_(nl_ > 0 ? view_.make_saddle_solver() : nullptr),
      mass_(view_.make_mass()),
      G_(view_.make_constraint_matrix()),
      rhs_(Eigen::VectorXd::Zero(nv_ + nl_)) {}

Outcome NormalSpace::factorise(double t, const double* x) {
  if (nl_ == 0) return Outcome::ok;
  const MechanicalPoint p = view_.point(t, x);
  if (const Outcome o = view_.mass(p, mass_); o != Outcome::ok) return o;
  if (const Outcome o = view_.constraint_matrix(p, G_); o != Outcome::ok) return o;
  system_.counter.now().factorisations += 1;
  factorised_ = solver_->factorise(mass_, G_, G_);
  return factorised_ ? Outcome::ok : Outcome::matrix_singular;
}

void NormalSpace::archive(Archive& a) {
  if (!solver_) return;
  archive_pivots(a, *solver_);
  for (double& x : mass_.values()) a(x);
  for (double& x : G_.values()) a(x);
  a(factorised_);
  if (!a.saving() && factorised_) solver_->factorise(mass_, G_, G_);
}

void NormalSpace::component(const double* w, double* out) {
  rhs_.setZero();
  if (nl_ > 0) {
    G_.add_times(1.0, w, rhs_.data() + nv_);
    // Every formulation holds nonholonomic constraints by themselves.
    rhs_.tail(view_.sizes().nonholonomic).setZero();
    system_.counter.now().solves += 1;
    solver_->solve(rhs_.data());
  }
  for (int i = 0; i < nv_; ++i) out[i] = rhs_[i];
}

Outcome NormalSpace::project(double t, double* x) {
  if (nl_ == 0) return Outcome::ok;
  const MechanicalPoint p = view_.point(t, x);
  rhs_.setZero();
  if (const Outcome o = view_.velocity_offset(p, rhs_.data() + nv_); o != Outcome::ok) return o;
  G_.add_times(1.0, p.v, rhs_.data() + nv_);
  system_.counter.now().solves += 1;
  solver_->solve(rhs_.data());
  double* v = x + (p.v - p.q);
  for (int i = 0; i < nv_; ++i) v[i] -= rhs_[i];
  return Outcome::ok;
}

Outcome NormalSpace::multipliers(double t, double* x, double* rate) {
  const MechanicalPoint p = view_.point(t, x);
  if (const Outcome o = view_.force(p, rhs_.data()); o != Outcome::ok) return o;
  if (const Outcome o = view_.acceleration_term(p, rhs_.data() + nv_); o != Outcome::ok) return o;
  rhs_.tail(nl_) *= -1.0;
  system_.counter.now().solves += 1;
  solver_->solve(rhs_.data());
  for (int i = 0; i < nv_; ++i) rate[i] = rhs_[i];
  double* lambda = x + (p.lambda - p.q);
  for (int i = 0; i < nl_; ++i) lambda[i] = rhs_[nv_ + i];
  return Outcome::ok;
}

}  // namespace daedalus
