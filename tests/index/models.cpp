// SPDX-License-Identifier: BSD-3-Clause
#include "index/models.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <daedalus/autodiff.hpp>

namespace daedalus::index_models {

namespace {
constexpr double half_pi = 1.57079632679489661923;
}

Eigen::VectorXd chain_solution(int m, double t) {
  Eigen::VectorXd x(m);
  for (int i = 0; i < m - 1; ++i) x[i] = std::sin(t + (m - 2 - i) * half_pi);
  x[m - 1] = std::sin(t + (m - 1) * half_pi);
  return x;
}

Problem hessenberg_chain(int m, bool declare) {
  SemiExplicitProblem p;
  p.name = "chain";
  p.f = autodiff([m](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::cos, std::sin;
    f[0] = z[0] * (2.0 + cos(y[0])) / (2.0 + cos(sin(t + (m - 2) * half_pi)));
    for (int i = 1; i < m - 1; ++i) {
      const auto s = sin(t + (m - 2 - i) * half_pi);
      f[i] = y[i - 1] + 0.25 * (y[i] * y[i] - s * s);
    }
  });
  p.g = autodiff([m](const auto& t, const auto& y, const auto&, auto& g) {
    using std::sin;
    const auto s = sin(t);
    g[0] = y[m - 2] + y[m - 2] * y[m - 2] * y[m - 2] / 3.0 - s - s * s * s / 3.0;
  });
  if (declare) p.hessenberg_blocks.assign(static_cast<std::size_t>(m - 1), 1);
  const Eigen::VectorXd x = chain_solution(m, 0.2);
  p.y0 = x.head(m - 1);
  p.z0 = x.tail(1);
  return p;
}

Problem linear_of_index(int m) {
  const int n = std::max(m, 1) + 2;
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(n, n), C = Eigen::MatrixXd::Identity(n, n), P(n, n),
                  Q(n, n);
  N(0, 0) = N(1, 1) = 1.0;
  C(0, 1) = 2.0;
  C(1, 0) = -2.0;
  if (m == 0) N(2, 2) = 1.0;
  for (int i = 0; i + 1 < m; ++i) N(2 + i, 3 + i) = 1.0;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (Eigen::Index k = 0; k < P.size(); ++k)
    P.data()[k] = number(random), Q.data()[k] = number(random);
  const Eigen::MatrixXd A = P * N * Q, B = P * C * Q;
  ImplicitProblem p;
  p.name = "linear";
  p.residual = autodiff([A, B, n](const auto& t, const auto& y, const auto& yp, auto& r) {
    using std::sin;
    for (int i = 0; i < n; ++i) {
      r[i] = -sin(t * (i + 1.0));
      for (int k = 0; k < n; ++k) r[i] += A(i, k) * yp[k] + B(i, k) * y[k];
    }
  });
  p.index = std::min(m, 3);  // the largest that can be declared
  p.y0 = Eigen::VectorXd::Ones(n);
  p.yp0 = Eigen::VectorXd::Zero(n);
  return p;
}

Problem implicit_pendulum(const Eigen::VectorXd& start) {
  ImplicitProblem p;
  p.name = "pendulum";
  p.residual = autodiff([](const auto&, const auto& x, const auto& d, auto& r) {
    r[0] = d[0] - x[2];
    r[1] = d[1] - x[3];
    r[2] = d[2] + 2.0 * x[0] * x[4];
    r[3] = d[3] + 2.0 * x[1] * x[4] + 9.81;
    r[4] = x[0] * x[0] + x[1] * x[1] - 1.0;
  });
  p.index = 3;
  p.variable_index = {1, 1, 2, 2, 3};
  p.y0 = start;
  p.yp0 = Eigen::VectorXd::Zero(5);
  p.variables = {"x", "y", "u", "v", "lambda"};
  p.equations = {"rate of x", "rate of y", "rate of u", "rate of v", "length"};
  return p;
}

}  // namespace daedalus::index_models
