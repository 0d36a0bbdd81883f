// SPDX-License-Identifier: BSD-3-Clause
// What the methods of the mechanical view may rely on: whether forces depend on lambda, whether M
// is constant, the pattern of G, and the way [M G^T; G 0] is solved.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "formulation/multibody_system.hpp"
#include "system/archive_pivots.hpp"

namespace daedalus {
namespace {

// Below this number of velocities and multipliers G stays dense unless sparse is asked for: there
// is nothing to gain. Above the second one a dense G given by the user is not evaluated, since
// n^2 numbers are more than all the rest.
constexpr int min_pattern = 48;
constexpr int max_given_matrix = 600;
// A denser G is handled faster as a full matrix.
constexpr double max_density = 0.3;

}  // namespace

void MultibodySystem::prepare(const State& at) {
  find_structure(at);
  if (view_ != View::mechanical) FirstOrderSystem::prepare(at);
}

void MultibodySystem::doubt_structure(const State& at) {
  FirstOrderSystem::doubt_structure(at);
  if (friction_ || !mechanics_->problem().force.may_read(slot::Multibody::lambda)) return;
  find_friction(at);
  if (!friction_) return;
  begin_friction(at);
  warn(
      "A branch of 'force' was taken that depends on lambda, which it did not before; from there "
      "on the forces are solved for together with lambda. Name lambda as an argument of the force "
      "to have this from the start.");
}

// A branch of the force that depends on lambda was reached: what relies on G as a pattern and on f
// without lambda is made anew.
void MultibodySystem::begin_friction(const State& at) {
  friction_at_ = at;
  find_constraint_pattern(at);
  choose_saddle_solver(at);
}

void MultibodySystem::archive(Archive& a) {
  FirstOrderSystem::archive(a);
  const bool before = friction_;
  State begun = friction_at_;
  a(friction_, begun.t, begun.x, begun.xd);
  const auto fits = [&](const State& s) { return s.x.size() == layout.points(); };
  a.require(!friction_ || before || fits(begun), "a state has another size");
  if (!a.saving() && friction_ && !before) begin_friction(begun);
  const long count = a.length(static_cast<long>(grown_at_.size()), 3 * sizeof(double));
  for (long k = 0; k < count; ++k) {
    State at = a.saving() ? grown_at_[static_cast<std::size_t>(k)] : State{};
    a(at.t, at.x, at.xd);
    a.require(fits(at), "a state has another size");
    if (!a.saving()) grow_constraint_pattern(at);
  }
  if (own_.solver) archive_pivots(a, *own_.solver);
  bool watched = balance_.solver != nullptr;
  a(watched);
  if (!watched) return;
  make_balance();
  archive_pivots(a, *balance_.solver);
}

// A branch of the constraint has brought in other velocities than those of the start: the pattern
// of here and before.
void MultibodySystem::grow_constraint_pattern(const State& at) {
  find_constraint_pattern(at);
  choose_saddle_solver(at);
  grown_at_.push_back(at);
}

void MultibodySystem::find_structure(const State& at) {
  grown_at_.clear();
  find_friction(at);
  find_constant_mass(at);
  find_constraint_pattern(at);
  choose_saddle_solver(at);
}

void MultibodySystem::load_duals(const MechanicalPoint& p) {
  const auto copy = [](std::vector<Dual4>& to, const double* from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = Dual4(from[i]);
  };
  copy(q4_, p.q), copy(v4_, p.v), copy(c4_, p.c), copy(s4_, p.s), copy(lambda4_, p.lambda);
}

PointOf<Dual4> MultibodySystem::duals(double t) const {
  return {Dual4(t), q4_.data(), v4_.data(), c4_.data(), s4_.data(), lambda4_.data()};
}

// A NaN derivative survives multiplication by zero: what it does not reach is independent. A
// callable that fails is taken to depend on everything.
template <class Seed, class Call>
bool MultibodySystem::reaches(double t, const std::vector<Dual4>& out, Seed&& seed, Call&& call) {
  seed();
  Failure ignored;
  if (guarded(ignored, t, call) != Outcome::ok) return true;
  for (const Dual4& r : out)
    if (std::isnan(r.d[0])) return true;
  return false;
}

void MultibodySystem::find_friction(const State& at) {
  const MultibodyProblem& p = mechanics_->problem();
  // A force that asks for lambda may use it in some branch only.
  friction_ = sizes().multipliers() > 0 && p.force.names_vector(slot::Multibody::lambda);
  if (friction_ || sizes().multipliers() == 0 || !p.force.may_read(slot::Multibody::lambda)) return;
  if (p.force.differentiable()) {
    friction_ = reaches(
        at.t, f4_,
        [&] {
          load_duals(point(at.t, at.x.data()));
          for (Dual4& l : lambda4_) l.d[0] = std::numeric_limits<double>::quiet_NaN();
        },
        [&] { return mechanics_->force(duals(at.t), f4_.data()); });
    return;
  }
  // A plain force shows its dependence by its values.
  friction_ = true;
  auto& [a, b, other] = probe_;
  other = at.x;
  const LayoutBlock* lambda = layout.find(VariableClass::lambda);
  other.segment(lambda->point, sizes().multipliers()).array() += 1.0;
  Failure ignored;
  PointOf<double> x = plain(point(at.t, at.x.data())), y = plain(point(at.t, other.data()));
  const auto run = [&](const PointOf<double>& where, Eigen::VectorXd& f) {
    return guarded(ignored, at.t, [&] { return mechanics_->force(where, f.data()); });
  };
  if (run(x, a) == Outcome::ok && run(y, b) == Outcome::ok) friction_ = !(a == b);
}

void MultibodySystem::find_constant_mass(const State& at) {
  const MultibodyProblem& p = mechanics_->problem();
  constant_mass_ = !p.mass;
  if (constant_mass_ || !p.mass.differentiable()) return;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Dual4> mass(mechanics_->mass_structure().values().size());
  constant_mass_ = !reaches(
      at.t, mass,
      [&] {
        load_duals(point(at.t, at.x.data()));
        for (Dual4& q : q4_) q.d[0] = nan;
      },
      [&] {
        auto where = duals(at.t);
        where.t.d[0] = nan;
        return mechanics_->mass(where, mass.data());
      });
}

void MultibodySystem::find_constraint_pattern(const State& at) {
  const int unknowns = sizes().velocities + sizes().multipliers();
  const bool asked = asked_ == LinearAlgebra::sparse && view_ == View::mechanical;
  const bool given = static_cast<bool>(mechanics_->problem().constraint_jacobian);
  const bool wanted =
      !friction_ && (asked || (unknowns >= min_pattern && (!given || unknowns > max_given_matrix)));
  if (!wanted)
    mechanics_->forget_constraint_pattern();
  else
    mechanics_->find_constraint_pattern(plain(point(at.t, at.x.data())), asked ? 1.0 : max_density);
}

void MultibodySystem::choose_saddle_solver(const State& at) {
  if (friction_ && asked_ == LinearAlgebra::sparse && view_ == View::mechanical)
    warn(
        "linear_algebra: sparse was asked for, but forces that depend on lambda fill the matrix; "
        "its pattern is full.");
  PieceMatrix G = make_constraint_matrix();
  // A new structure sets a new solver up; the old one would do so within a step.
  if (own_.solver && G.same_structure(G_)) return;
  G_ = std::move(G);
  own_.mass = make_mass();
  kind_ = saddle_kind(asked_, own_.mass, G_);
  const MechanicalPoint p = point(at.t, at.x.data());
  Failure ignored;
  const auto evaluate = [&] {
    const Eval e = mechanics_->mass(plain(p), own_.mass.values().data());
    return e == Eval::ok ? mechanics_->constraint_matrix(plain(p), G_.values().data()) : e;
  };
  first_ = {};
  if (guarded(ignored, at.t, evaluate) == Outcome::ok) first_ = {own_.mass, G_};
  own_.solver = make_saddle_solver();
  if (asked_ == LinearAlgebra::range_space && first_.mass.rows() > 0 &&
      own_.solver->factorise(own_.mass, G_, G_) && own_.solver->fell_back())
    warn(
        "linear_algebra: range-space was asked for, but M is not safely positive definite at the "
        "start; the whole matrix is eliminated where that is so.");
}

void MultibodySystem::warn(const char* text) {
  for (const std::string& known : warnings)
    if (known == text) return;
  warnings.emplace_back(text);
}

std::unique_ptr<SaddleSolver> MultibodySystem::make_saddle_solver() const {
  auto solver = daedalus::make_saddle_solver(kind_, own_.mass, G_);
  // Sparse elimination keeps its pivots while they are good. All solvers choose them at the start
  // values, so that those of a run resumed from a checkpoint are the same.
  if (kind_ == LinearAlgebra::sparse && first_.mass.rows() > 0)
    solver->factorise(first_.mass, first_.constraints, first_.constraints);
  return solver;
}

std::string_view MultibodySystem::linear_solver() const {
  if (view_ != View::mechanical) return FirstOrderSystem::linear_solver();
  return own_.solver ? own_.solver->name() : "dense";
}

void MultibodySystem::lend(const std::shared_ptr<StageMatrix>& stage) {
  stage_ = stage;
  lent_in_ = {step_, step_t_, step_h_};
}

std::shared_ptr<StageMatrix> MultibodySystem::lent() const {
  return lent_in_ == Attempt{step_, step_t_, step_h_} ? stage_.lock() : nullptr;
}

}  // namespace daedalus
