// SPDX-License-Identifier: BSD-3-Clause
// Equations with a jump of stiffness at t = 1 and known solutions, and random linear systems of
// index 2 in Weierstrass form.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include <daedalus/problem.hpp>

namespace daedalus::nonlinear_models {

// The rate falls from 1e6 to 1, or rises, in a jump (width 0) or like tanh((t - 1) / width).
struct Jump {
  bool falls = true;
  double width = 0.0;
};

// y' = -rate (y - cos t) - sin t; with `mass_matrix` in the form M y' = f, which linearly implicit
// methods ask for.
Problem scalar_jump(const Jump& jump, bool mass_matrix = false);
// y' = -z - sin t, 0 = z - rate (y - cos t).
Problem algebraic_jump(const Jump& jump);
inline double scalar_solution(double t) { return std::cos(t); }

// Four such equations with phases of their own, mixed by a well-conditioned matrix; the rate of the
// second one jumps, those of the others are 0.1, 10 and 1e4. mixed_rows: the equations, too.
Problem mixed_jump(const Jump& jump, bool mixed_rows, bool mass_matrix = false);
Eigen::VectorXd mixed_solution(double t);

// A body on SO(3) whose damper drives it to the angular velocity (cos t, 0, 0).
Problem rotating_jump(const Jump& jump);

// E x' + A x = q with E = P diag(I, N) Q, A = P diag(W, I) Q: W diagonal from 1 to 1e6, N with
// blocks of index 2, P and Q orthogonal times diagonal matrices of condition at most 10; x(t) from
// sines. index_stated: variable_index is 2 for all variables, else it is left out.
struct Weierstrass {
  Eigen::MatrixXd E, A, X;
  Eigen::VectorXd frequency, phase;
  // max |row of X| over the components that N differentiates, per variable: their share of x.
  explicit Weierstrass(unsigned seed);
  Problem implicit(bool index_stated) const;
  Problem mass_matrix(bool index_stated) const;
  Eigen::VectorXd solution(double t) const;
};

}  // namespace daedalus::nonlinear_models
