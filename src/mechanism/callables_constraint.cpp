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
  x.followed = x.q + plan.positions;
  return x;
}

// visit(row number, angle, pair) for the rows of followed angles, which come behind all others.
template <class S, class Visit>
void for_each_followed(const View<S>& x, Visit&& visit) {
  int row = static_cast<int>(x.plan->rows.size());
  for (const int k : x.plan->followed) {
    const PlanCoordinate& c = x.plan->coordinate(k);
    visit(row++, c, Pair<S>(x, c.A, c.B));
  }
}

template <class S, class Out>
void constraint_rows(const View<S>& x, const S& t, Out& g) {
  for_each_row<S>(x, x.plan->groups, x.plan->rows, [&](int k, const Row& row, const Pair<S>& p) {
    g[k] = row.scale * row_value<S>(x, row, p, t);
  });
  for_each_followed<S>(x, [&](int k, const PlanCoordinate& c, const Pair<S>& p) {
    const S& at = x.followed[c.followed];
    g[k] = c.kind == CoordinateKind::curve
               ? curve_along<S>(*x.plan, x.plan->curves[static_cast<std::size_t>(c.curve)],
                                in_frame<S>(p), at)
               : S(x.plan->length * angle_error<S>(p, at));
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
      const S factor(row.scale * term.factor);
      if (c.followed >= 0) {
        add(x.plan->velocities + c.followed, factor);
        continue;
      }
      const Pair<S> own(x, c.A, c.B);
      add_gradient<S>(x, own, coordinate_gradient<S>(x, term.coordinate, own), factor, add);
    }
  });
  for_each_followed<S>(x, [&](int k, const PlanCoordinate& c, const Pair<S>& p) {
    const S scale(x.plan->length);
    const auto add = [&](int column, const S& value) { G(k, column) = G(k, column) + value; };
    add_gradient<S>(x, p, angle_gradient<S>(p, x.followed[c.followed]), scale, add);
    add(x.plan->velocities + c.followed, scale * angle_slope<S>(p, x.followed[c.followed]));
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
  for_each_followed<S>(x, [&](int k, const PlanCoordinate& c, const Pair<S>& p) {
    const std::array<S, 3> f{x.followed[c.followed], x.v[x.plan->velocities + c.followed], S(0.0)};
    out[k] = x.plan->length * angle_curvature<S>(p, Rates<S>(x, p), f);
  });
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
    for (int k = static_cast<int>(plan->rows.size()); k < plan->holonomic(); ++k) out[k] = S(0.0);
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

// Beside every followed angle phi a count c of what has turned, c' = theta' + k sin(theta - c): the
// second term takes rounding and drift away, but never a turn. Constraints may move phi, in a bad
// iteration by whole turns that an error estimate across the constraints does not see; nothing but
// velocities moves c. Where the two part the step is refused.
void give_counts(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  problem.dynamics = autodiff([plan](const auto& point, auto& out) {
    using S = std::decay_t<decltype(point.t)>;
    constexpr double pull = 0.1;     // per second
    constexpr double too_far = 1.0;  // radians
    auto x = view(*plan, point.q);
    x.v = point.v.data();
    for (std::size_t k = 0; k < plan->followed.size(); ++k) {
      const int i = static_cast<int>(k);
      const PlanCoordinate& angle = plan->coordinate(plan->followed[k]);
      if (angle.kind == CoordinateKind::curve) {  // its error is controlled as a length
        out[i] = x.v[plan->velocities + i] + pull * (x.followed[k] - point.c[i]);
        continue;
      }
      if (!(std::abs(value_of(x.followed[k]) - value_of(point.c[i])) < too_far))
        throw Reject("joint '" + angle.name + "' turned by too much in one step");
      const Pair<S> p(x, angle.A, angle.B);
      out[i] = coordinate_rate<S>(x, plan->followed[k]) + pull * angle_error<S>(p, S(point.c[i]));
    }
  });
}

// From so many velocities and multipliers on the library finds the pattern of G and evaluates it by
// colours; a full matrix given here would cost more than that.
constexpr int min_unknowns_for_pattern = 48;

}  // namespace

void give_constraints(const std::shared_ptr<const Plan>& plan, MultibodyProblem& problem) {
  const int unknowns = plan->velocities + plan->followed_count() + plan->holonomic();
  if (!plan->nonholonomic.empty()) give_nonholonomic(plan, problem);
  if (!plan->followed.empty()) give_counts(plan, problem);
  if (plan->holonomic() == 0) return;
  problem.constraint = autodiff(
      [plan](const auto& t, const auto& q, auto& g) { constraint_rows(view(*plan, q), t, g); });
  if (!plan->analytic) return;
  if (unknowns < min_unknowns_for_pattern) give_derivatives(plan, problem);
  give_curvature(plan, problem);
}

}  // namespace daedalus::mechanism
