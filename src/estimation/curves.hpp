// SPDX-License-Identifier: BSD-3-Clause
// Data beside the fitted model.
#pragma once

#include "estimation/fit_task.hpp"

namespace daedalus::estimation {

// Residuals of every output, and curves with their band where the fit asks for them.
void describe_experiments(const FitTask& task, const Eigen::VectorXd& u, const Evaluation& at,
                          const Eigen::MatrixXd& covariance, FitResult& result);

}  // namespace daedalus::estimation
