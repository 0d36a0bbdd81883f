// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of plain callables by central differences along the curves of mechanics.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulation/mechanics.hpp"
#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Central differences: the cube root of the unit round-off balances truncation and cancellation of
// a first derivative, the fourth root that of a second one.
const double central_step = std::cbrt(std::numeric_limits<double>::epsilon());
const double second_step = std::sqrt(std::sqrt(std::numeric_limits<double>::epsilon()));

}  // namespace

Eval Mechanics::differences(const PointOf<double>& p, const double* w, double tau, double* first,
                            double* second) {
  const int ng = sizes_.holonomic;
  // The second difference evaluates G and g_t, which may themselves be first differences.
  Scratch& scratch = scratch_[second ? 1 : 0];
  std::vector<double>&rate = scratch.rate, &shift = scratch.shift, &moved = scratch.moved,
  &G = scratch.matrix, &plus = scratch.plus, &minus = scratch.minus, &offset = scratch.offset;
  if (Eval e = kinematic_product(p, w, rate.data()); e != Eval::ok) return e;
  double size_q = 1.0, size_w = 0.0;
  for (int i = 0; i < sizes_.positions; ++i) size_q = std::max(size_q, std::abs(p.q[i]));
  for (double r : rate) size_w = std::max(size_w, std::abs(r));
  const bool twice = second && !problem_.constraint_jacobian && !problem_.kinematics;
  const double eps = (twice ? second_step : central_step) * size_q / std::max({size_w, tau, 1e-30});
  // Second derivatives: second differences of g, or differences of the velocity level G v + g_t
  // where G is given.
  const auto level = [&](double e, std::vector<double>& out) {
    for (int i = 0; i < sizes_.tangents; ++i) shift[at(i)] = e * rate[at(i)];
    problem_.space.plus(p.q, shift.data(), moved.data());
    PointOf<double> there = p;
    there.t = p.t + e * tau;
    there.q = moved.data();
    if (!second || twice) return constraint(there, out.data());
    if (Eval r = constraint_matrix(there, G.data()); r != Eval::ok) return r;
    if (Eval r = velocity_offset(there, offset.data()); r != Eval::ok) return r;
    for (int i = 0; i < ng; ++i) {
      double sum = offset[at(i)];
      for (int j = 0; j < sizes_.velocities; ++j) sum += G[at(i + j * sizes_.multipliers())] * w[j];
      out[at(i)] = sum;
    }
    return Eval::ok;
  };
  if (Eval e = level(eps, plus); e != Eval::ok) return e;
  if (Eval e = level(-eps, minus); e != Eval::ok) return e;
  if (twice) {
    if (Eval e = constraint(p, offset.data()); e != Eval::ok) return e;
    for (int i = 0; i < ng; ++i)
      second[i] = (plus[at(i)] - 2.0 * offset[at(i)] + minus[at(i)]) / (eps * eps);
    return Eval::ok;
  }
  double* out = second ? second : first;
  for (int i = 0; i < ng; ++i) out[i] = (plus[at(i)] - minus[at(i)]) / (2.0 * eps);
  return Eval::ok;
}

Eval Mechanics::nonholonomic_rate(const PointOf<double>& p, double* out) {
  const int na = sizes_.nonholonomic, n = sizes_.velocities;
  std::vector<double>&rate = scratch_[0].rate, &shift = scratch_[0].shift,
  &moved = scratch_[0].moved, &A = scratch_[0].matrix, &a = scratch_[0].offset;
  std::fill(a.begin(), a.end(), 0.0);
  if (Eval e = kinematic_product(p, p.v, rate.data()); e != Eval::ok) return e;
  double size = 1.0, speed = 1.0;
  for (int i = 0; i < sizes_.positions; ++i) size = std::max(size, std::abs(p.q[i]));
  for (double r : rate) speed = std::max(speed, std::abs(r));
  const double eps = central_step * size / speed;
  std::fill(out, out + na, 0.0);
  for (const double sign : {1.0, -1.0}) {
    for (int i = 0; i < sizes_.tangents; ++i) shift[at(i)] = sign * eps * rate[at(i)];
    problem_.space.plus(p.q, shift.data(), moved.data());
    PointOf<double> there = p;
    there.t = p.t + sign * eps;
    there.q = moved.data();
    const auto matrix = [&] {
      return problem_.nonholonomic_matrix(arguments(there), A.data(), na, n);
    };
    if (Eval e = piece_("nonholonomic_matrix", A.data(), na * n, matrix); e != Eval::ok) return e;
    const auto offset = [&] {
      return problem_.nonholonomic_offset(arguments(there), a.data(), na);
    };
    if (problem_.nonholonomic_offset)
      if (Eval e = piece_("nonholonomic_offset", a.data(), na, offset); e != Eval::ok) return e;
    for (int i = 0; i < na; ++i) {
      double sum = a[at(i)];
      for (int j = 0; j < n; ++j) sum += A[at(i + j * na)] * p.v[j];
      out[i] += sign * sum / (2.0 * eps);
    }
  }
  return Eval::ok;
}

}  // namespace daedalus
