// SPDX-License-Identifier: BSD-3-Clause
// Jacobians from difference quotients go wrong without notice where a variable is badly scaled: an
// increment of 1.5e-8 max(1, |x|) is nothing for x = 1 and much for a concentration of 1e-5 whose
// square has the coefficient 1e7 (Robertson's reaction).
//
// With sizes s_j of the variables, J = F_x, C = second derivatives F_ijj and terms
// T_i = (|E| |x'|)_i + (|J| |x|)_i of F(t, x, x') = 0, the error D - J of the quotients is measured
// by what it does to an equation,
//   e_ij = |D_ij - J_ij| s_j / (T_i + sum_k (|J_ik| + C_ik s_k) s_k).
// A variable that is zero at the start gets its size from the equations: sqrt(2 T_i / C_ij), the
// change at which the quadratic term of row i is as large as the others.
// J comes from exact derivatives where there are any, else from central differences extrapolated
// over twelve increments, so that plain callables can be judged too.
#pragma once

#include <Eigen/Core>

#include "system/system.hpp"

namespace daedalus {

struct DifferenceError {
  double error = 0.0;         // largest e_ij; 0: none was found
  int row = -1, column = -1;  // where
  double size = 0.0;          // s_j there
  // The most curved column beside larger variables; its size against the largest one.
  int uneven = -1, uneven_row = -1;
  double uneven_size = 0.0, unevenness = 1.0;
};

// `used` holds the quotients a run would use, `exact` the true F_x or nothing (size 0). The views
// belong to first-order systems in the consistent state (t, x, x').
DifferenceError difference_error(System& system, const State& state, const Eigen::VectorXd& rates,
                                 const Eigen::MatrixXd& E, const Eigen::MatrixXd& used,
                                 const Eigen::MatrixXd& exact, const Eigen::VectorXd& atol);

}  // namespace daedalus
