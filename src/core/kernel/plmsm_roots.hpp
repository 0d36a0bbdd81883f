// SPDX-License-Identifier: BSD-3-Clause
// Roots of generating polynomials: root conditions and the constant kappa, the spectral radius of
// the companion matrix of sigmahat (Arnold 1998, Theorem 15), by Weierstrass' simultaneous
// iteration.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "kernel/bracketing.hpp"
#include "kernel/plmsm.hpp"

namespace daedalus::plmsm {

// Of coefficient[0] xi^degree + ... + coefficient[degree], coefficient[0] != 0.
struct Roots {
  int count = 0;
  std::array<std::complex<double>, max_nodes> value{};

  double largest() const {
    double r = 0.0;
    for (int i = 0; i < count; ++i) r = std::max(r, std::abs(value[at(i)]));
    return r;
  }
};

inline Roots roots(Row<double> coefficient, int degree) {
  using Complex = std::complex<double>;
  Roots r;
  r.count = degree;
  // Roots zero are exact and would slow the iteration down.
  double size = 0.0;
  for (int j = 0; j <= degree; ++j) size = std::max(size, std::abs(coefficient[at(j)]));
  int left = degree;
  while (left > 0 && std::abs(coefficient[at(left)]) <= 1e-15 * size) --left;
  const Complex start = std::polar(0.9, 0.7);
  Complex power = 1.0;
  for (int i = 0; i < left; ++i) r.value[at(i)] = power *= start;
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double moved = 0.0;
    for (int i = 0; i < left; ++i) {
      const Complex x = r.value[at(i)];
      Complex p = 1.0, q = 1.0;
      for (int j = 1; j <= left; ++j) p = p * x + coefficient[at(j)] / coefficient[0];
      for (int j = 0; j < left; ++j)
        if (j != i) q *= x - r.value[at(j)];
      const Complex step = p / q;
      r.value[at(i)] = x - step;
      moved = std::max(moved, std::abs(step));
    }
    if (moved < 1e-15) break;
  }
  return r;
}

// All roots in the closed unit disc, those on the circle simple.
inline bool root_condition(const Row<double>& rho, int degree) {
  const Roots r = roots(rho, degree);
  constexpr double on_circle = 1e-6;  // of a double root only half of the digits are known, 1e-8
  for (int i = 0; i < r.count; ++i) {
    const auto x = r.value[at(i)];
    if (std::abs(x) > 1.0 + on_circle) return false;
    if (std::abs(x) < 1.0 - on_circle) continue;
    for (int j = 0; j < i; ++j)
      if (std::abs(x - r.value[at(j)]) < 1e-3) return false;
  }
  return true;
}

// kappa of sigmahat = sigma - tau; < 1: the strict root condition. Infinite where the new value
// drops out of the formula.
inline double kappa(const Row<double>& sigma, const Row<double>& tau, int degree) {
  Row<double> hat{};
  for (int j = 0; j <= degree; ++j) hat[at(j)] = sigma[at(j)] - tau[at(j)];
  double size = 0.0;
  for (int j = 0; j <= degree; ++j) size = std::max(size, std::abs(hat[at(j)]));
  if (!(std::abs(hat[0]) > 1e-14 * size)) return std::numeric_limits<double>::infinity();
  return roots(hat, degree).largest();
}

// Of Adams-Moulton with k steps blocked by gamma (xi - 1)^k.
inline double kappa_of_blocked_adams(int k, double gamma) {
  const Row<double> x = equidistant<double>();
  return kappa(integral(x.data(), k + 1), blocking(x.data(), k, gamma), k);
}

// Largest modulus of the roots of P(EC)^M E with k-step Adams formulas on y' = lambda y,
// h lambda = -x: y^(0) by Adams-Bashforth, y^(l+1) = r - x beta y^(l), f from y^(M).
inline double growth_of_adams(int k, int correctors, double x) {
  const Row<double> nodes = equidistant<double>();
  const Row<double> b = adams_bashforth(nodes.data() + 1, k), c = integral(nodes.data(), k + 1);
  Row<double> y{}, r{};  // shares of y_n, y_{n-1}, ...
  for (int j = 0; j < k; ++j) {
    const double old = j == 0 ? 1.0 : 0.0;
    y[at(j)] = old - x * b[at(j)];
    r[at(j)] = old - x * c[at(j + 1)];
  }
  for (int l = 0; l < correctors; ++l)
    for (int j = 0; j < k; ++j) y[at(j)] = r[at(j)] - x * c[0] * y[at(j)];
  Row<double> polynomial{};
  polynomial[0] = 1.0;
  for (int j = 0; j < k; ++j) polynomial[at(j + 1)] = -y[at(j)];
  return roots(polynomial, k).largest();
}

// The end of the interval of stability on the negative real axis.
inline double stability_boundary(int k, int correctors) {
  // A thousandth of the search: intervals of Adams methods end between 0.05 and 3.
  constexpr double step = 0.01;
  double x = step;
  while (x < 10.0 && growth_of_adams(k, correctors, x) <= 1.0) x += step;
  double inside = x - step, outside = x;
  halve(
      inside, outside, [&](double at) { return growth_of_adams(k, correctors, at) <= 1.0; }, 20);
  return inside;
}

}  // namespace daedalus::plmsm
