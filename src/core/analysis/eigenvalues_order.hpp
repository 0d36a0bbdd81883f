// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues of a pencil without infinite ones, by falling real part, then by falling imaginary
// part.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

namespace daedalus {

// Finite s with det(A - s B) = 0, B regular.
std::vector<std::complex<double>> ordered_eigenvalues(const Eigen::MatrixXd& A,
                                                      const Eigen::MatrixXd& B);

}  // namespace daedalus
