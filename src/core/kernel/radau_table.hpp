// SPDX-License-Identifier: BSD-3-Clause
// Radau IIA collocation with s = 3, 5, 7 stages, from its definition in any real type.
//   nodes c_1 < ... < c_s = 1: roots of P_s(2x - 1) - P_{s-1}(2x - 1), P Legendre's polynomials;
//   derivative = A^{-1}: h u'(t_n + c_i h) = sum_j (A^{-1})_ij z_j for the polynomial u of degree s
//     through x_n and the stages x_n + z_j;
//   eigenvalues of A^{-1}: the roots of the denominator of the (s-1, s) Pade approximation of
//     exp(z), one real (gamma) and (s-1)/2 pairs alpha + i beta;
//   T^{-1} A^{-1} T = diag(gamma, [alpha beta; -beta alpha], ...), last row of T: 1, 1, 0, 1, 0,
//   ...
// Hairer, Wanner (1996), sections IV.5 and IV.8; Hairer, Wanner (1999), J. Comput. Appl. Math. 111.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <utility>

#include "kernel/bracketing.hpp"

namespace daedalus::kernel {

template <class Real>
struct RadauTable {
  static constexpr int max_stages = 7, max_pairs = 3;  // order 13; pairs of complex eigenvalues
  using Row = std::array<Real, max_stages>;
  using Square = std::array<Row, max_stages>;

  int stages = 0;
  Row c{};
  Square derivative{};
  Row start_slope{};  // h u'(t_n) = sum_j start_slope_j z_j
  Square power{};     // u(t_n + theta h) = x_n + sum_k theta^(k+1) sum_j power_kj z_j
  Real gamma{};
  std::array<std::complex<Real>, max_pairs> pair{};  // alpha + i beta, beta > 0 rising
  Square T{}, T_inverse{};

  int pairs() const { return (stages - 1) / 2; }

  RadauTable() = default;
  explicit RadauTable(int s);

  // The same table in another real type.
  template <class Other>
  RadauTable<Other> as() const;

 private:
  using Complex = std::complex<Real>;
  void find_nodes();
  void find_derivatives();
  void find_eigenvalues();
  void find_transformation();
};

namespace detail {

// a x = b with partial pivoting; a and b are destroyed, the solution is left in b.
template <class S, class Real, std::size_t N>
void eliminate_and_solve(std::array<std::array<S, N>, N>& a, std::array<S, N>& b, int n) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[best][k])) best = i;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (int i = k + 1; i < n; ++i) {
      const S factor = a[i][k] / a[k][k];
      for (int j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
}

}  // namespace detail

template <class Real>
RadauTable<Real>::RadauTable(int s) : stages(s) {
  find_nodes();
  find_derivatives();
  find_eigenvalues();
  find_transformation();
}

// All roots lie in (0, 1] and at least 0.03 apart for s = 7: a grid of hundredths separates them.
template <class Real>
void RadauTable<Real>::find_nodes() {
  const auto value = [this](Real x) {
    const Real u = 2 * x - 1;
    Real before = 1, now = u;  // P_{k-1}, P_k
    for (int k = 1; k < stages; ++k)
      before = std::exchange(now, ((2 * k + 1) * u * now - k * before) / (k + 1));
    return now - before;
  };
  constexpr int grid = 100;  // parts of (0, 1): the nodes of seven stages are more than 0.05 apart
  int found = 0;
  for (int k = 0; k + 1 < grid && found + 1 < stages; ++k) {
    Real low = Real(k) / grid, high = Real(k + 1) / grid;
    const bool rising = value(low) < 0;
    if (rising == (value(high) < 0)) continue;
    halve(
        low, high, [&](Real x) { return (value(x) < 0) == rising; }, 200);
    c[found++] = (low + high) / 2;
  }
  c[stages - 1] = 1;
}

// Lagrange's polynomials on 0, c_1, ..., c_s: barycentric weights give their derivatives at nodes.
template <class Real>
void RadauTable<Real>::find_derivatives() {
  std::array<Real, max_stages + 1> x{}, weight{};
  for (int i = 0; i < stages; ++i) x[i + 1] = c[i];
  for (int i = 0; i <= stages; ++i) {
    weight[i] = 1;
    for (int k = 0; k <= stages; ++k)
      if (k != i) weight[i] /= x[i] - x[k];
  }
  for (int j = 1; j <= stages; ++j) {
    start_slope[j - 1] = weight[j] / weight[0] / (x[0] - x[j]);
    for (int i = 1; i <= stages; ++i) {
      if (i != j) {
        derivative[i - 1][j - 1] = weight[j] / weight[i] / (x[i] - x[j]);
        continue;
      }
      for (int k = 0; k <= stages; ++k)
        if (k != i) derivative[i - 1][i - 1] += 1 / (x[i] - x[k]);
    }
    // Its coefficients: weight_j x times the product of x - c_k over k != j.
    std::array<Real, max_stages + 2> product{};
    product[1] = weight[j];
    int degree = 1;
    for (int k = 1; k <= stages; ++k) {
      if (k == j) continue;
      ++degree;
      for (int p = degree; p > 0; --p) product[p] = product[p - 1] - x[k] * product[p];
    }
    for (int p = 1; p <= stages; ++p) power[p - 1][j - 1] = product[p];
  }
}

// Roots by simultaneous iteration (Durand, Kerner), which converges quadratically from points on a
// circle that is not symmetric about the real axis.
template <class Real>
void RadauTable<Real>::find_eigenvalues() {
  // q_i = s! / (s-i)! (2s-1-i)! / (2s-1)! (-1)^i / i!, divided by q_s.
  std::array<Real, max_stages + 1> q{};
  q[0] = 1;
  for (int i = 1; i <= stages; ++i)
    q[i] = -q[i - 1] * Real(stages - i + 1) / Real(2 * stages - i) / Real(i);
  const auto value = [&](Complex z) {
    Complex sum = q[stages];
    for (int i = stages - 1; i >= 0; --i) sum = sum * z + q[i];
    return sum / q[stages];
  };
  std::array<Complex, max_stages> root{};
  for (int i = 0; i < stages; ++i)
    root[i] = std::polar(Real(2 * stages), Real(0.4) + Real(6.283185307179586) * i / stages);
  for (int sweep = 0; sweep < 500; ++sweep)
    for (int i = 0; i < stages; ++i) {
      Complex divisor = 1;
      for (int k = 0; k < stages; ++k)
        if (k != i) divisor *= root[i] - root[k];
      root[i] -= value(root[i]) / divisor;
    }
  int found = 0;
  for (int i = 0; i < stages; ++i) {
    if (std::abs(root[i].imag()) < Real(1e-3)) gamma = root[i].real();
    if (root[i].imag() > Real(1e-3)) pair[found++] = root[i];
  }
  for (int i = 0; i < found; ++i)
    for (int k = i + 1; k < found; ++k)
      if (pair[k].imag() < pair[i].imag()) std::swap(pair[i], pair[k]);
}

template <class Real>
void RadauTable<Real>::find_transformation() {
  const int n = stages - 1;
  // (A^{-1} - mu) v = 0 with last component 1, by the first s - 1 rows.
  const auto eigenvector = [&](Complex mu) {
    std::array<std::array<Complex, max_stages>, max_stages> a{};
    std::array<Complex, max_stages> v{};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) a[i][j] = derivative[i][j] - (i == j ? mu : Complex(0));
      v[i] = -derivative[i][n];
    }
    detail::eliminate_and_solve<Complex, Real>(a, v, n);
    v[n] = 1;
    return v;
  };
  const auto real = eigenvector(Complex(gamma));
  for (int i = 0; i < stages; ++i) T[i][0] = real[i].real();
  for (int k = 0; k < pairs(); ++k) {
    const auto v = eigenvector(pair[k]);
    for (int i = 0; i < stages; ++i) {
      T[i][2 * k + 1] = v[i].real();
      T[i][2 * k + 2] = v[i].imag();
    }
  }
  for (int j = 0; j < stages; ++j) {
    Square a = T;
    Row column{};
    column[j] = 1;
    detail::eliminate_and_solve<Real, Real>(a, column, stages);
    for (int i = 0; i < stages; ++i) T_inverse[i][j] = column[i];
  }
}

template <class Real>
template <class Other>
RadauTable<Other> RadauTable<Real>::as() const {
  RadauTable<Other> t;
  t.stages = stages;
  t.gamma = static_cast<Other>(gamma);
  for (int k = 0; k < max_pairs; ++k) t.pair[k] = std::complex<Other>(pair[k]);
  for (int i = 0; i < max_stages; ++i) {
    t.c[i] = static_cast<Other>(c[i]);
    t.start_slope[i] = static_cast<Other>(start_slope[i]);
    for (int j = 0; j < max_stages; ++j) {
      t.derivative[i][j] = static_cast<Other>(derivative[i][j]);
      t.power[i][j] = static_cast<Other>(power[i][j]);
      t.T[i][j] = static_cast<Other>(T[i][j]);
      t.T_inverse[i][j] = static_cast<Other>(T_inverse[i][j]);
    }
  }
  return t;
}

}  // namespace daedalus::kernel
