// SPDX-License-Identifier: BSD-3-Clause
// Power series in h with 4x4 matrices as coefficients: flows, exponentials and logarithms to the
// last digit, without any bracket formula. Matrices of size n satisfy no identity of degree below
// 2n (Amitsur, Levitzki 1950), so that a wrong coefficient of any bracket up to h^7 shows.
#pragma once

#include <array>
#include <vector>

#include <daedalus/lie/multistep.hpp>

namespace daedalus::matrix_series {

inline constexpr int n = 4;
inline constexpr int size = n * n;
inline constexpr int degree = 7;

using Numbers = std::array<long double, size>;
using Vectors = std::vector<std::vector<double>>;

struct Power {  // sum over i of c[i] h^i
  Numbers c[degree + 1] = {};
  Power& add(long double factor, const Power& other);
};

Power identity();
Power product(const Power& a, const Power& b);
Power commutator(const Power& a, const Power& b);
Power exponential(const Power& a);  // a without constant term
Power logarithm(const Power& a);    // a with constant term I

// a b - b a of matrices stored row by row; out may be a or b.
void bracket(const double* a, const double* b, double* out);
inline lie::Bracket bracket_view() {
  static const auto call = [](const double* a, const double* b, double* out) {
    bracket(a, b, out);
  };
  return {size, call};
}

// `count` random matrices with entries in (-1, 1).
Vectors random_matrices(int count, unsigned number);
std::vector<const double*> pointers(const Vectors& vectors);

// With the derivatives v^(j) at t_n: h v(t_n + c h), and log of the flow Y' = Y v over
// [t_n + c h, t_n + (c + r) h]; from_left: of Y' = v Y.
Power velocity(const Vectors& v, double c);
Power increment(const Vectors& v, double c, double r, bool from_left = false);

// h S and h L of increment_series.hpp, from flows.
Power increment_defect(const Vectors& v, const lie::BdfFormula& formula);
Power correction(const Vectors& v, const lie::CorrectionSet& set, const lie::BdfFormula& formula);

// Right-nested bracket of derivatives, as a coefficient of a sum.
struct Term {
  std::vector<int> letters;
  double coefficient;
};
std::vector<double> sum(const Vectors& v, const std::vector<Term>& terms);
// Largest difference of h^power times the coefficient, and the largest entry.
double distance(const Power& a, int power, const std::vector<double>& b);
double largest(const Power& a, int from, int to);

}  // namespace daedalus::matrix_series
