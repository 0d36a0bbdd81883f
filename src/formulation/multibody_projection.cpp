// Mass-weighted projection of positions and velocities (Eich 1993; Arnold 1998, (3.86), (3.87)):
// the smallest change in the kinetic-energy norm with g(t, q) = 0 and G v + g_t = 0.
#include <cmath>
#include <limits>

#include "formulation/multibody_system.hpp"

namespace daedalus {
namespace {
// Simplified Newton for the position level converges with the drift as its rate; more than a few
// iterations mean that the trial is far from the manifold and a smaller step is the remedy.
constexpr int most_iterations = 6;
// The move still to come may not be seen in the error test.
constexpr double converged = 1e-3;
// ... unless it is rounding error: tolerances near round-off ask for no more than that.
constexpr double round_off = 1e-14;
}  // namespace

double MultibodySystem::weighted(const double* move, int count, const double* weight) const {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += (move[i] / weight[i]) * (move[i] / weight[i]);
  return std::sqrt(sum / std::max(count, 1));
}

System::ConstraintResidual MultibodySystem::constraint_residual(const State& s) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const MechanicalSizes& n = sizes();
  if (n.multipliers() == 0) return {none, none};
  const MechanicalPoint p = point(s.t, s.x.data());
  ConstraintResidual result{none, none};
  if (n.holonomic > 0 && constraint(p, g_.data()) == Outcome::ok)
    result.position = g_.head(n.holonomic).cwiseAbs().maxCoeff();
  if (constraint_matrix(p, G_) == Outcome::ok && velocity_offset(p, g_.data()) == Outcome::ok) {
    G_.add_times(1.0, p.v, g_.data());
    result.velocity = g_.cwiseAbs().maxCoeff();
  }
  return result;
}

Outcome MultibodySystem::factorise_projection(const MechanicalPoint& p) {
  if (const Outcome o = mass(p, M_); o != Outcome::ok) return o;
  if (const Outcome o = constraint_matrix(p, G_); o != Outcome::ok) return o;
  counter.now().factorisations += 1;
  saddle_ready_ = saddle_.factorise(M_, G_, G_);
  return saddle_ready_ ? Outcome::ok : Outcome::matrix_singular;
}

Outcome MultibodySystem::project_positions(State& s, const Eigen::VectorXd& weight) {
  const MechanicalSizes& n = sizes();
  const LayoutBlock* sb = layout.find(VariableClass::s);
  anchor_ = s.x.head(n.positions);
  total_.setZero();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const MechanicalPoint p = point(s.t, s.x.data());
    if (const Outcome o = constraint(p, g_.data()); o != Outcome::ok) return o;
    // Stationarity of the Lagrangian with the increments taken so far: M total + G^T mu = 0.
    move_.head(n.velocities).setZero();
    M_.add_times(-1.0, total_.data(), move_.data());
    move_.tail(n.multipliers()).setZero();
    move_.segment(n.velocities, n.holonomic) = -g_.head(n.holonomic);
    counter.now().solves += 1;
    saddle_.solve(move_.data());
    total_ += move_.head(n.velocities);
    // T total is the move of q; the rate callable applies T.
    MechanicalPoint q_move = p;
    q_move.q = anchor_.data();
    q_move.v = total_.data();
    if (const Outcome o = rate(q_move, work_.data()); o != Outcome::ok) return o;
    space().plus(anchor_.data(), work_.data(), s.x.data());
    if (sb)
      if (const Outcome o = solve_contact(s.t, s.x.data(), s.x.data() + sb->point);
          o != Outcome::ok)
        return o;
    const int shared = std::min(n.velocities, n.tangents);
    if (weighted(move_.data(), shared, weight.data()) < converged ||
        move_.head(shared).cwiseAbs().maxCoeff() <=
            round_off * (1.0 + s.x.head(n.positions).cwiseAbs().maxCoeff()))
      return Outcome::ok;
  }
  return Outcome::projection_failed;
}

Outcome MultibodySystem::project_velocities(State& s, const Eigen::VectorXd& weight) {
  const MechanicalSizes& n = sizes();
  const LayoutBlock* v = layout.find(VariableClass::v);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const MechanicalPoint p = point(s.t, s.x.data());
    if (const Outcome o = constraint_matrix(p, G_); o != Outcome::ok) return o;
    if (const Outcome o = velocity_offset(p, g_.data()); o != Outcome::ok) return o;
    G_.add_times(1.0, s.x.data() + v->point, g_.data());
    move_.head(n.velocities).setZero();
    move_.tail(n.multipliers()) = -g_;
    counter.now().solves += 1;
    saddle_.solve(move_.data());
    s.x.segment(v->point, n.velocities) += move_.head(n.velocities);
    if (weighted(move_.data(), n.velocities, weight.data() + v->tangent) < converged ||
        move_.head(n.velocities).cwiseAbs().maxCoeff() <=
            round_off * (1.0 + s.x.segment(v->point, n.velocities).cwiseAbs().maxCoeff()))
      return Outcome::ok;
  }
  return Outcome::projection_failed;
}

ProjectionResult MultibodySystem::project(State& s, const Eigen::VectorXd& weight,
                                          double threshold) {
  const MechanicalSizes& n = sizes();
  if (!has_projection()) return {};
  const auto failed = [](Outcome o) {
    return ProjectionResult{
        o == Outcome::ok || o == Outcome::newton_failed ? Outcome::projection_failed : o, false};
  };
  // How far the trial is from the constraints, measured with the matrix of an earlier point.
  const MechanicalPoint p = point(s.t, s.x.data());
  if (!saddle_ready_)
    if (const Outcome o = factorise_projection(p); o != Outcome::ok) return failed(o);
  double distance = 0.0;
  if (threshold > 0.0) {
    const LayoutBlock* v = layout.find(VariableClass::v);
    if (n.holonomic > 0) {
      if (const Outcome o = constraint(p, g_.data()); o != Outcome::ok) return failed(o);
      move_.setZero();
      move_.segment(n.velocities, n.holonomic) = -g_.head(n.holonomic);
      counter.now().solves += 1;
      saddle_.solve(move_.data());
      distance = weighted(move_.data(), std::min(n.velocities, n.tangents), weight.data());
    }
    if (const Outcome o = constraint_matrix(p, G_); o != Outcome::ok) return failed(o);
    if (const Outcome o = velocity_offset(p, g_.data()); o != Outcome::ok) return failed(o);
    G_.add_times(1.0, s.x.data() + v->point, g_.data());
    move_.head(n.velocities).setZero();
    move_.tail(n.multipliers()) = -g_;
    counter.now().solves += 1;
    saddle_.solve(move_.data());
    distance = std::max(distance, weighted(move_.data(), n.velocities, weight.data() + v->tangent));
    if (distance <= threshold) return {};
  }
  if (const Outcome o = factorise_projection(p); o != Outcome::ok) return failed(o);
  if (n.holonomic > 0)
    if (const Outcome o = project_positions(s, weight); o != Outcome::ok) return failed(o);
  if (const Outcome o = project_velocities(s, weight); o != Outcome::ok) return failed(o);
  return {Outcome::ok, true};
}

}  // namespace daedalus
