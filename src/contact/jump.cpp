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

Eigen::VectorXd impact(const std::shared_ptr<const MultibodyProblem>& problem, Modes modes,
                       double t, const double* q, const Eigen::VectorXd& v, const double* s) {
  Mechanics mechanics(problem, std::move(modes));
  const PointOf<double> p{t, q, v.data(), nullptr, s, nullptr};
  PieceMatrix M = mechanics.mass_structure();
  PieceMatrix G = mechanics.make_constraint_matrix();
  const int n = mechanics.sizes().velocities, m = mechanics.sizes().multipliers();
  Eigen::VectorXd xy = Eigen::VectorXd::Zero(n + m), offset = Eigen::VectorXd::Zero(m);
  const bool evaluated =
      (mechanics.mass_given_constant() || mechanics.mass(p, M.values().data()) == Eval::ok) &&
      mechanics.constraint_matrix(p, G.values().data()) == Eval::ok &&
      mechanics.velocity_offset(p, offset.data()) == Eval::ok;
  const auto solver = make_saddle_solver(LinearAlgebra::dense, M, G);
  if (!evaluated || !solver->factorise(M, G, G))
    throw Reject(
        fmt::format("the impact at t = {:.10g} has no solution: mass or constraint matrix "
                    "cannot be evaluated or is singular there",
                    t));
  xy.tail(m) = -offset;
  G.add_times(-1.0, v.data(), xy.data() + n);
  solver->solve(xy.data());
  return v + xy.head(n);
}

}  // namespace

Eigen::VectorXd plastic_impact(const MultibodyProblem& problem, double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v, const Eigen::VectorXd& s) {
  check_size("q", q.size(), problem.space.points());
  check_size("v", v.size(), problem.velocities());
  check_size("s", s.size(), problem.contact_count);
  const auto shared = std::make_shared<const MultibodyProblem>(problem);
  return impact(shared, std::make_shared<const std::vector<double>>(problem.modes), t, q.data(), v,
                s.data());
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
    const Out q = x.of(VariableClass::q);
    const In at(q.data(), q.size());
    Out v = x.of(VariableClass::v), s = x.of(VariableClass::s);
    const ContactMonitor& m = (*monitors)[static_cast<std::size_t>(jumping)];
    const RigidContact rival = m.rival(x.t, at, s[jumping], to);
    if (std::isfinite(rival.value)) s[jumping] = rival.s;
    const auto modes = std::make_shared<const std::vector<double>>(x.modes.data(),
                                                                   x.modes.data() + x.modes.size());
    v = impact(shared, modes, x.t, q.data(), Eigen::VectorXd(v), s.data());
  };
  std::vector<Event> events;
  for (int i = 0; i < count; ++i)
    for (const ContactSide side : {ContactSide::left, ContactSide::right}) {
      const ContactMonitor& m = (*monitors)[static_cast<std::size_t>(i)];
      events.push_back({.name = "jump of " + m.name +
                                (side == ContactSide::left ? " to the left" : " to the right"),
                        .when =
                            [monitors, i, side](const StateView& x) {
                              return (*monitors)[static_cast<std::size_t>(i)].lead(x.t(), x.q(),
                                                                                   x.s()[i], side);
                            },
                        .direction = Crossing::falling,
                        .action = EventAction::handle,
                        .handler = [handler, i, side](EventContext& x) { handler(x, i, side); }});
    }
  return events;
}

}  // namespace detail

}  // namespace daedalus
