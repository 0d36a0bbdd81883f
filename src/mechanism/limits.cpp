// SPDX-License-Identifier: BSD-3-Clause
// Limits of joint coordinates as events.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mechanism/assembly.hpp"
#include "mechanism/description.hpp"
#include "mechanism/linearise.hpp"
#include "mechanism/row_derivatives.hpp"
#include "mechanism/stacked_rows.hpp"

namespace daedalus::mechanism {
namespace {

constexpr double slowest_bounce = 1e-6;  // per second; slower ones end the run
constexpr double half_turn = std::numbers::pi;

// Angles that nobody follows are taken next to their drive, else to the middle of their limits.
double limited_value(const Plan& plan, int number, const StateView& state, double middle) {
  View<double> x;
  x.plan = &plan;
  x.q = state.q().data();
  x.followed = x.q + plan.positions;
  const int drive = plan.coordinate(number).drive;
  if (drive >= 0) middle = plan.profiles[static_cast<std::size_t>(drive)](state.t());
  std::vector<double> near(plan.coordinates.size(), middle);
  x.near = near.data();
  return coordinate_value<double>(x, number);
}

// v+ = v - (1 + e) w (row v) / (row w), [M G^T; G 0] (w, mu) = (row^T, 0).
void bounce(const Plan& plan, int number, double restitution, EventContext& event) {
  const Out q = event.of(VariableClass::q);
  Out v = event.of(VariableClass::v);
  View<double> x;
  x.plan = &plan;
  x.q = q.data();
  x.followed = x.q + plan.positions;
  const PlanCoordinate& c = plan.coordinate(number);
  const Pair<double> p(x, c.A, c.B);
  Eigen::VectorXd row = Eigen::VectorXd::Zero(plan.velocities);
  add_gradient<double>(x, p, coordinate_gradient<double>(x, number, p), 1.0,
                       [&](int column, double value) { row[column] += value; });
  // In y = L^T v the motion allowed by the joints is what is orthogonal to the rows.
  Eigen::VectorXd norms;
  const SparseMatrix B = with_unit_rows(
      by_mass(plan, stacked_rows(plan, event.t, q, coordinates_at(plan, q.data(), event.t))),
      norms);
  SparseMatrix single(1, plan.velocities);
  for (int k = 0; k < plan.velocities; ++k)
    if (row[k] != 0.0) single.insert(0, k) = row[k];
  Eigen::VectorXd y = Eigen::VectorXd(by_mass(plan, single).row(0).transpose());
  if (B.rows() > 0) y -= SmallestSolution(B, 1e-9)(B * y);
  const Eigen::VectorXd w = solve_factor(plan, y);
  const double share = row.dot(w);
  if (!(share > 0.0)) return;
  auto moving = v.head(plan.velocities);
  const double speed = row.dot(moving);
  moving -= (1.0 + restitution) * speed / share * w;
  follow_rates(plan, q.data(), v.data());
  event.solve_algebraic = true;
  // Between bounces without end the coordinate would pass its limit unseen.
  if (std::abs(speed) < slowest_bounce) event.stop = true;
}

struct Bound {
  double value;
  bool upper;
};

Event limit_event(const std::shared_ptr<const Plan>& plan, const LimitDescription& limit,
                  int number, const Bound& bound, double middle) {
  Event event;
  event.name = fmt::format("{} {}", limit.name, bound.upper ? "upper" : "lower");
  const double sign = bound.upper ? 1.0 : -1.0;
  event.when = [plan, number, bound, middle, sign](const StateView& state) {
    return sign * (limited_value(*plan, number, state, middle) - bound.value);
  };
  event.direction = Crossing::rising;
  event.action = limit.options.action == LimitAction::record ? EventAction::record
                 : limit.options.action == LimitAction::stop ? EventAction::stop
                                                             : EventAction::handle;
  if (event.action == EventAction::handle) {
    const double restitution = limit.options.restitution;
    event.handler = [plan, number, restitution](EventContext& e) {
      bounce(*plan, number, restitution, e);
    };
    // What bounces ever faster comes to rest at its limit, which nothing holds there: the end.
    event.rest = [plan, number](EventContext& e) {
      bounce(*plan, number, 0.0, e);
      e.stop = true;
    };
  }
  return event;
}

}  // namespace

// Limits less than a turn apart tell where an angle is that they hold, and a drive tells it. Behind
// limits that only record the angle goes on, and half a turn from their middle it would seem to
// come from the other side: its turns count.
void follow_limited_angles(const Description& d, Plan& plan) {
  for (const LimitDescription& limit : d.limits) {
    const LimitOptions& o = limit.options;
    const int k =
        coordinate_of(plan, limit.joint, o.coordinate, fmt::format("limit '{}'", limit.name));
    if (plan.coordinate(k).drive >= 0) continue;
    if (o.upper - o.lower >= 2.0 * half_turn || o.action == LimitAction::record)
      followed_coordinate(plan, limit.joint, o.coordinate, fmt::format("limit '{}'", limit.name));
  }
}

// A limit acts where it is passed: what starts beyond it is not held, and not recorded.
void warn_of_passed_limits(const Description& d, const Plan& plan, AssemblyReport& report) {
  constexpr double at_the_limit = 1e-9;  // relative, of where a start may stand
  for (const LimitDescription& limit : d.limits) {
    const LimitOptions& o = limit.options;
    const PlanCoordinate& c = plan.coordinate(
        coordinate_of(plan, limit.joint, o.coordinate, fmt::format("limit '{}'", limit.name)));
    double start = c.start;
    if (c.kind == CoordinateKind::angle && c.followed < 0 && std::isfinite(o.upper - o.lower))
      start = unwrapped(start, 0.5 * (o.lower + o.upper));
    const auto warn = [&](const char* beyond, const char* bound, double value) {
      report.warnings.push_back(
          fmt::format("limit '{}': joint '{}' starts at {:.6g}, {} its {} bound {:.6g}; a limit "
                      "acts where it is passed, so that this one does not hold it: start within, "
                      "or change the limit",
                      limit.name, c.name, start, beyond, bound, value));
    };
    if (start > o.upper + at_the_limit * (1.0 + std::abs(o.upper))) warn("above", "upper", o.upper);
    if (start < o.lower - at_the_limit * (1.0 + std::abs(o.lower))) warn("below", "lower", o.lower);
  }
}

std::vector<Event> limit_events(const Description& d, const std::shared_ptr<const Plan>& plan) {
  std::vector<Event> events;
  for (const LimitDescription& limit : d.limits) {
    const LimitOptions& o = limit.options;
    const int number =
        coordinate_of(*plan, limit.joint, o.coordinate, fmt::format("limit '{}'", limit.name));
    const bool both = std::isfinite(o.lower) && std::isfinite(o.upper);
    const double middle = both ? 0.5 * (o.lower + o.upper) : 0.0;  // else lengths or followed
    if (std::isfinite(o.upper))
      events.push_back(limit_event(plan, limit, number, {o.upper, true}, middle));
    if (std::isfinite(o.lower))
      events.push_back(limit_event(plan, limit, number, {o.lower, false}, middle));
  }
  return events;
}

}  // namespace daedalus::mechanism
