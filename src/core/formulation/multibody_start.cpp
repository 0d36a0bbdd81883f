// SPDX-License-Identifier: BSD-3-Clause
// Start values on the constraints, whatever the formulation holds by itself (Arnold 1998, section
// 3.3.2):
//   q = q0 (+) T total,  0 = M(q) total + G^T(q) eta,  0 = g(q)    (3.86)
//   0 = M (v - v0) + G^T eta,  0 = G v + g_t                       (3.87)
// Here with the matrix of the present point in every iteration: starts may be far away, and end at
// round-off, not at a tolerance.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/multibody_system.hpp"

namespace daedalus {
namespace {

constexpr double unit_round_off = std::numeric_limits<double>::epsilon();
// Halved steps included; without progress for so long there is no solution nearby.
constexpr int max_start_iterations = 60;

// Newton's method has come to rest: the moves are round-off, or they are small and no longer fall.
class Rest {
 public:
  bool reached(double move, double size) {
    const bool small = move <= 1e-10 * (1.0 + size);
    const bool rest = move <= 0.5 * unit_round_off * size || (small && move > 0.25 * last_);
    last_ = move;
    return rest;
  }

 private:
  double last_ = std::numeric_limits<double>::infinity();
};

}  // namespace

// nearest: the smallest change from the values given; otherwise the smallest one from each iterate,
// which reaches the manifold from farther away.
Outcome MultibodySystem::meet_positions(double t, Eigen::VectorXd& x, bool nearest) {
  const MechanicalSizes& n = sizes();
  const LayoutBlock* sb = layout.find(VariableClass::s);
  anchor_ = x.head(n.positions);
  total_.setZero();
  Rest rest;
  for (int iteration = 0; iteration < max_start_iterations; ++iteration) {
    const MechanicalPoint p = point(t, x.data());
    if (const Outcome o = constraint(p, position_.data()); o != Outcome::ok) return o;
    if (const Outcome o = factorise_at(p, own_); o != Outcome::ok) return o;
    move_.setZero();
    if (nearest) own_.mass.add_times(-1.0, total_.data(), move_.data());
    move_.segment(n.velocities, n.holonomic) = -position_;
    counter.now().solves += 1;
    own_.solver->solve(move_.data());
    if (!move_.allFinite()) return Outcome::projection_failed;
    total_ += move_.head(n.velocities);
    MechanicalPoint q_move = p;
    q_move.q = anchor_.data();
    q_move.v = total_.data();
    if (const Outcome o = rate(q_move, work_.data()); o != Outcome::ok) return o;
    space().plus(anchor_.data(), work_.data(), x.data());
    if (sb)
      if (const Outcome o = solve_contact(t, x.data(), x.data() + sb->point); o != Outcome::ok)
        return o;
    if (!nearest) {
      anchor_ = x.head(n.positions);
      total_.setZero();
    }
    if (rest.reached(move_.head(n.velocities).cwiseAbs().maxCoeff(),
                     x.head(n.positions).cwiseAbs().maxCoeff()))
      return Outcome::ok;
  }
  return Outcome::projection_failed;
}

Outcome MultibodySystem::meet_velocities(double t, Eigen::VectorXd& x) {
  const MechanicalSizes& n = sizes();
  const int v = layout.find(VariableClass::v)->point;
  if (const Outcome o = factorise_at(point(t, x.data()), own_); o != Outcome::ok) return o;
  Rest rest;
  for (int iteration = 0; iteration < max_start_iterations; ++iteration) {
    const MechanicalPoint p = point(t, x.data());
    if (const Outcome o = velocity_residual(p, g_.data()); o != Outcome::ok) return o;
    move_.setZero();
    move_.tail(n.multipliers()) = -g_;
    counter.now().solves += 1;
    own_.solver->solve(move_.data());
    if (!move_.allFinite()) return Outcome::projection_failed;
    x.segment(v, n.velocities) += move_.head(n.velocities);
    if (rest.reached(move_.head(n.velocities).cwiseAbs().maxCoeff(),
                     x.segment(v, n.velocities).cwiseAbs().maxCoeff()))
      return Outcome::ok;
  }
  return Outcome::projection_failed;
}

Outcome MultibodySystem::meet_constraints(double t, Eigen::VectorXd& x) {
  if (sizes().multipliers() == 0) return Outcome::ok;
  const Eigen::VectorXd given = x;
  if (sizes().holonomic > 0) {
    Outcome o = meet_positions(t, x, true);
    if (o == Outcome::projection_failed || o == Outcome::matrix_singular) {
      x = given;
      o = meet_positions(t, x, false);
    }
    if (o != Outcome::ok) {
      x = given;
      return o;
    }
  }
  const Outcome o = meet_velocities(t, x);
  if (o != Outcome::ok) x = given;
  return o;
}

}  // namespace daedalus
