// SPDX-License-Identifier: BSD-3-Clause
#include "methods/bdf/engine_formula.hpp"

namespace daedalus::bdf {
namespace {

// `width` rows of newton_form() from those on that the pointers begin with: what they need stays in
// registers, and -O2 uses vector instructions.
template <int width>
void newton_rows(const Formula& f, const Formula::Row& rate, int degree, const double* past,
                 std::ptrdiff_t stride, double* phi, double* value, double* slope) {
  double w[max_values][width], sum[width], steep[width];
  for (int j = 1; j < f.count; ++j)
    for (int lane = 0; lane < width; ++lane) w[j][lane] = past[j * stride + lane];
  for (int lane = 0; lane < width; ++lane) sum[lane] = value[lane], steep[lane] = slope[lane];
  for (int i = 1; i < f.count; ++i) {
    const Formula::Row& weight = f.weight[at(i)];
    double p[width];
    for (int lane = 0; lane < width; ++lane) p[lane] = weight[1] * w[1][lane];
    for (int j = 2; j <= i; ++j)
      for (int lane = 0; lane < width; ++lane) p[lane] += weight[at(j)] * w[j][lane];
    for (int lane = 0; lane < width; ++lane) phi[i * stride + lane] = p[lane];
    if (i > degree) continue;
    for (int lane = 0; lane < width; ++lane) {
      sum[lane] += p[lane];
      steep[lane] += rate[at(i)] * p[lane];
    }
  }
  for (int lane = 0; lane < width; ++lane) value[lane] = sum[lane], slope[lane] = steep[lane];
}

}  // namespace

Formula::Formula(const double* times, int values, double t_new)
    : count(values), h(t_new - times[0]) {
  for (int j = 0; j < count; ++j) theta[at(j)] = (times[j] - times[0]) / h;
  for (int j = 1; j <= count; ++j) {
    psi[at(j)] = 1.0 - theta[at(j - 1)];
    alpha[at(j)] = alpha[at(j - 1)] + 1.0 / psi[at(j)];
  }
  // divisor[j] = prod_{l != j} (theta_j - theta_l) over the nodes so far.
  Row divisor{};
  divisor[0] = 1.0;
  double product = 1.0;
  for (int i = 1; i < count; ++i) {
    product *= psi[at(i)];
    double own = 1.0;
    for (int j = 0; j < i; ++j) {
      divisor[at(j)] *= theta[at(j)] - theta[at(i)];
      own *= theta[at(i)] - theta[at(j)];
    }
    divisor[at(i)] = own;
    for (int j = 1; j <= i; ++j) weight[at(i)][at(j)] = product / divisor[at(j)];
  }
}

void newton_form(const Formula& f, int degree, const Eigen::MatrixXd& past, Eigen::MatrixXd& phi,
                 double* value, double* slope) {
  Formula::Row rate{};
  for (int i = 1; i <= degree; ++i) rate[at(i)] = f.alpha[at(i)] / f.h;
  const std::ptrdiff_t rows = past.rows();
  std::ptrdiff_t r = 0;
  for (; r + 2 <= rows; r += 2)
    newton_rows<2>(f, rate, degree, past.data() + r, rows, phi.data() + r, value + r, slope + r);
  if (r < rows)
    newton_rows<1>(f, rate, degree, past.data() + r, rows, phi.data() + r, value + r, slope + r);
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
