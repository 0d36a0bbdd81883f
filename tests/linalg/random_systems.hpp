// SPDX-License-Identifier: BSD-3-Clause
// Random square systems for the tests of the linear solvers.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "linalg/sparse_pattern.hpp"

namespace daedalus::testing {

struct RandomSystem {
  SparsePattern pattern;
  std::vector<double> values;

  Eigen::MatrixXd matrix() const {
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(pattern.rows, pattern.cols);
    for (int c = 0; c < pattern.cols; ++c)
      for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k)
        a(pattern.row[k], c) = values[k];
    return a;
  }
};

inline RandomSystem from_matrix(const Eigen::MatrixXd& a) {
  RandomSystem s;
  s.pattern = {static_cast<int>(a.rows()), static_cast<int>(a.cols()), {0}, {}};
  for (int c = 0; c < a.cols(); ++c) {
    for (int r = 0; r < a.rows(); ++r)
      if (a(r, c) != 0.0) {
        s.pattern.row.push_back(r);
        s.values.push_back(a(r, c));
      }
    s.pattern.start.push_back(s.pattern.nonzeros());
  }
  return s;
}

// A hidden permuted diagonal of size one to two makes the matrix regular for certain and gives the
// pivoting something to do; about `per_column` entries of size up to a half surround it.
inline RandomSystem random_system(int n, double per_column, std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<int> partner(n);
  for (int i = 0; i < n; ++i) partner[i] = i;
  std::shuffle(partner.begin(), partner.end(), generator);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  for (int e = 0; e < per_column * n; ++e) {
    const int r = static_cast<int>(generator() % n);  // one draw per statement: a fixed order
    const int c = static_cast<int>(generator() % n);
    a(r, c) = 0.5 / per_column * uniform(generator);
  }
  for (int c = 0; c < n; ++c) a(partner[c], c) = 1.5 + 0.5 * uniform(generator);
  return from_matrix(a);
}

// Normwise backward error |A x - b| / (|A| |x| + |b|), maximum norms (Rigal, Gaches 1967).
inline double backward_error(const Eigen::MatrixXd& a, const Eigen::VectorXd& x,
                             const Eigen::VectorXd& b) {
  const double norm = a.cwiseAbs().rowwise().sum().maxCoeff();
  return (a * x - b).lpNorm<Eigen::Infinity>() /
         (norm * x.lpNorm<Eigen::Infinity>() + b.lpNorm<Eigen::Infinity>());
}

}  // namespace daedalus::testing
