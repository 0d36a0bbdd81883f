// SPDX-License-Identifier: BSD-3-Clause
// Values of constraint rows and joint coordinates over any number.
#pragma once

#include <numbers>

#include "mechanism/curve.hpp"

namespace daedalus::mechanism {

// sin and cos of the angle of B against A about their third axes.
template <class S>
struct AngleParts {
  S sine, cosine;
  explicit AngleParts(const Pair<S>& p) {
    const Vector3<S> b1 = p.b(0);
    sine = dot<S>(p.a(1), b1);
    cosine = dot<S>(p.a(0), b1);
  }
};

inline double unwrapped(double angle, double near) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((near - angle) / turn);
}

template <class S>
S coordinate_value(const View<S>& x, int number) {
  using std::atan2, std::sqrt;
  const PlanCoordinate& c = x.plan->coordinate(number);
  if (c.followed >= 0 && x.followed) return x.followed[c.followed];
  const Pair<S> p(x, c.A, c.B);
  switch (c.kind) {
    case CoordinateKind::length:
      return dot<S>(p.a(2), p.d);
    case CoordinateKind::turn:
      return p.turn + (c.B.angle - c.A.angle);
    case CoordinateKind::distance:
      return sqrt(dot<S>(p.d, p.d));
    case CoordinateKind::curve:
      return foot_on_curve<S>(*x.plan, x.plan->curves[static_cast<std::size_t>(c.curve)],
                              in_frame<S>(p), x.near ? x.near[number] : c.start);
    case CoordinateKind::angle:
      break;
  }
  const AngleParts<S> angle(p);
  const S theta = atan2(angle.sine, angle.cosine);
  const double value = value_of(theta);
  return theta + (unwrapped(value, x.near ? x.near[number] : c.start) - value);
}

// sin(theta - f): no branch to lose where f is known.
template <class S>
S angle_error(const Pair<S>& p, const S& f) {
  using std::cos, std::sin;
  const AngleParts<S> angle(p);
  return cos(f) * angle.sine - sin(f) * angle.cosine;
}

// Height of a disc with axis b_3 at the centre of B over the plane through A normal to a_3. A disc
// that lies flat has no lowest point.
inline constexpr double min_disc_slope = 1e-3;
template <class S>
S disc_slope(const S& nk) {
  using std::sqrt;
  const S square = 1.0 - nk * nk;
  if (!(value_of(square) > min_disc_slope * min_disc_slope))
    throw Reject("a rolling disc lies flat on its plane");
  return sqrt(square);
}

template <class S>
S surface_height(const Plan& plan, const Row& row, const Vector3<S>& y) {
  const std::array<S, 2> arguments{y[0], y[1]};
  return y[2] - evaluate<S>(plan.profile(row.profile), S(0.0), arguments.data());
}

template <class S>
S distance_value(const Plan& plan, const Row& row, const Pair<S>& p, const S& t) {
  const S square = dot<S>(p.d, p.d);
  if (row.profile < 0) return (square - row.constant * row.constant) / (2.0 * row.constant);
  const S length = evaluate<S>(plan.profile(row.profile), t);
  return 0.5 * (square / length - length);
}

template <class S>
S drive_value(const Plan& plan, const Row& row, const S& t) {
  return row.profile < 0 ? S(row.constant) : evaluate<S>(plan.profile(row.profile), t);
}

// Without the scale of the row.
template <class S>
S row_value(const View<S>& x, const Row& row, const Pair<S>& p, const S& t) {
  const Plan& plan = *x.plan;
  switch (row.kind) {
    case RowKind::point:
      return p.d[row.i];
    case RowKind::dot:
      return dot<S>(p.a(row.i), p.b(row.j));
    case RowKind::offset:
      return dot<S>(p.a(row.i), p.d);
    case RowKind::distance:
      return distance_value<S>(plan, row, p, t);
    case RowKind::angle_drive:
      return angle_error<S>(p, drive_value<S>(plan, row, t));
    case RowKind::turn:
      return p.turn + (p.B->angle - p.A->angle) - drive_value<S>(plan, row, t);
    case RowKind::length_drive:
      return dot<S>(p.a(2), p.d) - drive_value<S>(plan, row, t);
    case RowKind::combination: {
      S sum = -drive_value<S>(plan, row, t);
      for (const Term& term : row.terms)
        sum = sum + term.factor * coordinate_value<S>(x, term.coordinate);
      return sum;
    }
    case RowKind::rolling: {
      const Vector3<S> N = p.a(2);
      return dot<S>(N, p.d) - row.constant * disc_slope<S>(dot<S>(N, p.b(2)));
    }
    case RowKind::curve: {
      const int number = row.terms.front().coordinate;
      const PlanCurve& curve = plan.curves[static_cast<std::size_t>(plan.coordinate(number).curve)];
      return curve_across<S>(plan, curve, in_frame<S>(p), coordinate_value<S>(x, number), row.i);
    }
    case RowKind::surface:
      break;
  }
  return surface_height<S>(plan, row, in_frame<S>(p));
}

// visit(row number, row, pair) for all rows, one pair per group.
template <class S, class Visit>
void for_each_row(const View<S>& x, const std::vector<Group>& groups, const std::vector<Row>& rows,
                  Visit&& visit) {
  for (const Group& group : groups) {
    if (group.count == 0) continue;
    const Pair<S> p(x, group.A, group.B);
    for (int k = group.first; k < group.first + group.count; ++k)
      visit(k, rows[static_cast<std::size_t>(k)], p);
  }
}

}  // namespace daedalus::mechanism
