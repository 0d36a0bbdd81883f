// SPDX-License-Identifier: BSD-3-Clause
// Rows of the residual that a correction left as they were. A matrix that is too large for a row,
// by the factor of a jump of stiffness, makes corrections that are as much too small: they look
// converged beside those of other variables, and only the row itself tells.
#pragma once

#include <Eigen/Core>

#include "system/system.hpp"

namespace daedalus {

class StuckRows {
 public:
  StuckRows(int rows, int max_columns);
  // The residual that the next correction comes from; columns: of as many stages.
  void take(const double* residual, int columns, bool first);
  // Whether the correction before the last residual left a row of some size as it was. A row counts
  // where what is left would exceed kappa tolerances if alpha E were all of the matrix.
  bool found(const Pencil& pencil, double alpha, const double* magnitude,
             const Eigen::VectorXd& weight, double kappa);

 private:
  void set_units(const Pencil& pencil, double alpha, const double* magnitude,
                 const Eigen::VectorXd& weight);

  int rows_, columns_ = 0;
  bool known_ = false;
  Eigen::VectorXd before_, now_, unit_, noise_;
};

}  // namespace daedalus
