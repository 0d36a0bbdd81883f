// SPDX-License-Identifier: BSD-3-Clause
// Jumps of the contact point, the impact that comes with them, and lift-off.
#include <fmt/format.h>

#include <cmath>

#include <daedalus/contact_condition.hpp>

#include "formulation/mechanics.hpp"
#include "linalg/saddle_solver.hpp"

namespace daedalus {

namespace {

void check_size(const char* what, Eigen::Index given, int wanted) {
  if (given != wanted)
    throw InvalidArgument(
        fmt::format("plastic_impact: {} has {} entries, allowed: {}", what, given, wanted));
}

// M, G~ and the matrix [M G~^T; G~ 0] at one point.
class Impact {
 public:
  Impact(std::shared_ptr<const MultibodyProblem> problem, Modes modes)
      : mechanics_(std::move(problem), std::move(modes)),
        M_(mechanics_.mass_structure()),
        G_(mechanics_.make_constraint_matrix()),
        solver_(make_saddle_solver(LinearAlgebra::dense, M_, G_)) {}

  // (4.18).
  Eigen::VectorXd velocities(double t, const double* q, const Eigen::VectorXd& v, const double* s) {
    factorise({t, q, v.data(), nullptr, s, nullptr});
    const int n = mechanics_.sizes().velocities, m = mechanics_.sizes().multipliers();
    Eigen::VectorXd xy = Eigen::VectorXd::Zero(n + m), offset = Eigen::VectorXd::Zero(m);
    if (mechanics_.velocity_offset({t, q, v.data(), nullptr, s, nullptr}, offset.data()) !=
        Eval::ok)
      fail(t);
    xy.tail(m) = -offset;
    G_.add_times(-1.0, v.data(), xy.data() + n);
    solver_->solve(xy.data());
    return v + xy.head(n);
  }
  // Newton's method for (3.86) at fixed s.
  void positions(double t, Out q, const double* s) {
    const MechanicalSizes& sizes = mechanics_.sizes();
    Eigen::VectorXd xy(sizes.velocities + sizes.multipliers()), g(sizes.holonomic),
        rate(sizes.tangents), moved(sizes.positions);
    for (int k = 0; k < 10; ++k) {
      const PointOf<double> p{t, q.data(), xy.data(), nullptr, s, nullptr};
      xy.setZero();
      if (mechanics_.constraint(p, g.data()) != Eval::ok) fail(t);
      factorise(p);
      xy.segment(sizes.velocities, sizes.holonomic) = -g;
      solver_->solve(xy.data());
      if (mechanics_.rate(p, rate.data()) != Eval::ok || !xy.allFinite()) fail(t);
      mechanics_.problem().space.plus(q.data(), rate.data(), moved.data());
      q = moved;
      if (xy.head(sizes.velocities).cwiseAbs().maxCoeff() <= 1e-15 * q.cwiseAbs().maxCoeff()) break;
    }
  }

 private:
  void factorise(const PointOf<double>& p) {
    const bool fine =
        (mechanics_.mass_given_constant() || mechanics_.mass(p, M_.values().data()) == Eval::ok) &&
        mechanics_.constraint_matrix(p, G_.values().data()) == Eval::ok;
    if (!fine || !solver_->factorise(M_, G_, G_)) fail(p.t);
  }
  [[noreturn]] static void fail(double t) {
    throw Reject(
        fmt::format("the impact at t = {:.10g} has no solution: mass or constraint matrix "
                    "cannot be evaluated or is singular there",
                    t));
  }

  Mechanics mechanics_;
  PieceMatrix M_, G_;
  std::unique_ptr<SaddleSolver> solver_;
};

}  // namespace

Eigen::VectorXd plastic_impact(const MultibodyProblem& problem, double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v, const Eigen::VectorXd& s) {
  check_size("q", q.size(), problem.space.points());
  check_size("v", v.size(), problem.velocities());
  check_size("s", s.size(), problem.contact_count);
  Impact impact(std::make_shared<const MultibodyProblem>(problem),
                std::make_shared<const std::vector<double>>(problem.modes));
  return impact.velocities(t, q.data(), v, s.data());
}

Event lift_off(std::string name, int multiplier, EventAction action) {
  if (multiplier < 0)
    throw InvalidArgument(
        fmt::format("lift_off: multiplier is {}, allowed: 0 or more", multiplier));
  if (action == EventAction::handle)
    throw InvalidArgument("lift_off: action is handle, allowed: record or stop");
  return {.name = std::move(name),
          .when =
              [multiplier](const StateView& x) {
                const In lambda = x.lambda();
                if (multiplier >= lambda.size())
                  throw InvalidArgument(fmt::format("lift_off: multiplier is {}, allowed: below {}",
                                                    multiplier, lambda.size()));
                return lambda[multiplier];
              },
          .direction = Crossing::rising,
          .action = action};
}

namespace detail {

void check_contact_problem(const MultibodyProblem& problem, int contacts) {
  if (contacts < 1) throw InvalidArgument("contacts: none given, allowed: at least one");
  if (problem.constraint_count != 0 || problem.contact_count != 0)
    throw InvalidArgument(fmt::format(
        "contacts: problem '{}' has {} constraints and {} contact coordinates already, allowed: "
        "none; write the rows with ContactFamily instead",
        problem.name, problem.constraint_count, problem.contact_count));
}

std::vector<Event> jump_events(const MultibodyProblem& problem, std::vector<ContactMonitor> all) {
  const int count = static_cast<int>(all.size());
  if (count != problem.contact_count)
    throw InvalidArgument(
        fmt::format("jump_events: {} contacts for {} contact coordinates of problem '{}', "
                    "allowed: one each",
                    count, problem.contact_count, problem.name));
  const auto shared = std::make_shared<const MultibodyProblem>(problem);
  const auto monitors = std::make_shared<const std::vector<ContactMonitor>>(std::move(all));
  // The state at the located time differs from the interpolated one by the error of the step, so
  // the rival need not be ahead there: it is taken because the event says so.
  const auto handler = [shared, monitors](EventContext& x, int jumping, ContactSide to) {
    Out q = x.of(VariableClass::q), v = x.of(VariableClass::v), s = x.of(VariableClass::s);
    const In at(q.data(), q.size());
    const auto monitor = [&](int i) -> const ContactMonitor& {
      return (*monitors)[static_cast<std::size_t>(i)];
    };
    const RigidContact rival = monitor(jumping).rival(x.t, at, s[jumping], to);
    if (std::isfinite(rival.value)) s[jumping] = rival.s;
    Impact impact(shared, std::make_shared<const std::vector<double>>(
                              x.modes.data(), x.modes.data() + x.modes.size()));
    // g_s = 0 at contact points: the second round only removes a square.
    for (int round = 0; round < 2; ++round) {
      impact.positions(x.t, q, s.data());
      for (int i = 0; i < s.size(); ++i) s[i] = monitor(i).settle(x.t, at, s[i]);
    }
    v = impact.velocities(x.t, q.data(), Eigen::VectorXd(v), s.data());
  };
  // The late event catches what both sides missed: its threshold lies far beyond theirs.
  constexpr double late = 100.0;
  struct Kind {
    ContactSide side;
    const char *before, *after;
    double factor;
  };
  const Kind kinds[] = {{ContactSide::left, "jump of ", " to the left", 1.0},
                        {ContactSide::right, "jump of ", " to the right", 1.0},
                        {ContactSide::any, "late jump of ", "", late}};
  std::vector<Event> events;
  for (int i = 0; i < count; ++i)
    for (const Kind& kind : kinds) {
      const ContactMonitor& m = (*monitors)[static_cast<std::size_t>(i)];
      const ContactSide side = kind.side;
      const double behind = kind.factor * m.hysteresis;
      events.push_back({.name = kind.before + m.name + kind.after,
                        .when =
                            [monitors, i, side, behind](const StateView& x) {
                              const ContactMonitor& own = (*monitors)[static_cast<std::size_t>(i)];
                              return own.lead(x.t(), x.q(), x.s()[i], side) + behind;
                            },
                        .direction = Crossing::falling,
                        .action = EventAction::handle,
                        .handler = [handler, i, side](EventContext& x) { handler(x, i, side); }});
    }
  return events;
}

}  // namespace detail

}  // namespace daedalus
