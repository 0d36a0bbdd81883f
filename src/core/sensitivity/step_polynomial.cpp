// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivity/step_polynomial.hpp"

#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Coefficients of the polynomial that is 1 at node i and 0 at the others.
std::vector<double> basis(const std::vector<double>& nodes, std::size_t i) {
  std::vector<double> c{1.0};
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    if (j == i) continue;
    const double scale = 1.0 / (nodes[i] - nodes[j]);
    c.push_back(0.0);
    for (std::size_t k = c.size() - 1; k > 0; --k) c[k] = (c[k - 1] - nodes[j] * c[k]) * scale;
    c[0] *= -nodes[j] * scale;
  }
  return c;
}

}  // namespace

std::vector<double> StepPolynomial::weights(double theta, bool derivative) const {
  std::vector<double> w(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double product = 1.0, slope = 0.0;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j == i) continue;
      const double scale = 1.0 / (nodes[i] - nodes[j]);
      slope = (slope * (theta - nodes[j]) + product) * scale;
      product *= (theta - nodes[j]) * scale;
    }
    w[i] = derivative ? slope : product;
  }
  return w;
}

void StepPolynomial::evaluate(double t, Eigen::MatrixXd& out) const {
  const std::vector<double> w = weights((t - t0) / h);
  out = w[0] * values[0];
  for (std::size_t i = 1; i < w.size(); ++i) out += w[i] * values[i];
}

Eigen::MatrixXd StepPolynomial::powers(int rows) const {
  const Eigen::Index cols = values[0].cols(), degree = static_cast<Eigen::Index>(nodes.size());
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(rows * cols, degree);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<double> b = basis(nodes, i);
    const Eigen::MatrixXd part = values[i].topRows(rows);
    const Eigen::Map<const Eigen::VectorXd> flat(part.data(), part.size());
    for (Eigen::Index j = 0; j < degree; ++j) c.col(j) += b[at(static_cast<int>(j))] * flat;
  }
  return c;
}

}  // namespace daedalus
