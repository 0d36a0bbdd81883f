// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the constraint levels by positions, as the couplings of stabilised formulations
// need them: along h(q, s) = 0 (Arnold 1998, (3.18)), or by q and s apart (3.13).
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/mechanics.hpp"
#include "kernel/at.hpp"

namespace daedalus {

// r_G = G v + g_t: one derivative along the motion, in the short form with s held: r_G = g_q v +
// g_t.
Eval Mechanics::velocity_rows(const PointOf<Dual4>& p, Dual4* out, bool short_form) {
  const int ng = sizes_.holonomic, na = sizes_.nonholonomic, n = sizes_.velocities;
  if (ng > 0) {
    auto& c = std::get<Curve<Dual4>>(curves_);
    if (Eval e = lay_curve(p, p.v, 1.0, false, c, short_form ? Known::held : Known::nothing);
        e != Eval::ok)
      return e;
    if (Eval e = along("constraint", problem_.constraint, ng, c); e != Eval::ok) return e;
    for (int i = 0; i < ng; ++i) out[i] = c.out[at(i)].c[1];
  }
  if (na == 0) return Eval::ok;
  auto& A = std::get<std::vector<Dual4>>(matrix_);
  if (Eval e = piece_("nonholonomic_matrix", A.data(), na * n,
                      [&] { return problem_.nonholonomic_matrix(arguments(p), A.data(), na, n); });
      e != Eval::ok)
    return e;
  Dual4* rows = out + ng;
  std::fill(rows, rows + na, Dual4(0.0));
  if (problem_.nonholonomic_offset)
    if (Eval e = piece_("nonholonomic_offset", rows, na,
                        [&] { return problem_.nonholonomic_offset(arguments(p), rows, na); });
        e != Eval::ok)
      return e;
  for (int i = 0; i < na; ++i)
    for (int j = 0; j < n; ++j) rows[i] = rows[i] + A[at(i + j * na)] * p.v[j];
  return Eval::ok;
}

// Columns of d rows / d q T, four at a time, and of d rows / d s; `rows` is called with s held when
// by_s is given, and with s that follows q otherwise.
template <class Rows>
Eval Mechanics::gradient(const PointOf<double>& p, int count, double* by_q, double* by_s,
                         Rows&& rows) {
  const int nv = sizes_.velocities, ns = sizes_.contact;
  std::vector<Dual4>&q = gradient_.q, &v = gradient_.v, &s = gradient_.s, &w = gradient_.w,
  &out = gradient_.out;
  q.resize(at(sizes_.positions));
  v.resize(at(nv));
  s.resize(at(ns));
  w.resize(at(sizes_.tangents));
  out.resize(at(std::max(count, 1)));
  gradient_.unit.resize(at(nv));
  gradient_.rate.resize(at(sizes_.tangents));
  PointOf<Dual4> there;
  there.t = Dual4(p.t);
  there.q = q.data();
  there.v = v.data();
  there.s = s.data();
  for (int i = 0; i < nv; ++i) v[at(i)] = Dual4(p.v ? p.v[i] : 0.0);
  const auto evaluate = [&](int first, int lanes, double* target) {
    for (int i = 0; i < sizes_.positions; ++i) q[at(i)] = Dual4(p.q[i]);
    problem_.space.plus(q.data(), w.data(), q.data());
    if (Eval e = rows(there, out.data()); e != Eval::ok) return e;
    for (int k = 0; k < lanes; ++k)
      for (int i = 0; i < count; ++i) target[i + (first + k) * count] = out[at(i)].d[at(k)];
    return Eval::ok;
  };
  for (int first = 0; first < nv; first += 4) {
    const int lanes = std::min(4, nv - first);
    std::fill(w.begin(), w.end(), Dual4(0.0));
    for (int i = 0; i < ns; ++i) s[at(i)] = Dual4(p.s[i]);
    for (int k = 0; k < lanes; ++k) {
      std::fill(gradient_.unit.begin(), gradient_.unit.end(), 0.0);
      gradient_.unit[at(first + k)] = 1.0;
      const double* rate = gradient_.rate.data();
      if (ns > 0 && !by_s) {
        auto& c = std::get<Curve<double>>(curves_);
        if (Eval e = lay_curve(p, gradient_.unit.data(), 0.0, false, c); e != Eval::ok) return e;
        for (int i = 0; i < ns; ++i) s[at(i)].d[at(k)] = c.s[at(i)].c[1];
        rate = c.rate.data();
      } else if (Eval e = kinematic_product(p, gradient_.unit.data(), gradient_.rate.data());
                 e != Eval::ok) {
        return e;
      }
      for (int i = 0; i < sizes_.tangents; ++i) w[at(i)].d[at(k)] = rate[i];
    }
    if (Eval e = evaluate(first, lanes, by_q); e != Eval::ok) return e;
  }
  if (!by_s) return Eval::ok;
  std::fill(w.begin(), w.end(), Dual4(0.0));
  for (int first = 0; first < ns; first += 4) {
    const int lanes = std::min(4, ns - first);
    for (int i = 0; i < ns; ++i) s[at(i)] = Dual4(p.s[i]);
    for (int k = 0; k < lanes; ++k) s[at(first + k)].d[at(k)] = 1.0;
    if (Eval e = evaluate(first, lanes, by_s); e != Eval::ok) return e;
  }
  return Eval::ok;
}

Eval Mechanics::position_gradient(const PointOf<double>& p, double* by_q, double* by_s) {
  const int ng = sizes_.holonomic;
  if (smooth_ && sizes_.contact > 0)
    return gradient(p, ng, by_q, by_s, [&](const PointOf<Dual4>& there, Dual4* out) {
      return constraint(there, out);
    });
  // Without contact coordinates it is the upper part of G.
  std::size_t entries = 0;
  for_constraint_entries([&](int, int, std::size_t) { ++entries; });
  gradient_.G.resize(entries);
  if (Eval e = constraint_matrix(p, gradient_.G.data()); e != Eval::ok) return e;
  std::fill(by_q, by_q + ng * sizes_.velocities, 0.0);
  for_constraint_entries([&](int k, int j, std::size_t e) {
    if (k < ng) by_q[k + j * ng] = gradient_.G[e];
  });
  return Eval::ok;
}

Eval Mechanics::velocity_gradient(const PointOf<double>& p, double* by_q, double* by_s,
                                  bool short_form) {
  const int nl = sizes_.multipliers(), nv = sizes_.velocities;
  if (differentiable(1))
    return gradient(p, nl, by_q, by_s, [&](const PointOf<Dual4>& there, Dual4* out) {
      return velocity_rows(there, out, short_form);
    });
  // Central differences of G v + g_t. Plain callables have no contact coordinates.
  const double eps = std::cbrt(std::numeric_limits<double>::epsilon());
  std::vector<double>&unit = gradient_.unit, &rate = gradient_.rate, &level = gradient_.level,
  &moved = gradient_.moved;
  unit.resize(at(nv));
  rate.resize(at(sizes_.tangents));
  level.resize(at(nl));
  moved.resize(at(sizes_.positions));
  std::size_t entries = 0;
  for_constraint_entries([&](int, int, std::size_t) { ++entries; });
  gradient_.G.resize(entries);
  double size = 1.0;
  for (int i = 0; i < sizes_.positions; ++i) size = std::max(size, std::abs(p.q[i]));
  std::fill(by_q, by_q + nl * nv, 0.0);
  for (int j = 0; j < nv; ++j)
    for (const double sign : {1.0, -1.0}) {
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[at(j)] = sign * eps * size;
      if (Eval e = kinematic_product(p, unit.data(), rate.data()); e != Eval::ok) return e;
      problem_.space.plus(p.q, rate.data(), moved.data());
      PointOf<double> there = p;
      there.q = moved.data();
      if (Eval e = constraint_matrix(there, gradient_.G.data()); e != Eval::ok) return e;
      if (Eval e = velocity_offset(there, level.data()); e != Eval::ok) return e;
      for_constraint_entries(
          [&](int k, int i, std::size_t e) { level[at(k)] += gradient_.G[e] * p.v[i]; });
      for (int k = 0; k < nl; ++k) by_q[k + j * nl] += sign * level[at(k)] / (2.0 * eps * size);
    }
  return Eval::ok;
}

}  // namespace daedalus
