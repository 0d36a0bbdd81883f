// SPDX-License-Identifier: BSD-3-Clause
// Transmission line of length one as n cells, each a T of two coils and a capacitor with a
// varistor beside it, source V(t) = sin^2(pi t) behind a resistor at one end, a resistor at the
// other. With L, C, R, G per length, d = 1/n, w_0 = V - r_source a_1:
//   (L d/2) a_k' = w_(k-1) - (R d/2) a_k - u_k
//       C d u_k' = a_k - b_k - d (G u_k + G3 u_k^3)
//   (L d/2) b_k' = u_k - (R d/2) b_k - w_k
//              0 = b_k - a_(k+1) - d leak w_k,  k < n
//              0 = b_n - w_n / r_load
// M y' = f(t, y) with the Kirchhoff equations of the junctions w_k as the rows without derivatives.
// With leak > 0 they determine w_k: index 1. Without leaks a junction joins coils alone, the
// currents a_(k+1) = b_k are constrained, and w_k of the n - 1 inner junctions has index 2
// (a cutset of inductors; Tischendorf 1999).
#pragma once

#include <catalogue/support.hpp>

namespace daedalus::problems::line_circuit {

struct Constants {
  double n = 10.0, L = 1.0, C = 1.0, R = 0.1, G = 0.1, G3 = 1.0, leak = 1.0;
  double r_source = 0.5, r_load = 2.0;
};

Problem build(const char* name, const Constants& c);
// Everything but the reference; index 1 or 2.
Entry entry(const char* name, int index);
std::vector<std::string> variables(int n);
// At t = 2 for the standard parameters.
Reference reference(std::initializer_list<double> values);

}  // namespace daedalus::problems::line_circuit
