// SPDX-License-Identifier: BSD-3-Clause
// The test of the step matrix in the programs of Steinebach (1988).
#pragma once

#include <Eigen/LU>

#include "system/pencil.hpp"

namespace daedalus {

// Reciprocal condition in the 1-norm of the matrix as the programs form it: differential rows times
// h gamma, algebraic ones times gamma. Neither rows nor columns are scaled, which is what makes it
// theirs; a scaled one says more about the system.
inline double condition_of_program(const Pencil& pencil, double gamma, double h) {
  Eigen::MatrixXd mass, matrix;
  pencil.dense_e(mass);
  pencil.dense_j(matrix);
  for (Eigen::Index i = 0; i < mass.rows(); ++i) {
    const bool algebraic = mass.row(i).isZero(0.0);
    matrix.row(i) *= algebraic ? -gamma : -h * gamma;
    matrix.row(i) += mass.row(i);
  }
  const auto norm = [](const Eigen::MatrixXd& m) {
    return m.cwiseAbs().colwise().sum().maxCoeff();
  };
  return 1.0 / (norm(matrix) * norm(matrix.partialPivLu().inverse()));
}

}  // namespace daedalus
