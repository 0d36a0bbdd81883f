// SPDX-License-Identifier: BSD-3-Clause
// How mechanics calls the functions of its problem: at a point, and along a curve.
#pragma once

#include "formulation/mechanics.hpp"

namespace daedalus {

// What is differentiated in one evaluation over dual numbers, and held beside it on the stack.
inline constexpr int max_contact = 4, max_positions = 32;

template <class S>
Arguments<S> Mechanics::arguments(const PointOf<S>& p) const {
  Arguments<S> a;
  a.t = p.t;
  a.x = {p.q, p.v, p.lambda, p.c, p.s};
  a.n = {sizes_.positions, p.v ? sizes_.velocities : 0, p.lambda ? sizes_.multipliers() : 0,
         p.c ? sizes_.dynamic : 0, p.s ? sizes_.contact : 0};
  parameters_.apply(a);
  return a;
}

template <class S>
Arguments<Taylor<S, 2>> Mechanics::arguments(const Curve<S>& c) const {
  Arguments<Series<S>> a;
  a.t = c.t;
  a.x = {c.q.data(), nullptr, nullptr, nullptr, c.s.data()};
  a.n = {sizes_.positions, 0, 0, 0, sizes_.contact};
  parameters_.apply(a);
  return a;
}

template <class S>
Eval Mechanics::along(const char* name, const Function<slot::Position>& f, int rows, Curve<S>& c) {
  return piece_(name, c.out.data(), rows, [&] { return f(arguments(c), c.out.data(), rows); });
}

}  // namespace daedalus
