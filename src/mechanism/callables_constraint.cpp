// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/autodiff.hpp>

#include "mechanism/callables.hpp"
#include "mechanism/nonholonomic.hpp"
#include "mechanism/row_derivatives.hpp"

namespace daedalus::mechanism {
namespace {

// The scalar of a vector view.
template <class V>
using NumberOf = std::decay_t<decltype(std::declval<const V&>()[0])>;

template <class Q>
View<NumberOf<Q>> view(const Plan& plan, const Q& q) {
  View<NumberOf<Q>> x;
  x.plan = &plan;
  x.q = q.data();
  return x;
}

template <class S, class Out>
void constraint_rows(const View<S>& x, const S& t, Out& g) {
  for_each_row<S>(x, x.plan->groups, x.plan->rows, [&](int k, const Row& row, const Pair<S>& p) {
    g[k] = row.scale * row_value<S>(x, row, p, t);
  });
}

template <class S, class Out>
void jacobian_rows(const View<S>& x, const S& t, Out& G) {
  G.setZero();
  for_each_row<S>(x, x.plan->groups, x.plan->rows, [&](int k, const Row& row, const Pair<S>& p) {
    const auto add = [&](int column, const S& value) { G(k, column) = G(k, column) + value; };
    if (row.kind != RowKind::combination)
      return add_gradient<S>(x, p, row_gradient<S>(*x.plan, row, p, t), S(row.scale), add);
    for (const Term& term : row.terms) {
      const PlanCoordinate& c = x.plan->coordinate(term.coordinate);
      const Pair<S> own(x, c.A, c.B);
      add_gradient<S>(x, own, coordinate_gradient<S>(c, own), S(row.scale * term.factor), add);
    }
  });
}

template <class S, class Out>
void curvature_rows(const View<S>& x, const S& t, Out& out) {
  for (const Group& group : x.plan->groups) {
    if (group.count == 0) continue;
    const Pair<S> p(x, group.A, group.B);
    const Rates<S> r(x, p);
    for (int k = group.first; k < group.first + group.count; ++k) {
      const Row& row = x.plan->rows[static_cast<std::size_t>(k)];
      if (row.kind != RowKind::combination) {
        out[k] = row.scale * row_curvature<S>(*x.plan, row, p, r, t);
        continue;
      }
      out[k] = S(0.0);
      for (const Term& term : row.terms) {
        const PlanCoordinate& c = x.plan->coordinate(term.coordinate);
        if (c.kind != CoordinateKind::length) continue;  // turns are linear
        const Pair<S> own(x, c.A, c.B);
        const S bent = offset_curvature<S>(own, Rates<S>(x, own), c.A.axes.col(2));
        out[k] = out[k] + row.scale * term.factor * bent;
      }
    }
  }
}

void give_derivatives(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  problem.constraint_jacobian = autodiff(
      [plan](const auto& t, const auto& q, auto& G) { jacobian_rows(view(*plan, q), t, G); });
  problem.constraint_time_derivative = autodiff([plan](const auto& t, const auto& q, auto& out) {
    using S = NumberOf<decltype(q)>;
    const auto x = view(*plan, q);
    for_each_row<S>(x, plan->groups, plan->rows, [&](int k, const Row& row, const Pair<S>& p) {
      out[k] = row.scale * row_time_derivative<S>(*plan, row, p, t);
    });
  });
}

void give_curvature(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  problem.acceleration_term =
      autodiff([plan](const auto& t, const auto& q, const auto& v, auto& out) {
        auto x = view(*plan, q);
        x.v = v.data();
        curvature_rows(x, t, out);
      });
}

void give_contact(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  problem.constraint = autodiff([plan](const auto& t, const auto& q, const auto& s, auto& g) {
    auto x = view(*plan, q);
    x.s = s.data();
    constraint_rows(x, t, g);
  });
  problem.contact = autodiff([plan](const auto&, const auto& q, const auto& s, auto& h) {
    using S = NumberOf<decltype(q)>;
    auto x = view(*plan, q);
    x.s = s.data();
    for (std::size_t k = 0; k < plan->contacts.size(); ++k)
      h[static_cast<int>(k)] = contact_value<S>(x, plan->coordinate(plan->contacts[k]));
  });
}

void give_nonholonomic(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  problem.nonholonomic_matrix = autodiff([plan](const auto&, const auto& q, auto& A) {
    A.setZero();
    nonholonomic_rows(view(*plan, q), A);
  });
  problem.nonholonomic_offset = autodiff([plan](const auto& t, const auto&, auto& a) {
    using S = std::decay_t<decltype(t)>;
    for (std::size_t k = 0; k < plan->nonholonomic.size(); ++k) {
      const NonholonomicRow& row = plan->nonholonomic[k];
      a[static_cast<int>(k)] =
          row.profile < 0 ? S(0.0) : S(-row.scale * evaluate<S>(plan->profile(row.profile), t));
    }
  });
}

// From so many velocities and multipliers on the library finds the pattern of G and evaluates it by
// colours; a full matrix given here would cost more than that.
constexpr int min_unknowns_for_pattern = 48;

}  // namespace

void give_constraints(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  const int unknowns = plan->velocities + static_cast<int>(plan->rows.size());
  if (!plan->nonholonomic.empty()) give_nonholonomic(plan, problem);
  if (!plan->contacts.empty()) return give_contact(plan, problem);
  if (plan->rows.empty()) return;
  problem.constraint = autodiff(
      [plan](const auto& t, const auto& q, auto& g) { constraint_rows(view(*plan, q), t, g); });
  if (!plan->analytic) return;
  if (unknowns < min_unknowns_for_pattern) give_derivatives(plan, problem);
  give_curvature(plan, problem);
}

}  // namespace daedalus::mechanism
