// SPDX-License-Identifier: BSD-3-Clause
// The four equations of one cell of a transmission line (transmission_line.hpp).
#pragma once

#include <cmath>

#include <catalogue/transmission_line.hpp>

namespace daedalus::problems::line_circuit {

template <class T>
T source(const T& t) {
  using std::sin;
  const T s = sin(3.14159265358979323846 * t);
  return s * s;
}

template <class S>
struct Cell {
  S a, u, b, w;
};

// before: w of the cell before, or V(t) at the first one (first = true); after: a of the next one.
template <class S, class B, class A>
Cell<S> cell_equations(const Constants& c, double d, bool first, bool last, const Cell<S>& x,
                       const B& before, const A& after) {
  Cell<S> f{S(0.0), S(0.0), S(0.0), S(0.0)};
  if (first)
    f.a = before - c.r_source * x.a - 0.5 * c.R * d * x.a - x.u;
  else
    f.a = before - 0.5 * c.R * d * x.a - x.u;
  f.u = x.a - x.b - d * (c.G + c.G3 * x.u * x.u) * x.u;
  f.b = x.u - 0.5 * c.R * d * x.b - x.w;
  if (last)
    f.w = x.b - x.w / c.r_load;
  else if (c.leak > 0.0)
    f.w = x.b - after - c.leak * d * x.w;
  else
    f.w = x.b - after;
  return f;
}

// The parameters of a line, checked; index 2: without leaks.
Constants constants(const char* name, const Values& values, int index);

}  // namespace daedalus::problems::line_circuit
