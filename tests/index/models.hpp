// SPDX-License-Identifier: BSD-3-Clause
// Problems with known index and solution for the tests of this folder.
#pragma once

#include <Eigen/Core>

#include <daedalus/problem.hpp>

namespace daedalus::index_models {

// Hessenberg system of size m, nonlinear at every level, with y_{m-2} = sin t, each y_{i-1} the
// derivative of y_i, and z that of y_0 (index m).
Problem hessenberg_chain(int m, bool declare = false);
Eigen::VectorXd chain_solution(int m, double t);

// A x' + B x = q(t) of index m with two finite eigenvalues; A and B full.
Problem linear_of_index(int m);

// Pendulum as F(t, x, x') = 0 with x = (x, y, u, v, lambda), index 3.
Problem implicit_pendulum(const Eigen::VectorXd& start);

}  // namespace daedalus::index_models
