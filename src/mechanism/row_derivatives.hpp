// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of rows along velocities, by time, and twice along a motion with constant velocities:
//   point P = x + R s:  P' = u + R (Omega x s),  P'' = R (Omega x (Omega x s))
//   axis a = R a':      a' = R (Omega x a'),     a'' = R (Omega x (Omega x a'))
// so that a.b has the gradient (a' x R_A^T b, b' x R_B^T a) by (Omega_A, Omega_B), and a.d has
// (-a, a' x R_A^T d - s_A x a', a, s_B x R_B^T a) by (u_A, Omega_A, u_B, Omega_B).
#pragma once

#include <numbers>

#include "mechanism/rows.hpp"

namespace daedalus::mechanism {

// Gradient of a row between two bodies: by u and Omega of each, u in ground axes.
template <class S>
struct Gradient {
  Vector3<S> uA = Vector3<S>::Zero(), wA = Vector3<S>::Zero(), uB = Vector3<S>::Zero(),
             wB = Vector3<S>::Zero();
};

// Of n.d with constant n (ground axes).
template <class S>
Gradient<S> point_gradient(const Pair<S>& p, const Vector3<S>& n) {
  Gradient<S> g;
  g.uB = n;
  g.uA = -n;
  g.wB = crossed<S>(p.B->s, turned_back<S>(p.RB, n));
  g.wA = -crossed<S>(p.A->s, turned_back<S>(p.RA, n));
  return g;
}
// Of a.b, axes given in their bodies.
template <class S>
Gradient<S> dot_gradient(const Pair<S>& p, const Vector3<S>& in_A, const Vector3<S>& in_B) {
  Gradient<S> g;
  g.wA = cross<S>(in_A, turned_back<S>(p.RA, turned_by<S>(p.RB, in_B)));
  g.wB = cross<S>(in_B, turned_back<S>(p.RB, turned_by<S>(p.RA, in_A)));
  return g;
}
// Of a.d.
template <class S>
Gradient<S> offset_gradient(const Pair<S>& p, const Eigen::Vector3d& in_A) {
  Gradient<S> g = point_gradient<S>(p, turned<S>(p.RA, in_A));
  g.wA = g.wA + crossed<S>(in_A, turned_back<S>(p.RA, p.d));
  return g;
}

// cos f a_2 - sin f a_1: with it sin(theta - f) = a.b_1.
template <class S>
Vector3<S> drive_axis(const Place& A, const S& f) {
  using std::cos, std::sin;
  const S c = cos(f), s = sin(f);
  return Vector3<S>(c * A.axes(0, 1) - s * A.axes(0, 0), c * A.axes(1, 1) - s * A.axes(1, 0),
                    c * A.axes(2, 1) - s * A.axes(2, 0));
}
// Of sin(theta - f) at fixed f.
template <class S>
Gradient<S> angle_gradient(const Pair<S>& p, const S& f) {
  return dot_gradient<S>(p, drive_axis<S>(*p.A, f), constant<S>(p.B->axes.col(0)));
}
// The axis a quarter turn on, which is the derivative of the axis by f.
template <class S>
Vector3<S> next_drive_axis(const Place& A, const S& f) {
  constexpr double quarter = 0.5 * std::numbers::pi;
  return drive_axis<S>(A, f + quarter);
}
// d/df of sin(theta - f) at fixed positions.
template <class S>
S angle_slope(const Pair<S>& p, const S& f) {
  return dot<S>(turned_by<S>(p.RA, next_drive_axis<S>(*p.A, f)), p.b(0));
}
template <class S>
Gradient<S> turn_gradient() {
  Gradient<S> g;
  g.wB[2] = S(1.0);
  g.wA[2] = S(-1.0);
  return g;
}

template <class S>
Gradient<S> row_gradient(const Plan& plan, const Row& row, const Pair<S>& p, const S& t) {
  switch (row.kind) {
    case RowKind::point:
      return point_gradient<S>(p, constant<S>(Eigen::Vector3d::Unit(row.i)));
    case RowKind::dot:
      return dot_gradient<S>(p, constant<S>(p.A->axes.col(row.i)),
                             constant<S>(p.B->axes.col(row.j)));
    case RowKind::offset:
      return offset_gradient<S>(p, p.A->axes.col(row.i));
    case RowKind::length_drive:
      return offset_gradient<S>(p, p.A->axes.col(2));
    case RowKind::distance: {
      const S length =
          row.profile < 0 ? S(row.constant) : evaluate<S>(plan.profile(row.profile), t);
      return point_gradient<S>(p, p.d / length);
    }
    case RowKind::angle_drive:
      return angle_gradient<S>(p, drive_value<S>(plan, row, t));
    default:
      return turn_gradient<S>();
  }
}

// Second derivative of a.b while velocities are constant.
template <class S>
S dot_curvature(const Pair<S>& p, const Rates<S>& r, const Vector3<S>& in_A,
                const Vector3<S>& in_B) {
  const Vector3<S> a1 = cross<S>(r.wA, in_A), b1 = cross<S>(r.wB, in_B);
  const Vector3<S> a2 = turned_by<S>(p.RA, cross<S>(r.wA, a1)),
                   b2 = turned_by<S>(p.RB, cross<S>(r.wB, b1));
  return dot<S>(a2, turned_by<S>(p.RB, in_B)) +
         2.0 * dot<S>(turned_by<S>(p.RA, a1), turned_by<S>(p.RB, b1)) +
         dot<S>(turned_by<S>(p.RA, in_A), b2);
}
// First derivative of a.b.
template <class S>
S dot_rate(const Pair<S>& p, const Rates<S>& r, const Vector3<S>& in_A, const Vector3<S>& in_B) {
  return dot<S>(turned_by<S>(p.RA, cross<S>(r.wA, in_A)), turned_by<S>(p.RB, in_B)) +
         dot<S>(turned_by<S>(p.RA, in_A), turned_by<S>(p.RB, cross<S>(r.wB, in_B)));
}
template <class S>
S offset_curvature(const Pair<S>& p, const Rates<S>& r, const Eigen::Vector3d& in_A) {
  const Vector3<S> a1 = cross<S>(r.wA, constant<S>(in_A));
  return dot<S>(turned_by<S>(p.RA, cross<S>(r.wA, a1)), p.d) +
         2.0 * dot<S>(turned_by<S>(p.RA, a1), r.rate) + dot<S>(turned<S>(p.RA, in_A), r.second);
}

// f, f', f'' of a driven row.
template <class S>
std::array<S, 3> drive_derivatives(const Plan& plan, const Row& row, const S& t) {
  if (row.profile < 0) return {S(row.constant), S(0.0), S(0.0)};
  const ProfileData& f = plan.profile(row.profile);
  return {evaluate<S>(f, t, nullptr, 0), evaluate<S>(f, t, nullptr, 1),
          evaluate<S>(f, t, nullptr, 2)};
}

// d^2/dt^2 of sin(theta - f) with v' = 0, for f, f', f''.
template <class S>
S angle_curvature(const Pair<S>& p, const Rates<S>& r, const std::array<S, 3>& f) {
  const Vector3<S> axis = drive_axis<S>(*p.A, f[0]), next = next_drive_axis<S>(*p.A, f[0]),
                   b = constant<S>(p.B->axes.col(0));
  const S at_axis = dot<S>(turned_by<S>(p.RA, axis), p.b(0)),
          at_next = dot<S>(turned_by<S>(p.RA, next), p.b(0));
  return dot_curvature<S>(p, r, axis, b) + 2.0 * f[1] * dot_rate<S>(p, r, next, b) +
         f[2] * at_next - f[1] * f[1] * at_axis;
}

// g_t at fixed positions.
template <class S>
S row_time_derivative(const Plan& plan, const Row& row, const Pair<S>& p, const S& t) {
  if (row.profile < 0) return S(0.0);
  const auto [f, f1, f2] = drive_derivatives<S>(plan, row, t);
  switch (row.kind) {
    case RowKind::distance:
      return -0.5 * f1 * (dot<S>(p.d, p.d) / (f * f) + 1.0);
    case RowKind::angle_drive:
      return f1 * angle_slope<S>(p, f);
    default:
      return -f1;
  }
}

// d^2 g / dt^2 with v' = 0.
template <class S>
S row_curvature(const Plan& plan, const Row& row, const Pair<S>& p, const Rates<S>& r, const S& t) {
  switch (row.kind) {
    case RowKind::point:
      return r.second[row.i];
    case RowKind::dot:
      return dot_curvature<S>(p, r, constant<S>(p.A->axes.col(row.i)),
                              constant<S>(p.B->axes.col(row.j)));
    case RowKind::offset:
      return offset_curvature<S>(p, r, p.A->axes.col(row.i));
    case RowKind::length_drive:
      return offset_curvature<S>(p, r, p.A->axes.col(2)) - drive_derivatives<S>(plan, row, t)[2];
    case RowKind::distance: {
      const auto [f, f1, f2] = drive_derivatives<S>(plan, row, t);
      const S square = dot<S>(p.d, p.d), first = 2.0 * dot<S>(p.d, r.rate),
              second = 2.0 * (dot<S>(r.rate, r.rate) + dot<S>(p.d, r.second));
      const S h = 0.5 / f, h1 = -h * f1 / f, h2 = -h * f2 / f + 2.0 * h * (f1 / f) * (f1 / f);
      return second * h + 2.0 * first * h1 + square * h2 - 0.5 * f2;
    }
    case RowKind::angle_drive:
      return angle_curvature<S>(p, r, drive_derivatives<S>(plan, row, t));
    default:
      return -drive_derivatives<S>(plan, row, t)[2];
  }
}

// Adds factor times a gradient to the columns of its two bodies: add(column, value).
template <class S, class Add>
void add_to_body(const View<S>& x, int body, const Matrix3<S>& R, const Vector3<S>& u,
                 const Vector3<S>& w, const S& factor, Add&& add) {
  if (body < 0) return;
  const PlanBody& b = x.plan->body(body);
  if (x.plan->planar()) {
    add(b.v, factor * u[0]), add(b.v + 1, factor * u[1]), add(b.v + 2, factor * w[2]);
    return;
  }
  const bool own_axes = x.plan->body_velocities() && !b.point;
  const Vector3<S> along = own_axes ? turned_back<S>(R, u) : u;
  for (int k = 0; k < 3; ++k) {
    add(b.v + k, factor * along[k]);
    if (!b.point) add(b.v + 3 + k, factor * w[k]);
  }
}
template <class S, class Add>
void add_gradient(const View<S>& x, const Pair<S>& p, const Gradient<S>& g, const S& factor,
                  Add&& add) {
  add_to_body<S>(x, p.A->body, p.RA, g.uA, g.wA, factor, add);
  add_to_body<S>(x, p.B->body, p.RB, g.uB, g.wB, factor, add);
}

// Of s on a curve: of r'.y / |r'|^2 with the tangent held in A.
template <class S>
Gradient<S> curve_gradient(const View<S>& x, int number, const Pair<S>& p) {
  const PlanCoordinate& c = x.plan->coordinate(number);
  const PlanCurve& curve = x.plan->curves[static_cast<std::size_t>(c.curve)];
  Vector3<S> t = curve_point<S>(*x.plan, curve, coordinate_value<S>(x, number), 1);
  t = t / dot<S>(t, t);
  const Vector3<S> in_A = t[0] * constant<S>(c.A.axes.col(0)) +
                          t[1] * constant<S>(c.A.axes.col(1)) + t[2] * constant<S>(c.A.axes.col(2));
  Gradient<S> g = point_gradient<S>(p, turned_by<S>(p.RA, in_A));
  g.wA = g.wA + cross<S>(in_A, turned_back<S>(p.RA, p.d));
  return g;
}

// Gradient of a joint coordinate. On the constraints of its joint theta' is the relative spin about
// the third axis.
template <class S>
Gradient<S> coordinate_gradient(const View<S>& x, int number, const Pair<S>& p) {
  using std::sqrt;
  const PlanCoordinate& c = x.plan->coordinate(number);
  switch (c.kind) {
    case CoordinateKind::curve:
      return curve_gradient<S>(x, number, p);
    case CoordinateKind::length:
      return offset_gradient<S>(p, c.A.axes.col(2));
    case CoordinateKind::distance:
      return point_gradient<S>(p, p.d / sqrt(dot<S>(p.d, p.d)));
    case CoordinateKind::turn:
      return turn_gradient<S>();
    case CoordinateKind::angle:
      break;
  }
  Gradient<S> g;
  const Vector3<S> axis = p.a(2);
  g.wB = turned_back<S>(p.RB, axis);
  g.wA = -constant<S>(c.A.axes.col(2));
  return g;
}
template <class S>
S coordinate_rate(const View<S>& x, int number) {
  const PlanCoordinate& c = x.plan->coordinate(number);
  const Pair<S> p(x, c.A, c.B);
  S rate(0.0);
  add_gradient<S>(x, p, coordinate_gradient<S>(x, number, p), S(1.0),
                  [&](int column, const S& value) { rate = rate + value * x.v[column]; });
  return rate;
}

}  // namespace daedalus::mechanism
