// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/autodiff.hpp>

#include "mechanism/callables.hpp"
#include "mechanism/forces.hpp"

namespace daedalus::mechanism {
namespace {

template <class P>
auto view_of(const Plan& plan, const P& point) {
  View<std::decay_t<decltype(point.t)>> x;
  x.plan = &plan;
  x.q = point.q.data();
  x.v = point.v.data();
  x.followed = x.q + plan.positions;
  return x;
}

bool uses_reaction(const Plan& plan) {
  for (const PlanForce& e : plan.forces)
    if (e.kind == PlanForce::Kind::friction && e.from_reaction) return true;
  return false;
}

// Nothing that depends on time, damps, drives or rubs.
bool conserves_energy(const Plan& plan) {
  for (const Row& row : plan.rows)
    if (row.profile >= 0) return false;
  for (const NonholonomicRow& row : plan.nonholonomic)
    if (row.profile >= 0) return false;
  for (const PlanForce& e : plan.forces) {
    const bool spring = e.kind == PlanForce::Kind::spring || e.kind == PlanForce::Kind::bushing ||
                        e.kind == PlanForce::Kind::coordinate_spring;
    if (!spring || e.damping != 0.0 || e.force_length >= 0 || e.force_rate >= 0 ||
        !e.C.isZero(0.0) || !(e.K - e.K.transpose()).isZero(0.0))
      return false;
  }
  return true;
}

}  // namespace

void give_forces(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  if (uses_reaction(*plan)) {
    problem.force = autodiff([plan](const auto& point, auto& f) {
      total_force(view_of(*plan, point), point.t, point.lambda.data(), f);
    });
  } else {
    problem.force = autodiff([plan](const auto& t, const auto& q, const auto& v, auto& f) {
      using S = std::decay_t<decltype(v[0])>;
      View<S> x;
      x.plan = plan.get();
      x.q = q.data();
      x.v = v.data();
      x.followed = x.q + plan->positions;
      total_force<S>(x, t, nullptr, f);
    });
  }
  if (conserves_energy(*plan))
    problem.invariants = {{"energy", autodiff([plan](const auto& point, auto& e) {
                             const auto x = view_of(*plan, point);
                             e[0] = kinetic_energy(x) + potential_energy(x);
                           })}};
}

}  // namespace daedalus::mechanism
