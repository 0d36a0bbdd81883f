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

// Rows that were left out hold as long as the others hold each other. Behind a position where these
// do not, a run may go on along a branch on which the joints are open.
class LeftOutRows {
 public:
  explicit LeftOutRows(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
    const Plan& p = *plan_;
    std::size_t next = 0;
    for (const Group& group : p.all_groups)
      for (; next < p.dropped.size() && p.dropped[next] < group.first + group.count; ++next)
        rows_.push_back({&group, p.dropped[next]});
  }
  void check(const View<double>& x, double t) const {
    const Plan& p = *plan_;
    // Of the characteristic length: far beyond what drifts, and of the tolerance in multiples of
    // what the other rows are open by.
    constexpr double open = 1e-4, multiple = 100.0;
    for (const auto& [group, number] : rows_) {
      const Row& row = p.all_rows[static_cast<std::size_t>(number)];
      const double gap =
          std::abs(row.scale * row_value<double>(x, row, Pair<double>(x, group->A, group->B), t));
      if (gap > open * p.length && gap > open * p.length + multiple * kept_gap(x, t)) refuse(row);
    }
  }

 private:
  double kept_gap(const View<double>& x, double t) const {
    double largest = 0.0;
    for_each_row<double>(x, plan_->groups, plan_->rows,
                         [&](int, const Row& row, const Pair<double>& p) {
                           const double gap = row.scale * row_value<double>(x, row, p, t);
                           largest = std::max(largest, std::abs(gap));
                         });
    return largest;
  }
  [[noreturn]] void refuse(const Row& row) const {
    throw Reject("joint '" + plan_->joints[static_cast<std::size_t>(row.joint)].name +
                 "' opens in row " + row.name +
                 ", which was left out as redundant: the rows that are kept do not hold it behind "
                 "this position; list the joints of its loop in another order");
  }

  std::shared_ptr<const Plan> plan_;
  std::vector<std::pair<const Group*, int>> rows_{};
};

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
  const LeftOutRows left_out(plan);
  if (uses_reaction(*plan)) {
    problem.force = autodiff([plan, left_out](const auto& point, auto& f) {
      const auto x = view_of(*plan, point);
      if constexpr (std::is_same_v<std::decay_t<decltype(point.t)>, double>)
        left_out.check(x, point.t);
      total_force(x, point.t, point.lambda.data(), f);
    });
  } else {
    problem.force =
        autodiff([plan, left_out](const auto& t, const auto& q, const auto& v, auto& f) {
          using S = std::decay_t<decltype(v[0])>;
          View<S> x;
          x.plan = plan.get();
          x.q = q.data();
          x.v = v.data();
          x.followed = x.q + plan->positions;
          if constexpr (std::is_same_v<S, double>) left_out.check(x, value_of(t));
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
