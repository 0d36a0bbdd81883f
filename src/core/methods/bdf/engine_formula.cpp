// SPDX-License-Identifier: BSD-3-Clause
#include "methods/bdf/engine_formula.hpp"

namespace daedalus::bdf {

Formula::Formula(const double* times, int values, double t_new)
    : count(values), h(t_new - times[0]) {
  for (int j = 0; j < count; ++j) theta[at(j)] = (times[j] - times[0]) / h;
  for (int j = 1; j <= count; ++j) {
    psi[at(j)] = 1.0 - theta[at(j - 1)];
    alpha[at(j)] = alpha[at(j - 1)] + 1.0 / psi[at(j)];
  }
  double product = 1.0;
  for (int i = 1; i < count; ++i) {
    product *= psi[at(i)];
    for (int j = 1; j <= i; ++j) {
      double divisor = 1.0;
      for (int l = 0; l <= i; ++l)
        if (l != j) divisor *= theta[at(j)] - theta[at(l)];
      weight[at(i)][at(j)] = product / divisor;
    }
  }
}

// Lagrange: the derivative at theta = 1 of the basis polynomial of node theta_j among 1, theta_0,
// ..., theta_{k-1}.
Formula::Row Formula::derivative(int k) const {
  Row d{};
  for (int j = 0; j < k; ++j) {
    double value = 1.0 / (theta[at(j)] - 1.0);
    for (int l = 0; l < k; ++l)
      if (l != j) value *= (1.0 - theta[at(l)]) / (theta[at(j)] - theta[at(l)]);
    d[at(j)] = value;
  }
  return d;
}

std::array<Formula::Row, max_values> Formula::powers(int k) const {
  // Nodes in the order 1, theta_1, ..., theta_{k-1} and theta_0 = 0, whose value is zero.
  std::array<Row, max_values> power{};
  const auto node = [&](int j) { return j == 0 ? 1.0 : theta[at(j)]; };
  for (int j = 0; j < k; ++j) {
    // theta / node_j times prod_{l != j} (theta - node_l) / (node_j - node_l), multiplied out.
    Row c{};
    c[1] = 1.0 / node(j);
    int degree = 1;
    for (int l = 0; l < k; ++l) {
      if (l == j) continue;
      const double over = 1.0 / (node(j) - node(l));
      for (int p = degree + 1; p >= 1; --p) c[at(p)] = (c[at(p - 1)] - node(l) * c[at(p)]) * over;
      ++degree;
    }
    for (int p = 1; p <= k; ++p) power[at(p)][at(j)] = c[at(p)];
  }
  return power;
}

}  // namespace daedalus::bdf
