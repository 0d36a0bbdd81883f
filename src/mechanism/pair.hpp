// SPDX-License-Identifier: BSD-3-Clause
// Where bodies are and how they move, over any number: what rows and forces are made of.
#pragma once

#include <daedalus/lie/s3.hpp>

#include "mechanism/plan.hpp"

namespace daedalus::mechanism {

template <class S>
using Vector3 = so3::Vector<S>;
template <class S>
using Matrix3 = so3::Matrix<S>;
using so3::cross;

// R a for constants a: R of numbers S, or the identity of ground.
template <class S>
Vector3<S> turned(const Matrix3<S>& R, const Eigen::Vector3d& a) {
  Vector3<S> r;
  for (int k = 0; k < 3; ++k) r[k] = R(k, 0) * a[0] + R(k, 1) * a[1] + R(k, 2) * a[2];
  return r;
}
template <class S>
Vector3<S> turned_back(const Matrix3<S>& R, const Vector3<S>& a) {
  Vector3<S> r;
  for (int k = 0; k < 3; ++k) r[k] = R(0, k) * a[0] + R(1, k) * a[1] + R(2, k) * a[2];
  return r;
}
template <class S>
Vector3<S> turned_by(const Matrix3<S>& R, const Vector3<S>& a) {
  Vector3<S> r;
  for (int k = 0; k < 3; ++k) r[k] = R(k, 0) * a[0] + R(k, 1) * a[1] + R(k, 2) * a[2];
  return r;
}
// a x b with constant a.
template <class S>
Vector3<S> crossed(const Eigen::Vector3d& a, const Vector3<S>& b) {
  return Vector3<S>(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0]);
}
template <class S>
S dot(const Vector3<S>& a, const Vector3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class S>
Vector3<S> constant(const Eigen::Vector3d& a) {
  return Vector3<S>(S(a[0]), S(a[1]), S(a[2]));
}

// Positions q and velocities v of a mechanism, and the angles that are followed (Plan::followed);
// without these angles are those of atan2 next to `near`, one per coordinate.
template <class S>
struct View {
  const Plan* plan = nullptr;
  const S* q = nullptr;
  const S* v = nullptr;
  const S* followed = nullptr;
  const double* near = nullptr;

  Matrix3<S> rotation(int body) const {
    using std::cos, std::sin;
    if (body < 0 || plan->body(body).point) return Matrix3<S>::Identity();
    const S* at = q + plan->body(body).q;
    switch (plan->space) {
      case MechanismSpace::planar: {
        const S c = cos(at[2]), w = sin(at[2]), zero(0.0), one(1.0);
        Matrix3<S> R;
        R << c, -w, zero, w, c, zero, zero, zero, one;
        return R;
      }
      case MechanismSpace::r3xs3:
      case MechanismSpace::s3_semidirect:
        return s3::rotation<S>(s3::Quaternion<S>(at[3], at[4], at[5], at[6]));
      default:
        return Eigen::Map<const Matrix3<S>>(at + 3);
    }
  }
  Vector3<S> position(int body) const {
    if (body < 0) return Vector3<S>::Zero();
    const S* at = q + plan->body(body).q;
    return Vector3<S>(at[0], at[1], plan->planar() ? S(0.0) : at[2]);
  }
  S turn(int body) const { return body < 0 ? S(0.0) : q[plan->body(body).q + 2]; }
  // Angular velocity in body axes.
  Vector3<S> spin(int body) const {
    if (body < 0 || plan->body(body).point) return Vector3<S>::Zero();
    const S* at = v + plan->body(body).v;
    if (plan->planar()) return Vector3<S>(S(0.0), S(0.0), at[2]);
    return Vector3<S>(at[3], at[4], at[5]);
  }
  // Of the centre of mass, ground axes.
  Vector3<S> velocity(int body, const Matrix3<S>& R) const {
    if (body < 0) return Vector3<S>::Zero();
    const S* at = v + plan->body(body).v;
    if (plan->planar()) return Vector3<S>(at[0], at[1], S(0.0));
    const Vector3<S> u(at[0], at[1], at[2]);
    return plan->body_velocities() && !plan->body(body).point ? turned_by<S>(R, u) : u;
  }
  // Second derivative of the centre of mass while the velocities v are constant.
  Vector3<S> drift(int body, const Matrix3<S>& R) const {
    if (body < 0 || !plan->body_velocities() || plan->body(body).point) return Vector3<S>::Zero();
    const S* at = v + plan->body(body).v;
    return turned_by<S>(R, cross<S>(spin(body), Vector3<S>(at[0], at[1], at[2])));
  }
};

// Two places and the vector d between them.
template <class S>
struct Pair {
  const Place *A, *B;
  Matrix3<S> RA, RB;
  Vector3<S> d;
  S turn{};  // phi_B - phi_A in the plane

  Pair(const View<S>& x, const Place& first, const Place& second)
      : A(&first), B(&second), RA(x.rotation(first.body)), RB(x.rotation(second.body)) {
    const Vector3<S> from = x.position(first.body) + turned<S>(RA, first.s);
    d = x.position(second.body) + turned<S>(RB, second.s) - from;
    if (x.plan->planar()) turn = x.turn(second.body) - x.turn(first.body);
  }
  Vector3<S> a(int k) const { return turned<S>(RA, A->axes.col(k)); }
  Vector3<S> b(int k) const { return turned<S>(RB, B->axes.col(k)); }
};

// Rates of a pair at constant velocities.
template <class S>
struct Rates {
  Vector3<S> wA, wB;        // angular velocities in body axes
  Vector3<S> rate, second;  // d', d''

  Rates(const View<S>& x, const Pair<S>& p) : wA(x.spin(p.A->body)), wB(x.spin(p.B->body)) {
    const auto swing = [](const Matrix3<S>& R, const Vector3<S>& w, const Eigen::Vector3d& s,
                          Vector3<S>& first, Vector3<S>& twice) {
      const Vector3<S> one = cross<S>(w, constant<S>(s));
      first = turned_by<S>(R, one);
      twice = turned_by<S>(R, cross<S>(w, one));
    };
    Vector3<S> a1, a2, b1, b2;
    swing(p.RA, wA, p.A->s, a1, a2);
    swing(p.RB, wB, p.B->s, b1, b2);
    rate = x.velocity(p.B->body, p.RB) + b1 - x.velocity(p.A->body, p.RA) - a1;
    second = x.drift(p.B->body, p.RB) + b2 - x.drift(p.A->body, p.RA) - a2;
  }
};

}  // namespace daedalus::mechanism
