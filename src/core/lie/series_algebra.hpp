// SPDX-License-Identifier: BSD-3-Clause
// The free Lie algebra of the letters x_j = h^(j+1) v^(j), graded by weight (letter x_j has weight
// j + 1, so the weight is the power of h) and cut off behind weight 7. An element is its
// coefficients in 40 right-nested brackets [x_i1,[x_i2,[...,x_im]]]; the grades have dimensions
// 1, 1, 2, 3, 6, 9, 18. Everything that the local errors of the Lie-group multistep methods consist
// of is such an element: increments by the Magnus series, velocities by Taylor's, nested brackets
// of both (Wieloch 2022, sections 2.3 and 3.2, appendix C).
#pragma once

#include <array>

#include <daedalus/lie/series.hpp>

namespace daedalus::lie::series {

// Methods of order 6 need terms up to h^7, and so many monomials there are.
inline constexpr int top_weight = 7;
inline constexpr int monomial_count = 40;

struct Monomial {
  int weight = 0;
  int length = 0;
  int letters[6] = {};
  double magnus = 0.0;  // its coefficient in the Magnus term mu_weight
};

struct Element : std::array<double, monomial_count> {
  Element() { fill(0.0); }
  Element& add(double factor, const Element& other);
};

extern const std::array<Monomial, monomial_count> monomials;
// Index of the monomial with these letters; -1 when the list does not hold it.
int monomial_index(std::initializer_list<int> letters);
// For example "[v,[v,v'']]".
std::string monomial_name(int index);

Element letter(int j);
// [a, b] up to the given weight.
Element bracket(const Element& a, const Element& b, int weight = top_weight);
// h v(t_n + c h) and the exact increment nu of q over [t_n + c h, t_n + (c + r) h].
Element velocity(double c);
Element increment(double c, double r);
// The bracket as series.hpp takes it, for a Series over elements.
Bracket element_bracket();

// out = sum over monomials of the weights low..high of coefficient * monomial, the letter x_j read
// as v[j] (those of zero coefficients are not touched). One bracket per common beginning of
// monomials; scratch holds nested_scratch vectors of the size of the bracket.
inline constexpr int nested_scratch = 5;
void evaluate(const Bracket& bracket, const Element& coefficients, int low, int high,
              const double* const* v, double* scratch, double* out);

}  // namespace daedalus::lie::series
