// SPDX-License-Identifier: BSD-3-Clause
// Force laws over any number. F acts on B at its point, -F on A, in ground axes.
#pragma once

#include "mechanism/row_derivatives.hpp"

namespace daedalus::mechanism {

// Where forces are added up; F in ground axes, moments about the centre of mass in body axes.
template <class S, class Out>
struct Loads {
  const View<S>& x;
  Out& f;

  void add(int body, const Matrix3<S>& R, const Vector3<S>& F, const Vector3<S>& M) {
    add_to_body<S>(x, body, R, F, M, S(1.0), [&](int k, const S& value) { f[k] = f[k] + value; });
  }
  void at(const Place& place, const Matrix3<S>& R, const Vector3<S>& F) {
    if (place.body >= 0) add(place.body, R, F, crossed<S>(place.s, turned_back<S>(R, F)));
  }
  void between(const Pair<S>& p, const Vector3<S>& F) {
    at(*p.B, p.RB, F);
    at(*p.A, p.RA, -F);
  }
  void turning(const Pair<S>& p, const Vector3<S>& M) {
    const Vector3<S> none = Vector3<S>::Zero();
    if (p.B->body >= 0) add(p.B->body, p.RB, none, turned_back<S>(p.RB, M));
    if (p.A->body >= 0) add(p.A->body, p.RA, none, -turned_back<S>(p.RA, M));
  }
};

// The rotation vector of Q, for any scalar and angles below 2.5: its quaternion, two half angles,
// then arcsin(a) / a = sum_k binomial(2k, k) / (4^k (2k + 1)) a^2k, a = sin(angle/8), to 1e-16.
template <class S>
Vector3<S> rotation_vector(const Matrix3<S>& Q) {
  using std::sqrt;
  const S p0 = 0.5 * sqrt(1.0 + Q(0, 0) + Q(1, 1) + Q(2, 2));
  const S half = sqrt(0.5 * (1.0 + p0)), quarter = sqrt(0.5 * (1.0 + half));
  const S inverse = 0.25 / p0;
  const Vector3<S> p(inverse * (Q(2, 1) - Q(1, 2)), inverse * (Q(0, 2) - Q(2, 0)),
                     inverse * (Q(1, 0) - Q(0, 1)));
  const S scale = half * quarter;
  const S u = dot<S>(p, p) / (16.0 * scale * scale);
  // Terms of the arc sine after two halvings of the angle: full precision.
  constexpr int terms = 14;
  double c = 1.0;
  std::array<double, terms> all{1.0};
  for (int k = 1; k < terms; ++k) {
    c *= (2.0 * k - 1.0) / (2.0 * k);
    all[static_cast<std::size_t>(k)] = c / (2.0 * k + 1.0);
  }
  S sum(all[terms - 1]);
  for (std::size_t k = terms - 1; k-- > 0;) sum = sum * u + all[k];
  const S factor = 2.0 * sum / scale;
  return Vector3<S>(factor * p[0], factor * p[1], factor * p[2]);
}

// Displacement of a bushing: y = R_A^T d in the axes of marker A, w = log(R_A^T R_B).
inline constexpr double max_bushing_angle = 2.5;  // below the cut of the logarithm at pi
template <class S>
struct BushingState {
  Eigen::Matrix<S, 6, 1> delta;
  Matrix3<S> toA, toB, Q;  // axes of the markers in ground; Q = toA^T toB
  Vector3<S> w;

  BushingState(const PlanForce& e, const Pair<S>& p) {
    for (int k = 0; k < 3; ++k) {
      toA.col(k) = p.a(k);
      toB.col(k) = p.b(k);
    }
    Q = toA.transpose() * toB;
    if (!(value_of(Q(0, 0)) + value_of(Q(1, 1)) + value_of(Q(2, 2)) >
          1.0 + 2.0 * std::cos(max_bushing_angle)))
      throw Reject("bushing '" + e.name + "' is turned by more than 143 degrees");
    w = rotation_vector<S>(Q);
    const Vector3<S> y = turned_back<S>(toA, p.d);
    for (int k = 0; k < 3; ++k) delta[k] = y[k], delta[3 + k] = w[k];
  }
};
template <class S, class Out>
void bushing_force(const View<S>& x, const PlanForce& e, Loads<S, Out>& load) {
  const Pair<S> p(x, e.A, e.B);
  const Rates<S> r(x, p);
  const BushingState<S> b(e, p);
  // Rates in the axes of the markers.
  const Vector3<S> spinA = turned_back<S>(b.toA, turned_by<S>(p.RA, r.wA)),
                   spinB = turned_back<S>(b.toB, turned_by<S>(p.RB, r.wB));
  const Vector3<S> y(b.delta[0], b.delta[1], b.delta[2]);
  const Vector3<S> y1 = turned_back<S>(b.toA, r.rate) - cross<S>(spinA, y);
  const Matrix3<S> T = so3::tangent_inverse<S>(b.w);
  const Vector3<S> w1 = turned_by<S>(T, spinB - turned_back<S>(b.Q, spinA));
  Eigen::Matrix<S, 6, 1> rate, n;
  for (int k = 0; k < 3; ++k) rate[k] = y1[k], rate[3 + k] = w1[k];
  for (int i = 0; i < 6; ++i) {
    n[i] = S(e.preload[i]);
    for (int j = 0; j < 6; ++j) n[i] = n[i] + e.K(i, j) * b.delta[j] + e.C(i, j) * rate[j];
  }
  const Vector3<S> F = -turned_by<S>(b.toA, Vector3<S>(n[0], n[1], n[2]));
  // On A the force acts at the point of B.
  load.at(e.B, p.RB, F);
  if (e.A.body >= 0) {
    const Vector3<S> back = -turned_back<S>(p.RA, F);
    const Vector3<S> arm = constant<S>(e.A.s) + turned_back<S>(p.RA, p.d);
    load.add(e.A.body, p.RA, -F, cross<S>(arm, back));
  }
  load.turning(p, -turned_by<S>(b.toB, turned_back<S>(T, Vector3<S>(n[3], n[4], n[5]))));
}

template <class S, class Out>
void spring_force(const View<S>& x, const PlanForce& e, Loads<S, Out>& load) {
  using std::sqrt;
  const Pair<S> p(x, e.A, e.B);
  const Rates<S> r(x, p);
  const S length = sqrt(dot<S>(p.d, p.d)), rate = dot<S>(p.d, r.rate) / length;
  const S stretch = length - e.rest;
  const S elastic = e.force_length < 0 ? S(e.stiffness * stretch)
                                       : evaluate<S>(x.plan->profile(e.force_length), stretch);
  const S viscous =
      e.force_rate < 0 ? S(e.damping * rate) : evaluate<S>(x.plan->profile(e.force_rate), rate);
  const S tension = (elastic + viscous) / length;
  load.between(p, -(tension * p.d));
}

// Along the gradient of a joint coordinate.
template <class S, class Out>
void along_coordinate(const View<S>& x, int number, const S& effort, Loads<S, Out>& load) {
  const PlanCoordinate& c = x.plan->coordinate(number);
  const Pair<S> p(x, c.A, c.B);
  add_gradient<S>(x, p, coordinate_gradient<S>(x, number, p), effort,
                  [&](int k, const S& value) { load.f[k] = load.f[k] + value; });
}

// Where the coordinate of a joint moves it, and the force direction of one of its rows.
template <class S>
Vector3<S> moving_direction(const View<S>& x, int number, const Pair<S>& p) {
  using std::sqrt;
  const PlanCoordinate& c = x.plan->coordinate(number);
  if (c.kind != CoordinateKind::curve) return p.a(2);
  const PlanCurve& curve = x.plan->curves[static_cast<std::size_t>(c.curve)];
  const Vector3<S> along = curve_point<S>(*x.plan, curve, x.followed[c.followed], 1);
  return from_frame<S>(p, along / S(sqrt(dot<S>(along, along))));
}
template <class S>
Vector3<S> row_direction(const View<S>& x, const Row& row, const Pair<S>& p) {
  if (row.kind != RowKind::curve) return row_gradient<S>(*x.plan, row, p, S(0.0)).uB;
  const PlanCoordinate& c = x.plan->coordinate(row.terms.front().coordinate);
  return from_frame<S>(p,
                       curve_normal<S>(*x.plan, x.plan->curves[static_cast<std::size_t>(c.curve)],
                                       x.followed[c.followed], row.i));
}

// Size of the reaction of a joint across its coordinate.
template <class S>
S normal_force(const View<S>& x, const PlanForce& e, const S* lambda) {
  using std::sqrt;
  Vector3<S> F = Vector3<S>::Zero(), along = F;
  for (const Group& group : x.plan->groups) {
    if (group.count == 0 || x.plan->rows[static_cast<std::size_t>(group.first)].joint != e.joint)
      continue;
    const Pair<S> p(x, group.A, group.B);
    along = moving_direction<S>(x, e.coordinate, p);
    for (int k = group.first; k < group.first + group.count; ++k) {
      const Row& row = x.plan->rows[static_cast<std::size_t>(k)];
      if (row.kind != RowKind::combination)
        F = F - (row.scale * lambda[k]) * row_direction<S>(x, row, p);
    }
  }
  const S sliding = dot<S>(along, F);
  constexpr double rounding = 1e-6;  // newtons; keeps the root smooth at zero
  return sqrt(dot<S>(F, F) - sliding * sliding + rounding * rounding);
}

template <class S, class Out>
void friction_force(const View<S>& x, const PlanForce& e, const S* lambda, Loads<S, Out>& load) {
  using std::tanh;
  const S normal = e.from_reaction ? S(e.radius * normal_force<S>(x, e, lambda)) : S(e.normal);
  const S speed = coordinate_rate<S>(x, e.coordinate);
  along_coordinate<S>(x, e.coordinate, S(-e.stiffness * normal * tanh(speed / e.slip)), load);
}

template <class S, class Out>
void given_force(const View<S>& x, const PlanForce& e, const S& t, const S* arguments,
                 Loads<S, Out>& load) {
  Vector3<S> value = Vector3<S>::Zero();
  for (std::size_t k = 0; k < e.value.size(); ++k)
    value[static_cast<int>(k)] = evaluate<S>(x.plan->profile(e.value[k]), t, arguments);
  const Pair<S> p(x, e.A, e.B);
  if (e.kind == PlanForce::Kind::force) {
    const Vector3<S> F = e.in_body ? turned_by<S>(p.RB, value) : value;
    load.at(e.B, p.RB, F);
    if (e.A.body >= 0) {
      const Vector3<S> arm = constant<S>(e.A.s) + turned_back<S>(p.RA, p.d);
      load.add(e.A.body, p.RA, -F, -cross<S>(arm, turned_back<S>(p.RA, F)));
    }
    return;
  }
  if (e.about_axis)
    value = value[0] * turned<S>(p.RA, e.axis);
  else if (e.in_body)
    value = turned_by<S>(p.RB, value);
  load.turning(p, value);
}

template <class S, class Out>
void drag_force(const View<S>& x, const PlanForce& e, Loads<S, Out>& load) {
  using std::abs, std::sqrt;
  const Pair<S> p(x, e.A, e.B);
  const Rates<S> r(x, p);
  if (e.rotational) {
    Vector3<S> M;
    for (int k = 0; k < 3; ++k) M[k] = -e.stiffness * abs(r.wB[k]) * r.wB[k];
    load.add(e.B.body, p.RB, Vector3<S>::Zero(), M);
    return;
  }
  const Vector3<S> against = r.rate - constant<S>(e.wind);
  constexpr double still = 1e-6;  // metres per second; keeps the root smooth at rest
  const S speed = sqrt(dot<S>(against, against) + still * still);
  load.at(e.B, p.RB, (-e.stiffness * speed) * against);
}

template <class S>
MarkerState<S> marker_state(const View<S>& x, const Place& at, const Matrix3<S>& R) {
  MarkerState<S> m;
  const Vector3<S> spin = x.spin(at.body);
  m.position = x.position(at.body) + turned<S>(R, at.s);
  m.velocity = x.velocity(at.body, R) + turned_by<S>(R, cross<S>(spin, constant<S>(at.s)));
  m.angular_velocity = turned_by<S>(R, spin);
  for (int k = 0; k < 3; ++k) m.rotation.col(k) = turned<S>(R, at.axes.col(k));
  return m;
}
template <class S, class Out>
void callback_force(const View<S>& x, const PlanForce& e, const S& t, Loads<S, Out>& load) {
  const Pair<S> p(x, e.A, e.B);
  const daedalus::Load<S> given =
      (*e.law)(t, marker_state<S>(x, e.A, p.RA), marker_state<S>(x, e.B, p.RB));
  load.at(e.B, p.RB, given.force);
  if (e.A.body >= 0) {  // the same line of action
    const Vector3<S> arm = constant<S>(e.A.s) + turned_back<S>(p.RA, p.d);
    load.add(e.A.body, p.RA, -given.force,
             -cross<S>(arm, turned_back<S>(p.RA, Vector3<S>(given.force))));
  }
  load.turning(p, given.moment);
}

template <class S, class Out>
void element_force(const View<S>& x, const PlanForce& e, const S& t, const S* arguments,
                   const S* lambda, Loads<S, Out>& load) {
  switch (e.kind) {
    case PlanForce::Kind::force:
    case PlanForce::Kind::torque:
      return given_force<S>(x, e, t, arguments, load);
    case PlanForce::Kind::spring:
      return spring_force<S>(x, e, load);
    case PlanForce::Kind::coordinate_spring: {
      const S stretch = coordinate_value<S>(x, e.coordinate) - e.rest,
              rate = coordinate_rate<S>(x, e.coordinate);
      return along_coordinate<S>(x, e.coordinate, S(-(e.stiffness * stretch + e.damping * rate)),
                                 load);
    }
    case PlanForce::Kind::bushing:
      return bushing_force<S>(x, e, load);
    case PlanForce::Kind::drag:
      return drag_force<S>(x, e, load);
    case PlanForce::Kind::friction:
      return friction_force<S>(x, e, lambda, load);
    case PlanForce::Kind::callback:
      return callback_force<S>(x, e, t, load);
  }
}

// Values of the coordinates and rates that formulas name.
template <class S>
std::array<S, max_arguments> arguments_of(const View<S>& x) {
  std::array<S, max_arguments> values{};
  for (std::size_t k = 0; k < x.plan->arguments.size(); ++k) {
    const PlanArgument& a = x.plan->arguments[k];
    values[k] = a.rate ? coordinate_rate<S>(x, a.coordinate) : coordinate_value<S>(x, a.coordinate);
  }
  return values;
}

// All forces; the views of the callables have q, v and followed angles.
template <class S, class Out>
void total_force(const View<S>& x, const S& t, const S* lambda, Out& f) {
  const Plan& plan = *x.plan;
  Loads<S, Out> load{x, f};
  for (int k = 0; k < plan.velocities + plan.followed_count(); ++k) f[k] = S(0.0);
  for (int i = 0; i < static_cast<int>(plan.bodies.size()); ++i) {
    const PlanBody& b = plan.body(i);
    if (plan.planar() || b.point) {
      for (int k = 0; k < (plan.planar() ? 2 : 3); ++k) f[b.v + k] = S(b.mass * plan.gravity[k]);
      continue;
    }
    const Vector3<S> w = x.spin(i);
    const Vector3<S> moment = cross<S>(turned_by<S>(b.J.template cast<S>(), w), w);
    Vector3<S> F = constant<S>(b.mass * plan.gravity);
    if (plan.body_velocities()) {
      const Vector3<S> U(x.v[b.v], x.v[b.v + 1], x.v[b.v + 2]);
      F = turned_back<S>(x.rotation(i), F) - b.mass * cross<S>(w, U);
    }
    for (int k = 0; k < 3; ++k) f[b.v + k] = F[k], f[b.v + 3 + k] = moment[k];
  }
  const std::array<S, max_arguments> arguments = arguments_of<S>(x);
  for (const PlanForce& e : plan.forces) element_force<S>(x, e, t, arguments.data(), lambda, load);
}

template <class S>
S kinetic_energy(const View<S>& x) {
  S sum(0.0);
  for (const PlanBody& b : x.plan->bodies) {
    const S* v = x.v + b.v;
    if (x.plan->planar()) {
      sum = sum + 0.5 * b.mass * (v[0] * v[0] + v[1] * v[1]) + 0.5 * b.J(2, 2) * v[2] * v[2];
      continue;
    }
    sum = sum + 0.5 * b.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (b.point) continue;
    const Vector3<S> w(v[3], v[4], v[5]);
    sum = sum + 0.5 * dot<S>(w, turned_by<S>(b.J.template cast<S>(), w));
  }
  return sum;
}
// Of gravity, springs and bushings; those with force_length are left to the caller.
template <class S>
S potential_energy(const View<S>& x) {
  using std::sqrt;
  S sum(0.0);
  for (int i = 0; i < static_cast<int>(x.plan->bodies.size()); ++i)
    sum = sum - x.plan->body(i).mass * dot<S>(constant<S>(x.plan->gravity), x.position(i));
  for (const PlanForce& e : x.plan->forces) {
    if (e.kind == PlanForce::Kind::coordinate_spring) {
      const S stretch = coordinate_value<S>(x, e.coordinate) - e.rest;
      sum = sum + 0.5 * e.stiffness * stretch * stretch;
      continue;
    }
    if (e.kind != PlanForce::Kind::spring && e.kind != PlanForce::Kind::bushing) continue;
    const Pair<S> p(x, e.A, e.B);
    if (e.kind == PlanForce::Kind::spring) {
      const S stretch = sqrt(dot<S>(p.d, p.d)) - e.rest;
      if (e.force_length < 0) sum = sum + 0.5 * e.stiffness * stretch * stretch;
      continue;
    }
    const BushingState<S> b(e, p);
    for (int i = 0; i < 6; ++i) {
      sum = sum + e.preload[i] * b.delta[i];
      for (int j = 0; j < 6; ++j) sum = sum + 0.5 * e.K(i, j) * b.delta[i] * b.delta[j];
    }
  }
  return sum;
}

}  // namespace daedalus::mechanism
