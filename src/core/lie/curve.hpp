// SPDX-License-Identifier: BSD-3-Clause
// Points near q without the series of exp, from q' = q hat(w):
//   infinitesimal w:  q + q hat(w), positions of SE(3) + R U;
//   q o exp(tau w) up to tau^2: rotations R (I + tau W + tau^2 W^2 / 2), W = hat(w), quaternions
//   p o (1, tau w / 2) - tau^2 |w|^2 p / 8, positions of SE(3) x + R (tau U + tau^2 Omega x U / 2).
#pragma once

#include <daedalus/space.hpp>
#include <daedalus/taylor.hpp>

namespace daedalus {
namespace curve_detail {

// R hat(w), by columns.
template <class S, class W>
void times_hat(const S* R, const W* w, S* out) {
  for (int i = 0; i < 3; ++i) {
    const S &a = R[i], &b = R[3 + i], &c = R[6 + i];
    out[i] = w[2] * b - w[1] * c;
    out[3 + i] = w[0] * c - w[2] * a;
    out[6 + i] = w[1] * a - w[0] * b;
  }
}
// p o (0, w / 2).
template <class S, class W>
s3::Quaternion<S> times_half(const S* p, const W* w) {
  const s3::Quaternion<S> half(S(0.0), S(0.5 * w[0]), S(0.5 * w[1]), S(0.5 * w[2]));
  return s3::compose<S>(Eigen::Map<const s3::Quaternion<S>>(p), half);
}
// R u for the rotation of a position and what turns it.
template <class S>
so3::Vector<S> rotated(SpaceKind kind, const S* point, const so3::Vector<S>& u) {
  if (kind == SpaceKind::se3) return Eigen::Map<const so3::Matrix<S>>(point + 3) * u;
  return s3::rotate<S>(Eigen::Map<const s3::Quaternion<S>>(point + 3), u);
}

}  // namespace curve_detail

// Calls put(i, slope) for every coordinate of q o exp(tau w): its derivative at tau = 0. An element
// is put when all its slopes are known, so that q itself may be changed. W: S or double.
template <class S, class W, class Put>
void for_each_slope(const Space& space, const S* q, const W* w, Put&& put) {
  using namespace curve_detail;
  space.for_each_element([&](const Space::Element& e) {
    const S* from = q + e.point;
    const W* by = w + e.tangent;
    const bool moves = e.kind == SpaceKind::se3 || e.kind == SpaceKind::s3_semidirect;
    const int turn = moves ? 3 : 0;
    if (moves) {
      const so3::Vector<S> shift =
          rotated<S>(e.kind, from, so3::Vector<S>(S(by[0]), S(by[1]), S(by[2])));
      for (int i = 0; i < 3; ++i) put(e.point + i, shift[i]);
    }
    switch (e.kind) {
      case SpaceKind::euclidean:
        for (int i = 0; i < e.points; ++i) put(e.point + i, S(by[i]));
        break;
      case SpaceKind::so3:
      case SpaceKind::se3: {
        S rate[9];
        times_hat(from + turn, by + turn, rate);
        for (int i = 0; i < 9; ++i) put(e.point + turn + i, rate[i]);
        break;
      }
      case SpaceKind::s3:
      case SpaceKind::s3_semidirect: {
        const s3::Quaternion<S> rate = times_half(from + turn, by + turn);
        for (int i = 0; i < 4; ++i) put(e.point + turn + i, rate[i]);
        break;
      }
    }
  });
}

// The values of w are zero, its derivatives are not. out may be x.
template <class S>
void add_infinitesimal(const Space& space, const S* x, const S* w, S* out) {
  for_each_slope(space, x, w, [&](int i, const S& slope) { out[i] = x[i] + slope; });
}

template <class S>
void lay_geodesic(const Space& space, const S* q, const S* w, Taylor<S, 2>* out) {
  using namespace curve_detail;
  const auto put = [](Taylor<S, 2>& to, const S& value, const S& slope, const S& half_curvature) {
    to.c[0] = value;
    to.c[1] = slope;
    to.c[2] = half_curvature;
  };
  space.for_each_element([&](const Space::Element& e) {
    const S *from = q + e.point, *by = w + e.tangent;
    Taylor<S, 2>* to = out + e.point;
    const bool moves = e.kind == SpaceKind::se3 || e.kind == SpaceKind::s3_semidirect;
    if (moves) {
      const so3::Vector<S> U(by[0], by[1], by[2]), W(by[3], by[4], by[5]);
      const so3::Vector<S> first = rotated<S>(e.kind, from, U),
                           second = rotated<S>(e.kind, from, so3::cross<S>(W, U));
      for (int i = 0; i < 3; ++i) put(to[i], from[i], first[i], 0.5 * second[i]);
    }
    const int turn = moves ? 3 : 0;
    const S *p = from + turn, *a = by + turn;
    switch (e.kind) {
      case SpaceKind::euclidean:
        for (int i = 0; i < e.points; ++i) put(to[i], p[i], a[i], S(0.0));
        break;
      case SpaceKind::so3:
      case SpaceKind::se3: {
        S first[9], second[9];
        times_hat(p, a, first);
        times_hat(first, a, second);
        for (int i = 0; i < 9; ++i) put(to[turn + i], p[i], first[i], 0.5 * second[i]);
        break;
      }
      case SpaceKind::s3:
      case SpaceKind::s3_semidirect: {
        const s3::Quaternion<S> first = times_half(p, a);
        const S square = 0.125 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int i = 0; i < 4; ++i) put(to[turn + i], p[i], first[i], -square * p[i]);
        break;
      }
    }
  });
}

}  // namespace daedalus
