// SPDX-License-Identifier: BSD-3-Clause
// Projection to invariants I(t, q, v) = I_0 after that to the constraints: the move along the
// constraint manifold with the smallest sigma^2 dq^T M dq + dv_t^T M dv_t. dv_t is the tangential
// part of dv, G dv_t = 0; the other part follows from dq through G v + g_t = 0. With
// K = d(G v + g_t)/dq, and mu from M b + G^T mu = I_v^T, G b = 0, the derivative of I along dq is
// I_q - mu^T K, and one factorisation of [M G^T; G 0] serves all (Hairer, Lubich, Wanner 2006,
// section IV.4, with the metric of Arnold 1998, (3.86)). sigma compares positions with velocities
// as the error scale does. Positions stay where their coordinates are not those of the velocities.
#include <cmath>

#include "formulation/multibody_system.hpp"
#include "system/invariants.hpp"

namespace daedalus {
namespace {
// Newton's method; the move still to come may not be seen in the error test, unless it is
// round-off.
constexpr int max_invariant_iterations = 8;
constexpr double invariants_met = 1e-3;        // in units of the error test
constexpr double invariant_round_off = 1e-14;  // relative; some ulp of a sum
}  // namespace

Outcome MultibodySystem::invariant_directions(const State& s, double sigma) {
  const MechanicalSizes& n = sizes();
  const int nv = n.velocities, nl = n.multipliers(), ni = invariants->count();
  const int first_v = layout.find(VariableClass::v)->tangent;
  const MechanicalPoint p = point(s.t, s.x.data());
  if (const Outcome o = factorise_at(p, own_); o != Outcome::ok) return o;
  if (towards_.q.size() == 0) {
    towards_.q.setZero(nv, ni);
    towards_.v.setZero(nv, ni);
    towards_.products.setZero(ni, ni);
    towards_.along_q.setZero(nv * ni);
    towards_.change.setZero(ni);
    towards_.by_q.resize(static_cast<std::size_t>(nl * nv));
    towards_.moves_q = n.tangents == nv && !mechanics_->problem().kinematics;
  }
  if (towards_.moves_q && nl > 0) {
    const PointOf<double> x{p.t, p.q, p.v, p.c, p.s, p.lambda};
    const Outcome o = guarded(failure, p.t, [&] {
      return mechanics_->velocity_gradient(x, towards_.by_q.data(), nullptr);
    });
    if (o != Outcome::ok) return o;
  }
  const Eigen::Map<const Eigen::MatrixXd> K(towards_.by_q.data(), nl, nv);
  for (int i = 0; i < ni; ++i) {
    move_.setZero();
    move_.head(nv) = invariants->gradient().row(i).segment(first_v, nv);
    counter.now().solves += 1;
    own_.solver->solve(move_.data());
    towards_.v.col(i) = move_.head(nv);
    if (!towards_.moves_q) continue;
    auto along = towards_.along_q.segment(i * nv, nv);
    along = invariants->gradient().row(i).head(nv);
    along.noalias() -= K.transpose() * move_.tail(nl);
    move_.setZero();
    move_.head(nv) = along / (sigma * sigma);
    counter.now().solves += 1;
    own_.solver->solve(move_.data());
    towards_.q.col(i) = move_.head(nv);
  }
  for (int i = 0; i < ni; ++i)
    for (int j = 0; j < ni; ++j)
      towards_.products(i, j) =
          invariants->gradient().row(i).segment(first_v, nv).dot(towards_.v.col(j)) +
          (towards_.moves_q ? towards_.along_q.segment(i * nv, nv).dot(towards_.q.col(j)) : 0.0);
  return Outcome::ok;
}

// At an equilibrium the derivative of the energy vanishes, and no small move changes it: then the
// trial stays.
ProjectionResult MultibodySystem::project_invariants(State& s, const Eigen::VectorXd& weight,
                                                     double threshold) {
  const MechanicalSizes& n = sizes();
  const LayoutBlock *v = layout.find(VariableClass::v), *sb = layout.find(VariableClass::s);
  const auto weight_v = weight.segment(v->tangent, n.velocities);
  const double sigma = std::sqrt(weight_v.squaredNorm() / std::max(1, n.velocities)) /
                       std::sqrt(weight.head(n.tangents).squaredNorm() / std::max(1, n.tangents));
  const auto failed = [](Outcome o) {
    return ProjectionResult{o == Outcome::newton_failed ? Outcome::projection_failed : o, false};
  };
  bool amended = false;
  for (int iteration = 0; iteration < max_invariant_iterations; ++iteration) {
    if (const Outcome o = invariants->evaluate(s, counter, failure); o != Outcome::ok)
      return failed(o);
    if (invariants->defect().isZero(0.0)) return {Outcome::ok, amended};
    if (const Outcome o = invariant_directions(s, sigma); o != Outcome::ok) return failed(o);
    towards_.factors.compute(towards_.products);
    if (towards_.factors.info() != Eigen::Success) return {Outcome::ok, amended};
    towards_.change = -invariants->defect();
    towards_.factors.solveInPlace(towards_.change);
    total_.noalias() = towards_.q * towards_.change;
    move_.head(n.velocities).noalias() = towards_.v * towards_.change;
    if (!total_.allFinite() || !move_.head(n.velocities).allFinite()) return {Outcome::ok, amended};
    double distance = distance_of(move_.data(), n.velocities, weight.data() + v->tangent);
    if (towards_.moves_q)
      distance = std::max(distance, distance_of(total_.data(), n.tangents, weight.data()));
    if (iteration == 0 && distance <= threshold) return {};
    const double size = s.x.head(v->point + n.velocities).cwiseAbs().maxCoeff();
    const bool negligible =
        std::max(total_.cwiseAbs().maxCoeff(), move_.head(n.velocities).cwiseAbs().maxCoeff()) <=
        invariant_round_off * (1.0 + size);
    s.x.segment(v->point, n.velocities) += move_.head(n.velocities);
    if (towards_.moves_q) {
      anchor_ = s.x.head(n.positions);
      space().plus(anchor_.data(), total_.data(), s.x.data());
      if (sb)
        if (const Outcome o = solve_contact(s.t, s.x.data(), s.x.data() + sb->point);
            o != Outcome::ok)
          return failed(o);
    }
    amended = true;
    // The formulations that keep constraints only in the mean would not be helped by this.
    if (n.multipliers() > 0 && !form_.damped && form_.epsilon == 0.0)
      if (const Outcome o = move_to_constraints(s, weight, own_); o != Outcome::ok)
        return failed(o);
    if (negligible || distance < invariants_met) return {Outcome::ok, true};
  }
  return {Outcome::projection_failed, false};
}

}  // namespace daedalus
