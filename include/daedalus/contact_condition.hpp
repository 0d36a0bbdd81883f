// SPDX-License-Identifier: BSD-3-Clause
// Contacts of a multibody problem: Delta_i(s; q) = height_i(t, q) - zeta_i(s; p_i(t, q)) >= 0 for
// all s, active for at least one (permanent contact), i = 1, ..., M (Arnold 1998, (4.9), (4.10)).
// One set of contacts, a std::tuple of Contact or a std::vector of equal ones, becomes
//   rigid_contacts          g_i = Delta_i(s_i; q), h_i = dDelta_i/ds: form (3.14), with contact
//                           coordinates s; every formulation couples them as in (3.18);
//   quasi_elastic_contacts  g_i = height_i - smax zeta_i: form (4.4), smooth, no further variables;
//   table_contacts          the same with tabulated smax (contact_table.hpp).
// Rigid contact is followed along a branch h = 0. jump_events notices when another point takes over
// (the branch would run into an impasse point later), and applies the plastic impact (4.18).
// g_i grows with the distance, so a pressed contact has lambda_i < 0; lift_off watches its sign.
//
//   const std::tuple contacts{daedalus::Contact{
//       "disc", disc, [](const auto&, const auto& q) { return std::array{q[0]}; },
//       [](const auto&, const auto& q) { return q[1]; }}};
//   daedalus::rigid_contacts(problem, contacts);
//   options.events = daedalus::jump_events(problem, contacts);
//   options.events.push_back(daedalus::lift_off("lift-off", 0));
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <daedalus/contact.hpp>
#include <daedalus/detail/contact_monitor.hpp>
#include <daedalus/event.hpp>
#include <daedalus/problem.hpp>

namespace daedalus {

template <class Zeta, class Pose, class Height>
struct Contact {
  std::string name;
  ContactFamily<Zeta> family;
  Pose pose;      // pose(t, q): std::array<scalar, D>
  Height height;  // height(t, q): a scalar
};
template <class Zeta, class Pose, class Height>
Contact(std::string, ContactFamily<Zeta>, Pose, Height) -> Contact<Zeta, Pose, Height>;
template <class Zeta, class Pose, class Height>
Contact(const char*, ContactFamily<Zeta>, Pose, Height) -> Contact<Zeta, Pose, Height>;

// v+ of (4.18): M (v+ - v) in the range of G~^T, G~ v+ + g_t = 0, with G~ = g_q - g_s h_s^-1 h_q at
// (t, q, s). Throws InvalidArgument on wrong sizes and Reject when [M G~^T; G~ 0] is singular.
Eigen::VectorXd plastic_impact(const MultibodyProblem& problem, double t, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v, const Eigen::VectorXd& s);

// lambda_i rises through zero: the contact would have to pull.
Event lift_off(std::string name, int multiplier, EventAction action = EventAction::stop);

namespace detail {

std::vector<Event> jump_events(const MultibodyProblem& problem, std::vector<ContactMonitor> all);
// Throws InvalidArgument unless the problem has no constraints and contact coordinates yet.
void check_contact_problem(const MultibodyProblem& problem, int contacts);

template <class... C, class F>
void for_contacts(const std::tuple<C...>& contacts, F&& f) {
  int i = 0;
  std::apply([&](const C&... c) { (f(i++, c), ...); }, contacts);
}
template <class C, class F>
void for_contacts(const std::vector<C>& contacts, F&& f) {
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i)
    f(i, contacts[static_cast<std::size_t>(i)]);
}

template <class Set>
std::vector<std::string> contact_names(const Set& contacts, const char* stem) {
  std::vector<std::string> names;
  for_contacts(contacts, [&](int, const auto& c) { names.push_back(stem + (" " + c.name)); });
  return names;
}

}  // namespace detail

// Sets constraint_count, contact_count, constraint, contact, the names of lambda and s, and s0 by
// global search at q0. The height of q0 is left as it is.
template <class Set>
void rigid_contacts(MultibodyProblem& problem, const Set& contacts, double t0 = 0.0) {
  const auto shared = std::make_shared<const Set>(contacts);
  problem.lambda_names = detail::contact_names(contacts, "lambda");
  problem.s_names = detail::contact_names(contacts, "s");
  const int count = static_cast<int>(problem.s_names.size());
  detail::check_contact_problem(problem, count);
  problem.constraint_count = problem.contact_count = count;
  problem.constraint = autodiff([shared](const auto& t, const auto& q, const auto& s, auto& g) {
    detail::for_contacts(*shared, [&](int i, const auto& c) {
      g[i] = c.height(t, q) - c.family.zeta(s[i], c.pose(t, q));
    });
  });
  problem.contact = autodiff([shared](const auto& t, const auto& q, const auto& s, auto& h) {
    detail::for_contacts(*shared,
                         [&](int i, const auto& c) { h[i] = -c.family.slope(s[i], c.pose(t, q)); });
  });
  problem.s0.resize(count);
  const In q0(problem.q0.data(), problem.q0.size());
  detail::for_contacts(
      contacts, [&](int i, const auto& c) { problem.s0[i] = c.family.rigid(c.pose(t0, q0)).s; });
}

// Sets constraint_count, constraint and the names of lambda.
template <class Set>
void quasi_elastic_contacts(MultibodyProblem& problem, const Set& contacts) {
  const auto shared = std::make_shared<const Set>(contacts);
  problem.lambda_names = detail::contact_names(contacts, "lambda");
  detail::check_contact_problem(problem, static_cast<int>(problem.lambda_names.size()));
  problem.constraint_count = static_cast<int>(problem.lambda_names.size());
  problem.constraint = autodiff([shared](const auto& t, const auto& q, auto& g) {
    detail::for_contacts(*shared, [&](int i, const auto& c) {
      g[i] = c.height(t, q) - c.family.smax(c.pose(t, q));
    });
  });
}

// Events "jump of <name> to the left" and "... right" (towards smaller and larger s) per contact: a
// jump back right after a jump is then a crossing of its own. Each fires when the rival on its side
// is ahead by `hysteresis`, in the unit of zeta; 0: 1e-6 times the spread of zeta at q0. It should
// lie above the error of the positions, and bounds how often a body that is driven into a kink
// jumps to and fro. The handler moves the contact coordinate to that rival, the positions onto the
// constraint (by the hysteresis, (3.86)), and applies plastic_impact; the start-value solver then
// finds lambda. "late jump of <name>" does the same if a rival is a hundred times as far ahead,
// which the errors of a loose tolerance may bring about. The problem must be one of rigid_contacts.
template <class Set>
std::vector<Event> jump_events(const MultibodyProblem& problem, const Set& contacts,
                               double hysteresis = 0.0, double t0 = 0.0) {
  std::vector<detail::ContactMonitor> all;
  const In q0(problem.q0.data(), problem.q0.size());
  detail::for_contacts(contacts, [&](int, const auto& contact) {
    const auto c = std::make_shared<const std::decay_t<decltype(contact)>>(contact);
    all.push_back({c->name,
                   [c](double t, In q, double s, ContactSide side) {
                     return c->family.lead(s, c->pose(t, q), side);
                   },
                   [c](double t, In q, double s, ContactSide side) {
                     return c->family.rival(s, c->pose(t, q), side);
                   },
                   [c](double t, In q, double s) { return c->family.settle(s, c->pose(t, q)); },
                   hysteresis > 0.0 ? hysteresis : 1e-6 * c->family.spread(c->pose(t0, q0))});
  });
  return detail::jump_events(problem, std::move(all));
}

}  // namespace daedalus
