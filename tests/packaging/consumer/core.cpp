// SPDX-License-Identifier: BSD-3-Clause
// A program of ten lines on the component core alone; the test looks at what it loads.
#include <cmath>

#include <daedalus/solve.hpp>

int main() {
  const daedalus::SemiExplicitProblem decay{
      .name = "decay",
      .f = [](double, daedalus::In y, daedalus::In, daedalus::Out f) { f[0] = -y[0]; },
      .y0 = Eigen::VectorXd::Ones(1)};
  const auto end = daedalus::solve(decay, {0.0, 1.0}, {.rtol = 1e-6, .atol = 1e-6}).end();
  return std::abs(end.y()[0] - std::exp(-1.0)) < 1e-4 ? 0 : 1;
}
