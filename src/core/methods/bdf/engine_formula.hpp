// SPDX-License-Identifier: BSD-3-Clause
// Variable-coefficient BDF on the true grid, in Newton's form. With theta_j = (t_{n-j} - t_n) / h,
// theta = 1 at the new time, and w_j the past values relative to x_n (w_0 = 0):
//   phi_i = prod_{l<i} (1 - theta_l) [theta_0, ..., theta_i] w,        i = 1, 2, ...
//   prediction of degree m:    x_n + sum_{i<=m} phi_i
//   psi_j = 1 - theta_{j-1},   alpha_k = sum_{j=1}^k 1 / psi_j
//   x'_{n+1} h = alpha_k e + sum_{i<=m} phi_i alpha_i,   e = x_{n+1} - prediction, m = k or k - 1.
// This is the derivative of the polynomial through x_{n+1}, ..., x_{n+1-k} (Tischendorf 1992,
// (4.2); Brenan, Campbell, Petzold 1989, section 5.1, without their fixed leading coefficient).
// No heap.
#pragma once

#include <Eigen/Core>
#include <array>

#include "kernel/at.hpp"

namespace daedalus::bdf {

// BDF of order 7 and higher are unstable.
constexpr int max_order = 6;
constexpr int max_values = max_order + 2;  // the estimate of order k + 1 looks k + 2 back

struct Formula {
  using Row = std::array<double, max_values>;
  // times[0] = t_n, times[1] = t_{n-1}, ...; `count` of them are used.
  Formula(const double* times, int count, double t_new);

  int count = 0;
  double h = 0.0;
  Row theta{};                                 // theta[0] = 0
  std::array<double, max_values + 1> psi{};    // psi[j], j >= 1, in units of h
  std::array<double, max_values + 1> alpha{};  // alpha[k], in units of 1 / h
  // phi_i = sum_{j=1}^{i} weight[i][j] w_j
  std::array<Row, max_values> weight{};

  // Local error of order k over e_{k+1} = x_{n+1} - prediction of degree k: 1 / (psi alpha). The
  // error of the derivative times h, without the division by alpha, is (4.4) of the thesis.
  double error_constant(int k) const { return 1.0 / (psi[at(k + 1)] * alpha[at(k)]); }
  double defect_constant(int k) const { return 1.0 / psi[at(k + 1)]; }

  // x'_{n+1} h = sum_{j=0}^{k-1} derivative[j] (x_{n-j} - x_{n+1}).
  Row derivative(int k) const;

  // The polynomial through x_{n+1} and x_n, ..., x_{n+1-k} relative to x_n in powers of theta:
  // power[p][0] multiplies w_new = x_{n+1} - x_n, power[p][j] multiplies w_j, j = 1..k-1.
  std::array<Row, max_values> powers(int k) const;
};

// phi_i from the past values; value += sum phi_i, slope += sum alpha_i / h phi_i, i up to `degree`.
void newton_form(const Formula& f, int degree, const Eigen::MatrixXd& past, Eigen::MatrixXd& phi,
                 double* value, double* slope);

}  // namespace daedalus::bdf
