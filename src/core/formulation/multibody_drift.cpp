// SPDX-License-Identifier: BSD-3-Clause
// What the drift monitor sees (Arnold 1998, (3.2), (3.3)): r_L = g, r_G = G v + g_t and
//   r_B = G v' + d^2 g/dt^2|_{v'=0},  v' = M^{-1} (f - G^T lambda),
// with lambda as the method left it. No stabilisation terms enter, whatever the formulation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/multibody_system.hpp"

namespace daedalus {

void MultibodySystem::make_balance() {
  if (balance_.solver) return;
  balance_.mass = make_mass();
  no_rows_ = PieceMatrix::dense(0, sizes().velocities);
  watched_.setZero(sizes().velocities);
  balance_.solver = daedalus::make_saddle_solver(
      saddle_kind(LinearAlgebra::automatic, balance_.mass, no_rows_), balance_.mass, no_rows_);
}

// A singular M does not determine v' without the constraints: there is no r_B then.
System::Drift MultibodySystem::drift(const State& s) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const MechanicalSizes& n = sizes();
  const int nv = n.velocities, nl = n.multipliers();
  Drift d{{none, 0.0}, {none, 0.0}, {none, 0.0}};
  if (nl == 0) return d;
  const ConstraintResidual r = constraint_residual(s);
  d.position.residual = r.position;
  d.velocity.residual = r.velocity;
  const MechanicalPoint p = point(s.t, s.x.data());
  if (constraint_matrix(p, G_) != Outcome::ok) return d;
  watched_size_.setZero(layout.tangents());
  layout.magnitude(s.x.data(), watched_size_.data());
  // The largest sum of moduli over the rows of G times a vector.
  const auto largest = [&](const double* x, int count) {
    reach_.setZero();
    G_.for_each([&](int row, int c, double value) {
      if (c < count) reach_[row] += std::abs(value * x[c]);
    });
    return reach_.head(nl).maxCoeff();
  };
  d.position.round_off = epsilon * largest(watched_size_.data(), std::min(nv, n.tangents));
  d.velocity.round_off = epsilon * largest(p.v, nv);

  make_balance();
  if (mass(p, balance_.mass) != Outcome::ok || force(p, watched_.data()) != Outcome::ok) return d;
  G_.add_transposed_times(-1.0, p.lambda, watched_.data());
  counter.now().factorisations += 1;
  if (!balance_.solver->factorise(balance_.mass, no_rows_, no_rows_)) return d;
  counter.now().solves += 1;
  balance_.solver->solve(watched_.data());
  counter.now().curvature_evaluations += 1;
  const PointOf<double> x{p.t, p.q, p.v, p.c, p.s, p.lambda};
  if (guarded(failure, p.t, [&] { return mechanics_->acceleration_term(x, g_.data()); }) !=
      Outcome::ok)
    return d;
  d.acceleration.round_off = epsilon * (largest(watched_.data(), nv) + g_.cwiseAbs().maxCoeff());
  G_.add_times(1.0, watched_.data(), g_.data());
  if (g_.allFinite()) d.acceleration.residual = g_.cwiseAbs().maxCoeff();
  return d;
}

}  // namespace daedalus
