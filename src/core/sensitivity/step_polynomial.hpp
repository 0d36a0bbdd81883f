// SPDX-License-Identifier: BSD-3-Clause
// Columns over one step: the polynomial through values at nodes theta = (t - t0) / h.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace daedalus {

struct StepPolynomial {
  double t0 = 0.0, h = 0.0;
  std::vector<double> nodes;
  std::vector<Eigen::MatrixXd> values;

  // Weights of the values at theta, or of their derivative by theta.
  std::vector<double> weights(double theta, bool derivative = false) const;
  void evaluate(double t, Eigen::MatrixXd& out) const;
  // Coefficients of theta^j of the first `rows` rows, each matrix as one vector.
  Eigen::MatrixXd powers(int rows) const;
};

}  // namespace daedalus
