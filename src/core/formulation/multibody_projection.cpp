// SPDX-License-Identifier: BSD-3-Clause
// Mass-weighted projection of positions and velocities (Eich 1993; Arnold 1998, (3.86), (3.87)):
// the smallest change in the kinetic-energy norm with g(t, q) = 0 and G v + g_t = 0, by simplified
// Newton with the matrix of the last stage.
#include <cmath>
#include <limits>

#include "formulation/multibody_system.hpp"

namespace daedalus {
namespace {
// Simplified Newton for the position level converges with the drift as its rate; more than a few
// iterations mean that the trial is far from the manifold and a smaller step is the remedy.
constexpr int max_iterations = 6;
// The move still to come may not be seen in the error test.
constexpr double converged = 1e-3;
// ... unless it is rounding error: tolerances near round-off ask for no more than that.
constexpr double round_off = 1e-14;

// Besides the mean a fifth of the largest entry counts: in a mean over many bodies the drift of one
// of them would disappear.
constexpr double share_of_largest = 0.2;
}  // namespace

double MultibodySystem::weighted(const double* move, int count, const double* weight) const {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += (move[i] / weight[i]) * (move[i] / weight[i]);
  return std::sqrt(sum / std::max(count, 1));
}

double MultibodySystem::distance_of(const double* move, int count, const double* weight) const {
  double largest = 0.0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, std::abs(move[i] / weight[i]));
  return std::max(weighted(move, count, weight), share_of_largest * largest);
}

System::ConstraintResidual MultibodySystem::constraint_residual(const State& s) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const MechanicalSizes& n = sizes();
  if (n.multipliers() == 0) return {none, none};
  const MechanicalPoint p = point(s.t, s.x.data());
  ConstraintResidual result{none, none};
  if (n.holonomic > 0 && constraint(p, position_.data()) == Outcome::ok)
    result.position = position_.cwiseAbs().maxCoeff();
  if (velocity_residual(p, g_.data()) == Outcome::ok) result.velocity = g_.cwiseAbs().maxCoeff();
  return result;
}

// G v + g_t; of large systems by one derivative along the motion instead of all of G.
Outcome MultibodySystem::velocity_residual(const MechanicalPoint& p, double* out) {
  if (mechanics_->sparse_constraints()) {
    counter.now().constraint_evaluations += 1;
    const PointOf<double> x{p.t, p.q, p.v, p.c, p.s, p.lambda};
    const Outcome o =
        guarded(failure, p.t, [&] { return mechanics_->velocity_level(x, out, g_w_.data()); });
    return evaluated(o, p.t, out, sizes().multipliers(), multiplier_row(), sizes().multipliers());
  }
  if (const Outcome o = constraint_matrix(p, G_); o != Outcome::ok) return o;
  if (const Outcome o = velocity_offset(p, out); o != Outcome::ok) return o;
  G_.add_times(1.0, p.v, out);
  return Outcome::ok;
}

// The pattern of G was found at the start; a branch of the constraint may since have brought in
// other velocities. G over its pattern has to give the derivative along a direction of no symmetry.
bool MultibodySystem::pattern_holds(const MechanicalPoint& p) {
  constexpr double round_off_of_sums = 1e-9;  // relative; sums of some 10^4 terms that cancel
  if (constraint_matrix(p, G_) != Outcome::ok || velocity_residual(p, g_.data()) != Outcome::ok)
    return true;  // whoever needs the values reports it
  reach_.setZero();
  G_.for_each([&](int r, int c, double value) {
    const double term = value * Mechanics::unlike(c);
    g_w_[r] -= term;
    reach_[r] += std::abs(term);
  });
  for (int k = 0; k < sizes().multipliers(); ++k)
    if (!(std::abs(g_w_[k]) <= round_off_of_sums * reach_[k])) return false;
  return true;
}

Outcome MultibodySystem::factorise_at(const MechanicalPoint& p, StageMatrix& own) {
  if (const Outcome o = mass(p, own.mass); o != Outcome::ok) return o;
  if (const Outcome o = constraint_matrix(p, G_); o != Outcome::ok) return o;
  counter.now().factorisations += 1;
  return own.solver->factorise(own.mass, G_, G_) ? Outcome::ok : Outcome::matrix_singular;
}

Outcome MultibodySystem::project_positions(State& s, const Eigen::VectorXd& weight,
                                           StageMatrix& with) {
  const MechanicalSizes& n = sizes();
  const LayoutBlock* sb = layout.find(VariableClass::s);
  anchor_ = s.x.head(n.positions);
  total_.setZero();
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const MechanicalPoint p = point(s.t, s.x.data());
    if (const Outcome o = constraint(p, position_.data()); o != Outcome::ok) return o;
    // Stationarity of the Lagrangian with the increments taken so far: M total + G^T mu = 0.
    move_.head(n.velocities).setZero();
    with.mass.add_times(-1.0, total_.data(), move_.data());
    move_.tail(n.multipliers()).setZero();
    move_.segment(n.velocities, n.holonomic) = -position_;
    counter.now().solves += 1;
    with.solver->solve(move_.data());
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

Outcome MultibodySystem::project_velocities(State& s, const Eigen::VectorXd& weight,
                                            StageMatrix& with) {
  const MechanicalSizes& n = sizes();
  const LayoutBlock* v = layout.find(VariableClass::v);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const MechanicalPoint p = point(s.t, s.x.data());
    if (const Outcome o = velocity_residual(p, g_.data()); o != Outcome::ok) return o;
    move_.head(n.velocities).setZero();
    move_.tail(n.multipliers()) = -g_;
    counter.now().solves += 1;
    with.solver->solve(move_.data());
    s.x.segment(v->point, n.velocities) += move_.head(n.velocities);
    if (weighted(move_.data(), n.velocities, weight.data() + v->tangent) < converged ||
        move_.head(n.velocities).cwiseAbs().maxCoeff() <=
            round_off * (1.0 + s.x.segment(v->point, n.velocities).cwiseAbs().maxCoeff()))
      return Outcome::ok;
  }
  return Outcome::projection_failed;
}

Outcome MultibodySystem::move_to_constraints(State& s, const Eigen::VectorXd& weight,
                                             StageMatrix& with) {
  if (sizes().holonomic > 0)
    if (const Outcome o = project_positions(s, weight, with); o != Outcome::ok) return o;
  return project_velocities(s, weight, with);
}

// Where lambda is a function of q and v (index 1), it belongs to the point before the move. Stiff
// forces make a jump of lambda out of a small move, and a method that predicts from past values
// sees it as an error of the next step that no step size removes. The matrix is that of the point
// before the move, applied twice to what is left of the equations here: the error is of second
// order in the move.
Outcome MultibodySystem::renew_multipliers(State& s) {
  if (view_ != View::residual || form_.level > 1 || friction_) return Outcome::ok;
  const LayoutBlock *lambda = layout.find(VariableClass::lambda),
                    *a = layout.find(VariableClass::a);
  const int nv = sizes().velocities, nl = sizes().multipliers();
  const MechanicalPoint p = point(s.t, s.x.data());
  if (const Outcome o = force(p, work_.data()); o != Outcome::ok) return o;
  if (const Outcome o = acceleration_term(p, g_.data()); o != Outcome::ok) return o;
  if (const Outcome o = mass(p, own_.mass); o != Outcome::ok) return o;
  if (const Outcome o = constraint_matrix(p, G_); o != Outcome::ok) return o;
  total_.setZero();
  g_w_ = s.x.segment(lambda->point, nl);
  for (int iteration = 0; iteration < 2; ++iteration) {
    move_.head(nv) = work_.head(nv);
    move_.tail(nl) = -g_;
    own_.mass.add_times(-1.0, total_.data(), move_.data());
    G_.add_transposed_times(-1.0, g_w_.data(), move_.data());
    G_.add_times(-1.0, total_.data(), move_.data() + nv);
    counter.now().solves += 1;
    own_.solver->solve(move_.data());
    total_ += move_.head(nv);
    g_w_ += move_.tail(nl);
  }
  s.x.segment(lambda->point, nl) = g_w_;
  if (a) s.x.segment(a->point, nv) = total_;
  return Outcome::ok;
}

bool MultibodySystem::met_to_round_off(const State& s) {
  const ConstraintResidual residual = constraint_residual(s);
  // Rows of velocities as well: angular velocities are large where the rows are not.
  const double bound = round_off * (1.0 + s.x.head(sizes().positions).cwiseAbs().maxCoeff());
  return !(residual.position > bound) && !(residual.velocity > bound);  // NaN: no such rows
}

// The move of the first iteration, for residuals in position_ and g_.
double MultibodySystem::first_move(const Eigen::VectorXd& weight, StageMatrix& with) {
  const MechanicalSizes& n = sizes();
  const LayoutBlock* v = layout.find(VariableClass::v);
  double distance = 0.0;
  if (n.holonomic > 0) {
    move_.setZero();
    move_.segment(n.velocities, n.holonomic) = -position_;
    counter.now().solves += 1;
    with.solver->solve(move_.data());
    distance = distance_of(move_.data(), std::min(n.velocities, n.tangents), weight.data());
  }
  move_.head(n.velocities).setZero();
  move_.tail(n.multipliers()) = -g_;
  counter.now().solves += 1;
  with.solver->solve(move_.data());
  return std::max(distance, distance_of(move_.data(), n.velocities, weight.data() + v->tangent));
}

// No row exceeds half of the threshold, measured by what a change of all variables by their
// error scale would do to it: the move is then below the threshold unless constraints nearly depend
// on each other, and a factorisation only to learn this can be saved.
bool MultibodySystem::clearly_met(const Eigen::VectorXd& weight, double threshold) {
  const MechanicalSizes& n = sizes();
  const double* of_v = weight.data() + layout.find(VariableClass::v)->tangent;
  const int shared = std::min(n.velocities, n.tangents);
  reach_.setZero();
  G_.for_each([&](int r, int c, double value) {
    const double size = std::abs(value);
    if (c < shared) reach_[r] += size * weight[c];
    reach_[n.multipliers() + r] += size * of_v[c];
  });
  for (int k = 0; k < n.multipliers(); ++k) {
    if (k < n.holonomic && !(std::abs(position_[k]) <= 0.5 * threshold * reach_[k])) return false;
    if (!(std::abs(g_[k]) <= 0.5 * threshold * reach_[n.multipliers() + k])) return false;
  }
  return true;
}

ProjectionResult MultibodySystem::project(State& s, const Eigen::VectorXd& weight,
                                          double threshold) {
  ProjectionResult moved;
  const bool polish = polishes_constraints() && threshold == 0.0 && !met_to_round_off(s);
  if (restores_constraints() || polish) moved = project_constraints(s, weight, threshold);
  if (!invariants || moved.outcome != Outcome::ok) return moved;
  const ProjectionResult held = project_invariants(s, weight, threshold);
  return {held.outcome, moved.amended || held.amended};
}

// The matrix is that of the last stage where a stage has lent it, else that of the trial: nothing
// that an earlier step left behind has a say, so that a run resumed from a checkpoint decides
// alike. The stage's matrix belongs to another point; where simplified Newton does not converge
// with it, that of the trial comes next.
ProjectionResult MultibodySystem::project_constraints(State& s, const Eigen::VectorXd& weight,
                                                      double threshold) {
  const auto failed = [](Outcome o) {
    return ProjectionResult{
        o == Outcome::ok || o == Outcome::newton_failed ? Outcome::projection_failed : o, false};
  };
  const MechanicalPoint p = point(s.t, s.x.data());
  const std::shared_ptr<StageMatrix> stage = lent();
  StageMatrix* with = stage.get();
  if (mechanics_->sparse_constraints() && !pattern_holds(p)) {
    // The step is tried again with the pattern of here and before.
    grow_constraint_pattern(s);
    return failed(Outcome::projection_failed);
  }
  if (threshold > 0.0) {
    if (sizes().holonomic > 0)
      if (const Outcome o = constraint(p, position_.data()); o != Outcome::ok) return failed(o);
    if (const Outcome o = velocity_residual(p, g_.data()); o != Outcome::ok) return failed(o);
    if (!with && clearly_met(weight, threshold)) return {};
  }
  if (!with) {
    if (const Outcome o = factorise_at(p, own_); o != Outcome::ok) return failed(o);
    with = &own_;
  }
  if (threshold > 0.0 && first_move(weight, *with) <= threshold) return {};
  if (with != &own_) before_ = s.x;
  Outcome o = move_to_constraints(s, weight, *with);
  if (with != &own_ && o != Outcome::ok) {
    s.x = before_;
    o = factorise_at(point(s.t, s.x.data()), own_);
    if (o == Outcome::ok) o = move_to_constraints(s, weight, own_);
  }
  if (o == Outcome::ok) o = renew_multipliers(s);
  return o == Outcome::ok ? ProjectionResult{Outcome::ok, true} : failed(o);
}

}  // namespace daedalus
