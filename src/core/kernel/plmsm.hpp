// SPDX-License-Identifier: BSD-3-Clause
// Linear multistep formulas on any grid, in any number type with + - * /: Adams-Bashforth,
// Adams-Moulton, BDF, difference corrected BDF, and the k-th difference of beta-blocking.
// The grid is that of theta = (t - t_n) / h with the new time at theta = 1 and t_n at theta = 0;
// nodes and weights run from the newest to the oldest value. On an equidistant grid (1, 0, -1, ...)
// the weights are the classical coefficients, exactly in an exact number type.
// Hairer, Noersett, Wanner I, sections III.1 and III.5; Arnold (1998), section 3.3.3.
#pragma once

#include <array>
#include <cstddef>

#include "kernel/at.hpp"

namespace daedalus::plmsm {

constexpr int max_steps = 12;  // order 12 is the highest on request
constexpr int max_nodes = max_steps + 2;

template <class S>
using Row = std::array<S, max_nodes>;

namespace detail {

// Product of x_j - x_l over l <= last, l != j.
template <class S>
S spread(const S* x, int j, int last) {
  S product(1);
  for (int l = 0; l <= last; ++l)
    if (l != j) product = product * (x[j] - x[l]);
  return product;
}
}  // namespace detail

// J_i = int_0^1 (theta - x_0) ... (theta - x_{i-1}), i = 0..count, from
// J(i, m) = int_0^1 (theta - x_0) ... (theta - x_{i-1}) (1 - theta)^m,
// J(i + 1, m) = (1 - x_i) J(i, m) - J(i, m + 1): no powers of theta, hence no cancellation on
// grids that reach far back.
template <class S>
std::array<S, max_nodes + 1> newton_integrals(const S* x, int count) {
  std::array<S, max_nodes + 1> line{}, result{};
  for (int m = 0; m <= count; ++m) line[at(m)] = S(1) / S(m + 1);
  result[0] = line[0];
  for (int i = 0; i < count; ++i) {
    for (int m = 0; m < count - i; ++m) line[at(m)] = (S(1) - x[i]) * line[at(m)] - line[at(m + 1)];
    result[at(i + 1)] = line[0];
  }
  return result;
}

// Weights of int_0^1 p(theta) for the polynomial p through the values at `count` nodes. With nodes
// ordered 1, 0, ... or 0, -1, ... the terms of each weight but the first have one sign.
template <class S>
Row<S> integral(const S* x, int count) {
  const auto J = newton_integrals(x, count - 1);
  Row<S> w{};
  for (int j = 0; j < count; ++j) {
    // spread(x, j, i) for i = j, j + 1, ..., one factor more each time.
    S product = detail::spread(x, j, j);
    w[at(j)] = S(0) + J[at(j)] / product;
    for (int i = j + 1; i < count; ++i) {
      product = product * (x[j] - x[i]);
      w[at(j)] = w[at(j)] + J[at(i)] / product;
    }
  }
  return w;
}

// Values of the Lagrange polynomials of `count` nodes at theta.
template <class S>
Row<S> extrapolation(const S* x, int count, const S& theta) {
  Row<S> w{};
  for (int j = 0; j < count; ++j) {
    w[at(j)] = S(1);
    for (int l = 0; l < count; ++l)
      if (l != j) w[at(j)] = w[at(j)] * (theta - x[l]) / (x[j] - x[l]);
  }
  return w;
}

// Weights of the derivative at the first node of the polynomial through `count` values.
template <class S>
Row<S> derivative(const S* x, int count) {
  Row<S> w{};
  w[0] = S(0);
  for (int j = 1; j < count; ++j) {
    w[0] = w[0] + S(1) / (x[0] - x[j]);
    w[at(j)] = S(1) / (x[j] - x[0]);
    for (int l = 1; l < count; ++l)
      if (l != j) w[at(j)] = w[at(j)] * (x[0] - x[l]) / (x[j] - x[l]);
  }
  return w;
}

// (count - 1)! times the divided difference: the backward difference on an equidistant grid.
template <class S>
Row<S> difference(const S* x, int count) {
  S factorial(1);
  for (int i = 2; i < count; ++i) factorial = factorial * S(i);
  Row<S> w{};
  for (int j = 0; j < count; ++j) w[at(j)] = factorial / detail::spread(x, j, count - 1);
  return w;
}

// sum_j alpha_j y_j = h sum_j beta_j f_j, index 0 for the new value.
template <class S>
struct Formula {
  int steps = 0;
  Row<S> alpha{}, beta{};
};

// x: 1, 0, theta_1, ...: k + 1 nodes for k steps.
template <class S>
Formula<S> adams_moulton(const S* x, int k) {
  Formula<S> f{k, {}, integral(x, k + 1)};
  for (S& a : f.alpha) a = S(0);
  f.alpha[0] = S(1);
  f.alpha[1] = S(-1);
  return f;
}

template <class S>
Formula<S> bdf(const S* x, int k) {
  Formula<S> f{k, derivative(x, k + 1), {}};
  for (S& b : f.beta) b = S(0);
  f.beta[0] = S(1);
  return f;
}

// The defect of BDF, y^(k+1) / (k+1)! prod (1 - x_l), by the k-th difference of f: order k + 1.
// On an equidistant grid sigma = xi^k - (xi - 1)^k / (k + 1).
template <class S>
Formula<S> difference_corrected_bdf(const S* x, int k) {
  Formula<S> f = bdf(x, k);
  const Row<S> d = difference(x, k + 1);
  S share(1);
  for (int l = 1; l <= k; ++l) share = share * (x[0] - x[l]) / S(l);
  share = share / S(k + 1);
  for (int j = 0; j <= k; ++j) f.beta[at(j)] = f.beta[at(j)] - share * d[at(j)];
  return f;
}

// Explicit k-step Adams over the nodes 0, theta_1, ...; index 0 for f_n.
template <class S>
Row<S> adams_bashforth(const S* past, int k) {
  return integral(past, k);
}

// 1, 0, -1, ..., 1 - k.
template <class S>
Row<S> equidistant() {
  Row<S> x{};
  for (int j = 0; j < max_nodes; ++j) x[at(j)] = S(1 - j);
  return x;
}

// beta-blocking (Arnold 1998, (3.88)): tau = gamma times the k-th difference. The difference
// corrected BDF is blocked by the correction itself, tau_j = beta_j for the past values, which
// leaves betahat = (1, 0, ..., 0) on every grid.
template <class S>
Row<S> blocking(const S* x, int k, const S& gamma) {
  Row<S> tau = difference(x, k + 1);
  for (int j = 0; j <= k; ++j) tau[at(j)] = gamma * tau[at(j)];
  return tau;
}
template <class S>
Row<S> blocking(const Formula<S>& corrected) {
  Row<S> tau = corrected.beta;
  tau[0] = corrected.beta[0] - S(1);
  return tau;
}

}  // namespace daedalus::plmsm
