// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the constraints over dual numbers, two columns by one series: along
//   q(e) = q (+) (e sigma w_1 + e^2 w_2),  sigma = 2^-300,
// and with t and s likewise, the coefficients of g are
//   first:  sigma G w_1,
//   second: G w_2 + sigma^2 g''[w_1, w_1] / 2, the latter 1e-181 g'' and thus below any rounding.
// Multiplication by a power of two is exact. Where the second coefficient is not finite, because a
// higher derivative does not exist or the structure is probed by NaN, w_2 gets a series of its own.
// A product of series of dual numbers costs six products of dual numbers, hence three per column.
#pragma once

#include <algorithm>

#include "formulation/mechanics.hpp"
#include "kernel/at.hpp"
#include "lie/curve.hpp"

namespace daedalus {
namespace pairs {

// Two columns in one number: products of one with the other stay apart.
inline constexpr double faint = 0x1p-300, loud = 0x1p300;

}  // namespace pairs

// g along columns first .. first + count - 1, one or two, through the point that is laid already;
// direction(column, w) fills the velocities and gives the rate of t. s follows by a step of
// Newton's method from the slopes of the values.
template <class Direction>
Eval Mechanics::along_columns(const PointOf<Dual4>& p, int first, int count,
                              Direction&& direction) {
  const int nc = sizes_.contact;
  auto& c = std::get<Curve<Dual4>>(curves_);
  auto& w = std::get<Curve<double>>(curves_).direction;
  const auto& slopes = std::get<std::vector<double>>(slopes_);
  for (int k = 1; k <= 2; ++k) {
    const double scale = k == 1 ? pairs::faint : k == count ? 1.0 : 0.0;
    const int column = first + std::min(k, count) - 1;
    c.t.c[at(k)] = Dual4(scale * direction(column, w.data()));
    for (double& x : w) x *= scale;
    for_each_slope(problem_.space, p.q, w.data(),
                   [&](int i, const Dual4& slope) { c.q[at(i)].c[at(k)] = slope; });
    for (int i = 0; i < nc; ++i) c.s[at(i)].c[at(k)] = Dual4(scale * slopes[at(i + column * nc)]);
  }
  if (nc > 0) {
    if (Eval e = along("contact", problem_.contact, nc, c); e != Eval::ok) return e;
    for (int k = 1; k <= count; ++k) {
      for (int i = 0; i < nc; ++i) c.rhs[at(i)] = -c.out[at(i)].c[at(k)];
      h_s_.solve(c.rhs.data());
      Dual4* kept = std::get<std::vector<Dual4>>(slopes_).data() + (first + k - 1) * nc;
      for (int i = 0; i < nc; ++i) {
        Dual4& slope = c.s[at(i)].c[at(k)];
        slope = slope + c.rhs[at(i)];
        kept[i] = slope * (k == 1 ? pairs::loud : 1.0);
      }
    }
  }
  return along("constraint", problem_.constraint, sizes_.holonomic, c);
}

// Calls take(column, slope) with slope(row) for every column.
template <class Direction, class Take>
Eval Mechanics::columns_in_pairs(const PointOf<Dual4>& p, int count, Direction&& direction,
                                 Take&& take) {
  auto& c = std::get<Curve<Dual4>>(curves_);
  c.t.c[0] = p.t;
  for (int i = 0; i < sizes_.positions; ++i) c.q[at(i)].c[0] = p.q[i];
  for (int i = 0; i < sizes_.contact; ++i) c.s[at(i)].c[0] = p.s[i];
  const auto first = [&](std::size_t row) { return c.out[row].c[1] * pairs::loud; };
  const auto second = [&](std::size_t row) { return c.out[row].c[2]; };
  for (int j = 0; j < count; j += 2) {
    const int both = std::min(2, count - j);
    if (Eval e = along_columns(p, j, both, direction); e != Eval::ok) return e;
    take(j, first);
    if (both == 1) break;
    bool finite = true;
    for (int i = 0; i < sizes_.holonomic; ++i) finite = finite && all_finite(second(at(i)));
    if (finite) {
      take(j + 1, second);
      continue;
    }
    if (Eval e = along_columns(p, j + 1, 1, direction); e != Eval::ok) return e;
    take(j + 1, first);
  }
  return Eval::ok;
}

}  // namespace daedalus
