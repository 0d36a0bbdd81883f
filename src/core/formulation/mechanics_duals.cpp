// SPDX-License-Identifier: BSD-3-Clause
// G and g_t over dual numbers.
#include <algorithm>

#include "formulation/mechanics_pairs.hpp"

namespace daedalus {

namespace {

// NaN counts as derivative.
bool still(const Dual4& x) {
  return x.d[0] == 0.0 && x.d[1] == 0.0 && x.d[2] == 0.0 && x.d[3] == 0.0;
}

}  // namespace

// No derivative reaches G and g_t, which depend on t, q and s alone.
bool Mechanics::stands_still(const PointOf<Dual4>& p) const {
  return still(p.t) && std::all_of(p.q, p.q + sizes_.positions, still) &&
         std::all_of(p.s, p.s + sizes_.contact, still);
}

// Nor d^2g/dt^2, which depends on v as well.
bool Mechanics::accelerates_alike(const PointOf<Dual4>& p) const {
  return stands_still(p) && std::all_of(p.v, p.v + sizes_.velocities, still);
}

PointOf<double> Mechanics::values_of(const PointOf<Dual4>& p) {
  PointOf<double> here;
  here.t = p.t.v;
  const auto take = [](const Dual4* from, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i].v;
    return to.data();
  };
  here.q = take(p.q, values_.q);
  here.s = take(p.s, values_.s);
  if (p.v) here.v = take(p.v, values_.v);
  return here;
}

Eval Mechanics::constant_matrix(const PointOf<Dual4>& p, Dual4* G) {
  std::size_t entries = 0;
  for_constraint_entries([&](int, int, std::size_t) { ++entries; });
  values_.G.resize(entries);
  const Eval e = constraint_matrix(values_of(p), values_.G.data());
  std::copy(values_.G.begin(), values_.G.end(), G);
  return e;
}

Eval Mechanics::constant_offset(const PointOf<Dual4>& p, Dual4* out) {
  const Eval e = velocity_offset(values_of(p), values_.offset.data());
  std::copy(values_.offset.begin(), values_.offset.end(), out);
  return e;
}

Eval Mechanics::constant_acceleration(const PointOf<Dual4>& p, Dual4* out) {
  const Eval e = acceleration_term(values_of(p), values_.offset.data());
  std::copy(values_.offset.begin(), values_.offset.end(), out);
  return e;
}

Eval Mechanics::constraint_matrix_in_pairs(const PointOf<Dual4>& p, Dual4* G, Dual4* offset) {
  const int rows = sizes_.multipliers(), n = sizes_.velocities, count = offset ? n + 1 : n;
  if (sizes_.contact > 0)
    if (Eval e = contact_slopes(values_of(p), count); e != Eval::ok) return e;
  const auto direction = [&](int column, double* w) {
    std::fill(w, w + n, 0.0);
    if (column < n) w[column] = 1.0;
    return column < n ? 0.0 : 1.0;
  };
  return columns_in_pairs(p, count, direction, [&](int column, auto&& slope) {
    Dual4* to = column < n ? G + column * rows : offset;
    for (int i = 0; i < sizes_.holonomic; ++i) to[i] = slope(at(i));
  });
}

// G along contact conditions; ds/dq and ds/dt stay in slopes_.
Eval Mechanics::matrix_and_slopes(const PointOf<Dual4>& p, Dual4* G) {
  auto& slopes = std::get<std::vector<Dual4>>(slopes_);
  if (!stands_still(p))
    return constraint_matrix_in_pairs(p, G, std::get<std::vector<Dual4>>(vector_).data());
  const auto& plain = std::get<std::vector<double>>(slopes_);
  const PointOf<double> here = values_of(p);
  if (Eval e = contact_slopes(here, sizes_.velocities + 1); e != Eval::ok) return e;
  std::copy(plain.begin(), plain.end(), slopes.begin());
  values_.G.resize(at(sizes_.multipliers()) * at(sizes_.velocities));
  const Eval e = constraint_along_slopes(here, values_.G.data());
  std::copy(values_.G.begin(), values_.G.end(), G);
  return e;
}

}  // namespace daedalus
