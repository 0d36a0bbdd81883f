// SPDX-License-Identifier: BSD-3-Clause
// Taylor coefficients x_0, x_1, ... of a solution of F(t, x, x') = 0, from a guess of x_0 (and
// x_1): Newton's method for the derivative array F = F' = F'' = ... = 0. Each step linearises F
// along the curve of the last iterate, reduces the linear system to one with a regular leading
// matrix (index_reduction.hpp) and takes its formal solution; of all corrections of x_0 that meet
// the constraints found on the way, hidden ones included, the smallest in the given norm.
#pragma once

#include <functional>
#include <vector>

#include "linalg/index_reduction.hpp"
#include "system/equation_series.hpp"

namespace daedalus {

struct JetSettings {
  int max_rounds = 6;         // largest index that is looked for
  int min_known = 0;          // coefficients beyond x_1 that are asked for
  Eigen::VectorXd weight{};   // a change of x_0 counts in parts of it; empty: of the size of x_0
  std::vector<char> fixed{};  // per variable; empty: none
  // More rows e(x_0, x_1) = 0, and how many.
  int extra_count = 0;
  std::function<Outcome(const Eigen::VectorXd& x, const Eigen::VectorXd& rate, double* rows)>
      extra{};
  ChainSettings rank{};
};

struct Jet {
  Outcome outcome = Outcome::ok;  // newton_failed: no convergence or a contradiction
  // Reduction at the last iterate. Not converged, singular or of too high index: the reason is
  // here.
  IndexReduction reduction;
  Eigen::MatrixXd x;  // columns x_0, x_1, ...: those that the equations determine
  int iterations = 0;
  bool converged = false;
  // Largest value that a constraint was left with, relative to its terms.
  double residual = 0.0;
  // Constraints that the free variables cannot meet, by their number in the reduction; extra rows
  // follow.
  std::vector<int> conflict;
};

Jet solve_jet(EquationSeries& equations, double t, const Eigen::VectorXd& x0,
              const Eigen::VectorXd& rate, const JetSettings& settings = {});

}  // namespace daedalus
