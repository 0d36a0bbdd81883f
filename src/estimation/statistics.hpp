// SPDX-License-Identifier: BSD-3-Clause
// What the Jacobian at the minimum says about the estimates.
#pragma once

#include "estimation/fit_task.hpp"

namespace daedalus::estimation {

// Fills estimates, correlation, singular values and undetermined combinations. Returns the
// covariance in u, without what is not determined.
Eigen::MatrixXd describe_estimates(const FitTask& task, const Eigen::VectorXd& u,
                                   const Evaluation& at, FitResult& result);

// Half the width of an interval of the given confidence, in standard deviations.
double student_quantile(double confidence, long degrees_of_freedom);

// Rows of a basis of a space, combined so that each has as many zeros as possible.
Eigen::MatrixXd sparse_basis(Eigen::MatrixXd rows);
// "length * gravity", "k1 / k2^2": exponents below 0.1 of the largest are left out.
std::string product_of_powers(const std::vector<std::string>& names, const Eigen::VectorXd& powers);

}  // namespace daedalus::estimation
