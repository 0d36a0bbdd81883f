// SPDX-License-Identifier: BSD-3-Clause
// Rows of A in A v + a = 0: blades, rolling, prescribed rates.
#pragma once

#include "mechanism/row_derivatives.hpp"

namespace daedalus::mechanism {

// From the centre of a disc with axis k to its contact with the plane of normal N.
template <class S>
Vector3<S> to_contact(const NonholonomicRow& row, const Vector3<S>& N, const Vector3<S>& k) {
  if (row.upright) return (-row.radius) * N;
  const S nk = dot<S>(N, k);
  const S factor = -row.radius / disc_slope<S>(nk);
  return factor * (N - nk * k);
}

// Along the track of a disc with axis k on the plane of normal N, or across it: rows that turn with
// the disc, so that a row that follows from others does so in every direction of travel.
template <class S>
Vector3<S> track_direction(const NonholonomicRow& row, const Vector3<S>& N, const Vector3<S>& k) {
  const Vector3<S> side = cross<S>(k, N);
  const Vector3<S> along = side / disc_slope<S>(dot<S>(N, k));
  return row.across ? Vector3<S>(cross<S>(N, along)) : along;
}

// n.(velocity of a point of B less that of the same point of A): gradient for the arms from the
// centres of mass, in ground axes.
template <class S>
Gradient<S> sliding_gradient(const Pair<S>& p, const Vector3<S>& n, const Vector3<S>& armA,
                             const Vector3<S>& armB) {
  Gradient<S> g;
  g.uB = n;
  g.uA = -n;
  g.wB = turned_back<S>(p.RB, cross<S>(armB, n));
  g.wA = -turned_back<S>(p.RA, cross<S>(armA, n));
  return g;
}

template <class S>
Gradient<S> nonholonomic_gradient(const View<S>& x, const NonholonomicRow& row, const Pair<S>& p) {
  if (row.kind == NonholonomicKind::rate) return coordinate_gradient<S>(x, row.coordinate, p);
  const Vector3<S> onB = turned<S>(p.RB, row.B.s), onA = turned<S>(p.RA, row.A.s);
  if (row.kind == NonholonomicKind::knife_edge)
    return sliding_gradient<S>(p, turned<S>(p.RB, row.direction), onA + p.d, onB);
  const Vector3<S> N = turned<S>(p.RA, row.normal);
  const Vector3<S> k = p.b(2), c = to_contact<S>(row, N, k);
  return sliding_gradient<S>(p, track_direction<S>(row, N, k), onA + p.d + c, onB + c);
}

template <class S, class Out>
void nonholonomic_rows(const View<S>& x, Out& A) {
  for (std::size_t k = 0; k < x.plan->nonholonomic.size(); ++k) {
    const NonholonomicRow& row = x.plan->nonholonomic[k];
    const Pair<S> p(x, row.A, row.B);
    const int r = static_cast<int>(k);
    add_gradient<S>(x, p, nonholonomic_gradient<S>(x, row, p), S(row.scale),
                    [&](int column, const S& value) { A(r, column) = A(r, column) + value; });
  }
}

}  // namespace daedalus::mechanism
